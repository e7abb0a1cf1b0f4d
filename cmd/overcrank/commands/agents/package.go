package agents

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/downloads"
	"overcrank/durable"
	"overcrank/farm"
)

type packageCommand struct {
	For     string   `required:"" help:"System of the machines: windows, macos, deb or rpm." enum:"windows,macos,deb,rpm" placeholder:"SYSTEM"`
	Arch    string   `help:"Processor of the machines, amd64 or arm64, when the farm has packages for both." placeholder:"ARCH"`
	Out     string   `help:"Folder to write the package to." default:"." type:"existingdir" placeholder:"DIR"`
	Name    string   `help:"Whom or what the invitation is for, such as the name of a room." placeholder:"NAME"`
	Uses    int      `help:"Number of machines that may join with it." default:"1"`
	Expires string   `help:"When the invitation ends: a day, a time, or in how long, such as 2027-01-31 or 2h." default:"24h"`
	Tags    []string `help:"Tags for the machines that join with it." placeholder:"TAG"`
	JSON    bool     `help:"Print the result as JSON." name:"json"`
	remote.Farm
}

// Help is for the parser of the command line.
func (packageCommand) Help() string {
	return `Writes the farm's latest package, with a new invitation in its name, and prints the silent commands. Do not rename the file. Whoever has it can join the farm.

    overcrank agents package --for windows --uses 20 --expires 2027-01-31 --out /mnt/software`
}

// packaged is what the command has made, as programs get it.
type packaged struct {
	File       string            `json:"file"`
	Version    string            `json:"version"`
	SHA256     string            `json:"sha256"`
	Invitation string            `json:"invitation"`
	Uses       int               `json:"uses"`
	ExpiresAt  string            `json:"expiresAt"`
	JoinToken  string            `json:"joinToken"`
	Commands   []packagedCommand `json:"commands"`
}

type packagedCommand struct {
	Tool  string `json:"tool"`
	Where string `json:"where"`
	Text  string `json:"text"`
}

// Run gets a package with an invitation in its name.
func (a packageCommand) Run(ctx context.Context, out *terminal.Output) error {
	end, err := remote.TimeToCome("expires", a.Expires, time.Now())
	if err != nil {
		return err
	}
	c, err := a.Client()
	if err != nil {
		return err
	}
	d, err := a.find(ctx, c)
	if err != nil {
		return err
	}
	made, err := c.Invite(ctx, client.NewJoinToken{Name: a.Name, Uses: a.Uses, ExpiresAt: end.UTC().Format(time.RFC3339), Tags: a.Tags})
	if err != nil {
		return err
	}
	invited := downloads.Invited{Address: strings.TrimSuffix(a.Server, "/"), Token: made.JoinToken,
		Package: farm.Download{System: d.System, Arch: d.Arch, Format: d.Format, Version: d.Version, File: farm.FileRef{Name: d.Name, SHA256: d.SHA256, Size: d.Size}}}
	path, err := a.write(ctx, c, invited, out)
	if err != nil {
		_ = c.RevokeInvitation(context.WithoutCancel(ctx), made.ID) // nobody has it
		return err
	}
	result := packaged{File: path, Version: d.Version, SHA256: d.SHA256, Invitation: made.ID, Uses: made.Uses, ExpiresAt: made.ExpiresAt, JoinToken: made.JoinToken}
	for _, command := range invited.Commands() {
		result.Commands = append(result.Commands, packagedCommand{command.Tool, command.Where, command.Text})
	}
	out.Private()
	if a.JSON {
		return out.Indented(result)
	}
	fmt.Fprintln(out, path)
	out.Remark("Invitation %s, until %s. To install silently with the package as the farm keeps it, %s:", made.ID, terminal.LocalTime(made.ExpiresAt), invited.PlainName())
	for _, command := range result.Commands {
		out.Remark("\n%s", strings.TrimSuffix(command.Tool+": "+command.Where, ": "))
		out.Remark("  %s", strings.ReplaceAll(command.Text, "\n", "\n  "))
	}
	return nil
}

// find is the latest package for the machines.
func (a packageCommand) find(ctx context.Context, c *client.Client) (client.Download, error) {
	all, err := packagesOf(ctx, c)
	if err != nil {
		return client.Download{}, err
	}
	format := map[string]string{"windows": "msi", "macos": "pkg"}[a.For]
	if format == "" {
		format = a.For
	}
	for _, d := range all.Items { // the latest first of each processor, amd64 before arm64
		if d.Format == format && (a.Arch == "" || d.Arch == a.Arch || d.Arch == "universal") {
			return d, nil
		}
	}
	return client.Download{}, fmt.Errorf("the farm has no package for %s: make it with 'make packages', and add it with 'overcrank agents packages add dist/'",
		strings.TrimSpace(a.For+" "+a.Arch))
}

// write downloads the package into the folder, and puts the invitation beside it when the name cannot hold it.
func (a packageCommand) write(ctx context.Context, c *client.Client, invited downloads.Invited, out *terminal.Output) (string, error) {
	if err := invited.Check(); err != nil {
		return "", err
	}
	name := invited.Name()
	if name == "" {
		name = invited.PlainName()
		if err := durable.WriteFile(filepath.Join(a.Out, downloads.InvitationName), invited.File(), 0o600); err != nil {
			return "", fmt.Errorf("writing the invitation: %w", err)
		}
	}
	path := filepath.Join(a.Out, name)
	b := out.Bar("downloading " + invited.PlainName())
	err := c.GetDownload(ctx, invited.Package.File.SHA256, path, b.Bytes)
	b.End()
	if err != nil {
		return "", err
	}
	return path, nil
}
