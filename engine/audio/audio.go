// Package audio mixes a composition's sound, with ffmpeg where it is to be decoded or converted.
package audio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcrank/engine/wav"
	"overcrank/ffmpeg"
)

// Clip is one piece of sound in composition time. Times are seconds.
type Clip struct {
	Path     string
	At       float64 // where in the composition it starts to be heard
	Start    float64 // where in the file
	Length   float64 // for how long it is heard
	Speed    float64 // 1 is normal, negative plays backwards from Start; pitch follows speed, as in After Effects
	Channels int     // of the file's first sound; 0 when it is to be asked for them
	Levels   []Level // volume over time; empty means unchanged
	Right    []Level // of the right side; empty means as Levels

	// Moments map the composition's time to that of the source, where it does not go on evenly or effects need the whole; At and Speed do not count
	// then, and what is heard of the source lies from Start for Length. Without a Path nothing is heard but what Effects make.
	Moments []Moment
	Effects []Effect
	Of      *Clip // in the place of a file: another sound, in whose time Moments tell the place

	plain bool // the file holds only the clip, as raw samples in the order in which they are heard
}

// Level is a volume in decibels at a composition time. Between two levels the volume is interpolated.
type Level struct{ Time, DB float64 }

// Rate is the sample rate of every mix, in samples per second.
const Rate = 48000

const (
	maxClips  = 200 // files that one ffmpeg opens
	maxLevels = 400 // of one clip, so that they fit on a command line
	silence   = -96 // decibels below which nothing is heard
)

// Mix writes the sound of the composition from start for length seconds into a stereo 16-bit WAV file at path. Clips
// that are not heard in that time are not opened; with no clips the file is silent.
func Mix(ctx context.Context, path string, clips []Clip, start, length float64) error {
	worked, drop, err := work(ctx, filepath.Dir(path), clips, start, length)
	if err != nil {
		return fmt.Errorf("mixing sound: %w", err)
	}
	defer drop()
	heard := append(within(slices.DeleteFunc(slices.Clone(clips), func(c Clip) bool { return c.worked() }), start, length), within(worked, start, length)...)
	if len(heard) > maxClips {
		return fmt.Errorf("mixing sound: %d sounds play in this composition, more than the %d that can be mixed", len(heard), maxClips)
	}
	if tracks, known, err := direct(heard); err != nil {
		return fmt.Errorf("mixing sound: %w", err)
	} else if known {
		if err := errors.Join(mixTracks(ctx, path, tracks, samples(length)), closeAll(tracks)); err != nil {
			return fmt.Errorf("mixing sound: %w", err)
		}
		return nil
	}
	return mixInFFmpeg(ctx, path, heard, length)
}

// mixInFFmpeg mixes clips of any file and at any speed, with times relative to the beginning of the mix.
func mixInFFmpeg(ctx context.Context, path string, heard []Clip, length float64) error {
	mono, err := monos(ctx, heard)
	if err != nil {
		return fmt.Errorf("mixing sound: %w", err)
	}
	heard, forget, err := reversed(ctx, filepath.Dir(path), heard, mono)
	if err != nil {
		return fmt.Errorf("mixing sound: %w", err)
	}
	defer forget()
	args := append(inputs(heard), "-filter_complex", graph(heard, mono, length), "-map", "[mix]",
		"-c:a", "pcm_s16le", "-ar", strconv.Itoa(Rate), "-map_metadata", "-1", "-fflags", "+bitexact", "-f", "wav", path)
	if _, err := ffmpeg.Run(ctx, "ffmpeg", args...); err != nil {
		return fmt.Errorf("mixing sound: %w", err)
	}
	return nil
}

// monos finds the files that have one channel. These are played at full level on both sides, where ffmpeg by default
// lowers the level.
func monos(ctx context.Context, clips []Clip) (map[string]bool, error) {
	mono := map[string]bool{}
	for _, c := range clips {
		if _, known := mono[c.Path]; known || c.plain {
			continue
		}
		if c.Channels > 0 {
			mono[c.Path] = c.Channels == 1
			continue
		}
		if f, err := wav.Open(c.Path); err == nil {
			if err := f.Close(); err != nil {
				return nil, err
			}
			mono[c.Path] = f.Channels == 1
			continue
		}
		args := append([]string{"-select_streams", "a:0", "-show_entries", "stream=channels", "-of", "csv=p=0"}, ffmpeg.ProbeInput(c.Path)...)
		out, err := ffmpeg.Run(ctx, "ffprobe", args...)
		channels, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		switch {
		case ctx.Err() != nil || errors.Is(err, ffmpeg.ErrMissing):
			return nil, err
		case err != nil || channels == "" || channels == "0":
			return nil, fmt.Errorf("'%s' can't be read as sound", filepath.Base(c.Path))
		}
		mono[c.Path] = strings.Trim(channels, ",\r") == "1"
	}
	return mono, nil
}

// within cuts clips to what is heard from start for length seconds, with times relative to start.
func within(clips []Clip, start, length float64) []Clip {
	var out []Clip
	for _, c := range clips {
		if c.Speed == 0 || !(c.Length > 0) || math.IsInf(c.Speed, 0) || math.IsNaN(c.Speed) {
			continue
		}
		c.Levels, c.Right = since(c.Levels, start), since(c.Right, start)
		c.At -= start
		if c.At < 0 {
			c.Start -= c.At * c.Speed
			c.Length += c.At
			c.At = 0
		}
		c.Length = min(c.Length, length-c.At)
		if c.Start < 0 && c.Speed > 0 { // nothing is heard before the file begins
			lead := -c.Start / c.Speed
			c.Start, c.At, c.Length = 0, c.At+lead, c.Length-lead
		}
		if c.Speed < 0 { // played backwards, it ends at the file's beginning
			c.Length = min(c.Length, c.Start/-c.Speed)
		}
		if c.Length > 1e-4 && (audible(c.Levels) || len(c.Right) > 0 && audible(c.Right)) {
			out = append(out, c)
		}
	}
	return out
}

// since are levels with times relative to start, as many as fit.
func since(levels []Level, start float64) []Level {
	levels = slices.Clone(thin(levels))
	for i := range levels {
		levels[i].Time -= start
	}
	return levels
}

func audible(levels []Level) bool {
	return len(levels) == 0 || slices.ContainsFunc(levels, func(l Level) bool { return l.DB > silence })
}

func inputs(clips []Clip) []string {
	var args []string
	for _, c := range clips {
		if c.plain {
			args = append(args, plainInput(c.Path)...)
			continue
		}
		args = append(args, span(c)...)
		args = append(args, ffmpeg.Input(c.Path)...)
	}
	return args
}

// span is the input options that read only the part of a file that a clip needs.
func span(c Clip) []string {
	from, length := c.Start, c.Length*math.Abs(c.Speed)
	if c.Speed < 0 {
		from -= length
	}
	return []string{"-ss", number(from), "-t", number(length)}
}

// bothSides is the filter that plays one channel on both sides.
const bothSides = "pan=stereo|c0=c0|c1=c0,"

// graph is the filter graph that mixes all inputs to exactly length seconds.
func graph(clips []Clip, mono map[string]bool, length float64) string {
	end := samples(length)
	whole := fmt.Sprintf("apad=whole_len=%d,atrim=end_sample=%d[mix]", end, end)
	var b strings.Builder
	for i, c := range clips {
		fmt.Fprintf(&b, "[%d:a:0]aresample=%d,", i, Rate)
		if mono[c.Path] {
			b.WriteString(bothSides)
		}
		b.WriteString("aformat=sample_fmts=fltp:channel_layouts=stereo")
		if s := math.Abs(c.Speed); s != 1 {
			fmt.Fprintf(&b, ",asetrate=%d,aresample=%d", max(1, int(math.Round(Rate*s))), Rate)
		}
		fmt.Fprintf(&b, ",adelay=delays=%dS:all=1%s[c%d];", samples(c.At), c.volume(i), i)
	}
	for i := range clips {
		fmt.Fprintf(&b, "[c%d]", i)
	}
	fmt.Fprintf(&b, "amix=inputs=%d:normalize=0:dropout_transition=0,%s", len(clips), whole)
	return b.String()
}

// volume are the filters that follow the levels of input i.
func (c Clip) volume(i int) string {
	if len(c.Right) == 0 {
		return volume(c.Levels)
	}
	return fmt.Sprintf(",channelsplit=channel_layout=stereo[l%[1]d][r%[1]d];[l%[1]d]anull%[2]s[vl%[1]d];[r%[1]d]anull%[3]s[vr%[1]d];"+
		"[vl%[1]d][vr%[1]d]join=inputs=2:channel_layout=stereo", i, volume(c.Levels), volume(c.Right))
}

// volume is the filter that follows levels, in blocks of 128 samples, which are too short to be heard as steps.
func volume(levels []Level) string {
	switch {
	case len(levels) == 0:
		return ""
	case steady(levels):
		if levels[0].DB == 0 {
			return ""
		}
		return ",volume=" + number(math.Pow(10, levels[0].DB/20))
	}
	return fmt.Sprintf(",asetnsamples=n=128:p=0,volume=eval=frame:volume='pow(10,(%s)/20)'", curve(levels))
}

func steady(levels []Level) bool {
	return !slices.ContainsFunc(levels, func(l Level) bool { return l.DB != levels[0].DB })
}

// curve is ffmpeg's expression for the volume at t: a binary tree of ifs, so that its depth grows with the logarithm of
// the number of levels.
func curve(levels []Level) string {
	if len(levels) == 1 {
		return number(levels[0].DB)
	}
	if len(levels) == 2 {
		a, b := levels[0], levels[1]
		if b.Time-a.Time < 1e-6 {
			return fmt.Sprintf("if(lt(t,%s),%s,%s)", number(b.Time), number(a.DB), number(b.DB))
		}
		return fmt.Sprintf("(%s+(%s)*clip((t-(%s))/%s,0,1))", number(a.DB), number(b.DB-a.DB), number(a.Time), number(b.Time-a.Time))
	}
	mid := len(levels) / 2
	return fmt.Sprintf("if(lt(t,%s),%s,%s)", number(levels[mid].Time), curve(levels[:mid+1]), curve(levels[mid:]))
}

// thin drops levels that are within a twentieth of a decibel of the line between their neighbours. If there are still
// too many it keeps only every n-th. Levels below silence are raised to it.
func thin(levels []Level) []Level {
	var out []Level
	for _, l := range levels {
		l.DB = max(l.DB, silence)
		if n := len(out); n >= 2 && onLine(out[n-2], out[n-1], l) {
			out[n-1] = l
			continue
		}
		out = append(out, l)
	}
	for len(out) > maxLevels {
		half := out[:0:0]
		for i, l := range out {
			if i%2 == 0 || i == len(out)-1 {
				half = append(half, l)
			}
		}
		out = half
	}
	return out
}

func onLine(a, b, c Level) bool {
	if c.Time-a.Time < 1e-9 {
		return false
	}
	at := a.DB + (c.DB-a.DB)*(b.Time-a.Time)/(c.Time-a.Time)
	return math.Abs(at-b.DB) < 0.05 && c.Time-a.Time < 0.5
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
