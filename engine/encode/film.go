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

// film writes one file through ffmpeg. Frames are passed to a goroutine that writes to ffmpeg, so that drawing goes on meanwhile: those in its form as they
// are, others copied, in the pixels that the codec has where that is I420.
type film struct {
	shape
	ctx    context.Context
	cancel context.CancelFunc
	part   string
	cmd    *exec.Cmd
	tail   *ffmpeg.Tail
	stdin  io.WriteCloser

	queue  chan handed
	spare  chan []byte
	fed    chan struct{} // closed when feed has returned
	failed error         // error of feed; read only after fed is closed
	broken atomic.Bool   // feed has failed
	frames int
	over   bool
}

// handed is a frame for ffmpeg, and what to call when it is written.
type handed struct {
	pix  []byte
	done func()
}

const queued = 3 // frames between the renderer and ffmpeg

func openFilm(ctx context.Context, s Spec) (Writer, error) {
	if s.RateNum <= 0 || s.RateDen <= 0 {
		return nil, failure(s.Name.Path, fmt.Errorf("a frame rate of %d/%d can't be written", s.RateNum, s.RateDen))
	}
	way, err := s.Template.way.Here(ctx)
	if err != nil {
		return nil, failure(s.Name.Path, err)
	}
	s.Template.way = way
	if len(s.Cuts) > 0 && way.Stretches() && s.RateNum <= maxStretchedRate {
		return openStretched(ctx, s)
	}
	return startFilm(ctx, s, nil)
}

// startFilm starts ffmpeg, whose encoder gets more options in addition to its own. The template has an encoder of this machine.
func startFilm(ctx context.Context, s Spec, more []string) (*film, error) {
	f := &film{shape: shapeOf(s), part: part(s.Name.Path)}
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.cmd, f.tail = ffmpeg.Command(f.ctx, "ffmpeg", append(f.args(more), "file:"+f.part)...)
	stdin, err := f.cmd.StdinPipe()
	if err != nil {
		f.cancel()
		return nil, failure(s.Name.Path, err)
	}
	f.stdin = stdin
	if err := f.cmd.Start(); err != nil { // without a bound: it reads what the engine drew, and may need much for large frames
		f.cancel()
		return nil, failure(s.Name.Path, ffmpeg.Failure(context.Background(), err, f.tail))
	}
	f.queue, f.spare, f.fed = make(chan handed, queued), make(chan []byte, queued+2), make(chan struct{})
	go f.feed()
	return f, nil
}

// args are ffmpeg's but for the name of the file.
func (f shape) args(more []string) []string {
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
	if s.Audio != "" {
		args = append(args, ffmpeg.Input(s.Audio)...)
	}
	args = append(args, "-map", "0:v:0")
	if s.Audio != "" {
		args = append(args, "-map", "1:a:0")
		args = append(args, w.Sound()...)
	}
	args = append(append(append(args, "-vf", filter), w.Video(encoding.InHaste)...), more...)
	return append(args, "-map_metadata", "-1", "-movflags", "+faststart", "-f", muxer(extOf(s.Name.Path)))
}

// feed writes queued frames to ffmpeg until the queue is closed or a write fails.
func (f *film) feed() {
	defer close(f.fed)
	for frame := range f.queue {
		if f.failed == nil {
			_, f.failed = f.stdin.Write(frame.pix)
			f.broken.Store(f.failed != nil)
		}
		frame.done()
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
	err := ffmpeg.Failure(f.ctx, f.cmd.Wait(), f.tail)
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
