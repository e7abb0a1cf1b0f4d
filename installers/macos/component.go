package macos

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"overcrank/installers/macos/bom"
	"overcrank/installers/macos/cpio"
	"overcrank/installers/macos/xar"
)

// choice is a part of the package that Installer can put in place or leave out.
type choice struct {
	name    string // of its folder within the package
	id      string
	files   []file
	scripts []script
}

// script is one that Installer runs, by the name that it has for it, and the file among ours that has its text.
type script struct{ name, file string }

// component is the part of a package that has files and scripts.
type component struct {
	name, id                     string
	payload, scripts, bill, info []byte
	kilobytes                    int64 // that the files take once installed
}

func (in Input) component(ctx context.Context, part choice) (component, error) {
	c := component{name: part.name, id: part.id}
	files := part.files
	scripts, err := in.scripts(part.scripts)
	if err != nil {
		return c, err
	}
	if c.payload, err = archive(ctx, files, in.Version.Time); err != nil {
		return c, fmt.Errorf("write the payload: %w", err)
	}
	if c.scripts, err = archive(ctx, scripts, in.Version.Time); err != nil {
		return c, fmt.Errorf("write the scripts: %w", err)
	}
	if c.bill, err = bill(files, in.Version.Time); err != nil {
		return c, fmt.Errorf("write the bill of materials: %w", err)
	}
	for _, f := range files {
		c.kilobytes += (int64(len(f.data)) + 1023) / 1024
	}
	c.info, err = in.info(part, c.kilobytes)
	return c, err
}

// files are the component's, as they lie in the package.
func (c component) files() []xar.File {
	return []xar.File{
		{Path: c.name, Dir: true},
		{Path: c.name + "/Bom", Data: c.bill},
		{Path: c.name + "/Payload", Data: c.payload, Stored: true},
		{Path: c.name + "/Scripts", Data: c.scripts, Stored: true},
		{Path: c.name + "/PackageInfo", Data: c.info},
	}
}

// archive writes files as a cpio archive, compressed.
func archive(ctx context.Context, files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := cpio.NewWriter(&out)
	for _, f := range files {
		name := "./" + f.path
		if f.path == "." {
			name = "."
		}
		if err := w.WriteHeader(cpio.Header{Name: name, Mode: f.mode, GID: f.gid, ModTime: at.Unix(), Size: int64(len(f.data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return compress(ctx, out.Bytes())
}

// ErrNoCompressor means that the program that packages are compressed with is not on this machine.
var ErrNoCompressor = errors.New("libdeflate-gzip is missing: scripts/require deflate installs it")

// compress writes data as gzip. Go's own writer makes the package 2 MB larger, beyond what it may weigh; every reader of gzip takes both.
func compress(ctx context.Context, data []byte) ([]byte, error) {
	program, err := exec.LookPath("libdeflate-gzip")
	if err != nil {
		return nil, ErrNoCompressor
	}
	cmd := exec.CommandContext(ctx, program, "-12", "-c")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(data), &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("compressing: %w: %s", err, said.Bytes())
	}
	return out, nil
}

// bill lists the files for Installer, which keeps it as the receipt.
func bill(files []file, at time.Time) ([]byte, error) {
	var entries []bom.Entry
	for _, f := range files {
		e := bom.Entry{Path: f.path, Kind: bom.Directory, Mode: uint16(f.mode), GID: f.gid, ModTime: uint32(at.Unix())}
		if f.mode&cpio.TypeMask == cpio.Regular {
			sum, err := bom.Checksum(bytes.NewReader(f.data))
			if err != nil {
				return nil, err
			}
			e.Kind, e.Size, e.Checksum = bom.File, uint32(len(f.data)), sum
		}
		entries = append(entries, e)
	}
	var out bytes.Buffer
	err := bom.Write(&out, entries)
	return out.Bytes(), err
}

// info is the component's PackageInfo. Installer leaves the owners and permissions of folders that are there as they are
// (overwrite-permissions): some of them are the system's, and postinstall sees to ours.
func (in Input) info(part choice, kilobytes int64) ([]byte, error) {
	type named struct {
		File string `xml:"file,attr"`
	}
	type packageInfo struct {
		XMLName       xml.Name `xml:"pkg-info"`
		FormatVersion int      `xml:"format-version,attr"`
		Identifier    string   `xml:"identifier,attr"`
		Version       string   `xml:"version,attr"`
		Location      string   `xml:"install-location,attr"`
		Auth          string   `xml:"auth,attr"`
		Overwrite     bool     `xml:"overwrite-permissions,attr"`
		Relocatable   bool     `xml:"relocatable,attr"`
		Payload       struct {
			Files     int   `xml:"numberOfFiles,attr"`
			Kilobytes int64 `xml:"installKBytes,attr"`
		} `xml:"payload"`
		Before *named `xml:"scripts>preinstall"`
		After  *named `xml:"scripts>postinstall"`
	}
	info := packageInfo{FormatVersion: 2, Identifier: part.id, Version: in.Version.Numeric(), Location: "/", Auth: "root"}
	info.Payload.Files, info.Payload.Kilobytes = len(part.files), kilobytes
	for _, s := range part.scripts {
		switch s.name {
		case beforeFiles:
			info.Before = &named{"./" + s.name}
		case afterFiles:
			info.After = &named{"./" + s.name}
		}
	}
	text, err := xml.MarshalIndent(info, "", "    ")
	return append([]byte(xml.Header), text...), err
}
