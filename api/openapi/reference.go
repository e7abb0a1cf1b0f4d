package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Reference is the document as people read it. Descriptions are plain text with a little Markdown: paragraphs, lists that
// begin with "- ", `code`, **strong** and [links](address).
type Reference struct {
	Title, Introduction string
	Groups              []Group
	Schemas             []Schema
}

// Group is the operations on one kind of thing.
type Group struct {
	Name, Description string
	Operations        []Operation
}

// Operation is one method of one address.
type Operation struct {
	ID, Method, Path, Summary, Description string
	Role                                   string // the least that may use it, "" when it needs no token
	Deprecated                             bool
	Aliases                                []string
	Parameters                             []Field
	Body                                   *Content // nil when it takes none
	Answers                                []Answer
	Curl                                   string // how to call it from a shell
}

// Content is what a body holds.
type Content struct {
	Type     string // media type
	Kind     Kind
	Examples []Example
}

// Example is a body as one might send it.
type Example struct{ Name, JSON string }

// Answer is one status that an operation answers with.
type Answer struct {
	Status, Description string
	Content             *Content // nil when it has no body
}

// Schema is a named shape.
type Schema struct {
	Name, Description string
	Fields            []Field
	Choices           []string
	Variants          []Kind // of which a value is one
	Closed            bool   // other members are refused
}

// Field is a member of an object, or a parameter.
type Field struct {
	Name, In, Description string
	Kind                  Kind
	Required              bool
	Default               string
}

// Kind says in words of what kind a value is. Ref is the name of the schema that says more, "" when none does.
type Kind struct{ Words, Ref string }

// Reference reads the document for people, with a farm's address in the commands it shows.
func (d Document) Reference(address string) Reference {
	r := Reference{Title: d.text("info", "title"), Introduction: d.text("info", "description")}
	index := map[string]int{}
	for _, tag := range lookup(d.root, "tags").Content {
		name := value(tag, "name")
		index[name] = len(r.Groups)
		r.Groups = append(r.Groups, Group{Name: name, Description: value(tag, "description")})
	}
	for _, path := range members(lookup(d.root, "paths")) {
		shared := lookup(path.value, "parameters")
		for _, op := range members(path.value) {
			if !slices.Contains(methods, op.key) {
				continue
			}
			group := &r.Groups[index[lookup(op.value, "tags").Content[0].Value]]
			group.Operations = append(group.Operations, d.operation(address, path.key, op.key, op.value, shared))
		}
	}
	for _, s := range members(lookup(lookup(d.root, "components"), "schemas")) {
		r.Schemas = append(r.Schemas, d.schema(s.key, s.value))
	}
	slices.SortFunc(r.Schemas, func(a, b Schema) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// With is the reference with the operations and schemas of another beside its own, each in the group of its name.
func (r Reference) With(other Reference) Reference {
	r.Groups, r.Schemas = slices.Clone(r.Groups), slices.Clone(r.Schemas)
	for _, group := range other.Groups {
		i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Name == group.Name })
		if i < 0 {
			r.Groups = append(r.Groups, group)
			continue
		}
		r.Groups[i].Operations = slices.Concat(r.Groups[i].Operations, group.Operations)
	}
	for _, schema := range other.Schemas {
		if !slices.ContainsFunc(r.Schemas, func(s Schema) bool { return s.Name == schema.Name }) {
			r.Schemas = append(r.Schemas, schema)
		}
	}
	slices.SortFunc(r.Schemas, func(a, b Schema) int { return strings.Compare(a.Name, b.Name) })
	return r
}

func (d Document) operation(address, path, method string, op, shared *yaml.Node) Operation {
	o := Operation{
		ID: value(op, "operationId"), Method: strings.ToUpper(method), Path: path, Summary: value(op, "summary"),
		Description: value(op, "description"), Role: value(op, RoleKey), Deprecated: value(op, "deprecated") == "true",
	}
	if aliases := lookup(op, AliasesKey); aliases != nil {
		for _, alias := range aliases.Content {
			o.Aliases = append(o.Aliases, alias.Value)
		}
	}
	for _, list := range []*yaml.Node{shared, lookup(op, "parameters")} {
		if list == nil {
			continue
		}
		for _, p := range list.Content {
			p = d.resolve(p)
			schema := lookup(p, "schema")
			o.Parameters = append(o.Parameters, Field{
				Name: value(p, "name"), In: value(p, "in"), Description: value(p, "description"), Kind: d.kind(schema),
				Required: value(p, "required") == "true", Default: value(schema, "default"),
			})
		}
	}
	if body := lookup(op, "requestBody"); body != nil {
		o.Body = d.content(d.resolve(body))
	}
	for _, a := range members(lookup(op, "responses")) {
		answer := d.resolve(a.value)
		o.Answers = append(o.Answers, Answer{Status: a.key, Description: value(answer, "description"), Content: d.content(answer)})
	}
	slices.SortStableFunc(o.Answers, func(a, b Answer) int { return strings.Compare(a.Status, b.Status) })
	o.Curl = curl(address, o)
	return o
}

// content is the first kind of body that a request or an answer has.
func (d Document) content(of *yaml.Node) *Content {
	kinds := members(lookup(of, "content"))
	if len(kinds) == 0 {
		return nil
	}
	media := kinds[0].value
	c := &Content{Type: kinds[0].key, Kind: d.kind(lookup(media, "schema"))}
	if example := lookup(media, "example"); example != nil {
		c.Examples = append(c.Examples, Example{JSON: pretty(example)})
	}
	for _, e := range members(lookup(media, "examples")) {
		c.Examples = append(c.Examples, Example{Name: value(e.value, "summary"), JSON: pretty(lookup(e.value, "value"))})
	}
	return c
}

func (d Document) schema(name string, n *yaml.Node) Schema {
	s := Schema{Name: name, Description: value(n, "description"), Closed: value(n, "additionalProperties") == "false"}
	required := lookup(n, "required")
	for _, p := range members(lookup(n, "properties")) {
		s.Fields = append(s.Fields, Field{
			Name: p.key, Description: value(p.value, "description"), Kind: d.kind(p.value), Default: value(p.value, "default"),
			Required: required != nil && slices.ContainsFunc(required.Content, func(key *yaml.Node) bool { return key.Value == p.key }),
		})
	}
	s.Choices = texts(lookup(n, "enum"))
	if variants := lookup(n, "oneOf"); variants != nil {
		for _, v := range variants.Content {
			s.Variants = append(s.Variants, d.kind(v))
		}
	}
	return s
}

// kind words the kind of value that a schema describes.
func (d Document) kind(n *yaml.Node) Kind {
	if n == nil {
		return Kind{Words: "anything"}
	}
	if to := value(n, "$ref"); to != "" {
		name := to[strings.LastIndex(to, "/")+1:]
		return Kind{Words: name, Ref: name}
	}
	kind := Kind{Words: value(n, "type")}
	switch {
	case lookup(n, "oneOf") != nil:
		words := []string{}
		for _, v := range lookup(n, "oneOf").Content {
			words = append(words, d.kind(v).Words)
		}
		kind.Words = strings.Join(words, " or ")
	case kind.Words == "array":
		kind = d.kind(lookup(n, "items"))
		kind.Words = "list of " + kind.Words
	case lookup(n, "enum") != nil && len(texts(lookup(n, "enum"))) <= 5:
		kind.Words = strings.Join(texts(lookup(n, "enum")), " | ")
	case value(n, "format") == "date-time":
		kind.Words = "time"
	case value(n, "format") == "binary":
		kind.Words = "bytes"
	case kind.Words == "":
		kind.Words = "anything"
	}
	if least, most := value(n, "minimum"), value(n, "maximum"); least != "" && most != "" {
		kind.Words += fmt.Sprintf(", %s to %s", least, most)
	}
	if value(n, "nullable") == "true" {
		kind.Words += " or null"
	}
	return kind
}

// resolve follows a reference within the document.
func (d Document) resolve(n *yaml.Node) *yaml.Node {
	to, isReference := strings.CutPrefix(value(n, "$ref"), "#/")
	if !isReference {
		return n
	}
	at := d.root
	for part := range strings.SplitSeq(to, "/") {
		at = lookup(at, part)
	}
	return at
}

func (d Document) text(path ...string) string {
	at := d.root
	for _, key := range path[:len(path)-1] {
		at = lookup(at, key)
	}
	return value(at, path[len(path)-1])
}

// value is a plain value of a mapping, "" when it has none.
func value(n *yaml.Node, key string) string {
	if v := lookup(n, key); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

func texts(list *yaml.Node) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list.Content))
	for i, v := range list.Content {
		out[i] = v.Value
	}
	return out
}

func pretty(n *yaml.Node) string {
	var plain, out bytes.Buffer
	if n == nil || writeJSON(&plain, n) != nil || json.Indent(&out, plain.Bytes(), "", "  ") != nil {
		return ""
	}
	return out.String()
}

// curl is a command that calls an operation. Identifiers stand in braces.
func curl(address string, o Operation) string {
	call := "curl "
	if o.Method != http.MethodGet {
		call += "-X " + o.Method + " "
	}
	parts := []string{call + "'" + address + o.Path + "'"}
	if o.Role != "" {
		parts = append(parts, `-H "Authorization: Bearer $OVERCRANK_TOKEN"`)
	}
	switch {
	case o.Body == nil:
	case o.Body.Type == "application/json" && len(o.Body.Examples) > 0:
		parts = append(parts, "-H 'Content-Type: application/json'", "--data '"+strings.ReplaceAll(o.Body.Examples[0].JSON, "'", `'\''`)+"'")
	case o.Body.Type == "multipart/form-data":
		parts = append(parts, "-F 'font=@Inter-Bold.ttf'")
	default:
		parts = append(parts, "-H 'Content-Type: "+o.Body.Type+"'", "--data-binary '@file'")
	}
	return strings.Join(parts, " \\\n  ")
}
