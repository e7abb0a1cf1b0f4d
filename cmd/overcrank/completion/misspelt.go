package completion

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"overcrank/farm/names"
)

// Misspelt explains a command line that the parser refused with err: a word that is no command is told with the commands that it may have
// been meant to be. Any other error stays as it is. help is the command line that prints the help of the command as far as it was understood.
func Misspelt(model *kong.Application, words []string, err error) (help string, explained error) {
	l := &line{node: model.Node, flags: map[string]string{}}
	unknown, isUnknown := "", false
	for _, word := range words {
		expected, positional := l.argument(), l.positional
		if l.take(word); l.positional > positional && expected == nil {
			unknown, isUnknown = word, true
			break
		}
	}
	command := l.node.FullPath()
	help = command + " --help"
	switch {
	case !isUnknown || !strings.HasPrefix(err.Error(), "unexpected argument"):
		return help, err
	case len(l.node.Children) == 0:
		return help, fmt.Errorf("'%s' takes no argument '%s'", command, unknown)
	}
	var known []string
	for _, child := range l.node.Children {
		if !child.Hidden {
			known = append(known, child.Name)
		}
	}
	within := strings.TrimPrefix(command, model.Name)
	explained = fmt.Errorf("there is no command '%s'", strings.TrimSpace(within+" "+unknown))
	if l.node == model.Node && len(names.Near(unknown, known)) == 0 {
		if within := havingVerb(l.node, unknown); len(within) > 0 {
			return help, fmt.Errorf("%w: %s", explained, names.DidYouMean("", within))
		}
		return help, explained // the help lists them all in groups
	}
	return help, fmt.Errorf("%w: %s", explained, names.DidYouMean(unknown, known))
}

// havingVerb are the commands of nouns whose verb was typed alone, such as "jobs cancel" for "cancel".
func havingVerb(root *kong.Node, verb string) (commands []string) {
	for _, noun := range root.Children {
		for _, child := range noun.Children {
			if child.Name == verb && !noun.Hidden && !child.Hidden {
				commands = append(commands, noun.Name+" "+verb)
			}
		}
	}
	return commands
}
