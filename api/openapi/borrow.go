package openapi

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// borrow adds what the document refers to and does not have, from the components of another document, with all that this refers
// to in turn.
func (d Document) borrow(from *yaml.Node) error {
	own := lookup(d.root, "components")
	put(own, "securitySchemes", lookup(from, "securitySchemes"))
	open := references(d.root)
	for len(open) > 0 {
		to := open[0]
		open = open[1:]
		kind, name, ok := strings.Cut(strings.TrimPrefix(to, "#/components/"), "/")
		if !ok {
			return fmt.Errorf("%s is not a component", to)
		}
		if lookup(lookup(own, kind), name) != nil {
			continue
		}
		component := lookup(lookup(from, kind), name)
		if component == nil {
			return fmt.Errorf("there is no %s", to)
		}
		if lookup(own, kind) == nil {
			put(own, kind, &yaml.Node{Kind: yaml.MappingNode})
		}
		put(lookup(own, kind), name, component)
		open = append(open, references(component)...)
	}
	return nil
}

// references are the components that a node refers to, at any depth.
func references(n *yaml.Node) (to []string) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && strings.HasPrefix(child.Value, "#/components/") {
			// As $ref says, and so does a discriminator's mapping.
			to = append(to, child.Value)
			continue
		}
		to = append(to, references(child)...)
	}
	return to
}
