package dom

import (
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // for DecodeConfig
	_ "image/jpeg" // for DecodeConfig
	_ "image/png"  // for DecodeConfig
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/footage"
)

// importOptions is an ImportOptions object.
type importOptions struct {
	file         *fileState
	fileJS       goja.Value
	sequence     bool
	as           int
	alphabetical bool
}

const importAsFootage = 3813

// footageRef represents a FootageSource: the footage of an item.
type footageRef struct{ item *aep.Item }

func (s *session) defineFootage() {
	c := &s.classes
	c.importOptions = s.class("ImportOptions", nil, func(a args) *goja.Object {
		o := &importOptions{as: importAsFootage}
		if a.has(0) {
			o.file, o.fileJS = s.pathOf(a.at(0)), a.at(0)
		}
		return s.classes.importOptions.object(o)
	})
	k := c.importOptions
	attr(k, "file", func(o *importOptions) any { return o.fileJS }, func(o *importOptions, v goja.Value) { o.file, o.fileJS = s.pathOf(v), v })
	attr(k, "sequence", func(o *importOptions) any { return o.sequence }, func(o *importOptions, v goja.Value) { o.sequence = v.ToBoolean() })
	attr(k, "importAs", func(o *importOptions) any { return o.as }, func(o *importOptions, v goja.Value) { o.as = int(s.number(v, "importAs")) })
	attr(k, "forceAlphabetical", func(o *importOptions) any { return o.alphabetical }, func(o *importOptions, v goja.Value) { o.alphabetical = v.ToBoolean() })
	method(k, "canImportAs", func(o *importOptions, a args) any { return a.int(0, 0) == importAsFootage })

	c.footageSource = s.class("FootageSource", nil, nil)
	c.fileSource = s.class("FileSource", c.footageSource, nil)
	c.solidSource = s.class("SolidSource", c.footageSource, nil)
	c.placeholder = s.class("PlaceholderSource", c.footageSource, nil)
	s.defineSources()
	s.defineFootageItem(c.footageItem)
}

func (s *session) defineSources() {
	c := s.classes.footageSource
	get(c, "isStill", func(r *footageRef) any { return r.item.Footage.Still || r.item.Footage.Kind == aep.FootageSolid })
	get(c, "hasAlpha", func(r *footageRef) any { return r.item.Footage.Kind == aep.FootageFile })
	attr(c, "loop", func(r *footageRef) any { return max(r.item.Footage.Loop, 1) }, func(r *footageRef, v goja.Value) {
		r.item.Footage.Loop = int(s.between(v, "loop", 1, 9999))
	})
	attr(c, "invertAlpha", func(r *footageRef) any { return r.item.Footage.InvertAlpha }, func(r *footageRef, v goja.Value) {
		r.item.Footage.InvertAlpha = v.ToBoolean()
	})
	attr(c, "conformFrameRate", func(r *footageRef) any { return r.item.Footage.FrameRate }, func(r *footageRef, v goja.Value) {
		r.item.Footage.FrameRate = s.between(v, "conformFrameRate", 0, 999)
	})
	get(c, "nativeFrameRate", func(r *footageRef) any { return r.item.Footage.FrameRate })
	get(c, "displayFrameRate", func(r *footageRef) any { return r.item.Footage.FrameRate })
	for name, value := range map[string]any{"alphaMode": 5412, "fieldSeparationType": 5613, "highQualityFieldSeparation": false, "removePulldown": 5813} {
		attr(c, name, func(*footageRef) any { return value }, func(*footageRef, goja.Value) {})
	}
	get(s.classes.fileSource, "file", func(r *footageRef) any { return s.fileObject(filePath(r.item.Footage)) })
	get(s.classes.fileSource, "missingFootagePath", func(r *footageRef) any {
		if missing(r.item.Footage) {
			return r.item.Footage.File.FullPath
		}
		return ""
	})
	method(s.classes.fileSource, "reload", func(*footageRef, args) any { return undefined() })
	attr(s.classes.solidSource, "color", func(r *footageRef) any { return r.item.Footage.Color[:] }, func(r *footageRef, v goja.Value) {
		r.item.Footage.Color = s.rgb(v, "color")
	})
}

func filePath(f *aep.Footage) string {
	if f.File.Resolved != "" {
		return f.File.Resolved
	}
	return f.File.FullPath
}

// rgb reads a colour of three or four numbers of 0–1.
func (s *session) rgb(v goja.Value, what string) [3]float64 {
	list := s.floats(v, what)
	if len(list) != 3 && len(list) != 4 {
		s.throw("After Effects error: Unable to set %q: a colour is an array of 3 or 4 numbers", what)
	}
	var out [3]float64
	for i := range out {
		out[i] = min(max(list[i], 0), 1)
	}
	return out
}

func (s *session) defineFootageItem(c *class) {
	get(c, "mainSource", func(r *itemRef) any {
		k := s.classes.fileSource
		switch r.item.Footage.Kind {
		case aep.FootageSolid:
			k = s.classes.solidSource
		case aep.FootagePlaceholder:
			k = s.classes.placeholder
		}
		return k.object(&footageRef{r.item})
	})
	get(c, "file", func(r *itemRef) any {
		if r.item.Footage.Kind != aep.FootageFile {
			return nil
		}
		return s.fileObject(filePath(r.item.Footage))
	})
	method(c, "replace", func(r *itemRef, a args) any { s.replaceFile(r.item, s.pathOf(a.at(0)), false); return undefined() })
	method(c, "replaceWithSequence", func(r *itemRef, a args) any { s.replaceFile(r.item, s.pathOf(a.at(0)), true); return undefined() })
	method(c, "replaceWithSolid", func(r *itemRef, a args) any {
		a.need(5)
		r.item.Name = a.str(1)
		r.item.Footage = s.solid(a.at(0), a.at(2), a.at(3), a.at(4))
		return undefined()
	})
	method(c, "replaceWithPlaceholder", func(r *itemRef, a args) any {
		f, name := s.placeholderFootage(a)
		r.item.Name, r.item.Footage = name, f
		return undefined()
	})
	method(c, "openInViewer", func(*itemRef, args) any { return nil })
}

func (s *session) solid(color, w, h, aspect goja.Value) *aep.Footage {
	return &aep.Footage{Kind: aep.FootageSolid, Color: s.rgb(color, "color"), HasVideo: true, Still: true, Format: "Soli",
		Width: int(s.between(w, "width", 1, 30000)), Height: int(s.between(h, "height", 1, 30000)),
		PixelAspect: s.between(aspect, "pixelAspect", 0.01, 100)}
}

func (s *session) placeholderFootage(a args) (*aep.Footage, string) {
	a.need(5)
	return &aep.Footage{Kind: aep.FootagePlaceholder, HasVideo: true, PixelAspect: 1,
		Width: int(s.between(a.at(1), "width", 1, 30000)), Height: int(s.between(a.at(2), "height", 1, 30000)),
		FrameRate: s.between(a.at(3), "frameRate", 1, 999), Duration: s.between(a.at(4), "duration", 0, 10800)}, a.str(0)
}

func (s *session) importPlaceholder(a args) any {
	f, name := s.placeholderFootage(a)
	return s.addItem(&aep.Item{Name: name, Kind: aep.ItemFootage, Footage: f})
}

// importFile makes a footage item from a file of the job's folder. It takes ImportOptions, a File or a path.
func (s *session) importFile(v goja.Value) *goja.Object {
	o, ok := optional[*importOptions](s, v)
	if !ok {
		o = &importOptions{file: s.pathOf(v), as: importAsFootage}
	}
	if o.file == nil {
		s.throw("After Effects error: Unable to call \"importFile\": the ImportOptions name no file")
	}
	if o.as != importAsFootage {
		s.throw("After Effects error: Unable to call \"importFile\": %q can only be imported as footage", base(o.file.path))
	}
	f, err := s.footageOf(o.file, o.sequence)
	if err != nil {
		s.throw("After Effects error: Unable to call \"importFile\": %v", err)
	}
	return s.addItem(&aep.Item{Name: base(o.file.path), Kind: aep.ItemFootage, Footage: f})
}

func (s *session) replaceFile(it *aep.Item, file *fileState, sequence bool) {
	f, err := s.footageOf(file, sequence)
	if err != nil {
		s.throw("After Effects error: Unable to call \"replace\": %v", err)
	}
	old := base(it.Footage.File.FullPath)
	if it.Name == "" || it.Name == old || it.Footage.Kind == aep.FootageSolid {
		it.Name = base(file.path)
	}
	it.Footage = f
}

// footageOf reads the format of a file of the job's folder.
func (s *session) footageOf(file *fileState, sequence bool) (*aep.Footage, error) {
	rel, err := s.local(file)
	if err != nil {
		return nil, fmt.Errorf("%q is outside the job's folder", short(file.path))
	}
	info, err := s.root.Stat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("file %q does not exist", base(file.path))
	}
	if err != nil {
		return nil, fmt.Errorf("%q is outside the job's folder or can't be read", base(file.path))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a file", base(file.path))
	}
	abs, err := filepath.Abs(filepath.Join(s.opt.Folder, rel))
	if err != nil {
		return nil, err
	}
	f := &aep.Footage{Kind: aep.FootageFile, PixelAspect: 1, Sequence: sequence,
		File: aep.FileReference{FullPath: abs, Resolved: abs}}
	ext := strings.ToLower(extension(rel))
	switch ext {
	case "json", "csv", "tsv", "txt", "xml", "mgjson":
		f.Still, f.Format = true, "TEXT"
		return f, nil
	case "aep", "aet", "aepx", "mogrt", "jsx", "exe":
		return nil, fmt.Errorf("%q is not footage", base(file.path))
	}
	in, err := s.probe(rel, abs, sequence)
	if err == nil && in.Still {
		err = footage.Verify(s.ctx, abs)
	}
	if err != nil {
		return nil, fmt.Errorf("file %q can't be read as footage: %w", base(file.path), err)
	}
	f.Width, f.Height, f.Duration, f.FrameRate = in.Width, in.Height, in.Duration, in.FrameRate
	f.Still, f.HasVideo, f.HasAudio = in.Still, in.Video || in.Width > 0, in.Audio
	f.Format = formats()[ext]
	return f, nil
}

// formats are the importers' codes of common file types.
func formats() map[string]string {
	return map[string]string{"png": "png!", "jpg": "JPEG", "jpeg": "JPEG", "psd": "8BPS", "mov": "MooV", "mp4": "MPEG", "wav": "WAVE", "mp3": "MP3A"}
}

// probe reads the format of a file or, with sequence, of the numbered pictures that it belongs to.
func (s *session) probe(rel, abs string, sequence bool) (footage.Info, error) {
	if sequence {
		src, err := footage.OpenAs(s.ctx, abs, footage.Interpretation{Sequence: true})
		if err != nil {
			return footage.Info{}, err
		}
		return src.Info, src.Close()
	}
	if s.opt.Probe != nil {
		return s.opt.Probe(s.ctx, abs)
	}
	r, err := s.root.Open(rel)
	if err != nil {
		return footage.Info{}, err
	}
	defer r.Close()
	cfg, _, err := image.DecodeConfig(r)
	if err != nil {
		return footage.Info{}, err
	}
	return footage.Info{Width: cfg.Width, Height: cfg.Height, Still: true, Video: true}, nil
}
