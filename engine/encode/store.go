package encode

import (
	"bufio"
	"context"
	"errors"
	"os"
	"runtime"
	"sync"

	"overcrank/engine/raster"
	"overcrank/frames"
)

// EngineKind marks files of frames that this engine has drawn.
const EngineKind = "embedded"

// store writes a file of frames, several of which are packed at a time. The file contains only complete frames, so that
// the earlier frames survive if the program is ended.
type store struct {
	ctx    context.Context
	cancel context.CancelFunc
	spec   Spec
	packer *frames.Packer
	file   *os.File

	work    chan packing
	order   chan packing
	workers sync.WaitGroup
	written chan struct{} // closed when write has returned
	spare   chan []byte
	failed  error // read only after written is closed
	frames  int
	over    bool
}

// packing is a frame that is being packed.
type packing struct {
	number int
	pix    []byte
	packed chan packed
}

type packed struct {
	record []byte
	err    error
}

func openStore(ctx context.Context, s Spec) (Writer, error) {
	head := frames.Head{Engine: EngineKind, Width: s.Width, Height: s.Height, Format: frames.RGBA, RateNum: s.RateNum, RateDen: s.RateDen, Cuts: frames.JoinCuts(s.Cuts)}
	packer, err := frames.NewPacker(head)
	if err != nil {
		return nil, failure(s.Name.Path, err)
	}
	file, err := os.Create(s.Name.Path)
	if err != nil {
		return nil, failure(s.Name.Path, errors.Join(err, packer.Close()))
	}
	begin, err := head.Begin()
	if err == nil {
		_, err = file.Write(begin)
	}
	if err != nil {
		return nil, failure(s.Name.Path, errors.Join(err, file.Close(), packer.Close()))
	}
	count := max(1, min(4, runtime.GOMAXPROCS(0)))
	w := &store{
		spec: s, packer: packer, file: file, work: make(chan packing), order: make(chan packing, count),
		written: make(chan struct{}), spare: make(chan []byte, 2*count+2),
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	for range count {
		w.workers.Go(w.pack)
	}
	go w.write()
	return w, nil
}

func (w *store) pack() {
	for p := range w.work {
		record, err := w.packer.Pack(p.number, p.pix)
		select {
		case w.spare <- p.pix:
		default:
		}
		p.packed <- packed{record, err}
	}
}

// write writes the frames to the file in order.
func (w *store) write() {
	defer close(w.written)
	out := bufio.NewWriterSize(w.file, 1<<20)
	for p := range w.order {
		done := <-p.packed
		if w.failed != nil {
			continue
		}
		w.failed = done.err
		if w.failed == nil {
			_, w.failed = out.Write(done.record)
		}
		if w.failed == nil {
			w.failed = out.Flush()
		}
		if w.failed != nil {
			w.cancel()
		}
	}
}

// Write implements Writer.
func (w *store) Write(number int, img *raster.Image) error {
	var pix []byte
	select {
	case pix = <-w.spare:
	default:
		pix = make([]byte, 4*w.spec.Width*w.spec.Height)
	}
	for y := range w.spec.Height {
		copy(pix[y*4*w.spec.Width:(y+1)*4*w.spec.Width], img.Pix[y*img.Stride:])
	}
	p := packing{number - w.spec.Shown, pix, make(chan packed, 1)}
	select {
	case w.order <- p:
	case <-w.ctx.Done():
		return w.end()
	}
	select {
	case w.work <- p:
	case <-w.ctx.Done():
		p.packed <- packed{err: context.Cause(w.ctx)} // write waits for it
		return w.end()
	}
	w.frames++
	return nil
}

// Close implements Writer.
func (w *store) Close() ([]string, error) {
	if err := w.end(); err != nil {
		return nil, err
	}
	return []string{w.spec.Name.Path}, nil
}

func (w *store) end() error {
	if w.over {
		return failure(w.spec.Name.Path, errors.New("it has been closed"))
	}
	w.over = true
	close(w.work)
	close(w.order)
	w.workers.Wait()
	<-w.written
	err := errors.Join(w.file.Close(), w.packer.Close())
	switch {
	case w.failed != nil:
		err = w.failed
	case w.ctx.Err() != nil:
		err = context.Cause(w.ctx)
	case err == nil && w.frames == 0:
		err = errors.New("there were no frames")
	}
	w.cancel()
	if err != nil {
		return failure(w.spec.Name.Path, err)
	}
	return nil
}

// Abort implements Writer. Complete frames stay in the file.
func (w *store) Abort() {
	if !w.over {
		_ = w.end() // its error is that the file was cut off, as the caller wants
	}
}
