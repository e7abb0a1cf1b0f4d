// Package codec lists the codecs that a job may name. How ffmpeg writes each is told in ffmpeg/encoding, which takes its names, rates and
// alpha from here.
package codec

import (
	"fmt"
	"slices"
)

// The codecs that code asks for by name.
const (
	DefaultFilm  = "video_h264_vbr_15mbps" // of films when the job names none
	DefaultStill = "image_png"             // of stills when the job names none
	FineFilm     = "video_h264_vbr_40mbps" // H.264 of high quality
	ProRes422    = "video_prores_422"
	ProRes4444   = "video_prores_4444" // the one codec of films that keeps transparency
	JPEG         = "image_jpeg"
)

// Codec is a kind of result, as Settings.Codec names it.
type Codec struct {
	Name  string
	Ext   string // of the file it is written to, without the dot
	Still bool   // a picture for each frame, instead of one film
	Alpha bool   // transparency is kept; otherwise frames are drawn over the composition's background
	// Mbps is the rate of H.264 in megabits per second: at every moment when Constant, and at most otherwise. 0 for other codecs.
	Mbps     int
	Constant bool
}

// All are the codecs of the public interface, films first.
func All() []Codec {
	var all []Codec
	for _, constant := range []bool{false, true} {
		mode := "vbr"
		if constant {
			mode = "cbr"
		}
		for _, mbps := range []int{1, 5, 15, 40} {
			all = append(all, Codec{Name: fmt.Sprintf("video_h264_%s_%dmbps", mode, mbps), Ext: "mp4", Mbps: mbps, Constant: constant})
		}
	}
	return append(all,
		Codec{Name: ProRes422, Ext: "mov"},
		Codec{Name: ProRes4444, Ext: "mov", Alpha: true},
		Codec{Name: DefaultStill, Ext: "png", Still: true, Alpha: true},
		Codec{Name: JPEG, Ext: "jpg", Still: true},
	)
}

// Find is the codec of that name; false when there is none.
func Find(name string) (Codec, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Codec) bool { return c.Name == name })
	if i < 0 {
		return Codec{}, false
	}
	return all[i], true
}

// Names are the names of all codecs, films first.
func Names() []string { return named(func(Codec) bool { return true }) }

// Films are the names of the codecs of films.
func Films() []string { return named(func(c Codec) bool { return !c.Still }) }

// Stills are the names of the codecs of pictures.
func Stills() []string { return named(func(c Codec) bool { return c.Still }) }

func named(wanted func(Codec) bool) []string {
	var names []string
	for _, c := range All() {
		if wanted(c) {
			names = append(names, c.Name)
		}
	}
	return names
}
