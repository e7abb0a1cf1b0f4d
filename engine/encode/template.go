// Package encode writes frames as films, numbered pictures and stills.
//
// What is written stands under a name of its own until it is whole: a file of the name that was asked for is complete,
// or from before.
package encode

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcrank/frames"
)

// Template is an output module template: what is written, and how.
type Template struct {
	Name  string // ours, such as "video_h264_vbr_15mbps"
	Ext   string // with its dot
	Alpha bool   // keeps transparency
	Film  bool   // one file with sound; otherwise pictures
	// Frames and Sound are parts of a film that is put together elsewhere: its frames, and its sound.
	Frames, Sound bool
	codec         codec
}

// codec is how ffmpeg is told to write a film.
type codec struct {
	video   []string
	audio   []string
	pixFmt  string
	yuv     bool     // colours are converted, to BT.709
	even    bool     // needs even sizes
	formats []string // muxers by extension that can hold it, the first being the template's own
}

var (
	aac = []string{"-c:a", "aac", "-b:a", "256k"}
	pcm = []string{"-c:a", "pcm_s16le"}
)

// h264 is H.264 of at most mbps megabits per second. With a constant rate the encoder aims at it throughout; otherwise it
// aims at a quality, the higher the more bits it may have, so that simple pictures make small files.
func h264(name string, mbps int, constant bool) Template {
	rate := strconv.Itoa(mbps) + "M"
	buffer := strconv.Itoa(2*mbps) + "M"
	preset := "veryfast"
	if mbps >= 15 { // with that many bits to spend, speed matters more: the renderer wants the processors
		preset = "superfast"
	}
	video := []string{"-c:v", "libx264", "-preset", preset, "-profile:v", "high", "-maxrate", rate, "-bufsize", buffer}
	if constant {
		video = append(video, "-b:v", rate, "-minrate", rate)
	} else {
		video = append(video, "-crf", strconv.Itoa(quality[mbps]))
	}
	return Template{Name: name, Ext: ".mp4", Film: true, codec: codec{
		video: video, audio: aac, pixFmt: "yuv420p", yuv: true, even: true, formats: []string{".mp4", ".mov", ".m4v", ".mkv"},
	}}
}

// quality is x264's rate factor for a bound in megabits per second.
var quality = map[int]int{1: 24, 5: 20, 15: 16, 40: 12}

func quicktime(name string, alpha bool, pixFmt string, yuv bool, video ...string) Template {
	return Template{Name: name, Ext: ".mov", Film: true, Alpha: alpha, codec: codec{
		video: video, audio: pcm, pixFmt: pixFmt, yuv: yuv, formats: []string{".mov", ".mkv"},
	}}
}

// Default is the template of films when none is named.
const Default = "video_h264_vbr_15mbps"

// templates lists every template by the name we give it.
func templates() []Template {
	var out []Template
	for _, mode := range []string{"vbr", "cbr"} {
		for _, mbps := range []int{1, 5, 15, 40} {
			out = append(out, h264("video_h264_"+mode+"_"+strconv.Itoa(mbps)+"mbps", mbps, mode == "cbr"))
		}
	}
	return append(out,
		quicktime("video_prores_422", false, "yuv422p10le", true, "-c:v", "prores_ks", "-profile:v", "standard", "-vendor", "apl0"),
		quicktime("video_prores_422_hq", false, "yuv422p10le", true, "-c:v", "prores_ks", "-profile:v", "hq", "-vendor", "apl0"),
		quicktime("video_prores_4444", true, "yuva444p10le", true, "-c:v", "prores_ks", "-profile:v", "4444", "-vendor", "apl0", "-alpha_bits", "16"),
		quicktime("video_animation", false, "rgb24", false, "-c:v", "qtrle"),
		quicktime("video_animation_alpha", true, "argb", false, "-c:v", "qtrle"),
		Template{Name: "image_png", Ext: ".png"},
		Template{Name: "image_png_alpha", Ext: ".png", Alpha: true},
		Template{Name: "image_jpeg", Ext: ".jpg"},
		Template{Name: "image_tiff_alpha", Ext: ".tif", Alpha: true},
	)
}

// aliases are After Effects' own names of templates, in lower case.
var aliases = map[string]string{
	"h.264 - match render settings - 1 mbps":  "video_h264_vbr_1mbps",
	"h.264 - match render settings - 5 mbps":  "video_h264_vbr_5mbps",
	"h.264 - match render settings - 15 mbps": "video_h264_vbr_15mbps",
	"h.264 - match render settings - 40 mbps": "video_h264_vbr_40mbps",
	"h.264":                    "video_h264_vbr_15mbps",
	"high quality":             "video_prores_422_hq",
	"high quality with alpha":  "video_prores_4444",
	"prores 422":               "video_prores_422",
	"apple prores 422":         "video_prores_422",
	"prores 422 hq":            "video_prores_422_hq",
	"apple prores 422 hq":      "video_prores_422_hq",
	"prores 4444":              "video_prores_4444",
	"apple prores 4444":        "video_prores_4444",
	"lossless":                 "video_animation",
	"lossless with alpha":      "video_animation_alpha",
	"png sequence":             "image_png",
	"png sequence with alpha":  "image_png_alpha",
	"_hidden x-factor 8":       "image_png_alpha",
	"jpeg sequence":            "image_jpeg",
	"tiff sequence with alpha": "image_tiff_alpha",
}

// Lookup finds a template by our name or by After Effects', whatever its case.
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

// ForFile is the template for a file of that name when none is asked for.
func ForFile(path string) Template {
	name := Default
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		name = "image_png"
	case ".jpg", ".jpeg":
		name = "image_jpeg"
	case ".tif", ".tiff":
		name = "image_tiff_alpha"
	case ".mov":
		name = "video_prores_422_hq"
	}
	t, _ := Lookup(name)
	return t
}

// Part is what a machine writes for t when the file's extension asks for a part of it: .frames for frames as they are before they
// are encoded, .wav for the sound alone.
func (t Template) Part(path string) Template {
	switch strings.ToLower(filepath.Ext(path)) {
	case frames.Ext:
		return Template{Name: t.Name, Ext: frames.Ext, Alpha: t.Alpha, Frames: true}
	case ".wav":
		return Template{Name: t.Name, Ext: ".wav", Sound: true}
	}
	return t
}

// single says that all frames go into one file.
func (t Template) single() bool { return t.Film || t.Frames || t.Sound }

// holds says whether a file of that extension can hold what the template writes.
func (t Template) holds(ext string) bool {
	ext = strings.ToLower(ext)
	if t.Film {
		return slices.Contains(t.codec.formats, ext)
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
