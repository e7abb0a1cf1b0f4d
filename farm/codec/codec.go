// Package codec lists the codecs that a job may name. Package ffmpeg/encoding has ffmpeg's settings for each; it takes
// names, bit rates and alpha from here.
package codec

import (
	"fmt"
	"slices"
	"strings"
)

// The codecs that code names.
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
	// Mbps is the bit rate of H.264 in megabits per second: constant when Constant, otherwise the highest. 0 for other
	// codecs.
	Mbps     int
	Constant bool
}

// The families of codecs. A machine that can write one codec of a family can write all of it.
const (
	H264   = "H.264"
	ProRes = "ProRes"
)

// Family is what a codec is called for people, whatever its rate and quality: H264, ProRes, or PNG and JPEG.
func (c Codec) Family() string {
	switch {
	case c.Mbps > 0:
		return H264
	case c.Name == "":
		return ""
	case c.Still:
		return strings.ToUpper(strings.TrimPrefix(c.Name, "image_"))
	}
	return ProRes
}

// Families are those of the codecs with these names, in order. Names that are not known are left out.
func Families(names []string) []string {
	var families []string
	for _, name := range names {
		if c, known := Find(name); known {
			families = append(families, c.Family())
		}
	}
	slices.Sort(families)
	return slices.Compact(families)
}

// table has the codecs of the public interface, films first. It is never written to.
var table = slices.Concat(h264("vbr", false), h264("cbr", true), []Codec{
	{Name: ProRes422, Ext: "mov"},
	{Name: ProRes4444, Ext: "mov", Alpha: true},
	{Name: DefaultStill, Ext: "png", Still: true, Alpha: true},
	{Name: JPEG, Ext: "jpg", Still: true},
})

func h264(mode string, constant bool) (codecs []Codec) {
	for _, mbps := range []int{1, 5, 15, 40} {
		codecs = append(codecs, Codec{Name: fmt.Sprintf("video_h264_%s_%dmbps", mode, mbps), Ext: "mp4", Mbps: mbps, Constant: constant})
	}
	return codecs
}

// All are the codecs of the public interface, films first.
func All() []Codec { return slices.Clone(table) }

// Find is the codec of that name; false when there is none.
func Find(name string) (Codec, bool) {
	i := slices.IndexFunc(table, func(c Codec) bool { return c.Name == name })
	if i < 0 {
		return Codec{}, false
	}
	return table[i], true
}

// Names are the names of all codecs, films first.
func Names() []string { return named(func(Codec) bool { return true }) }

// Films are the names of the codecs of films.
func Films() []string { return named(func(c Codec) bool { return !c.Still }) }

// Stills are the names of the codecs of pictures.
func Stills() []string { return named(func(c Codec) bool { return c.Still }) }

func named(wanted func(Codec) bool) []string {
	var names []string
	for _, c := range table {
		if wanted(c) {
			names = append(names, c.Name)
		}
	}
	return names
}
