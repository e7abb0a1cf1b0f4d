package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// addAliases adds to a document's paths, which become a copy, those that its operations answer at as well: makers of clients and those
// who compare know nothing of AliasesKey.
func addAliases(paths *yaml.Node) *yaml.Node {
	all := shallow(paths)
	for _, path := range members(paths) {
		for _, op := range members(path.value) {
			aliases := lookup(op.value, AliasesKey)
			if aliases == nil {
				continue
			}
			for i, alias := range aliases.Content {
				put(all, alias.Value, aliasItem(lookup(all, alias.Value), path, op, i))
			}
		}
	}
	return all
}

// aliasItem adds an operation to what there is of another path.
func aliasItem(item *yaml.Node, path, op member, number int) *yaml.Node {
	if item == nil {
		item = &yaml.Node{Kind: yaml.MappingNode}
		if shared := lookup(path.value, "parameters"); shared != nil {
			put(item, "parameters", shared)
		}
	}
	item = shallow(item)
	alias := without(op.value, AliasesKey)
	put(alias, "operationId", text(value(op.value, "operationId")+"Alias"+strings.Repeat("I", number)))
	put(alias, "description", text("The same as `"+strings.ToUpper(op.key)+" "+path.key+"`."))
	put(item, op.key, alias)
	return item
}

// tellDefaults is a node with the defaults of properties told in words: a property with a default may be left out like any other, but
// makers of typed clients then have callers give it. properties says that n is the mapping of names to schemas.
func tellDefaults(n *yaml.Node, properties bool) *yaml.Node {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return n
	}
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, child := range out.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		key := ""
		if n.Kind == yaml.MappingNode {
			key = n.Content[i-1].Value
		}
		child = tellDefaults(child, key == "properties" && !properties)
		if properties {
			child = inWords(child)
		}
		out.Content[i] = child
	}
	return &out
}

// inWords is a schema whose default stands in its description.
func inWords(schema *yaml.Node) *yaml.Node {
	byDefault := lookup(schema, "default")
	if byDefault == nil || byDefault.Kind != yaml.ScalarNode {
		return schema
	}
	plain := without(schema, "default")
	said := strings.TrimSpace(value(schema, "description"))
	put(plain, "description", text(strings.TrimSpace(said+" `"+byDefault.Value+"` when left out.")))
	return plain
}

// shallow is a mapping whose keys may be set without the original's knowing.
func shallow(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	return &out
}

// without is a mapping that lacks a key.
func without(n *yaml.Node, key string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, m := range members(n) {
		if m.key != key {
			put(out, m.key, m.value)
		}
	}
	return out
}
