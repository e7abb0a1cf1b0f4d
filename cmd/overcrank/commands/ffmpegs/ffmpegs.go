// Package ffmpegs has the commands about the builds of ffmpeg that a farm hands out to its machines.
package ffmpegs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/gather"
)

// FFmpeg are the commands below overcrank ffmpeg.
type FFmpeg struct {
	List   list   `cmd:"" default:"withargs" help:"List the builds of ffmpeg that the farm hands out."`
	Add    add    `cmd:"" help:"Give the farm a build of ffmpeg to hand out."`
	Remove remove `cmd:"" help:"Remove builds of ffmpeg from the farm."`
}

type list struct{ remote.Flags }

func (l list) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	all, err := builds(ctx, c)
	return l.Print(out, all, err, func() error {
		return out.List(table(all.Items...), "The farm hands out no ffmpeg. Add a build with: overcrank ffmpeg add FILE")
	})
}

// builds are the downloads that are builds of ffmpeg.
func builds(ctx context.Context, c *client.Client) (client.List[client.Download], error) {
	all, err := c.Downloads(ctx)
	kept := client.List[client.Download]{Items: []client.Download{}}
	for _, d := range all.Items {
		if d.Kind == string(farm.DownloadFFmpeg) {
			kept.Items = append(kept.Items, d)
		}
	}
	return kept, err
}

func table(list ...client.Download) *terminal.Table {
	t := terminal.NewTable("BUILD", "VERSION", "SYSTEM", "SIZE", "ADDED", "BY")
	for _, d := range list {
		t.Row(d.SHA256[:min(12, len(d.SHA256))], d.Version, d.System+"-"+d.Arch, terminal.Size(d.Size), terminal.LocalTime(d.AddedAt), d.AddedBy)
	}
	return t
}

type add struct {
	File    string   `arg:"" type:"existingfile" help:"Archive with ffmpeg, ffprobe and the text of their licence: .zip, .tar.xz or .tar.gz."`
	For     string   `help:"System that the build is for; read from the program when left out." enum:",windows,macos,linux" default:"" placeholder:"SYSTEM"`
	Arch    string   `help:"Processor that the build is for; read from the program when left out." enum:",amd64,arm64,universal" default:"" placeholder:"ARCH"`
	Version string   `help:"Version of the build; read from the name of the archive when left out."`
	Licence []string `help:"File with the text of the licence, for an archive that has none." type:"existingfile" placeholder:"FILE"`
	SHA256  string   `name:"sha256" help:"Refuse the archive unless it has this SHA-256, as its publisher says it." placeholder:"HEX"`
	remote.Flags
}

func (add) Help() string {
	return `The farm keeps from the archive the two programs, the libraries beside them and the texts of licences. Machines of that system fetch the
build by its checksum when they have no ffmpeg that can write all that jobs ask for. The build that was added last is the one that they use.

    overcrank ffmpeg add ffmpeg-n7.1-latest-win64-lgpl-7.1.zip --for windows
    overcrank ffmpeg add ffmpeg-7.1-linux.tar.xz --licence COPYING.LGPLv2.1`
}

// versionIn is a version in the name of an archive.
var versionIn = regexp.MustCompile(`[0-9]+(\.[0-9]+)+`)

func (a add) Run(ctx context.Context, out *terminal.Output) error {
	if err := a.compare(); err != nil {
		return err
	}
	b, err := gather.Read(a.File, a.Licence...)
	if err != nil {
		return fmt.Errorf("%s: %w", a.File, err)
	}
	if a.For != "" && strings.Replace(a.For, "macos", "darwin", 1) != b.System || a.Arch != "" && a.Arch != b.Arch {
		return exit.Usagef("%s is a build for %s-%s, not for what --for and --arch say", a.File, b.System, b.Arch)
	}
	if b.Licence == ffmpeg.Nonfree {
		return exit.Usagef("%s was built with --enable-nonfree: its licences do not let anybody pass it on. Take an LGPL or a GPL build", a.File)
	}
	version := a.Version
	if version == "" {
		if version = versionIn.FindString(filepath.Base(a.File)); version == "" {
			return exit.Usagef("the name of %s has no version in it: give it with --version", a.File)
		}
	}
	c, err := a.Client()
	if err != nil {
		return err
	}
	packed, sum, err := pack(b)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(packed) }() // a file of ours in the folder for temporary ones
	bar := out.Bar("uploading " + filepath.Base(a.File))
	err = c.SendDownload(ctx, sum, packed, bar.Bytes)
	bar.End()
	if err != nil {
		return err
	}
	made, err := c.AddDownload(ctx, client.NewDownload{
		Kind: string(farm.DownloadFFmpeg), Name: fmt.Sprintf("ffmpeg-%s-%s-%s.zip", version, b.System, b.Arch), SHA256: sum,
		System: b.System, Arch: b.Arch, Format: "zip", Version: version,
	})
	return a.Print(out, made, err, func() error { return out.Table(table(made)) })
}

// compare refuses an archive that is not the one that the publisher tells of.
func (a add) compare() error {
	if a.SHA256 == "" {
		return nil
	}
	f, err := os.Open(a.File)
	if err != nil {
		return fmt.Errorf("opening a build of ffmpeg: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("reading a build of ffmpeg: %w", err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != strings.ToLower(a.SHA256) {
		return exit.Usagef("%s has the SHA-256 %s, not %s", a.File, got, a.SHA256)
	}
	return nil
}

// pack writes a build to a temporary file.
func pack(b *gather.Build) (path, sum string, err error) {
	f, err := os.CreateTemp("", "overcrank-ffmpeg-*.zip")
	if err != nil {
		return "", "", fmt.Errorf("packing a build of ffmpeg: %w", err)
	}
	h := sha256.New()
	if err := errors.Join(b.Write(io.MultiWriter(f, h)), f.Close()); err != nil {
		return "", "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), hex.EncodeToString(h.Sum(nil)), nil
}

type remove struct {
	Builds []string `arg:"" name:"build" help:"Builds, by the beginning of their SHA-256."`
	remote.Farm
}

func (r remove) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	all, err := builds(ctx, c)
	if err != nil {
		return err
	}
	find := func(beginning string) (string, error) {
		var found []string
		for _, d := range all.Items {
			if strings.HasPrefix(d.SHA256, strings.ToLower(beginning)) {
				found = append(found, d.SHA256)
			}
		}
		if len(found) != 1 {
			return "", exit.Usagef("%d builds of ffmpeg begin with %q: see 'overcrank ffmpeg list'", len(found), beginning)
		}
		return found[0], nil
	}
	return remote.DeleteAll(r.Builds, "removed", out, find, func(sum string) error { return c.RemoveDownload(ctx, sum) })
}
