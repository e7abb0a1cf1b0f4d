// Package encoding has ffmpeg's settings for each codec: container, encoder, pixel format, colours and bit rate. The
// films of both engines are encoded with them, so that they do not depend on the engine.
package encoding

import (
	"fmt"
	"slices"

	"overcrank/farm/codec"
)

// The codecs that the engines name, so that they need not import package codec.
const (
	DefaultFilm = codec.DefaultFilm
	FineFilm    = codec.FineFilm
	ProRes422   = codec.ProRes422
	ProRes4444  = codec.ProRes4444
	PNG         = codec.DefaultStill
	JPEG        = codec.JPEG
)

// What only the engines write, in addition to the codecs of jobs.
const (
	OpaquePNG      = "image_png_opaque" // frames over the composition's background, as films show them
	ProRes422HQ    = "video_prores_422_hq"
	Animation      = "video_animation"
	AnimationAlpha = "video_animation_alpha"
	TIFF           = "image_tiff_alpha"
)

// Way is how a codec is written.
type Way struct {
	codec.Codec
	// Encoder is ffmpeg's name of the encoder, "" for what only the embedded engine writes, without ffmpeg. That of H.264
	// is x264 unless On or Here has chosen another one.
	Encoder string
	// Even says that width and height have to be even.
	Even bool
	// Containers are the extensions, with their dot, of files that can contain the film, the usual one first.
	Containers []string

	pixFmt  string // "" for the format of the frames
	colours colours
	options []string // of the encoder
	sound   []string
	rate    *rate // of H.264, nil for other codecs
}

// ffmpeg's names of formats with one chroma for four pixels: three planes, and two.
const (
	i420 = "yuv420p"
	nv12 = "nv12"
)

// colours is how the frames' RGB is converted.
type colours int

const (
	asTheyAre colours = iota
	ofFilms
	ofPictures
)

var (
	aac = []string{"-c:a", "aac", "-b:a", "256k"}
	pcm = []string{"-c:a", "pcm_s16le"}
)

// All are the ways to write the codecs of jobs, and what only the engines write.
func All() []Way {
	var all []Way
	for _, c := range codec.All() {
		all = append(all, wayOf(c))
	}
	return append(all,
		prores(codec.Codec{Name: ProRes422HQ, Ext: "mov"}, "yuv422p10le", "-profile:v", "hq"),
		quicktime(codec.Codec{Name: Animation, Ext: "mov"}, "qtrle", "rgb24", asTheyAre),
		quicktime(codec.Codec{Name: AnimationAlpha, Ext: "mov", Alpha: true}, "qtrle", "argb", asTheyAre),
		Way{Codec: codec.Codec{Name: OpaquePNG, Ext: "png", Still: true}, Encoder: "png", pixFmt: "rgb24|rgb48be"},
		Way{Codec: codec.Codec{Name: TIFF, Ext: "tif", Still: true, Alpha: true}},
	)
}

// Find is the way to write the codec of that name; false when there is none.
func Find(name string) (Way, bool) {
	all := All()
	i := slices.IndexFunc(all, func(w Way) bool { return w.Name == name })
	if i < 0 {
		return Way{}, false
	}
	return all[i], true
}

func wayOf(c codec.Codec) Way {
	switch {
	case c.Mbps > 0:
		return h264(c, rateOf(c)).with(x264)
	case c.Name == codec.ProRes4444:
		return prores(c, "yuva444p10le", "-profile:v", "4444", "-alpha_bits", "16")
	case c.Name == codec.JPEG:
		return Way{Codec: c, Encoder: "mjpeg", pixFmt: "yuvj444p", colours: ofPictures, options: []string{"-q:v", "2"}}
	case c.Still:
		return Way{Codec: c, Encoder: "png"}
	}
	return prores(c, "yuv422p10le", "-profile:v", "standard")
}

func prores(c codec.Codec, pixFmt string, options ...string) Way {
	w := quicktime(c, "prores_ks", pixFmt, ofFilms)
	w.options = append(options, "-vendor", "apl0")
	return w
}

func quicktime(c codec.Codec, encoder, pixFmt string, colours colours) Way {
	return Way{Codec: c, Encoder: encoder, Containers: []string{".mov", ".mkv"}, pixFmt: pixFmt, colours: colours, sound: pcm}
}

// Filter is the filter that converts RGB frames to the pixels and colours of the codec, "" when they stay as they are.
func (w Way) Filter() string { return w.FilterFrom("") }

// FilterFrom is Filter for frames of any colours; those without a tag have the matrix from.
func (w Way) FilterFrom(from string) string {
	switch {
	case w.colours == ofFilms:
		return ToFilm(from, w.pixFmt)
	case w.colours == ofPictures:
		return ToPicture(from, w.pixFmt)
	case w.pixFmt != "":
		return "format=" + w.pixFmt
	}
	return ""
}

// I420 tells whether films have the pixels of I420: 8 bits, and one chroma for four pixels, so that frames can be given in it.
func (w Way) I420() bool { return w.colours == ofFilms && (w.pixFmt == i420 || w.pixFmt == nv12) }

// FilterI420 is Filter for frames that are in I420 already, in the colours of our films. They lose nothing.
func (w Way) FilterI420() string { return fmt.Sprintf("%s,format=%s", filmParams, w.pixFmt) }

// Haste is whether to trade size for speed.
type Haste bool

const (
	// InHaste is for an encoder that runs beside a renderer, which needs the processors.
	InHaste Haste = true
	// AtEase is for an encoder that runs alone: better pictures from the same bits.
	AtEase Haste = false
)

// keyFrames makes every frame at two seconds' distance a key frame, which browsers need for seeking.
const keyFrames = "expr:gte(t,n_forced*2)"

// Video are the options that encode the pictures; Filter's output is the input.
func (w Way) Video(haste Haste) []string {
	args := []string{"-c:v", w.Encoder}
	if w.rate != nil {
		if w.Encoder == x264 {
			args = append(args, w.rate.preset(haste)...)
		}
		args = append(args, "-force_key_frames", keyFrames)
	}
	args = append(args, w.options...)
	if w.colours == ofFilms {
		args = append(args, FilmTags()...)
	}
	return args
}

// Sound are the options that encode the sound of a film.
func (w Way) Sound() []string { return slices.Clone(w.sound) }
