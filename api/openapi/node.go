package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// member is one key of a mapping with its value.
type member struct {
	key   string
	value *yaml.Node
}

// members are the keys of a mapping in their order, none for anything else.
func members(n *yaml.Node) []member {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	out := make([]member, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		out = append(out, member{n.Content[i].Value, n.Content[i+1]})
	}
	return out
}

// lookup is the value of a key, nil when a mapping lacks it.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for _, m := range members(n) {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// put sets a key of a mapping, at the end when it is new.
func put(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, text(key), value)
}

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func mapping(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(key), value}}
}

func reference(to string) *yaml.Node { return mapping("$ref", text(to)) }

// spread puts the members that a mapping takes over from another (YAML's merge key, <<) in their place, at any depth.
func spread(n *yaml.Node) {
	var out []*yaml.Node
	for i, child := range n.Content {
		spread(child)
		if n.Kind != yaml.MappingNode {
			continue
		}
		switch key := n.Content[i&^1]; {
		case key.Tag != "!!merge":
			out = append(out, child)
		case i%2 == 1 && child.Kind == yaml.AliasNode:
			out = append(out, child.Alias.Content...)
		case i%2 == 1:
			out = append(out, child.Content...)
		}
	}
	if n.Kind == yaml.MappingNode {
		n.Content = out
	}
}

// merge adds the keys of from to a mapping; mappings on both sides become one, anything else may stand only once.
func merge(into, from *yaml.Node, path string) error {
	if from.Kind != yaml.MappingNode {
		return fmt.Errorf("%s is not a mapping", path)
	}
	for _, m := range members(from) {
		at := path + "/" + m.key
		old := lookup(into, m.key)
		switch {
		case old == nil:
			put(into, m.key, m.value)
		case old.Kind == yaml.MappingNode && m.value.Kind == yaml.MappingNode:
			if err := merge(old, m.value, at); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s stands in two files", at)
		}
	}
	return nil
}

// writeJSON writes a node as JSON and keeps the order of keys.
func writeJSON(b *bytes.Buffer, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, m := range members(n) {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeValue(b, m.key); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeJSON(b, m.value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, element := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, element); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case yaml.ScalarNode:
		var value any
		if err := n.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, err)
		}
		return writeValue(b, value)
	default:
		return fmt.Errorf("line %d: only mappings, lists and plain values have a form in JSON", n.Line)
	}
}

func writeValue(b *bytes.Buffer, value any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line end that Encode adds
	return nil
}
