package audio

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"overcrank/ffmpeg"
)

// Moment is where in its source a sound is at a time of the composition, both in seconds. Between two moments it goes on evenly.
type Moment struct{ Time, Source float64 }

// worked tells whether a clip is made before it is mixed: its time is mapped, or it has effects.
func (c *Clip) worked() bool { return len(c.Moments) > 1 }

const (
	blockLength = 1024        // moments that pass the effects at once
	maxWorked   = 6 * 3600    // seconds of one sound that are made
	sweep       = 32          // times the speed of the source, beyond which a sound is a cut
	still       = 1.0 / 1000  // times the speed of the source, below which it stands and nothing is heard
	exactSample = 1.0 / 10000 // samples that a place may be off for one to be taken as it is
	maxNested   = 32          // clips within clips
)

// workshop makes clips whose time is mapped or that have effects, as files of raw samples in one folder.
type workshop struct {
	dir   string
	files int
}

func (w *workshop) file() string {
	w.files++
	return filepath.Join(w.dir, fmt.Sprintf("worked%d.f32", w.files))
}

// make makes what is heard of a clip from start for length seconds.
func (w *workshop) make(ctx context.Context, c Clip, start, length float64, depth int) (out Clip, err error) {
	from, to := max(c.Moments[0].Time, start), min(c.Moments[len(c.Moments)-1].Time, start+length)
	if to-from < 1e-4 || depth > maxNested {
		return Clip{}, nil
	}
	if to-c.Moments[0].Time > maxWorked {
		return Clip{}, fmt.Errorf("a sound with effects or a time of its own is longer than %d hours", maxWorked/3600)
	}
	source, err := w.source(ctx, c, depth)
	if err != nil {
		return Clip{}, err
	}
	defer func() { err = errors.Join(err, source.close()) }()
	path := w.file()
	f, err := os.Create(path)
	if err != nil {
		return Clip{}, err
	}
	err = c.work(ctx, f, source, from, to)
	if err = errors.Join(err, f.Close()); err != nil {
		return Clip{}, err
	}
	return Clip{Path: path, At: from, Length: to - from, Speed: 1, Levels: c.Levels, Right: c.Right, plain: true}, nil
}

// work writes the clip from a time to another.
func (c *Clip) work(ctx context.Context, w io.Writer, source *take, from, to float64) error {
	out := bufio.NewWriterSize(w, 1<<20)
	filters := make([]filter, len(c.Effects))
	for i, e := range c.Effects {
		kind, known := KindOf(e.Match)
		if !known {
			return fmt.Errorf("the effect %q on sound is not known", e.Match)
		}
		filters[i] = kind.make()
	}
	begin := from
	if len(filters) > 0 {
		begin = c.Moments[0].Time // echoes of what was heard before are heard too
	}
	walk := walker{moments: c.Moments, source: source}
	skip, total := int(math.Round((from-begin)*Rate)), int(math.Round((to-begin)*Rate))
	var block [blockLength]frame
	var raw [sampleBytes]byte
	for at := 0; at < total; at += blockLength {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := block[:min(blockLength, total-at)]
		for i := range b {
			b[i] = walk.at(begin + float64(at+i)/Rate)
		}
		for i, f := range filters {
			f.tune(c.Effects[i].at(float64(at) / Rate))
			f.run(b)
		}
		for i := max(0, skip-at); i < len(b); i++ {
			for side, v := range b[i] {
				binary.LittleEndian.PutUint32(raw[4*side:], math.Float32bits(float32(audibleOnly(v))))
			}
			if _, err := out.Write(raw[:]); err != nil {
				return err
			}
		}
	}
	return errors.Join(source.err, out.Flush())
}

// audibleOnly keeps a filter that went astray from the mix.
func audibleOnly(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(-64, min(v, 64))
}

// at are the values at a time after the clip's beginning.
func (e *Effect) at(t float64) []float64 {
	if len(e.Values) == 0 {
		return nil
	}
	if e.Step <= 0 {
		return e.Values[0]
	}
	return e.Values[max(0, min(int(t/e.Step), len(e.Values)-1))]
}

// walker goes through the source of a clip along its moments.
type walker struct {
	moments []Moment
	next    int // the moment that comes after the time asked for last
	source  *take
}

func (w *walker) at(t float64) frame {
	for w.next < len(w.moments)-1 && (w.next == 0 || w.moments[w.next].Time < t) {
		w.next++
	}
	a, b := w.moments[w.next-1], w.moments[w.next]
	span := b.Time - a.Time
	if span <= 0 {
		return frame{}
	}
	speed := (b.Source - a.Source) / span
	if w.source.made {
		return frame{}
	}
	if s := math.Abs(speed); s < still || s > sweep {
		return frame{}
	}
	return w.source.between((a.Source + speed*(t-a.Time) - w.source.first) * Rate)
}

// source opens what a clip is made of.
func (w *workshop) source(ctx context.Context, c Clip, depth int) (*take, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range c.Moments {
		lo, hi = min(lo, m.Source), max(hi, m.Source)
	}
	switch {
	case c.Of == nil && c.Path == "":
		return &take{made: true}, nil
	case c.Of == nil:
		lo = max(lo, c.Start)
		hi = min(hi, c.Start+c.Length)
		return w.decode(ctx, c, lo, hi)
	}
	inner := *c.Of
	if !inner.worked() {
		inner.Moments = []Moment{{inner.At, inner.Start}, {inner.At + inner.Length, inner.Start + inner.Length*inner.Speed}}
		inner.Start, inner.Length = min(inner.Moments[0].Source, inner.Moments[1].Source), inner.Length*math.Abs(inner.Speed)
	}
	made, err := w.make(ctx, inner, lo, hi-lo, depth+1)
	if err != nil || made.Path == "" {
		return &take{made: true}, err
	}
	t, err := openTake(made.Path, made.At)
	if err == nil {
		t.levels = [2][]Level{made.Levels, made.Levels}
		if len(made.Right) > 0 {
			t.levels[1] = made.Right
		}
	}
	return t, err
}

// decode opens a part of the file of a clip.
func (w *workshop) decode(ctx context.Context, c Clip, from, to float64) (*take, error) {
	path := c.Path
	from = max(0, from)
	if to-from < 1e-4 {
		return &take{made: true}, nil
	}
	if to-from > maxWorked {
		return nil, fmt.Errorf("'%s' is longer than the %d hours of sound that can have effects or a time of its own", filepath.Base(path), maxWorked/3600)
	}
	mono, err := monos(ctx, []Clip{{Path: path, Channels: c.Channels}})
	if err != nil {
		return nil, err
	}
	filter := fmt.Sprintf("aresample=%d,", Rate)
	if mono[path] {
		filter += bothSides
	}
	raw := w.file()
	args := append([]string{"-ss", number(from), "-t", number(to - from)}, ffmpeg.Input(path)...)
	args = append(args, "-map", "0:a:0", "-af", filter+"aformat=sample_fmts=flt:channel_layouts=stereo", "-f", "f32le", "file:"+raw)
	if _, err := ffmpeg.Run(ctx, "ffmpeg", args...); err != nil {
		return nil, err
	}
	return openTake(raw, from)
}

// take is a file of raw samples that is read here and there.
type take struct {
	file    *os.File
	first   float64 // seconds of the source at its first sample
	samples int64
	levels  [2][]Level
	made    bool     // there is no source: an effect makes the sound, or nothing is heard
	parts   [2]block // the last that were read, by whether their number is even
	err     error
}

// block is a part of a take.
type block struct {
	number  int64
	samples []frame
}

// takeBlock is how many samples are read at once.
const takeBlock = 32 << 10

func openTake(path string, first float64) (*take, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &take{file: f, first: first, samples: info.Size() / sampleBytes, parts: [2]block{{number: -1}, {number: -1}}}, nil
}

// close closes the file and removes it: it is read by one clip.
func (t *take) close() error {
	if t.file == nil {
		return nil
	}
	return errors.Join(t.file.Close(), os.Remove(t.file.Name()))
}

// between is the sound at a place between samples, on a curve through the four around it (Catmull and Rom).
func (t *take) between(place float64) frame {
	if !(place > -2 && place < float64(t.samples)+1) {
		return frame{}
	}
	n := math.Floor(place)
	x := place - n
	i := int64(n)
	if x < exactSample || x > 1-exactSample {
		return t.sample(i + int64(math.Round(x)))
	}
	a, b, c, d := t.sample(i-1), t.sample(i), t.sample(i+1), t.sample(i+2)
	var out frame
	for side := range out {
		out[side] = b[side] + x/2*(c[side]-a[side]+x*(2*a[side]-5*b[side]+4*c[side]-d[side]+x*(3*(b[side]-c[side])+d[side]-a[side])))
	}
	return out
}

func (t *take) sample(i int64) frame {
	if i < 0 || i >= t.samples {
		return frame{}
	}
	number := i / takeBlock
	p := &t.parts[number%2]
	if p.number != number {
		t.read(p, number)
	}
	if at := i - number*takeBlock; at < int64(len(p.samples)) {
		return p.samples[at]
	}
	return frame{}
}

// read reads a part and gives it its levels.
func (t *take) read(p *block, number int64) {
	raw := make([]byte, takeBlock*sampleBytes)
	n, err := t.file.ReadAt(raw, number*takeBlock*sampleBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	p.number, p.samples = number, make([]frame, n/sampleBytes)
	var gain frame
	for i := range p.samples {
		if i%64 == 0 {
			at := t.first + float64(number*takeBlock+int64(i))/Rate
			gain = frame{gainAt(t.levels[0], at), gainAt(t.levels[1], at)}
		}
		for side := range p.samples[i] {
			v := math.Float32frombits(binary.LittleEndian.Uint32(raw[i*sampleBytes+4*side:]))
			p.samples[i][side] = float64(v) * gain[side]
		}
	}
}

// gainAt is the factor of levels at a time.
func gainAt(levels []Level, t float64) float64 {
	if len(levels) == 0 {
		return 1
	}
	lo, hi := 0, len(levels)
	for lo < hi {
		if mid := (lo + hi) / 2; levels[mid].Time <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	db := levels[max(0, lo-1)].DB
	if lo > 0 && lo < len(levels) {
		a, b := levels[lo-1], levels[lo]
		db = a.DB + (b.DB-a.DB)*(t-a.Time)/(b.Time-a.Time)
	}
	if db <= silence {
		return 0
	}
	return math.Pow(10, db/20)
}

// work makes the clips that are made before they are mixed, in a folder within dir, which drop removes.
func work(ctx context.Context, dir string, clips []Clip, start, length float64) (out []Clip, drop func(), err error) {
	drop = func() {}
	var shop *workshop
	for _, c := range clips {
		if !c.worked() || !audible(c.Levels) && !audible(c.Right) {
			continue
		}
		if len(out) == maxClips {
			return nil, drop, fmt.Errorf("more than %d sounds have effects or a time of their own", maxClips)
		}
		if shop == nil {
			folder, err := os.MkdirTemp(dir, "sound-")
			if err != nil {
				return nil, drop, err
			}
			drop = func() { _ = os.RemoveAll(folder) } // otherwise removed with its folder
			shop = &workshop{dir: folder}
		}
		made, err := shop.make(ctx, c, start, length, 0)
		if err != nil {
			drop()
			return nil, func() {}, err
		}
		if made.Path != "" {
			out = append(out, made)
		}
	}
	return out, drop, nil
}
