package commandline

import (
	"slices"

	"github.com/alecthomas/kong"
)

// commandOf leaves of a program's commands only the one with which a command line begins: to complete the help and defaults of some hundred others
// takes the parser most of the time that a process needs to start. All commands stay where the line begins with something else, and for a
// hidden command, which is there to speak of the others.
func commandOf(args []string) kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		if len(args) == 0 {
			return nil
		}
		for _, node := range k.Model.Children {
			if (node.Name == args[0] || slices.Contains(node.Aliases, args[0])) && !node.Hidden {
				k.Model.Children = []*kong.Node{node}
				break
			}
		}
		return nil
	})
}
