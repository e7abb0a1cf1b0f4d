package encode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
)

// film writes one file through ffmpeg. Frames are passed to a goroutine that starts ffmpeg, once the sound is there, and writes to it, so that drawing goes
// on meanwhile: those in its form as they are, others copied, in the pixels that the codec has where that is I420.
type film struct {
	shape
	ctx    context.Context
	cancel context.CancelFunc
	part   string

	// of the goroutine that feeds ffmpeg, until fed is closed
	cmd    *exec.Cmd // nil when ffmpeg was not started
	tail   *ffmpeg.Tail
	stdin  io.WriteCloser
	failed error

	queue  chan handed
	spare  chan []byte
	fed    chan struct{} // closed when nothing feeds ffmpeg any more
	broken atomic.Bool   // ffmpeg could not be started or fed
	frames int
	over   bool
}

// handed is a frame for ffmpeg, and what to call when it is written.
type handed struct {
	pix  []byte
	done func()
}

// Frames between the renderer and ffmpeg: as many as queuedBytes holds, so that drawing need not wait while ffmpeg starts.
const (
	queuedBytes = 48 << 20
	leastQueued = 3
	mostQueued  = 64
)

func openFilm(ctx context.Context, s Spec) (Writer, error) {
	if s.RateNum <= 0 || s.RateDen <= 0 {
		return nil, failure(s.Name.Path, fmt.Errorf("a frame rate of %d/%d can't be written", s.RateNum, s.RateDen))
	}
	var err error
	if s.Template, err = s.Template.Here(ctx); err != nil {
		return nil, failure(s.Name.Path, err)
	}
	if len(s.Cuts) > 0 && s.Template.way.Stretches() && s.RateNum <= maxStretchedRate {
		return openStretched(ctx, s)
	}
	return startFilm(ctx, s, nil), nil
}

// startFilm has ffmpeg started, whose encoder gets more options in addition to its own. The template has an encoder of this machine.
func startFilm(ctx context.Context, s Spec, more []string) *film {
	f := &film{shape: shapeOf(s), part: part(s.Name.Path)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	queued := min(max(leastQueued, queuedBytes/f.frameSize()), mostQueued)
	f.queue, f.spare, f.fed = make(chan handed, queued), make(chan []byte, queued+2), make(chan struct{})
	go func() {
		defer close(f.fed)
		f.failed = f.start(more)
		f.broken.Store(f.failed != nil)
		f.feed()
	}()
	return f
}

// start starts ffmpeg when the sound is there.
func (f *film) start(more []string) error {
	audio, err := f.spec.audio(f.ctx)
	if err != nil {
		return err
	}
	cmd, tail := ffmpeg.Command(f.ctx, "ffmpeg", append(f.args(audio, more), "file:"+f.part)...)
	if f.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil { // without a bound: it reads what the engine drew, and may need much for large frames
		return ffmpeg.Failure(context.Background(), err, tail)
	}
	f.cmd, f.tail = cmd, tail
	return nil
}

// audio is the path of the sound, "" for none.
func (s Spec) audio(ctx context.Context) (string, error) {
	if s.Audio == nil {
		return "", nil
	}
	return s.Audio(ctx)
}

// args are ffmpeg's but for the name of the file. audio is the path of the sound, "" for none.
func (f shape) args(audio string, more []string) []string {
	s, w := f.spec, f.spec.Template.way
	rate := strconv.FormatInt(s.RateNum, 10) + "/" + strconv.FormatInt(s.RateDen, 10)
	pixels, filter := "rgba", w.Filter()
	if f.i420 {
		pixels, filter = "yuv420p", w.FilterI420()
	}
	args := []string{
		"-protocol_whitelist", "file,pipe", "-f", "rawvideo", "-pix_fmt", pixels, "-s", strconv.Itoa(f.width) + "x" + strconv.Itoa(f.height),
		"-framerate", rate, "-i", "pipe:0",
	}
	if audio != "" {
		args = append(args, ffmpeg.Input(audio)...)
	}
	args = append(args, "-map", "0:v:0")
	if audio != "" {
		args = append(args, "-map", "1:a:0")
		args = append(args, w.Sound()...)
	}
	args = append(append(append(args, "-vf", filter), w.Video(encoding.InHaste)...), more...)
	return append(args, "-map_metadata", "-1", "-movflags", "+faststart", "-f", muxer(extOf(s.Name.Path)))
}

// feed writes queued frames to ffmpeg until the queue is closed; after a failure it drops them.
func (f *film) feed() {
	for frame := range f.queue {
		if f.failed == nil {
			_, f.failed = f.stdin.Write(frame.pix)
			f.broken.Store(f.failed != nil)
		}
		frame.done()
	}
	if f.cmd == nil {
		return
	}
	if err := f.stdin.Close(); f.failed == nil {
		f.failed = err
	}
}

// Write implements Writer.
func (f *film) Write(_ int, img *raster.Image) error {
	if err := f.fits(img); err != nil {
		return err
	}
	var buf []byte
	select {
	case buf = <-f.spare:
	default:
		buf = make([]byte, f.frameSize())
	}
	f.convert(buf, img)
	return f.enqueue(buf, func() { f.spare <- buf })
}

// WriteFormed implements Former.
func (f *film) WriteFormed(_ int, formed []byte, done func()) error {
	if len(formed) != f.frameSize() {
		done()
		return failure(f.spec.Name.Path, fmt.Errorf("a frame has %d bytes, not %d", len(formed), f.frameSize()))
	}
	return f.enqueue(formed, done)
}

// enqueue passes a frame on to be written.
func (f *film) enqueue(pix []byte, done func()) error {
	if f.broken.Load() {
		done()
		return f.end()
	}
	select {
	case f.queue <- handed{pix, done}:
		f.frames++
		return nil
	case <-f.ctx.Done():
		done()
		return failure(f.spec.Name.Path, context.Cause(f.ctx))
	}
}

// Close implements Writer.
func (f *film) Close() ([]string, error) {
	if err := f.end(); err != nil {
		return nil, err
	}
	if err := os.Rename(f.part, f.spec.Name.Path); err != nil {
		_ = os.Remove(f.part)
		return nil, failure(f.spec.Name.Path, err)
	}
	return []string{f.spec.Name.Path}, nil
}

// end waits for ffmpeg to finish, and removes the file if it failed.
func (f *film) end() error {
	if f.over {
		return failure(f.spec.Name.Path, errors.New("it has been closed"))
	}
	f.over = true
	close(f.queue)
	<-f.fed
	var err error
	if f.cmd != nil {
		err = ffmpeg.Failure(f.ctx, f.cmd.Wait(), f.tail)
	}
	f.cancel()
	if err == nil {
		err = f.failed
	}
	if err == nil && f.frames == 0 {
		err = errors.New("there were no frames")
	}
	if err != nil {
		_ = os.Remove(f.part)
		return failure(f.spec.Name.Path, err)
	}
	return nil
}

// Abort implements Writer.
func (f *film) Abort() {
	if f.over {
		return
	}
	f.cancel()
	_ = f.end() // its error is that the film was cut off, as the caller wants
	_ = os.Remove(f.part)
}
