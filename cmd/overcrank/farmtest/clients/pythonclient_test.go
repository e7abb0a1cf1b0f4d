//go:build linux

package clients_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// pythonClient makes a typed client in Python of an OpenAPI document: a TypedDict for each schema, and a class with a method for each
// operation. It knows the parts of OpenAPI that the farm's documents use, and refuses others. There is a generator of its own in
// this test since those that people use come from PyPI.
func pythonClient(document []byte) (string, error) {
	var d pythonDocument
	if err := json.Unmarshal(document, &d); err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(pythonHead)
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		out.WriteString(d.Components.Schemas[name].declare(name))
	}
	out.WriteString(pythonClass)
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "put", "post", "patch", "delete"} {
			text, ok := d.Paths[path][method]
			if !ok {
				continue
			}
			var op, shared pythonOperation
			if err := json.Unmarshal(text, &op); err != nil {
				return "", fmt.Errorf("%s %s: %w", method, path, err)
			}
			if list, has := d.Paths[path]["parameters"]; has {
				if err := json.Unmarshal(list, &shared.Parameters); err != nil {
					return "", fmt.Errorf("%s: %w", path, err)
				}
			}
			op.Parameters = append(shared.Parameters, op.Parameters...)
			out.WriteString(d.method(path, method, op))
		}
	}
	return out.String(), nil
}

type pythonDocument struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas    map[string]pythonSchema
		Parameters map[string]pythonParameter
		Responses  map[string]pythonBody
	}
}

type pythonOperation struct {
	OperationID string
	Summary     string
	Parameters  []pythonParameter
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema pythonSchema }
	}
	Responses map[string]pythonBody
}

type pythonParameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Required bool
	Schema   pythonSchema
}

type pythonBody struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema pythonSchema }
}

type pythonSchema struct {
	Ref        string `json:"$ref"`
	Type       string
	Enum       []any
	Nullable   bool
	Items      *pythonSchema
	OneOf      []pythonSchema
	Properties map[string]pythonSchema
	Required   []string
}

func lastPart(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// kind is a schema as a type of Python.
func (s pythonSchema) kind() string {
	kind := "Any"
	switch {
	case s.Ref != "":
		kind = `"` + lastPart(s.Ref) + `"`
	case len(s.OneOf) > 0:
		var kinds []string
		for _, one := range s.OneOf {
			kinds = append(kinds, one.kind())
		}
		kind = "Union[" + strings.Join(kinds, ", ") + "]"
	case len(s.Enum) > 0:
		kind = "Literal[" + strings.Join(literals(s.Enum), ", ") + "]"
	case s.Type == "array" && s.Items != nil:
		kind = "List[" + s.Items.kind() + "]"
	case s.Type == "object":
		kind = "Dict[str, Any]"
	case s.Type != "":
		kind = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[s.Type]
	}
	if s.Nullable && kind != "Any" {
		return "Optional[" + kind + "]"
	}
	return kind
}

// literals are values as Python writes them.
func literals(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = map[any]string{true: "True", false: "False", nil: "None"}[v]
		if out[i] == "" {
			text, _ := json.Marshal(v)
			out[i] = string(text)
		}
	}
	return out
}

// declare is the definition of a schema. Its required fields stand in a base, as Python before 3.11 wants it.
func (s pythonSchema) declare(name string) string {
	if len(s.Properties) == 0 {
		return fmt.Sprintf("%s = %s\n\n", name, s.kind())
	}
	var needed, other strings.Builder
	if slices.ContainsFunc(pythonWords, func(word string) bool { return s.Properties[word].kind() != "Any" }) {
		for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
			fmt.Fprintf(&other, "%q: %s, ", key, s.Properties[key].kind())
		}
		return fmt.Sprintf("%[1]s = TypedDict(\"%[1]s\", {%[2]s}, total=False)\n\n", name, other.String())
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		into := &other
		if slices.Contains(s.Required, key) {
			into = &needed
		}
		fmt.Fprintf(into, "    %s: %s\n", key, s.Properties[key].kind())
	}
	return fmt.Sprintf("class _%[1]s(TypedDict):\n%[2]s\n\nclass %[1]s(_%[1]s, total=False):\n%[3]s\n\n", name,
		cmp.Or(needed.String(), "    pass\n"), cmp.Or(other.String(), "    pass\n"))
}

var capital = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// snake is a name as Python has it.
func snake(name string) string {
	return strings.ToLower(capital.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "${1}_${2}"))
}

// pythonWords are words of Python's own that the documents use as names.
var pythonWords = []string{"for", "from", "is", "in", "class", "global"}

// argument is the name of a parameter, which may be a word of Python's own.
func argument(name string) string {
	if name = snake(name); slices.Contains(pythonWords, name) {
		return name + "_"
	}
	return name
}

func (d pythonDocument) method(path, method string, op pythonOperation) string {
	positional, optional := []string{"self"}, []string{}
	var query, headers []string
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[lastPart(p.Ref)]
		}
		name := argument(p.Name)
		if p.In == "path" {
			positional = append(positional, name+": "+p.Schema.kind())
			path = strings.Replace(path, "{"+p.Name+"}", "{quote(str("+name+"))}", 1)
			continue
		}
		optional = append(optional, fmt.Sprintf("%s: Optional[%s] = None", name, p.Schema.kind()))
		into := &query
		if p.In == "header" {
			into = &headers
		}
		*into = append(*into, fmt.Sprintf("%q: %s", p.Name, name))
	}
	body, mime := "None", ""
	if op.RequestBody != nil {
		for kind, content := range op.RequestBody.Content {
			mime, body = kind, "bytes"
			if kind == "application/json" {
				body = content.Schema.kind()
				break
			}
		}
		positional = append(positional, "body: "+body)
		body = "body"
	}
	if len(optional) > 0 {
		positional = append(positional, "*")
	}
	kind := d.answer(op)
	call := fmt.Sprintf("self._call(%q, f%q, {%s}, {%s}, %s, %q)", strings.ToUpper(method), path, strings.Join(query, ", "), strings.Join(headers, ", "), body, mime)
	result := fmt.Sprintf("return cast(%s, self._json(%s))", kind, call)
	switch kind {
	case "bytes":
		result = "return " + call
	case "None":
		result = call
	}
	return fmt.Sprintf("    def %s(%s) -> %s:\n        %q\n        %s\n\n", snake(op.OperationID), strings.Join(append(positional, optional...), ", "), kind, op.Summary, result)
}

// answer is what an operation gives when it succeeds.
func (d pythonDocument) answer(op pythonOperation) string {
	for _, status := range []string{"200", "201", "202", "204"} {
		answer, ok := op.Responses[status]
		if !ok {
			continue
		}
		if answer.Ref != "" {
			answer = d.Components.Responses[lastPart(answer.Ref)]
		}
		if content, is := answer.Content["application/json"]; is {
			return content.Schema.kind()
		}
		if len(answer.Content) == 0 {
			return "None"
		}
		return "bytes"
	}
	return "bytes"
}

const pythonHead = `# Made of an OpenAPI document.
import json
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen


class ApiError(Exception):
    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


`

const pythonClass = `
class Client:
    def __init__(self, server: str, token: str) -> None:
        self._server, self._token = server, token

    def _call(self, method: str, path: str, query: Dict[str, Any], headers: Dict[str, Any], body: Any, mime: str) -> bytes:
        given = {k: (",".join(v) if isinstance(v, list) else str(v).lower() if isinstance(v, bool) else v) for k, v in query.items() if v is not None}
        address = self._server + path + ("?" + urlencode(given) if given else "")
        data = json.dumps(body).encode() if mime == "application/json" else cast(Optional[bytes], body)
        request = Request(address, data=data, method=method)
        request.add_header("Authorization", "Bearer " + self._token)
        if mime:
            request.add_header("Content-Type", mime)
        for name, value in headers.items():
            if value is not None:
                request.add_header(name, value)
        try:
            with urlopen(request) as answer:
                return cast(bytes, answer.read())
        except HTTPError as refused:
            raise ApiError(refused.code, refused.read().decode()) from None

    def _json(self, text: bytes) -> Any:
        return json.loads(text)

`
