package footage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

const (
	ringBytes  = 128 << 20 // of frames kept, per film
	ringMost   = 16
	ringLeast  = 4
	skipAtMost = 90 // frames read and dropped rather than seeking
)

// film reads a film through one ffmpeg at a time, forwards, and keeps the frames it read last, so that workers who draw
// neighbouring frames find them in whatever order they ask. A jump backwards or far ahead starts ffmpeg anew.
type film struct {
	path   string
	info   Info
	stream stream
	in     Interpretation

	lock chan struct{} // holds one token; a channel, so that waiting ends with a context
	run  *decoder
	ring map[int]*raster.Image
	next int // number of the frame that run gives next
	last int // newest frame that exists, once the film has turned out to be shorter than it says; -1 before
	done bool
}

func newFilm(path string, info Info, st stream, in Interpretation) *film {
	f := &film{path: path, info: info, stream: st, in: in, lock: make(chan struct{}, 1), ring: map[int]*raster.Image{}, last: -1}
	f.lock <- struct{}{}
	return f
}

var errClosed = errors.New("it has been closed")

func (f *film) frame(ctx context.Context, n int) (*raster.Image, error) {
	select {
	case <-f.lock:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { f.lock <- struct{}{} }()
	if f.done {
		return nil, unreadable(f.path, errClosed)
	}
	img, err := f.read(ctx, n)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		return nil, unreadable(f.path, err)
	}
	return img, nil
}

// read gives frame n, or the last one when the film ends before.
func (f *film) read(ctx context.Context, n int) (*raster.Image, error) {
	for tries := 0; ; tries++ {
		if f.last >= 0 {
			n = min(n, f.last)
		}
		if img := f.ring[n]; img != nil {
			return img, nil
		}
		if f.run == nil || n < f.next || n > f.next+skipAtMost {
			if err := f.seek(n); err != nil {
				return nil, err
			}
		}
		img, err := f.forward(ctx, n)
		switch {
		case err == nil:
			return img, nil
		case !errors.Is(err, io.EOF) || tries > 3:
			return nil, err
		}
		if err := f.ended(n); err != nil {
			return nil, err
		}
	}
}

// forward reads up to frame n.
func (f *film) forward(ctx context.Context, n int) (*raster.Image, error) {
	run := f.run
	stop := context.AfterFunc(ctx, run.kill)
	defer stop()
	for {
		pix := make([]byte, 4*f.info.Width*f.info.Height)
		if err := run.read(pix); err != nil {
			f.stop()
			return nil, err
		}
		img := interpret(pix, f.info.Width, f.info.Height, f.info.Alpha, f.in)
		f.keep(f.next, img)
		f.next++
		if f.next > n {
			return img, nil
		}
	}
}

// ended learns from an early end how long the film really is.
func (f *film) ended(n int) error {
	got := f.next
	switch {
	case got > 0 && len(f.ring) > 0 && f.ring[got-1] != nil:
		f.last = got - 1
	case n == 0:
		return errors.New("it has no frame that can be decoded")
	default: // sought beyond the end: look for the end from further ahead
		f.last = max(0, n-int(f.info.FrameRate)-1)
		if img, err := f.tail(f.last); err == nil {
			f.last = img
		}
	}
	return nil
}

// tail reads from frame n to the end and gives the number of the last frame there is.
func (f *film) tail(n int) (int, error) {
	if err := f.seek(n); err != nil {
		return 0, err
	}
	for {
		if _, err := f.forward(context.Background(), f.next); err != nil {
			last := f.next - 1
			if f.ring[last] == nil {
				return 0, err
			}
			return last, nil
		}
	}
}

// keep puts a frame into the ring and drops the oldest.
func (f *film) keep(n int, img *raster.Image) {
	f.ring[n] = img
	most := max(ringLeast, min(ringMost, ringBytes/max(1, len(img.Pix))))
	for k := range f.ring {
		if k <= n-most || k > n {
			delete(f.ring, k)
		}
	}
}

// seek starts ffmpeg so that it gives frame n next.
func (f *film) seek(n int) error {
	f.stop()
	run, err := startDecoder(f.path, f.stream, f.info, n)
	if err != nil {
		return err
	}
	f.run, f.next = run, n
	return nil
}

func (f *film) stop() {
	if f.run != nil {
		f.run.kill()
		f.run.wait()
		f.run = nil
	}
}

func (f *film) close() error {
	<-f.lock
	defer func() { f.lock <- struct{}{} }()
	f.stop()
	f.ring, f.done = nil, true
	return nil
}

// decoder is a running ffmpeg that writes raw frames.
type decoder struct {
	cmd  *exec.Cmd
	out  io.ReadCloser
	tail *ffmpeg.Tail
	ctx  context.Context
	kill context.CancelFunc
	err  error
	over bool
}

func startDecoder(path string, st stream, info Info, n int) (*decoder, error) {
	var args []string
	if n > 0 {
		// A quarter of a frame early, so that rounding neither drops frame n nor lets its neighbour in.
		args = append(args, "-ss", strconv.FormatFloat((float64(n)-0.25)/info.FrameRate, 'f', 6, 64))
	}
	args = append(args, decodeInput(path, st)...)
	args = append(args, decodeOutput(st, "fps=fps="+st.rate+":start_time=0:round=near")...)
	ctx, cancel := context.WithCancel(context.Background()) // ends with kill, whoever asks for the next frame
	cmd, tail := ffmpeg.Command(ctx, "ffmpeg", args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, ffmpeg.Failure(context.Background(), err, tail)
	}
	return &decoder{cmd: cmd, out: out, tail: tail, ctx: ctx, kill: cancel}, nil
}

// read fills pix with the next frame. It is io.EOF at the end of the film; a broken film ends where it breaks, unless
// that is its beginning.
func (d *decoder) read(pix []byte) error {
	_, err := io.ReadFull(d.out, pix)
	if err == nil {
		d.over = true // something was read
		return nil
	}
	d.wait()
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	if d.err != nil && !d.over {
		return plainer(ffmpeg.Failure(d.ctx, d.err, d.tail))
	}
	return io.EOF
}

func (d *decoder) wait() {
	if d.cmd == nil {
		return
	}
	d.err = d.cmd.Wait()
	d.cmd = nil
}

func decodeInput(path string, st stream) []string {
	var args []string
	if st.decoder != "" {
		args = append(args, "-c:v", st.decoder)
	}
	return append(args, ffmpeg.Input(path)...)
}

func decodeOutput(st stream, filter string) []string {
	scale := "scale=flags=bilinear"
	if st.matrix != "" {
		scale += ":in_color_matrix=" + st.matrix
	}
	if filter != "" {
		scale = filter + "," + scale
	}
	return []string{"-map", "0:V:0", "-an", "-sn", "-dn", "-vf", scale + ",format=rgba", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"}
}

func probeByFFmpeg(ctx context.Context, path string) (Info, stream, error) {
	info, st, err := askFFprobe(ctx, path)
	if err == nil && !info.Video {
		err = fmt.Errorf("it has no pictures")
	}
	return info, st, err
}
