// Package openapi is the interface in machine form: the OpenAPI 3 documents that the farm serves, one of the public interface
// and one of the farm's own, kept as YAML beside the code and held to it by the tests of package api.
package openapi

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed source/*.yaml farm/*.yaml
var sources embed.FS

// RoleKey is the extension that names the least role of an operation, and AliasesKey the one that lists other paths at
// which it answers as well.
const (
	RoleKey    = "x-role"
	AliasesKey = "x-aliases"
)

// The paths at which the documents are served.
const (
	PathPublic = "/api/openapi.json"
	PathFarm   = "/api/farm/v1/openapi.json"
)

// Document is one interface. Its keys stand in the order of their source.
type Document struct{ root *yaml.Node }

// Public reads the document of the public interface from its sources, which are part of the program.
func Public() (Document, error) {
	root, err := read("source")
	if err != nil {
		return Document{}, err
	}
	d := Document{root: root}
	d.addCommonAnswers()
	return d, nil
}

// Farm reads the document of the farm's own interface, with those components of the public one that it refers to.
func Farm() (Document, error) {
	root, err := read("farm")
	if err != nil {
		return Document{}, err
	}
	public, err := read("source")
	if err != nil {
		return Document{}, err
	}
	d := Document{root: root}
	d.addCommonAnswers()
	if err := d.borrow(lookup(public, "components")); err != nil {
		return Document{}, fmt.Errorf("reading the farm's interface: %w", err)
	}
	return d, nil
}

// read makes one mapping of all sources in a folder.
func read(folder string) (*yaml.Node, error) {
	files, err := fs.Glob(sources, folder+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing the interface's sources: %w", err)
	}
	slices.SortFunc(files, byRank)
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range files {
		text, err := sources.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the interface: %w", err)
		}
		var file yaml.Node
		if err := yaml.Unmarshal(text, &file); err != nil {
			return nil, fmt.Errorf("reading the interface: %s: %w", name, err)
		}
		if len(file.Content) != 1 {
			return nil, fmt.Errorf("reading the interface: %s is empty", name)
		}
		spread(file.Content[0])
		if err := merge(root, file.Content[0], ""); err != nil {
			return nil, fmt.Errorf("reading the interface: %s: %w", name, err)
		}
	}
	return root, nil
}

// order is how a document tells its story; what is not listed follows by name.
var order = []string{"interface", "templates", "jobs", "agents", "assets"}

func byRank(a, b string) int {
	rank := func(name string) int {
		if i := slices.Index(order, strings.TrimSuffix(path.Base(name), ".yaml")); i >= 0 {
			return i
		}
		return len(order)
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return bytes.Compare([]byte(a), []byte(b))
}

// methods are the keys of a path that are operations.
var methods = []string{"get", "put", "post", "patch", "delete"}

// lowestRole is the one that no token falls short of.
const lowestRole = "viewer"

// commonAnswers are what every operation may answer that asks for a token; 403 only where some role is too low.
var commonAnswers = []struct{ status, name string }{
	{"401", "Unauthorized"}, {"403", "Forbidden"}, {"429", "TooMany"}, {"503", "Unavailable"},
}

// addCommonAnswers adds to each operation under a token what all of them may answer.
func (d Document) addCommonAnswers() {
	for _, path := range members(lookup(d.root, "paths")) {
		for _, op := range members(path.value) {
			if !slices.Contains(methods, op.key) || lookup(op.value, "security") != nil {
				continue
			}
			role, answers := lookup(op.value, RoleKey), lookup(op.value, "responses")
			for _, a := range commonAnswers {
				harmless := a.status == "403" && role != nil && role.Value == lowestRole
				if answers == nil || harmless || lookup(answers, a.status) != nil {
					continue
				}
				put(answers, a.status, reference("#/components/responses/"+a.name))
			}
			if op.key == "post" {
				addRepetition(op.value)
			}
		}
	}
}

// addRepetition adds to an operation how its request may be sent again.
func addRepetition(op *yaml.Node) {
	parameters := lookup(op, "parameters")
	if parameters == nil {
		parameters = &yaml.Node{Kind: yaml.SequenceNode}
		put(op, "parameters", parameters)
	}
	parameters.Content = append(parameters.Content, reference("#/components/parameters/IdempotencyKey"))
	if answers := lookup(op, "responses"); answers != nil && lookup(answers, "409") == nil {
		put(answers, "409", reference("#/components/responses/Repeated"))
	}
}

// JSON writes the document for the farm at a public address and of a version.
func (d Document) JSON(address, version string) ([]byte, error) {
	root := *d.root
	root.Content = slices.Clone(d.root.Content)
	info := *lookup(d.root, "info")
	info.Content = slices.Clone(info.Content)
	put(&info, "version", text(version))
	put(&root, "info", &info)
	put(&root, "paths", addAliases(lookup(d.root, "paths")))
	put(&root, "components", tellDefaults(lookup(d.root, "components"), false))
	put(&root, "servers", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{mapping("url", text(address))}})
	var b bytes.Buffer
	if err := writeJSON(&b, &root); err != nil {
		return nil, fmt.Errorf("writing the interface: %w", err)
	}
	return b.Bytes(), nil
}

// Decode reads the document into v, whose fields carry yaml tags.
func (d Document) Decode(v any) error {
	if err := d.root.Decode(v); err != nil {
		return fmt.Errorf("reading the interface: %w", err)
	}
	return nil
}
