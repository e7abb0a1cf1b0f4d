package encoding

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"overcrank/farm/codec"
)

// ffmpeg's names of the encoders of H.264. x264 is under the GPL, so that builds of ffmpeg under the LGPL lack it; they
// have those of the system, and some have OpenH264.
const (
	x264            = "libx264"
	videoToolbox    = "h264_videotoolbox" // of macOS
	mediaFoundation = "h264_mf"           // of Windows
	openH264        = "libopenh264"       // Cisco's
)

// h264Encoders are the encoders of H.264, the best first.
func h264Encoders() []string { return []string{x264, videoToolbox, mediaFoundation, openH264} }

// rate is how many bits an H.264 film takes, and how well it is drawn with them.
type rate struct {
	kbps     int    // kilobits per second: constant, or the highest; 0 for no limit, with x264 alone
	usual    int    // kilobits per second on average, for encoders that must be told; 0 for three quarters of kbps
	constant bool   // kbps is kept whatever the pictures are
	factor   int    // x264's rate factor, and the lowest quantizer of OpenH264: the lower, the better. Both have one scale, H.264's.
	fixed    string // x264's preset, "" for one that goes with the rate
}

// factors are x264's rate factors for a limit in megabits per second. The more bits, the better the picture; simple
// pictures make small films.
var factors = map[int]int{1: 24, 5: 20, 15: 16, 40: 12}

func rateOf(c codec.Codec) rate {
	return rate{kbps: 1000 * c.Mbps, constant: c.Constant, factor: factors[c.Mbps]}
}

// h264 is H.264 with a constant bit rate, or with a constant quality within a bit rate. Its encoder is not chosen yet.
func h264(c codec.Codec, r rate) Way {
	return Way{
		Codec: c, Even: true, Containers: []string{".mp4", ".mov", ".m4v", ".mkv"},
		pixFmt: i420, colours: ofFilms, sound: aac, rate: &r,
	}
}

// Joined is how clips that do not agree are written before they are joined: H.264 of high quality. Width and height are
// in pixels, fps is frames per second.
func Joined(width, height int, fps float64) Way {
	// Encoders that must be told a rate get 0.3 bits for each pixel, which is plenty: 19 megabits per second for 1080p30.
	usual := int(math.Max(1000, 0.3*float64(width)*float64(height)*fps/1000))
	return h264(codec.Codec{Ext: "mp4"}, rate{usual: usual, factor: 16, fixed: "fast"}).with(x264)
}

// with is w written by one of the encoders of H.264.
func (w Way) with(encoder string) Way {
	w.Encoder = encoder
	switch encoder {
	case x264:
		w.options = w.rate.x264()
	case videoToolbox:
		w.options = slices.Concat([]string{"-profile:v", "high", "-allow_sw", "1"}, w.rate.ofSystem(), tagged())
	case mediaFoundation:
		// Its encoders take NV12; only some of them take planar pictures too.
		w.pixFmt = nv12
		mode := "pc_vbr"
		if w.rate.constant {
			mode = "cbr"
		}
		w.options = slices.Concat([]string{"-rate_control", mode}, w.rate.ofSystem(), tagged())
	case openH264:
		w.options = w.rate.openH264()
	}
	return w
}

// Stretches tells whether parts of a film may be encoded one by one and joined: with x264, whose films of one kind all have the same headers, and
// without a constant rate, which only one encoder for the whole film can keep.
func (w Way) Stretches() bool {
	return w.rate != nil && w.Encoder == x264 && !w.rate.constant && w.rate.kbps > 0
}

// Stretch are the options that encode a stretch of a film, in addition to those of Video: headers that do not depend on the pictures, and after
// the first a decoder's buffer that is a quarter full, so that a film of many stretches does not exceed its rate by much.
func (w Way) Stretch(first bool) []string {
	options := []string{"-x264-params", "stitchable=1"}
	if !first {
		options = append(options, "-rc_init_occupancy", kilobits(w.rate.kbps/2))
	}
	return options
}

func (r rate) x264() []string {
	options := []string{"-profile:v", "high"}
	if r.kbps > 0 {
		options = append(options, "-maxrate", kilobits(r.kbps))
	}
	switch {
	case r.constant:
		// A film may last only seconds, so that the decoder's buffer counts: half a second and no more. With nal-hrd
		// x264 pads to the constant rate that it declares.
		return append(options, "-b:v", kilobits(r.kbps), "-minrate", kilobits(r.kbps), "-bufsize", kilobits(r.kbps/2), "-x264-params", "nal-hrd=cbr")
	case r.kbps > 0:
		options = append(options, "-bufsize", kilobits(2*r.kbps))
	}
	return append(options, "-crf", strconv.Itoa(r.factor))
}

// preset are the options for x264's speed. With a high bit rate, speed matters more.
func (r rate) preset(haste Haste) []string {
	switch {
	case r.fixed != "":
		return []string{"-preset", r.fixed}
	case haste == AtEase:
		return []string{"-preset", "medium"}
	case r.kbps >= 15_000:
		// Always three B frames between others, and no weights for fades: so x264 does not try. That saves up to a tenth of its time, and films of
		// titles are an eighth to a quarter smaller, with a structural similarity that is 0.0002 less.
		return []string{"-preset", "superfast", "-b_strategy", "0", "-weightp", "0"}
	}
	return []string{"-preset", "veryfast"}
}

// ofSystem is the rate for the encoders of Windows and macOS. They have no constant quality within a limit, so that they
// are told an average below it.
func (r rate) ofSystem() []string {
	switch {
	case r.kbps == 0:
		return []string{"-b:v", kilobits(r.usual)}
	case r.constant:
		return []string{"-b:v", kilobits(r.kbps), "-maxrate", kilobits(r.kbps), "-bufsize", kilobits(r.kbps / 2)}
	}
	return []string{"-b:v", kilobits(r.kbps * 3 / 4), "-maxrate", kilobits(r.kbps), "-bufsize", kilobits(2 * r.kbps)}
}

// openH264 is the rate for OpenH264. Its films of simple pictures are smaller than a constant rate asks for, as it can't pad.
func (r rate) openH264() []string {
	options := []string{"-profile:v", "high", "-coder", "cabac", "-rc_mode", "bitrate"}
	if r.kbps == 0 {
		options = append(options, "-b:v", kilobits(r.usual))
	} else {
		options = append(options, "-b:v", kilobits(r.kbps), "-maxrate", kilobits(r.kbps))
	}
	if !r.constant {
		options = append(options, "-qmin", strconv.Itoa(r.factor))
	}
	return options
}

// tagged writes the colours of ToFilm into the stream itself, for encoders of which some leave them out. The numbers are
// H.264's, of table E-3 to E-5: 1 is BT.709.
func tagged() []string {
	return []string{"-bsf:v", "h264_metadata=colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1:video_full_range_flag=0"}
}

func kilobits(n int) string {
	if n%1000 == 0 {
		return fmt.Sprint(n/1000, "M")
	}
	return fmt.Sprint(n, "k")
}
