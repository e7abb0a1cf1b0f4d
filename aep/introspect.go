package aep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Types of template files.
const (
	TypeProject = "aep" // a project file, .aep, .aet or .aepx
	TypeZip     = "zip"
	TypeMogrt   = "mogrt"
)

// Introspect summarises the file at path, of type aep, zip or mogrt. scratch is an empty folder that it may write to. An
// error that is the file's fault is a *Refusal.
func Introspect(ctx context.Context, path, typ, scratch string, lim Limits) (*Summary, error) {
	_, s, err := OpenFile(ctx, path, typ, scratch, lim)
	return s, err
}

// OpenFile is Introspect that also gives the project. The footage of an archive is found in scratch; whoever knows a folder with that of a
// project file looks there with Resolve.
func OpenFile(ctx context.Context, path, typ, scratch string, lim Limits) (*Project, *Summary, error) {
	p, s, err := openFile(ctx, path, typ, scratch, lim.filled())
	if err != nil {
		return nil, nil, refuse(err, typ)
	}
	return p, s, nil
}

func openFile(ctx context.Context, path, typ, scratch string, lim Limits) (*Project, *Summary, error) {
	unpacked, err := locate(ctx, path, typ, scratch, lim)
	if err != nil {
		return nil, nil, err
	}
	p, err := Open(ctx, unpacked.Project, lim)
	if err != nil {
		return nil, nil, err
	}
	if typ != TypeProject {
		if err := Resolve(ctx, p, scratch, lim); err != nil {
			return nil, nil, err
		}
	}
	s := Summarize(p, unpacked.Definition)
	for _, other := range unpacked.Others {
		s.Warnings = append(s.Warnings, fmt.Sprintf("The archive also holds the project %q, which is not used", other))
	}
	return p, s, nil
}

// Locate finds the project in a file, as Introspect does: that of an archive is unpacked into scratch, with its footage.
func Locate(ctx context.Context, path, typ, scratch string, lim Limits) (project string, err error) {
	unpacked, err := locate(ctx, path, typ, scratch, lim.filled())
	if err != nil {
		return "", refuse(err, typ)
	}
	return unpacked.Project, nil
}

// locate finds the project in the file at path. It unpacks archives into scratch.
func locate(ctx context.Context, path, typ, scratch string, lim Limits) (Unpacked, error) {
	f, err := os.Open(path)
	if err != nil {
		return Unpacked{}, fmt.Errorf("opening the file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Unpacked{}, fmt.Errorf("opening the file: %w", err)
	}
	switch typ {
	case TypeProject:
		head := make([]byte, len(zipSignature))
		if _, err := f.ReadAt(head, 0); err == nil && bytes.Equal(head, []byte(zipSignature)) {
			return Unpacked{}, errIsArchive
		}
		return Unpacked{Project: path}, nil
	case TypeZip, TypeMogrt:
		u, err := Unpack(ctx, f, info.Size(), scratch, lim)
		if err == nil && typ == TypeMogrt && u.Definition == nil {
			return Unpacked{}, errNoDefinition
		}
		return u, err
	}
	return Unpacked{}, fmt.Errorf("the type %q is not one of aep, zip and mogrt", typ)
}

var (
	errIsArchive    = fmt.Errorf("%w: it is an archive", ErrNotProject)
	errNoDefinition = fmt.Errorf("%w: it has no definition.json", ErrNotProject)
)

// Summarize summarises a project for a producer; d is nil unless the project came in a .mogrt.
func Summarize(p *Project, d *Definition) *Summary {
	s := &Summary{
		Version:      p.Version.String(),
		Compositions: []CompositionSummary{},
		Fonts:        []FontSummary{},
		Footage:      []FootageSummary{},
	}
	r := &reader{project: p, byID: make(map[uint32]*Item, len(p.Items))}
	for _, it := range p.Items {
		if r.byID[it.ID] == nil {
			r.byID[it.ID] = it
		}
	}
	used := p.Sources()
	fonts := map[string]bool{}
	for _, it := range p.Items {
		switch {
		case it.Comp != nil:
			c := r.summarizeComposition(it, !used[it.ID])
			for _, l := range c.Layers {
				for _, f := range l.Fonts {
					fonts[f] = true
				}
			}
			s.Compositions = append(s.Compositions, c)
		case it.Footage != nil && it.Footage.Kind == FootageFile:
			f := summarizeFootage(it, used[it.ID])
			s.Footage = append(s.Footage, f)
		}
	}
	for f := range fonts {
		s.Fonts = append(s.Fonts, FontSummary{PostScript: f})
	}
	slices.SortFunc(s.Fonts, func(a, b FontSummary) int { return strings.Compare(a.PostScript, b.PostScript) })
	s.Effects = p.AddedEffects()
	if d != nil {
		s.Mogrt = d.summarize()
		for i := range s.Compositions {
			s.Compositions[i].withWords(d)
		}
	}
	s.warn()
	return s
}

// warn warns of what needs attention before a render.
func (s *Summary) warn() {
	if len(s.Compositions) == 0 {
		s.Warnings = append(s.Warnings, "The project holds no composition")
	}
	needed := s.MissingFiles()
	for _, f := range s.Footage {
		if f.Used && !f.Present && !slices.Contains(needed, f.Path) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("The footage %q is not in the uploaded file, but no visible or audible layer needs it", f.Path))
		}
	}
}

// Sources are the ids of the items that layers show.
func (p *Project) Sources() map[uint32]bool {
	used := map[uint32]bool{}
	for _, it := range p.Items {
		if it.Comp == nil {
			continue
		}
		for _, l := range it.Comp.Layers {
			if l.Source != 0 {
				used[l.Source] = true
			}
		}
	}
	return used
}

func (r *reader) summarizeComposition(it *Item, root bool) CompositionSummary {
	c := CompositionSummary{
		ID: it.ID, Name: it.Name, Width: it.Comp.Width, Height: it.Comp.Height,
		Duration: it.Comp.Duration, FrameRate: it.Comp.FrameRate, Root: root, Layers: []LayerSummary{},
		Essential: it.Comp.essentials(),
	}
	c.RenderFrames = int(c.Duration*c.FrameRate + 0.5)
	if it.Comp.WorkAreaDuration > 0 {
		c.RenderStart, c.RenderFrames = int(it.Comp.WorkAreaStart*c.FrameRate+0.5), int(it.Comp.WorkAreaDuration*c.FrameRate+0.5)
	}
	byID := make(map[uint32]*Layer, len(it.Comp.Layers))
	for _, l := range it.Comp.Layers {
		byID[l.ID] = l
	}
	perceived := it.Comp.perceived()
	for _, l := range it.Comp.Layers {
		layer := r.summarizeLayer(it.Comp, l, byID)
		if src := r.find(l.Source); src != nil && (src.Comp != nil || src.Footage != nil && src.Footage.Kind == FootageFile) {
			layer.Idle = !perceived(l, src)
			if !layer.Idle && src.Footage != nil && !src.Footage.File.Exists() {
				layer.Missing = src.FileName()
			}
		}
		c.Layers = append(c.Layers, layer)
	}
	return c
}

func (r *reader) summarizeLayer(comp *Composition, l *Layer, byID map[uint32]*Layer) LayerSummary {
	src := r.find(l.Source)
	out := LayerSummary{
		ID: l.ID, Name: l.Name, Type: layerType(l), Parent: l.Parent,
		Start: l.Start, In: l.In, Out: l.Out, Enabled: l.Enabled, Controls: l.controls(),
	}
	if src != nil && l.Name == "" {
		out.Name = src.Name
	}
	if src != nil && l.Kind == LayerAV && !l.Null {
		out.SourceName = src.Name
		switch {
		case src.Comp != nil:
			out.SourceType, out.SourceComp = "comp", src.ID
		case src.Footage != nil && src.Footage.Kind == FootageSolid:
			out.SourceType = "solid"
		case src.Footage != nil:
			out.SourceType, out.Media = "file", src.Footage.Media()
		}
	}
	if text := l.Props.Find(matchText, matchDocument); text != nil {
		if d, ok := text.Value.(*TextDocument); ok {
			out.Text = strings.TrimRight(lines(d.Text), "\n")
		}
		out.Fonts = text.fonts()
		out.Expression = text.ExpressionOn
	}
	b := r.bounds(comp, l, byID)
	out.Left, out.Top, out.Width, out.Height = b.left, b.top, b.right-b.left, b.bottom-b.top
	return out
}

// lines replaces After Effects' line breaks by newlines.
func lines(s string) string {
	return strings.NewReplacer("\r", "\n", "\x03", "\n").Replace(s)
}

// fonts are the fonts that the documents of a text property use.
func (p *Property) fonts() []string {
	var out []string
	add := func(v Value) {
		d, ok := v.(*TextDocument)
		if !ok {
			return
		}
		for _, r := range d.Runs {
			if r.Style.Font != "" && !slices.Contains(out, r.Style.Font) {
				out = append(out, r.Style.Font)
			}
		}
	}
	add(p.Value)
	for _, k := range p.Keys {
		add(k.Value)
	}
	return out
}

func layerType(l *Layer) string {
	switch {
	case l.Kind == LayerText:
		return "text"
	case l.Kind == LayerShape:
		return "shape"
	case l.Kind == LayerCamera:
		return "camera"
	case l.Kind == LayerLight:
		return "light"
	case l.Null:
		return "null"
	}
	return "av"
}

func summarizeFootage(it *Item, used bool) FootageSummary {
	f := it.Footage
	return FootageSummary{Name: it.Name, Path: f.File.Base(), Media: f.Media(), Used: used, Present: f.File.Exists()}
}

// Media is the kind of file that a footage is: image, video, audio or data.
func (f *Footage) Media() string {
	switch strings.ToLower(path.Ext(f.File.Base())) {
	case ".json", ".csv", ".tsv", ".txt", ".mgjson", ".jsx", ".js":
		return "data"
	}
	switch {
	case f.HasVideo && (f.Still || f.Sequence):
		return "image"
	case f.HasVideo:
		return "video"
	case f.HasAudio:
		return "audio"
	}
	switch strings.ToLower(filepath.Ext(f.File.Base())) {
	case ".png", ".jpg", ".jpeg", ".psd", ".ai", ".pdf", ".svgz", ".tif", ".tiff", ".gif", ".webp", ".svg", ".eps":
		return "image"
	case ".wav", ".mp3", ".aif", ".aiff", ".m4a", ".ogg":
		return "audio"
	case ".mov", ".mp4", ".avi", ".mxf", ".mkv", ".webm":
		return "video"
	}
	return "data"
}

func (d *Definition) summarize() *MogrtSummary {
	m := &MogrtSummary{Name: d.Name, CapsuleID: d.CapsuleID, Fields: []MogrtFieldSummary{}}
	names := make(map[string]string, len(d.Fields))
	for _, f := range d.Fields {
		names[f.ID] = f.Name
	}
	for _, f := range d.Fields {
		if members, ok := f.Value.([]string); ok {
			f.Value = namesOf(members, names)
		}
		m.Fields = append(m.Fields, MogrtFieldSummary{
			Name: f.Name, Type: fieldWord(f.Type), Value: f.Value, Min: f.Min, Max: f.Max, Options: f.Options,
		})
	}
	return m
}

// namesOf are the names of a group's members.
func namesOf(ids []string, names map[string]string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if n, ok := names[id]; ok {
			out = append(out, n)
		}
	}
	return out
}
