package commandline

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
)

// Help is what stands above the commands.
func (Flags) Help() string { return exit.Help }

// HelpWidth is how wide help is on a wide terminal, in columns.
const HelpWidth = 120

// ShowHelp only stands in the list of commands: Run turns "help COMMAND" into "COMMAND --help" before it is parsed.
type ShowHelp struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// What the help of a command says in place of the flags that many commands have.
const (
	globalNote = "Global flags, see 'overcrank help': --quiet, --log-level, --log-format"
	farmNote   = ", --server, --token-file, --token, --ca-file"
)

// printHelp prints the help of a command. Flags that many commands have are explained in the program's own help alone, and what a command
// was called before is in none.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	root, command := ctx.Model.Node, ctx.Selected()
	if command == nil {
		explainGlobalFlags(root)
	} else {
		hide(root.Flags)
	}
	err := kong.Visit(root, func(v kong.Visitable, next kong.Next) error {
		if node, is := v.(*kong.Node); is {
			node.Aliases = nil
			if node != root {
				hide(farmFlags(node))
			}
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || command == nil {
		return err
	}
	note := globalNote
	asks := func(node *kong.Node) bool { return len(farmFlags(node)) > 0 }
	if asks(command) || slices.ContainsFunc(command.Leaves(true), asks) {
		note += farmNote
	}
	_, err = fmt.Fprintf(ctx.Stdout, "\n%s\n", note)
	return err
}

// explainGlobalFlags has the program's own help explain the flags that commands share.
func explainGlobalFlags(root *kong.Node) {
	for _, node := range root.Leaves(true) {
		if shared := farmFlags(node); len(shared) > 0 {
			for _, flag := range shared {
				explained := *flag // that of the command is hidden
				root.Flags = append(root.Flags, &explained)
			}
			break
		}
	}
	for _, flag := range root.Flags {
		flag.Group = &kong.Group{Key: "global", Title: "Global flags:"}
	}
}

// farmFlags are those of a command's flags that say which farm it asks, and as whom.
func farmFlags(node *kong.Node) (shared []*kong.Flag) {
	for _, flag := range node.Flags {
		if flag.Tag.Has(remote.FarmTag) {
			shared = append(shared, flag)
		}
	}
	return shared
}

func hide(flags []*kong.Flag) {
	for _, flag := range flags {
		flag.Hidden = true
	}
}
