package film

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"overcrank/farm/codec"
	"overcrank/ffmpeg/encoding"
)

// NeedsConform tells whether After Effects cannot read files of this extension (with its dot).
func NeedsConform(ext string) bool {
	switch strings.ToLower(ext) {
	case ".webm", ".webp", ".gif", ".ogg", ".oga", ".opus", ".ogv":
		return true
	}
	return false
}

// Conform converts a file of any kind into one that After Effects reads, beside it, and returns its path: sound becomes
// WAV, a still PNG, a film ProRes, with its alpha if it has any.
func Conform(ctx context.Context, path string) (string, error) {
	info, err := Probe(ctx, path)
	if err != nil {
		return "", err
	}
	base := strings.TrimSuffix(path, filepath.Ext(path)) + "_conformed"
	var args []string
	switch {
	case !info.Video && info.Audio:
		base, args = base+".wav", []string{"-vn", "-c:a", "pcm_s16le"}
	case !info.Video:
		return "", &Unreadable{Detail: "neither picture nor sound is in it"}
	case info.Frames <= 1 && !info.Audio:
		base, args = base+".png", []string{"-frames:v", "1", "-c:v", "png", "-update", "1"} // without -update a percent sign in the name is a pattern
	default:
		name := encoding.ProRes422HQ
		if info.Alpha {
			name = codec.ProRes4444
		}
		way, err := wayOf(ctx, name, nil)
		if err != nil {
			return "", err
		}
		filter := way.FilterFrom(encoding.AssumedMatrix(info.Matrix, info.Height))
		base, args = base+".mov", append(append([]string{"-vf", filter}, way.Video(encoding.AtEase)...), way.Sound()...)
	}
	var decoder []string
	if info.Alpha && info.Codec == "vp9" {
		decoder = []string{"-c:v", "libvpx-vp9"} // ffmpeg's own drops the alpha
	}
	if err := Convert(ctx, io.Discard, append(append(reading(path, decoder...), args...), local(base))...); err != nil {
		return "", fmt.Errorf("converting: %w", err)
	}
	return base, nil
}
