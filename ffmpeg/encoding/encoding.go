// Package encoding tells ffmpeg how each codec is written: container, encoder, pixels, colours and rate. Both engines' films are written
// by it, so that they are the same whoever drew them.
package encoding

import (
	"slices"
	"strconv"

	"overcrank/farm/codec"
)

// The names of codecs that the engines know, for them to need no others.
const (
	DefaultFilm = codec.DefaultFilm
	FineFilm    = codec.FineFilm
	ProRes422   = codec.ProRes422
	ProRes4444  = codec.ProRes4444
	PNG         = codec.DefaultStill
	JPEG        = codec.JPEG
)

// Names of what is written for the engines alone, beside the codecs of jobs.
const (
	OpaquePNG      = "image_png_opaque" // frames over the composition's background, as films show them
	ProRes422HQ    = "video_prores_422_hq"
	Animation      = "video_animation"
	AnimationAlpha = "video_animation_alpha"
	TIFF           = "image_tiff_alpha"
)

// Way is how something is written.
type Way struct {
	codec.Codec
	// Encoder is ffmpeg's name of what encodes it, "" for what only the embedded engine writes, without ffmpeg.
	Encoder string
	// Even says that width and height have to be.
	Even bool
	// Containers are the extensions of files that can hold a film, with their dot, its own first.
	Containers []string

	pixFmt  string // "" for that of the frames
	colours colours
	options []string // of the encoder
	sound   []string
}

// colours is what becomes of the frames' RGB.
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

// All are the ways of all codecs of jobs, and of what the engines write beside them.
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

// Find is the way of that name; false when there is none.
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
		return h264(c)
	case c.Name == codec.ProRes4444:
		return prores(c, "yuva444p10le", "-profile:v", "4444", "-alpha_bits", "16")
	case c.Name == codec.JPEG:
		return Way{Codec: c, Encoder: "mjpeg", pixFmt: "yuvj444p", colours: ofPictures, options: []string{"-q:v", "2"}}
	case c.Still:
		return Way{Codec: c, Encoder: "png"}
	}
	return prores(c, "yuv422p10le", "-profile:v", "standard")
}

// quality is x264's rate factor for a bound in megabits per second: the more bits, the better the picture, and simple pictures make small
// films.
var quality = map[int]int{1: 24, 5: 20, 15: 16, 40: 12}

// h264 is H.264 of a constant rate, or of a quality that is bounded by a rate.
func h264(c codec.Codec) Way {
	rate := strconv.Itoa(c.Mbps) + "M"
	options := []string{"-profile:v", "high", "-maxrate", rate}
	if c.Constant {
		// Of a film of some seconds the decoder's buffer is a part, so it is half a second and no more. What pictures do not need is
		// filled up, which x264 does where it promises a constant rate (nal-hrd).
		options = append(options, "-b:v", rate, "-minrate", rate, "-bufsize", strconv.Itoa(c.Mbps*500)+"k", "-x264-params", "nal-hrd=cbr")
	} else {
		options = append(options, "-bufsize", strconv.Itoa(2*c.Mbps)+"M", "-crf", strconv.Itoa(quality[c.Mbps]))
	}
	return Way{
		Codec: c, Encoder: "libx264", Even: true, Containers: []string{".mp4", ".mov", ".m4v", ".mkv"},
		pixFmt: "yuv420p", colours: ofFilms, options: options, sound: aac,
	}
}

func prores(c codec.Codec, pixFmt string, options ...string) Way {
	w := quicktime(c, "prores_ks", pixFmt, ofFilms)
	w.options = append(options, "-vendor", "apl0")
	return w
}

func quicktime(c codec.Codec, encoder, pixFmt string, colours colours) Way {
	return Way{Codec: c, Encoder: encoder, Containers: []string{".mov", ".mkv"}, pixFmt: pixFmt, colours: colours, sound: pcm}
}

// Filter is the filter that gives frames of RGB the pixels and colours of the codec, "" when they stay as they are.
func (w Way) Filter() string { return w.FilterFrom("") }

// FilterFrom is Filter for frames of any colours, of which those that do not say their matrix have the one called from.
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

// Haste is whether bits may be spent for speed.
type Haste bool

const (
	// InHaste is for an encoder beside a renderer, which wants the processors.
	InHaste Haste = true
	// AtEase is for an encoder that works alone: better pictures from the same bits.
	AtEase Haste = false
)

// preset is x264's. With many bits to spend, speed matters more.
func (w Way) preset(haste Haste) string {
	switch {
	case haste == AtEase:
		return "medium"
	case w.Mbps >= 15:
		return "superfast"
	}
	return "veryfast"
}

// keyFrames has ffmpeg put a whole picture every two seconds, which browsers need for seeking.
const keyFrames = "expr:gte(t,n_forced*2)"

// Video are the options that encode the pictures, behind Filter.
func (w Way) Video(haste Haste) []string {
	args := []string{"-c:v", w.Encoder}
	if w.Encoder == "libx264" {
		args = append(args, "-preset", w.preset(haste), "-force_key_frames", keyFrames)
	}
	args = append(args, w.options...)
	if w.colours == ofFilms {
		args = append(args, FilmTags()...)
	}
	return args
}

// Sound are the options that encode the sound of a film.
func (w Way) Sound() []string { return slices.Clone(w.sound) }
