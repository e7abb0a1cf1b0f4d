package join

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"overcrank/agent/film"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
)

// stage brings clips into a common form and puts them together.
type stage struct {
	req    Request
	dir    string
	clips  []clip
	copied bool
	target target
	frames int // of the film
	// inOrder means that frames are encoded in the order in which they are shown, without B-frames.
	inOrder bool
	written *encoding.Way // how clips are converted, once that is known: the same for all
	total   float64       // seconds of all clips, for the progress
	done    float64       // seconds that are done

	// taken is how many sound packets of each clip are copied; nil when the sound is encoded again.
	taken []int

	pictures, sounds strings.Builder // lists of files for ffmpeg's concat demuxer
}

// target is the format that all clips are converted to.
type target struct {
	width, height int // pixels, even
	rate          ratio
	sound         *sound // nil when no clip has any
}

func newStage(req Request, dir string, clips []clip, copied bool) *stage {
	s := &stage{req: req, dir: dir, clips: clips, copied: copied, target: targetOf(clips)}
	for _, c := range clips {
		s.total += c.seconds
		s.inOrder = s.inOrder || s.framesOf(c) < reordered
	}
	for _, list := range []*strings.Builder{&s.pictures, &s.sounds} {
		list.WriteString("ffconcat version 1.0\n")
	}
	if copied && s.target.sound != nil {
		s.taken = s.splice()
	}
	return s
}

// reordered is the number of frames from which on x264 uses B-frames, and so stores frames out of order. A shorter clip is stored in order,
// and cannot be followed by one that is not.
const reordered = 4

// targetOf is the format of the first clip as players show it: with square pixels and with its rotation applied.
func targetOf(clips []clip) target {
	p := clips[0].picture
	w, h := int(math.Round(float64(p.width)*p.aspect.value())), p.height
	if p.rotation%180 != 0 {
		w, h = h, w
	}
	even := func(n int) int { return max(2, n+n%2) }
	t := target{width: even(w), height: even(h), rate: clips[0].rate}
	for _, c := range clips {
		if c.sound != nil {
			t.sound = &sound{rate: c.sound.rate, channels: c.sound.channels}
			break
		}
	}
	if t.sound != nil && !slices.Contains(aacRates, t.sound.rate) {
		t.sound.rate = 48000
	}
	if t.sound != nil && layouts[t.sound.channels] == "" {
		t.sound.channels = 2
	}
	return t
}

// aacRates are the sample rates that AAC knows, ISO 14496-3.
var aacRates = []int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000}

// layouts are ffmpeg's names of channel layouts, by the number of channels.
var layouts = map[int]string{1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}

// framesOf is the number of frames that a clip gets in the film.
func (s *stage) framesOf(c clip) int {
	if s.copied {
		return c.frames
	}
	return max(1, int(math.Round(c.seconds*s.target.rate.value())))
}

// clip brings clip i into the common form, video and sound separately.
func (s *stage) clip(ctx context.Context, i int) error {
	c := s.clips[i]
	before := s.frames
	s.frames += s.framesOf(c)
	name := fmt.Sprintf("%05d.mp4", i)
	if err := s.picture(ctx, c, s.frames-before, s.path(name)); err != nil {
		return err
	}
	list(&s.pictures, name, float64(s.frames-before)/s.target.rate.value())
	switch {
	case s.taken != nil:
		if err := s.packets(ctx, c, s.taken[i], s.path(soundName(i))); err != nil {
			return err
		}
	case s.target.sound != nil:
		name := fmt.Sprintf("%05d.w64", i)
		// Counted from the beginning of the film, so that rounding errors do not add up.
		samples := s.samplesAt(s.frames) - s.samplesAt(before)
		if err := s.sound(ctx, c, samples, s.path(name)); err != nil {
			return err
		}
		list(&s.sounds, name, float64(samples)/float64(s.target.sound.rate))
	}
	s.done += c.seconds
	s.tell(0)
	return nil
}

func (s *stage) samplesAt(frame int) int64 {
	return int64(math.Round(float64(frame) / s.target.rate.value() * float64(s.target.sound.rate)))
}

func list(b *strings.Builder, name string, seconds float64) {
	fmt.Fprintf(b, "file '%s'\nduration %.6f\n", name, seconds)
}

// prepared is the share of the progress for converting the clips; the rest is for putting them together.
const prepared = 0.9

func (s *stage) tell(seconds float64) {
	s.req.OnProgress(prepared * min(1, (s.done+seconds)/max(s.total, 0.001)))
}

func (s *stage) picture(ctx context.Context, c clip, frames int, path string) error {
	args := append(ffmpeg.Input(c.path), "-map", fmt.Sprintf("0:%d", c.stream), "-map_metadata", "-1")
	if s.copied {
		args = append(args, "-c", "copy")
	} else {
		way, err := s.way(ctx)
		if err != nil {
			return err
		}
		args = append(args, "-vf", s.fit(c, way), "-frames:v", strconv.Itoa(frames))
		args = append(args, way.Video(encoding.AtEase)...)
		if s.inOrder {
			args = append(args, "-bf", "0")
		}
	}
	args = append(args, "-video_track_timescale", strconv.Itoa(s.ticks()), "-f", "mp4")
	return s.run(ctx, args, path)
}

// way is how clips are converted, with the best encoder of this machine.
func (s *stage) way(ctx context.Context) (encoding.Way, error) {
	if s.written == nil {
		way, err := encoding.Joined(s.target.width, s.target.height, s.target.rate.value()).Here(ctx, s.req.Encoders)
		if err != nil {
			return way, fmt.Errorf("converting clips: %w", err)
		}
		s.written = &way
	}
	return *s.written, nil
}

// ticks is the time scale of the film, per second: every frame lasts a whole number of ticks.
func (s *stage) ticks() int {
	t := s.target.rate.num
	for t < 10000 {
		t *= 2
	}
	return t
}

// fit is the filter that converts a clip to the target: scaled to fit, with black bars, at the target's rate. The last frame is repeated
// without end; the caller limits the number of frames.
func (s *stage) fit(c clip, way encoding.Way) string {
	colours := way.FilterFrom(encoding.AssumedMatrix(c.picture.matrix, c.picture.height))
	return fmt.Sprintf("setpts=PTS-STARTPTS,scale='max(2,trunc(iw*sar/2)*2)':ih,setsar=1,"+
		"scale=%[1]d:%[2]d:force_original_aspect_ratio=decrease:force_divisible_by=2,%[4]s,pad=%[1]d:%[2]d:-1:-1:color=black,setsar=1,"+
		"fps=%[3]s,tpad=stop=-1:stop_mode=clone", s.target.width, s.target.height, s.target.rate, colours)
}

// sound writes exactly samples samples of a clip's sound, from the start of its video on; silence where there is none.
func (s *stage) sound(ctx context.Context, c clip, samples int64, path string) error {
	t := s.target.sound
	layout := layouts[t.channels]
	var args []string
	filter := fmt.Sprintf("atrim=end_sample=%d", samples)
	if c.sound == nil {
		args = []string{"-f", "lavfi", "-i", fmt.Sprintf("anullsrc=r=%d:cl=%s", t.rate, layout)}
	} else {
		args = append(ffmpeg.Input(c.path), "-map", fmt.Sprintf("0:%d", c.sound.stream))
		filter = fmt.Sprintf("aresample=%d:async=1:first_pts=0,atrim=start=%.6f,asetpts=PTS-STARTPTS,aformat=channel_layouts=%s,apad=whole_len=%d,%s",
			t.rate, c.offset, layout, samples, filter)
	}
	return s.run(ctx, append(args, "-map_metadata", "-1", "-af", filter, "-c:a", "pcm_s16le", "-f", "w64"), path)
}

// assemble concatenates the prepared clips. The lists name only files that this package wrote.
func (s *stage) assemble(ctx context.Context) error {
	args, err := s.listed("pictures.txt", &s.pictures, "mov")
	if err != nil {
		return err
	}
	switch {
	case s.target.sound == nil:
		args = append(args, "-map", "0:v", "-an")
	case s.taken != nil:
		more, err := s.spliced()
		if err != nil {
			return err
		}
		args = append(append(args, more...), "-map", "0:v", "-map", "1:a", "-c:a", "copy", "-bsf:a", "aac_adtstoasc")
	default:
		more, err := s.listed("sounds.txt", &s.sounds, "w64")
		if err != nil {
			return err
		}
		rate := "192k"
		if s.target.sound.channels > 2 {
			rate = "384k"
		}
		args = append(append(args, more...), "-map", "0:v", "-map", "1:a", "-c:a", "aac", "-b:a", rate)
	}
	args = append(args, "-c:v", "copy", "-map_metadata", "-1", "-video_track_timescale", strconv.Itoa(s.ticks()), "-movflags", "+faststart", "-f", "mp4")
	if s.clips[0].picture.codec == "hevc" && s.copied {
		args = append(args, "-tag:v", "hvc1") // Apple's players require it
	}
	return s.run(ctx, args, s.req.Out)
}

// listed returns the arguments of ffmpeg that read a list of files of one format.
func (s *stage) listed(name string, content *strings.Builder, format string) ([]string, error) {
	if err := os.WriteFile(s.path(name), []byte(content.String()), 0o600); err != nil {
		return nil, fmt.Errorf("write the list of clips: %w", err)
	}
	return []string{"-protocol_whitelist", "file,pipe", "-format_whitelist", "concat," + format, "-auto_convert", "0", "-safe", "1", "-f", "concat", "-i", "file:" + s.path(name)}, nil
}

// run runs ffmpeg, which writes the file at path, and reports its progress.
func (s *stage) run(ctx context.Context, args []string, path string) error {
	p := &progress{}
	p.changed = func() { s.tell(p.seconds) }
	all := append([]string{"-v", "error", "-nostdin", "-y", "-xerror", "-progress", "pipe:1"}, args...)
	return film.Convert(ctx, &lines{each: p.line}, append(all, "file:"+path)...)
}

// decode decodes the video and sound of a film, and returns its number of frames.
func decode(ctx context.Context, path string) (int, error) {
	p := &progress{}
	args := append([]string{"-v", "error", "-nostdin", "-xerror", "-progress", "pipe:1"}, ffmpeg.Input(path)...)
	err := film.Run(ctx, &lines{each: p.line}, "ffmpeg", append(args, "-map", "0:v:0", "-map", "0:a?", "-vsync", "passthrough", "-f", "null", "-")...)
	return p.frames, err
}
