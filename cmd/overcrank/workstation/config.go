package workstation

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/terminal"
)

type configCommand struct {
	JSON    bool `name:"json" help:"Print JSON."`
	Example bool `help:"Print a file of all settings with their defaults and what they are, to begin one's own with."`
}

func (configCommand) Help() string {
	return `A flag counts most, then a policy of Windows, then the variable of the environment, then the file, then the default.

    overcrank agent config
    overcrank agent config --example > ` + folders.Config("agent")
}

// Run prints the settings in the order in which help lists them.
func (a configCommand) Run(out *terminal.Output, kctx *kong.Context, files *configfile.Resolver) error {
	flags := configfile.Settable(agentFlags(kctx))
	if a.Example {
		_, err := fmt.Fprint(out, configfile.Example("Settings of this machine's agent, as 'overcrank agent --help' explains them.", flags))
		return err
	}
	settings := files.Settings(kctx, flags)
	path := folders.Config("agent")
	if f := files.File(); f != nil {
		path = f.Path
	}
	if a.JSON {
		return out.Indented(map[string]any{"file": path, "read": files.File() != nil, "settings": settings})
	}
	read := "is not there"
	if files.File() != nil {
		read = "was read"
	}
	fmt.Fprintf(out, "%s %s\n\n", path, read)
	table := terminal.NewTable("setting", "value", "from")
	for _, s := range settings {
		table.Row(s.Name, strings.Join(s.Value, ", "), s.From())
	}
	return out.Table(table)
}

// agentFlags are the flags of 'overcrank agent', which all commands below it have.
func agentFlags(kctx *kong.Context) []*kong.Flag {
	for _, p := range kctx.Path {
		if p.Command != nil && p.Command.Name == "agent" {
			return p.Command.Flags
		}
	}
	return nil
}
