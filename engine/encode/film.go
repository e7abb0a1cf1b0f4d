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

// film writes one file through ffmpeg. Frames are copied, in the pixels that the codec has where that is I420, and passed to a goroutine that
// writes to ffmpeg, so that drawing goes on meanwhile.
type film struct {
	ctx    context.Context
	cancel context.CancelFunc
	spec   Spec
	part   string
	width  int // as written; rounded to even if the codec needs it
	height int
	i420   bool // frames are given in I420
	cmd    *exec.Cmd
	tail   *ffmpeg.Tail
	stdin  io.WriteCloser

	queue  chan []byte
	spare  chan []byte
	fed    chan struct{} // closed when feed has returned
	failed error         // error of feed; read only after fed is closed
	broken atomic.Bool   // feed has failed
	frames int
	over   bool
}

const queued = 3 // frames between the renderer and ffmpeg

func openFilm(ctx context.Context, s Spec) (Writer, error) {
	f := &film{spec: s, part: part(s.Name.Path), width: s.Width, height: s.Height}
	if s.Template.way.Even {
		f.width, f.height = s.Width+s.Width%2, s.Height+s.Height%2
	}
	if s.RateNum <= 0 || s.RateDen <= 0 {
		return nil, failure(s.Name.Path, fmt.Errorf("a frame rate of %d/%d can't be written", s.RateNum, s.RateDen))
	}
	way, err := s.Template.way.Here(ctx)
	if err != nil {
		return nil, failure(s.Name.Path, err)
	}
	f.spec.Template.way, f.i420 = way, way.I420()
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.cmd, f.tail = ffmpeg.Command(f.ctx, "ffmpeg", f.args()...)
	stdin, err := f.cmd.StdinPipe()
	if err != nil {
		f.cancel()
		return nil, failure(s.Name.Path, err)
	}
	f.stdin = stdin
	if err := f.cmd.Start(); err != nil {
		f.cancel()
		return nil, failure(s.Name.Path, ffmpeg.Failure(context.Background(), err, f.tail))
	}
	f.queue, f.spare, f.fed = make(chan []byte, queued), make(chan []byte, queued+2), make(chan struct{})
	go f.feed()
	return f, nil
}

func (f *film) args() []string {
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
	args = append(append(args, "-vf", filter), w.Video(encoding.InHaste)...)
	return append(args, "-map_metadata", "-1", "-movflags", "+faststart", "-f", muxer(extOf(s.Name.Path)), "file:"+f.part)
}

// feed writes queued frames to ffmpeg until the queue is closed or a write fails.
func (f *film) feed() {
	defer close(f.fed)
	for buf := range f.queue {
		if f.failed == nil {
			_, f.failed = f.stdin.Write(buf)
			f.broken.Store(f.failed != nil)
		}
		f.spare <- buf
	}
	if err := f.stdin.Close(); f.failed == nil {
		f.failed = err
	}
}

// Write implements Writer.
func (f *film) Write(_ int, img *raster.Image) error {
	if img.Rect.Dx() != f.spec.Width || img.Rect.Dy() != f.spec.Height {
		return failure(f.spec.Name.Path, fmt.Errorf("a frame is %d x %d pixels, not %d x %d", img.Rect.Dx(), img.Rect.Dy(), f.spec.Width, f.spec.Height))
	}
	return f.enqueue(func(buf []byte) { f.convert(buf, img) })
}

// convert fills to, a frame as ffmpeg gets it, from a picture.
func (f *film) convert(to []byte, img *raster.Image) {
	if f.i420 {
		fillI420(to, f.width, f.height, img)
		return
	}
	fill(to, f.width, f.height, img, f.spec.Template.Alpha)
}

// Form implements Former.
func (f *film) Form() (name string, size int, convert func(to []byte, img *raster.Image), ok bool) {
	return i420Name, f.frameSize(), f.convert, f.i420
}

// WriteFormed implements Former.
func (f *film) WriteFormed(_ int, formed []byte) error {
	if len(formed) != f.frameSize() {
		return failure(f.spec.Name.Path, fmt.Errorf("a frame has %d bytes, not %d", len(formed), f.frameSize()))
	}
	return f.enqueue(func(buf []byte) { copy(buf, formed) })
}

// Picture implements Former.
func (f *film) Picture(formed []byte) *raster.Image {
	return i420Picture(formed, f.width, f.height, f.spec.Width, f.spec.Height)
}

// enqueue has a frame filled, and passes it on to be written.
func (f *film) enqueue(fill func(buf []byte)) error {
	if f.broken.Load() {
		return f.end()
	}
	var buf []byte
	select {
	case buf = <-f.spare:
	default:
		buf = make([]byte, f.frameSize())
	}
	fill(buf)
	select {
	case f.queue <- buf:
		f.frames++
		return nil
	case <-f.ctx.Done():
		return failure(f.spec.Name.Path, context.Cause(f.ctx))
	}
}

// frameSize is the size in bytes of a frame as ffmpeg gets it.
func (f *film) frameSize() int {
	if f.i420 {
		return i420Size(f.width, f.height)
	}
	return 4 * f.width * f.height
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
