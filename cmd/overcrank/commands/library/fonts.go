// Package library has the commands about what a team keeps for its jobs: fonts and secrets.
package library

import (
	"context"
	"encoding/json"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// Fonts are the commands below overcrank fonts.
type Fonts struct {
	List   fontsList   `cmd:"" default:"withargs" help:"List the fonts of the team."`
	Show   fontsShow   `cmd:"" help:"Show a font."`
	Add    fontsAdd    `cmd:"" help:"Add font files to the team's library."`
	Use    fontsUse    `cmd:"" help:"Have a font stand in for one that the library lacks."`
	Delete fontsDelete `cmd:"" help:"Delete fonts."`
}

func fontTable(list ...client.Font) *terminal.Table {
	t := terminal.NewTable("FONT", "FAMILY", "FILE", "ADDED", "COPY OF")
	for _, f := range list {
		t.Row(f.ID, f.FamilyName, f.FileName, terminal.LocalTime(f.CreatedAt), f.CopyOf)
	}
	return t
}

type fontsList struct{ remote.Flags }

func (l fontsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, err := c.Fonts(ctx)
	return l.Print(out, list, err, func() error {
		return out.List(fontTable(list.Items...), "No fonts. Add some with: overcrank fonts add Brand-Bold.ttf")
	})
}

type fontsShow struct {
	Font string `arg:"" help:"Id or file name of the font." complete:"font"`
	remote.Flags
}

func (s fontsShow) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	id, err := remote.Find(ctx, "font", s.Font, c.Fonts)
	if err != nil {
		return err
	}
	font, err := c.Font(ctx, id)
	return s.Print(out, font, err, func() error { return out.Table(fontTable(font)) })
}

type fontsAdd struct {
	Files []string `arg:"" name:"file" type:"existingfile" help:"Font files (.ttf, .otf, .ttc)."`
	remote.Flags
}

func (fontsAdd) Help() string {
	return `Jobs name a font by its file name; fonts that a template's text uses are found without being named.

    overcrank fonts add Brand-*.ttf`
}

func (a fontsAdd) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	var raws []json.RawMessage
	var fonts []client.Font
	for _, file := range a.Files {
		b := out.Bar("uploading " + filepath.Base(file))
		font, err := c.AddFont(ctx, file, b.Bytes)
		b.End()
		if err != nil {
			return err
		}
		raws, fonts = append(raws, font.JSON()), append(fonts, font)
	}
	if a.JSON {
		return out.Answers(raws)
	}
	return out.Table(fontTable(fonts...))
}

type fontsUse struct {
	Font string `arg:"" help:"Id or file name of the font." complete:"font"`
	For  string `help:"Name of the font that the library lacks, as text or jobs give it." placeholder:"NAME" required:""`
	Face string `help:"PostScript name of the font within a collection." placeholder:"NAME"`
	remote.Flags
}

func (fontsUse) Help() string {
	return `A copy of the font is added to the library under the other name: After Effects and the embedded engine draw with it wherever text asks for that name. A name
that ends in .ttf, .otf, .ttc or .otc is that of a file, as jobs name them. To take the copy back, delete it.

    overcrank fonts use Inter-Bold.ttf --for Gotham-Bold`
}

func (u fontsUse) Run(ctx context.Context, out *terminal.Output) error {
	c, err := u.Client()
	if err != nil {
		return err
	}
	id, err := remote.Find(ctx, "font", u.Font, c.Fonts)
	if err != nil {
		return err
	}
	font, err := c.StandIn(ctx, id, client.StandIn{Name: u.For, Face: u.Face})
	return u.Print(out, font, err, func() error { return out.Table(fontTable(font)) })
}

type fontsDelete struct {
	Fonts []string `arg:"" name:"font" help:"Ids or file names of the fonts." complete:"font"`
	remote.Farm
}

func (d fontsDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(d.Fonts, "deleted", out,
		func(ref string) (string, error) { return remote.Find(ctx, "font", ref, c.Fonts) },
		func(id string) error { return c.DeleteFont(ctx, id) })
}
