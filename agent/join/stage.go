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

// stage brings clips into one form and puts them together.
type stage struct {
	req    Request
	dir    string
	clips  []clip
	copied bool
	target target
	frames int // of the film
	// inOrder says that pictures are encoded in the order in which they are shown.
	inOrder bool
	total   float64 // seconds of all clips, for the progress
	done    float64 // seconds that are done

	// taken is how many packets of each clip's sound are taken over as they are; nil when the sound is encoded anew.
	taken []int

	pictures, sounds strings.Builder // the lists that ffmpeg puts together
}

// target is what all clips become.
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

// reordered is how many pictures x264 needs to put some of them before others that are shown earlier. It leaves fewer than that in
// their order, and what comes behind them in the film would have to be decoded before them.
const reordered = 4

// targetOf is the first clip as it is seen: with square pixels, and turned as its player turns it.
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

// layouts are ffmpeg's names of loudspeakers' places by their number.
var layouts = map[int]string{1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}

// framesOf is how many frames a clip has in the film.
func (s *stage) framesOf(c clip) int {
	if s.copied {
		return c.frames
	}
	return max(1, int(math.Round(c.seconds*s.target.rate.value())))
}

// clip brings clip i into the form of all, picture and sound for themselves.
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
		// Counted from the beginning of the film, so that what is rounded off does not add up.
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

// prepared is the part of the progress that bringing the clips into one form has.
const prepared = 0.9

func (s *stage) tell(seconds float64) {
	s.req.OnProgress(prepared * min(1, (s.done+seconds)/max(s.total, 0.001)))
}

func (s *stage) picture(ctx context.Context, c clip, frames int, path string) error {
	args := append(ffmpeg.Input(c.path), "-map", fmt.Sprintf("0:%d", c.stream), "-map_metadata", "-1")
	if s.copied {
		args = append(args, "-c", "copy")
	} else {
		args = append(args, "-vf", s.fit(c), "-frames:v", strconv.Itoa(frames), "-c:v", "libx264", "-preset", "fast", "-crf", "16", "-profile:v", "high")
		args = append(args, encoding.FilmTags()...)
		if s.inOrder {
			args = append(args, "-bf", "0")
		}
	}
	args = append(args, "-video_track_timescale", strconv.Itoa(s.ticks()), "-f", "mp4")
	return s.run(ctx, args, path)
}

// ticks is the film's clock, in which every frame lasts a whole number of them.
func (s *stage) ticks() int {
	t := s.target.rate.num
	for t < 10000 {
		t *= 2
	}
	return t
}

// fit is the filter that makes a clip what the first one is: as large as fits, with black beside it, at the first one's
// rate. A clip that ends early holds its last picture; how many frames there are is said by the one who counts them.
func (s *stage) fit(c clip) string {
	colours := encoding.ToFilm(encoding.AssumedMatrix(c.picture.matrix, c.picture.height), "yuv420p")
	return fmt.Sprintf("setpts=PTS-STARTPTS,scale='max(2,trunc(iw*sar/2)*2)':ih,setsar=1,"+
		"scale=%[1]d:%[2]d:force_original_aspect_ratio=decrease:force_divisible_by=2,%[4]s,pad=%[1]d:%[2]d:-1:-1:color=black,setsar=1,"+
		"fps=%[3]s,tpad=stop=-1:stop_mode=clone", s.target.width, s.target.height, s.target.rate, colours)
}

// sound writes exactly so many samples of a clip's sound, from where its picture starts; silence where there is none.
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

// assemble puts the prepared clips behind one another. The lists and all that they name are files of ours.
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
		args = append(args, "-tag:v", "hvc1") // without it, Apple's players show nothing
	}
	return s.run(ctx, args, s.req.Out)
}

// listed is the arguments that open a list of files of one format.
func (s *stage) listed(name string, content *strings.Builder, format string) ([]string, error) {
	if err := os.WriteFile(s.path(name), []byte(content.String()), 0o600); err != nil {
		return nil, fmt.Errorf("listing the clips: %w", err)
	}
	return []string{"-protocol_whitelist", "file,pipe", "-format_whitelist", "concat," + format, "-auto_convert", "0", "-safe", "1", "-f", "concat", "-i", "file:" + s.path(name)}, nil
}

// run runs ffmpeg into the file at path and passes its progress on.
func (s *stage) run(ctx context.Context, args []string, path string) error {
	p := &progress{}
	p.changed = func() { s.tell(p.seconds) }
	all := append([]string{"-v", "error", "-nostdin", "-y", "-xerror", "-progress", "pipe:1"}, args...)
	return film.Run(ctx, &lines{each: p.line}, "ffmpeg", append(all, "file:"+path)...)
}

// decode decodes a film, its sound too, and counts its frames.
func decode(ctx context.Context, path string) (int, error) {
	p := &progress{}
	args := append([]string{"-v", "error", "-nostdin", "-xerror", "-progress", "pipe:1"}, ffmpeg.Input(path)...)
	err := film.Run(ctx, &lines{each: p.line}, "ffmpeg", append(args, "-map", "0:v:0", "-map", "0:a?", "-vsync", "passthrough", "-f", "null", "-")...)
	return p.frames, err
}
