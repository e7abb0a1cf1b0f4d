// Package project lays out a job's After Effects project in its work folder and says what will be rendered.
package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overcrank/aep"
	"overcrank/agent/script"
	"overcrank/farm/names"
)

// Refused is a project that cannot be rendered, in words for who submitted the job.
type Refused struct {
	Message string
	Err     error
}

func (e *Refused) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Refused) Unwrap() error { return e.Err }

func refuse(cause error, format string, args ...any) error {
	return &Refused{Message: fmt.Sprintf(format, args...), Err: cause}
}

// Project is a project ready to be opened.
type Project struct {
	Path        string // of the .aep or .aepx
	Dir         string // folder that it stands in; static files go beside it
	Composition string // that is rendered
	Settings    aep.Composition
	Layout      *Layout // of an archive that was unpacked, nil for a project that came alone
	file        *aep.Project
}

// Layout says what an archive was unpacked to, for Reopen.
type Layout struct {
	Project     string `json:"project"`               // path of the .aep or .aepx below the folder, with slashes
	Composition string `json:"composition,omitempty"` // that the archive names
}

// Reopen is Prepare of an archive that lies unpacked in dir, as it did when Prepare gave the layout.
func Reopen(ctx context.Context, dir string, layout Layout, composition string) (*Project, error) {
	below := filepath.FromSlash(layout.Project)
	if !filepath.IsLocal(below) {
		return nil, fmt.Errorf("a project that lies in %q", layout.Project)
	}
	p := &Project{Path: filepath.Join(dir, below), Composition: composition, Layout: &layout}
	if p.Composition == "" {
		p.Composition = layout.Composition
	}
	p.Dir = filepath.Dir(p.Path)
	return p, p.open(ctx)
}

// Prepare lays the fetched file at path, of type aep, zip, mogrt or "" for what its content says, out in the empty folder
// dir. name is what the file was called. composition may be "" when the project leaves no doubt. room is aep.Limits.Room, for an archive.
func Prepare(ctx context.Context, path, name, kind, dir, composition string, room func(bytes int64) error) (*Project, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the fetched project: %w", err)
	}
	defer in.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the fetched project: %w", err)
	}
	p := &Project{Composition: composition}
	if found := sniff(head[:n]); found != "" {
		kind = found
	}
	switch kind {
	case "aep", "aepx":
		p.Path = filepath.Join(dir, baseName(name)+"."+kind)
		err = copyTo(ctx, p.Path, in)
	case "zip", "mogrt":
		err = p.unpack(ctx, in, dir, room)
	default:
		return nil, refuse(nil, "The project is no After Effects project, zip or mogrt")
	}
	if err != nil {
		return nil, err
	}
	p.Dir = filepath.Dir(p.Path)
	return p, p.open(ctx)
}

// sniff tells the kind of a file by its first bytes, whatever it is called.
func sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("RIFX")), bytes.HasPrefix(head, []byte("RIFF")):
		return "aep"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return "zip"
	case bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<")):
		return "aepx"
	}
	return ""
}

// baseName is the name of a project's file without its extension; the project goes under it in its folder.
func baseName(name string) string {
	name = names.Element(name, "project")
	return names.Element(strings.TrimSuffix(name, filepath.Ext(name)), "project")
}

func copyTo(ctx context.Context, path string, in *os.File) (err error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the fetched project: %w", err)
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copying the project: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close(), ctx.Err()); err != nil {
		return fmt.Errorf("copying the project: %w", err)
	}
	return nil
}

func (p *Project) unpack(ctx context.Context, in *os.File, dir string, room func(bytes int64) error) error {
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("reading the fetched project: %w", err)
	}
	lim := aep.DefaultLimits()
	lim.Room = room
	found, err := aep.Unpack(ctx, in, info.Size(), dir, lim)
	if err != nil {
		return explain(ctx, "unpacked", err)
	}
	p.Path = found.Project
	below, err := filepath.Rel(dir, found.Project)
	if err != nil {
		return fmt.Errorf("finding the unpacked project: %w", err)
	}
	p.Layout = &Layout{Project: filepath.ToSlash(below)}
	if found.Definition != nil {
		p.Layout.Composition = found.Definition.Composition
	}
	if p.Composition == "" {
		p.Composition = p.Layout.Composition
	}
	return nil
}

// explain turns what is wrong with a file into a refusal; what is wrong with this machine stays as it is.
func explain(ctx context.Context, what string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	for _, kind := range []error{aep.ErrNotProject, aep.ErrBroken, aep.ErrTruncated, aep.ErrNoProject, aep.ErrLimit, aep.ErrUnsafe, aep.ErrPremiere} {
		if errors.Is(err, kind) {
			return refuse(err, "The project cannot be %s: %v", what, err)
		}
	}
	return fmt.Errorf("the project cannot be %s: %w", what, err)
}

// open reads the project and settles which composition is rendered.
func (p *Project) open(ctx context.Context) error {
	file, err := aep.Open(ctx, p.Path, aep.DefaultLimits())
	if err != nil {
		return explain(ctx, "opened", err)
	}
	p.file = file
	if p.Composition == "" {
		roots := rootCompositions(file)
		switch len(roots) {
		case 1:
			p.Composition = roots[0]
		case 0:
			return refuse(nil, "The project has no composition")
		default:
			return refuse(nil, "The project has %d compositions that could be rendered; name one of them: '%s'", len(roots), strings.Join(roots[:min(len(roots), 20)], "', '"))
		}
	}
	item := file.Composition(p.Composition)
	if item == nil || item.Comp == nil {
		return refuse(nil, "Composition '%s' not found", p.Composition)
	}
	p.Settings = *item.Comp
	return nil
}

// rootCompositions are the names of those that are no layer of another.
func rootCompositions(file *aep.Project) []string {
	used := make(map[uint32]bool)
	for _, it := range file.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			used[l.Source] = true
		}
	}
	var roots []string
	for _, it := range file.Items {
		if it.Kind == aep.ItemComposition && !used[it.ID] {
			roots = append(roots, it.Name)
		}
	}
	return roots
}

// Controls are the properties that a field of the Essential Graphics panel drives, in the composition that filter names,
// "" or "*" for every one.
func (p *Project) Controls(filter, field string) []script.Control {
	var found []script.Control
	for _, it := range p.file.Items {
		if it.Comp == nil || filter != "" && filter != "*" && it.Name != filter {
			continue
		}
		for _, c := range it.Comp.Controllers {
			if c.Name != field {
				continue
			}
			if control, ok := p.control(c); ok {
				found = append(found, control)
			}
		}
	}
	return found
}

func (p *Project) control(c aep.Controller) (script.Control, bool) {
	item := p.file.Item(c.Comp)
	if item == nil || item.Comp == nil {
		return script.Control{}, false
	}
	for i, l := range item.Comp.Layers {
		if l.ID == c.Layer {
			return script.Control{Composition: item.ID, Layer: i + 1, Path: c.Path, Places: c.Indexes}, true
		}
	}
	return script.Control{}, false
}

// Place gives the path of a file called name beside the project, for static assets; the folders above it are made.
func (p *Project) Place(name string) (string, error) {
	clean := filepath.Clean(filepath.FromSlash(strings.ReplaceAll(name, `\`, "/")))
	if !filepath.IsLocal(clean) || clean == "." || strings.ContainsAny(clean, "\x00:") {
		return "", refuse(nil, "A static asset needs a file name without folders above it, not '%.100s'", name)
	}
	path := filepath.Join(p.Dir, clean)
	if path == p.Path {
		return "", refuse(nil, "A static asset cannot take the place of the project")
	}
	if err := insideOnly(p.Dir, filepath.Dir(clean)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making the folder of a static asset: %w", err)
	}
	return path, nil
}

// insideOnly refuses a way down that leads over a symbolic link.
func insideOnly(dir, below string) error {
	if below == "." {
		return nil
	}
	for _, part := range strings.Split(below, string(filepath.Separator)) {
		dir = filepath.Join(dir, part)
		info, err := os.Lstat(dir)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("looking for the place of a static asset: %w", err)
		}
		if !info.IsDir() {
			return refuse(nil, "The folder '%s' of a static asset is a file of the project", part)
		}
	}
	return nil
}
