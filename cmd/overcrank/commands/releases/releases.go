// Package releases has the commands about releases of the agent's program: making them, adding them to a farm, and bringing them to its machines.
package releases

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/release"
)

// Releases are the commands below overcrank releases.
type Releases struct {
	List     list     `cmd:"" default:"withargs" help:"List the releases that the farm keeps."`
	Add      add      `cmd:"" help:"Add a release to the farm."`
	Remove   remove   `cmd:"" help:"Remove releases from the farm."`
	Keygen   keygen   `cmd:"" help:"Make a pair of keys to sign with: a root key, or a release key."`
	SignKeys signKeys `cmd:"" help:"Sign the list of keys that may sign releases, with a root key."`
	Sign     sign     `cmd:"" help:"Make a release of a folder with programs."`
}

type list struct{ remote.Flags }

func (l list) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	all, err := c.Releases(ctx)
	return l.Print(out, all, err, func() error {
		return out.List(releaseTable(all.Items...), "No releases. Add one with: overcrank releases add DIR")
	})
}

func releaseTable(list ...client.Release) *terminal.Table {
	t := terminal.NewTable("RELEASE", "NUMBER", "SYSTEMS", "EXPIRES", "ADDED")
	for _, r := range list {
		var systems []string
		for _, f := range r.Files {
			systems = append(systems, f.System+"-"+f.Arch)
		}
		t.Row(r.Version, fmt.Sprint(r.Number), strings.Join(systems, " "), terminal.LocalTime(r.Expires), terminal.LocalTime(r.AddedAt))
	}
	return t
}

type add struct {
	Dir string `arg:"" type:"existingdir" help:"Folder of the release: manifest.json, its signature, the keys, and the programs."`
	remote.Flags
}

func (add) Help() string {
	return `The farm checks the release as each machine will. Adding a release updates no machine yet:

    overcrank releases add dist/releases/0.2.0
    overcrank updates set --release 0.2.0`
}

func (a add) Run(ctx context.Context, out *terminal.Output) error {
	docs, err := release.ReadDocuments(a.Dir)
	if err != nil {
		return err
	}
	m, err := release.ParseManifest(docs.Manifest)
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := f.CheckFile(filepath.Join(a.Dir, f.Name)); err != nil {
			return err
		}
	}
	c, err := a.Client()
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		b := out.Bar("uploading " + f.Name)
		err := c.SendReleaseFile(ctx, f.SHA256, filepath.Join(a.Dir, f.Name), b.Bytes)
		b.End()
		if err != nil {
			return err
		}
	}
	made, err := c.AddRelease(ctx, client.NewRelease{
		Manifest: string(docs.Manifest), ManifestSignature: string(docs.ManifestSignature), Keys: string(docs.Keys), KeysSignature: string(docs.KeysSignature),
	})
	return a.Print(out, made, err, func() error { return out.Table(releaseTable(made)) })
}

type remove struct {
	Releases []string `arg:"" name:"release" help:"Versions of the releases."`
	remote.Farm
}

func (r remove) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(r.Releases, "removed", out, func(version string) (string, error) { return version, nil },
		func(version string) error { return c.RemoveRelease(ctx, version) })
}

// day is a date as the value of a flag.
type day struct{ time.Time }

// UnmarshalText reads a date.
func (d *day) UnmarshalText(text []byte) (err error) {
	d.Time, err = time.Parse(time.DateOnly, string(text))
	return err
}
