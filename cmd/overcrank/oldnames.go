package main

import (
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

// addOldNames has the parser take the old names of those commands that it knows.
func addOldNames(model *kong.Application) {
	for today, old := range oldNames() {
		group, name, _ := strings.Cut(today, " ")
		if of := child(model.Node, group); of != nil {
			command := child(of, name)
			command.Aliases = append(command.Aliases, old)
		}
	}
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
