package film

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// How a film has to look for somebody to be told. A title may stand for some seconds and a film may begin and end black; what stands
// longer may be meant as well, so it is a hint and no fault.
const (
	blackSeconds  = 5.0
	frozenSeconds = 10.0
	looksPerSec   = 5       // frames of a second that are looked at; all are decoded
	blackLevel    = 0.05    // of full brightness, that black stays under
	blackShare    = 0.9999  // of the pixels, that have to be black: a small word on black is a picture
	stillNoise    = 0.00025 // mean difference of two frames, of full brightness, that encoding makes of a picture that stands
)

// Seen is what a film looked like from its first frame to its last.
type Seen struct {
	Hints  []string       // that it is black, or stands still, for longer than films usually do
	Frames map[int]string // small pictures of evenly spread frames, when they were asked for
}

// Watch decodes a film once, picture and sound, from beginning to end. One that does not hold what info says is *Wrong. Small pictures
// go to the folder thumbs, unless that is "". The folder of the film must be writable.
func Watch(ctx context.Context, path string, info Info, thumbs string) (Seen, error) {
	step := max(1, int(info.FrameRate/looksPerSec+0.5))
	told := filepath.Join(filepath.Dir(path), ".watched")
	args := reading(path, "-xerror", "-stats_period", "3600", "-progress", told, "-err_detect", "explode")
	args = append(args, "-map", "0:v:0", "-map", "0:a?", "-vsync", "passthrough", "-f", "null", "-",
		"-map", "0:v:0", "-vsync", "passthrough", "-vf", fmt.Sprintf(
			`select=not(mod(n\,%d)),format=gray,blackdetect=d=0.01:pic_th=%g:pix_th=%g,freezedetect=n=%g:d=%g,metadata=mode=print:file=-`,
			step, blackShare, blackLevel, stillNoise, min(frozenSeconds, max(1, info.Duration/2))), "-f", "null", "-")
	every := thumbnailStep(info.Frames)
	if thumbs != "" {
		args = append(args, "-map", "0:v:0", "-vf", thumbnailFilter(every), "-vsync", "vfr", "-start_number", "0", "-q:v", "5", numbered(thumbs, thumbnailName))
	}
	out, err := run(ctx, "ffmpeg", args...)
	frames, tellErr := lastFrame(told)
	var u *Unreadable
	switch {
	case errors.As(err, &u):
		return Seen{}, wrong("the film is damaged behind frame %d: %s", frames, u.Detail)
	case err != nil:
		return Seen{}, err
	case tellErr != nil:
		return Seen{}, tellErr
	case frames != info.Frames:
		return Seen{}, wrong("the film has %d frames, and %d of them can be decoded", info.Frames, frames)
	}
	seen := Seen{Hints: hints(out, info.Duration, float64(step)/max(1, info.FrameRate))}
	if thumbs != "" {
		seen.Frames = thumbnailsAt(thumbs, every)
	}
	return seen, nil
}

// lastFrame reads and removes what ffmpeg told of its progress: how many frames the first output got.
func lastFrame(path string) (int, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading ffmpeg's progress: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "frame="); ok {
			if n, err = strconv.Atoi(strings.TrimSpace(s)); err != nil {
				return 0, fmt.Errorf("reading ffmpeg's progress: %w", err)
			}
		}
	}
	if err := os.Remove(path); err != nil {
		return 0, fmt.Errorf("removing ffmpeg's progress: %w", err)
	}
	return n, nil
}

// stretch is a part of a film, in seconds.
type stretch struct{ from, to float64 }

// hints puts into words what ffmpeg's filters found in a film of so many seconds, of which a frame was looked at every so often.
func hints(found []byte, duration, every float64) []string {
	black := stretches(found, "lavfi.black_start", "lavfi.black_end", duration)
	frozen := stretches(found, "lavfi.freezedetect.freeze_start", "lavfi.freezedetect.freeze_end", duration)
	whole := func(s stretch) bool { return s.from <= every && s.to >= duration-every }
	var out []string
	for _, s := range black {
		switch {
		case whole(s):
			return []string{"The film is black from beginning to end."}
		case s.to-s.from >= blackSeconds:
			out = append(out, fmt.Sprintf("The film is black from %s to %s.", clock(s.from), clock(s.to)))
		}
	}
	for _, s := range frozen {
		if covered(s, black) {
			continue
		}
		switch {
		case whole(s) && duration >= 2:
			out = append(out, "The picture is the same from the film's beginning to its end. If it is meant to stand still, all is well.")
		case s.to-s.from >= frozenSeconds:
			out = append(out, fmt.Sprintf("The picture stands still from %s to %s. If that is meant, all is well.", clock(s.from), clock(s.to)))
		}
	}
	return out[:min(len(out), maxHints)]
}

const maxHints = 5

func covered(s stretch, by []stretch) bool {
	for _, b := range by {
		if b.from <= s.from+1 && b.to >= s.to-1 {
			return true
		}
	}
	return false
}

// stretches pairs the beginnings and ends that a filter told. One that goes on to the end of the film is told no end.
func stretches(found []byte, start, end string, duration float64) []stretch {
	var out []stretch
	open := false
	for lines := bufio.NewScanner(bytes.NewReader(found)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch {
		case key == start && !open:
			open = true
			out = append(out, stretch{from: number(value), to: duration})
		case key == end && open:
			open = false
			out[len(out)-1].to = number(value)
		}
	}
	return out
}

// clock is a time as players show it.
func clock(seconds float64) string {
	s := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
