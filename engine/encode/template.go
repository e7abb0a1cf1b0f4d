// Package encode writes frames as films, numbered pictures and stills.
//
// A file is written under a temporary name until it is complete: a file with the requested name is either complete or an
// earlier one.
package encode

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/ffmpeg/encoding"
	"overcrank/frames"
)

// Template is an output module template: what is written, and how.
type Template struct {
	Name  string // ours, such as "video_h264_vbr_15mbps"
	Ext   string // with its dot
	Alpha bool   // keeps transparency
	Film  bool   // one file with sound; otherwise pictures
	// Frames and Sound are for the parts of a film that another machine puts together: its frames, and its sound.
	Frames, Sound bool
	way           encoding.Way
	here          bool // way has an encoder of this machine
}

// Here is t written with the best encoder of this machine, for which ffmpeg may have to be asked. Open asks where that was not done.
func (t Template) Here(ctx context.Context) (Template, error) {
	if !t.Film || t.here {
		return t, nil
	}
	way, err := t.way.Here(ctx, encoding.Told())
	t.way, t.here = way, err == nil
	return t, err
}

// templates lists every template by our own name.
func templates() []Template {
	var out []Template
	for _, w := range encoding.All() {
		out = append(out, Template{Name: w.Name, Ext: "." + w.Ext, Alpha: w.Alpha, Film: !w.Still, way: w})
	}
	return out
}

// aliases are After Effects' own names of templates, in lower case.
var aliases = map[string]string{
	"h.264 - match render settings - 1 mbps":  "video_h264_vbr_1mbps",
	"h.264 - match render settings - 5 mbps":  "video_h264_vbr_5mbps",
	"h.264 - match render settings - 15 mbps": encoding.DefaultFilm,
	"h.264 - match render settings - 40 mbps": encoding.FineFilm,
	"h.264":                    encoding.DefaultFilm,
	"high quality":             encoding.ProRes422HQ,
	"high quality with alpha":  encoding.ProRes4444,
	"prores 422":               encoding.ProRes422,
	"apple prores 422":         encoding.ProRes422,
	"prores 422 hq":            encoding.ProRes422HQ,
	"apple prores 422 hq":      encoding.ProRes422HQ,
	"prores 4444":              encoding.ProRes4444,
	"apple prores 4444":        encoding.ProRes4444,
	"lossless":                 encoding.Animation,
	"lossless with alpha":      encoding.AnimationAlpha,
	"png sequence":             encoding.OpaquePNG,
	"png sequence with alpha":  encoding.PNG,
	"_hidden x-factor 8":       encoding.PNG,
	"image_png_alpha":          encoding.PNG,
	"jpeg sequence":            encoding.JPEG,
	"tiff sequence with alpha": encoding.TIFF,
}

// Lookup finds a template by our name or After Effects', ignoring case.
func Lookup(name string) (Template, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if ours, ok := aliases[name]; ok {
		name = ours
	}
	for _, t := range templates() {
		if t.Name == name {
			return t, true
		}
	}
	return Template{}, false
}

// ForFile is the default template for a file of that name.
func ForFile(path string) Template {
	name := encoding.DefaultFilm
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		name = encoding.PNG
	case ".jpg", ".jpeg":
		name = encoding.JPEG
	case ".tif", ".tiff":
		name = encoding.TIFF
	case ".mov":
		name = encoding.ProRes422HQ
	}
	t, _ := Lookup(name)
	return t
}

// Part is the variant of t that a machine writes when the file's extension asks for a part: .frames for frames before
// they are encoded, .wav for the sound only.
func (t Template) Part(path string) Template {
	switch strings.ToLower(filepath.Ext(path)) {
	case frames.Ext:
		return Template{Name: t.Name, Ext: frames.Ext, Alpha: t.Alpha, Frames: true}
	case ".wav":
		return Template{Name: t.Name, Ext: ".wav", Sound: true}
	}
	return t
}

// Cuttable says whether a film may be encoded in stretches, or is not known yet to be one that may not.
func (t Template) Cuttable() bool { return t.Frames || t.Film && t.way.Stretches() }

// single says whether all frames go into one file.
func (t Template) single() bool { return t.Film || t.Frames || t.Sound }

// holds says whether a file with that extension can contain what the template writes.
func (t Template) holds(ext string) bool {
	ext = strings.ToLower(ext)
	if t.Film {
		return slices.Contains(t.way.Containers, ext)
	}
	return ext == t.Ext || ext == ".jpeg" && t.Ext == ".jpg" || ext == ".tiff" && t.Ext == ".tif"
}

// muxer is ffmpeg's name of the container for a file extension.
func muxer(ext string) string {
	switch strings.ToLower(ext) {
	case ".mov":
		return "mov"
	case ".mkv":
		return "matroska"
	}
	return "mp4"
}
