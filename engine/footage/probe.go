package footage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"overcrank/engine/text"
	"overcrank/engine/wav"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
)

const probeTime = 30 * time.Second

// stream is what decoding a film needs in addition to Info.
type stream struct {
	native   bool    // a still that Go decodes
	layered  bool    // a file of Photoshop's that Go decodes
	outlines bool    // a file of outlines
	depth    int     // bytes of a decoded pixel, if native, layered or of outlines
	rate     string  // exact, "30000/1001"
	decoder  string  // instead of ffmpeg's choice, "" for that
	matrix   string  // colour matrix, for pictures that do not name theirs
	i420     *matrix // how the pictures of a film in I420 are converted; nil for other pixels
	small    *matrix // the same of pictures that ffmpeg halves first; nil where it cannot
	halved   int     // how often it does
	position string  // where its colours lie among its pixels, for small
	steady   bool    // constant frame rate
}

// probed is ffprobe's answer.
type probed struct {
	Streams []probedStream `json:"streams"`
	Format  struct {
		Name     string `json:"format_name"`
		Duration string `json:"duration"`
	} `json:"format"`
}

type probedStream struct {
	Kind        string            `json:"codec_type"`
	Codec       string            `json:"codec_name"`
	Width       int               `json:"width"`
	Height      int               `json:"height"`
	PixFmt      string            `json:"pix_fmt"`
	Matrix      string            `json:"color_space"`
	Range       string            `json:"color_range"`
	Rate        string            `json:"r_frame_rate"`
	Average     string            `json:"avg_frame_rate"`
	Duration    string            `json:"duration"`
	Channels    int               `json:"channels"`
	Tags        map[string]string `json:"tags"`
	Disposition map[string]int    `json:"disposition"`
	SideData    []struct {
		Rotation float64 `json:"rotation"`
	} `json:"side_data_list"`
}

func probe(ctx context.Context, path string, fonts *text.Book) (Info, stream, error) {
	if err := regular(path); err != nil {
		return Info{}, stream{}, unreadable(path, err)
	}
	if info, depth, ok, err := probeStill(path); err != nil {
		return Info{}, stream{}, unreadable(path, err)
	} else if ok {
		return info, stream{native: true, depth: depth}, nil
	}
	if info, ok := probePhotoshop(path); ok {
		return info, stream{layered: true, depth: photoshopDepth}, nil
	}
	if info, ok, err := probeVector(path, fonts); err != nil {
		return Info{}, stream{}, unreadable(path, err)
	} else if ok {
		return info, stream{outlines: true, depth: vectorDepth}, nil
	}
	if info, ok := probeWave(path); ok {
		return info, stream{}, nil
	}
	info, st, err := askFFprobe(ctx, path)
	if err != nil {
		return Info{}, stream{}, unreadable(path, err)
	}
	return info, st, nil
}

// probeWave reads the format of uncompressed sound. ffprobe would take a tenth of a second of a processor to start.
func probeWave(path string) (Info, bool) {
	f, err := wav.Open(path)
	if err != nil {
		return Info{}, false
	}
	defer func() { _ = f.Close() }() // it was only read
	return Info{Audio: true, Channels: f.Channels, Duration: f.Duration()}, true
}

func askFFprobe(ctx context.Context, path string) (Info, stream, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeTime, errors.New("reading its format takes too long"))
	defer cancel()
	out, err := ffmpeg.Run(ctx, "ffprobe", append([]string{"-of", "json", "-show_streams", "-show_format"}, ffmpeg.ProbeInput(path)...)...)
	if err != nil {
		return Info{}, stream{}, plainer(err)
	}
	var p probed
	if err := json.Unmarshal(out, &p); err != nil {
		return Info{}, stream{}, fmt.Errorf("reading ffprobe's answer: %w", err)
	}
	return p.info()
}

// plainer words ffmpeg's errors for a producer.
func plainer(err error) error {
	s := err.Error()
	for _, c := range []struct{ mark, words string }{
		{"not on whitelist", "files of this kind can't be used as footage"},
		{"moov atom not found", "it is cut off, or is not a film"},
		{"Invalid data found", "it is broken, or is not a picture, a film or a sound"},
		{"End of file", "it is cut off, or is not a picture, a film or a sound"},
	} {
		if strings.Contains(s, c.mark) {
			return errors.New(c.words)
		}
	}
	return err
}

func (p *probed) info() (Info, stream, error) {
	var info Info
	var st stream
	for _, s := range p.Streams {
		switch {
		case s.Kind == "audio":
			if !info.Audio {
				info.Audio, info.Channels = true, s.Channels
			}
			info.Duration = max(info.Duration, seconds(s.Duration))
		case s.Kind == "video" && !info.Video && s.Disposition["attached_pic"] == 0:
			if s.Width <= 0 || s.Height <= 0 {
				return info, st, errors.New("its pictures have no size")
			}
			if s.Width > ffmpeg.MaxPixels/s.Height {
				return info, st, tooLarge(s.Width, s.Height)
			}
			info.Video = true
			info.Width, info.Height = s.Width, s.Height
			if s.quarterTurned() {
				info.Width, info.Height = s.Height, s.Width
			}
			info.Alpha = transparent(s)
			st = s.stream()
			info.FrameRate = ratio(st.rate)
			if d := seconds(s.Duration); d > 0 {
				info.Duration = d
			}
		}
	}
	if !info.Video && !info.Audio {
		return info, st, errors.New("it holds neither pictures nor sound")
	}
	if d := seconds(p.Format.Duration); info.Duration == 0 {
		info.Duration = d
	}
	single := strings.HasSuffix(p.Format.Name, "_pipe") || p.Format.Name == "image2"
	if info.Video && (single || info.FrameRate > 0 && info.Duration*info.FrameRate < 1.5 && !info.Audio) {
		info.Still, info.Duration, info.FrameRate = true, 0, 0
	}
	if info.Video && !info.Still && (info.FrameRate <= 0 || info.Duration <= 0) {
		return info, st, errors.New("it does not say how long it is")
	}
	return info, st, nil
}

// stream finds the frame rate, and the settings that ffmpeg would guess wrongly.
func (s *probedStream) stream() stream {
	st := stream{rate: s.Average}
	if base := ratio(s.Rate); base > 0 {
		st.steady = math.Abs(ratio(s.Average)/base-1) < 0.002
	}
	if r := ratio(st.rate); r <= 0 || r > 480 {
		st.rate = s.Rate
	}
	if r := ratio(st.rate); r <= 0 || r > 480 {
		st.rate = "30/1"
	}
	if s.Tags["alpha_mode"] == "1" { // ffmpeg's own decoders of VP8 and VP9 drop the alpha channel
		switch s.Codec {
		case "vp8":
			st.decoder = "libvpx"
		case "vp9":
			st.decoder = "libvpx-vp9"
		}
	}
	if strings.Contains(s.PixFmt, "yuv") {
		st.matrix = encoding.AssumedMatrix(s.Matrix, s.Height)
	}
	if !s.plain() {
		return st
	}
	m := matrixOf(cmp.Or(st.matrix, s.Matrix))
	if s.PixFmt == "yuv420p" && s.Width%2 == 0 && s.Height%2 == 0 {
		st.i420 = m
	}
	if position, known := s.chromaPosition(); known {
		st.small, st.position = m, position
	}
	return st
}

// plain tells whether the pictures are in television range and opaque, as matrix converts them.
func (s *probedStream) plain() bool {
	return (s.Range == "" || s.Range == "unknown" || s.Range == "tv") && !transparent(*s)
}

func (s *probedStream) quarterTurned() bool {
	for _, d := range s.SideData {
		if math.Mod(math.Abs(d.Rotation), 180) == 90 {
			return true
		}
	}
	return false
}

func transparent(s probedStream) bool {
	for _, f := range []string{"rgba", "argb", "bgra", "abgr", "yuva", "gbrap", "ya8", "ya16", "pal8"} {
		if strings.HasPrefix(s.PixFmt, f) {
			return true
		}
	}
	return s.Tags["alpha_mode"] == "1"
}

func seconds(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1e6 {
		return 0
	}
	return v
}

// ratio reads "30000/1001"; it is 0 when that is not a rate.
func ratio(s string) float64 {
	num, den, _ := strings.Cut(s, "/")
	n, err1 := strconv.ParseFloat(num, 64)
	d, err2 := strconv.ParseFloat(den, 64)
	if err1 != nil || err2 != nil || d <= 0 {
		return 0
	}
	return n / d
}

func tooLarge(w, h int) error {
	return fmt.Errorf("its pictures are %d x %d pixels, more than the %d megapixels that can be drawn", w, h, ffmpeg.MaxPixels/1_000_000)
}
