package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// oldNames are what commands were called in earlier releases. They go on working, so that scripts do, but help and completion show only
// today's names.
func oldNames() map[string]string {
	return map[string]string{
		"agents remove":  "retire",
		"agents revoke":  "uninvite",
		"cluster revoke": "uninvite",
		"limits delete":  "remove",
		"people delete":  "end",
		"teams delete":   "end",
	}
}

// addOldNames has the parser take the old names of commands.
func addOldNames(model *kong.Application) error {
	for today, old := range oldNames() {
		node := model.Node
		for name := range strings.FieldsSeq(today) {
			if node = child(node, name); node == nil {
				return fmt.Errorf("there is no command %q to have the old name %q", today, old)
			}
		}
		node.Aliases = append(node.Aliases, old)
	}
	return nil
}

// child is the command below another with that name, nil when there is none.
func child(of *kong.Node, name string) *kong.Node {
	for _, c := range of.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}
