package encode

import (
	"bufio"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/image/tiff"

	"overcrank/engine/raster"
)

func extOf(path string) string { return filepath.Ext(path) }

// pictures writes each frame as a file, several at a time.
type pictures struct {
	ctx    context.Context
	cancel context.CancelFunc
	spec   Spec
	jobs   chan picture
	wg     sync.WaitGroup

	mu    sync.Mutex
	err   error
	files []string
	over  bool
}

type picture struct {
	file string
	pix  *image.NRGBA
}

func openPictures(ctx context.Context, s Spec) Writer {
	p := &pictures{spec: s, jobs: make(chan picture, 1)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	for range max(1, min(4, runtime.GOMAXPROCS(0))) {
		p.wg.Go(p.work)
	}
	return p
}

func (p *pictures) work() {
	for job := range p.jobs {
		if p.ctx.Err() != nil {
			continue
		}
		if err := p.write(job); err != nil {
			p.fail(failure(job.file, err))
		}
	}
}

func (p *pictures) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.cancel()
	}
}

func (p *pictures) write(job picture) error {
	tmp := part(job.file)
	if err := WriteFile(tmp, func(w io.Writer) error { return encodePicture(w, p.spec.Template, job.pix) }); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	if err := os.Rename(tmp, job.file); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

func encodePicture(w io.Writer, t Template, img *image.NRGBA) error {
	switch t.Ext {
	case ".jpg":
		// The frame has a background, so that every pixel is opaque, and straight and premultiplied colours are the
		// same.
		return jpeg.Encode(w, &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect}, &jpeg.Options{Quality: 95})
	case ".tif":
		return tiff.Encode(w, img, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
	}
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

// WriteFile creates path and calls fill to write it through a buffer.
func WriteFile(path string, fill func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	err = fill(buf)
	if err == nil {
		err = buf.Flush()
	}
	return errors.Join(err, f.Close())
}

// Write implements Writer.
func (p *pictures) Write(number int, img *raster.Image) error {
	pix := image.NewNRGBA(image.Rect(0, 0, p.spec.Width, p.spec.Height))
	fill(pix.Pix, p.spec.Width, p.spec.Height, img, p.spec.Template.Alpha)
	if !p.spec.Template.Alpha {
		for i := 3; i < len(pix.Pix); i += 4 {
			pix.Pix[i] = 255
		}
	}
	file := p.spec.Name.File(number)
	select {
	case p.jobs <- picture{file, pix}:
		p.mu.Lock()
		defer p.mu.Unlock()
		p.files = append(p.files, file)
		return p.err
	case <-p.ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err != nil {
			return p.err
		}
		return failure(file, context.Cause(p.ctx))
	}
}

// Close implements Writer.
func (p *pictures) Close() ([]string, error) {
	if p.over {
		return nil, failure(p.spec.Name.Path, errors.New("it has been closed"))
	}
	p.over = true
	close(p.jobs)
	p.wg.Wait()
	defer p.cancel()
	switch {
	case p.err != nil:
		return nil, p.err
	case p.ctx.Err() != nil:
		return nil, failure(p.spec.Name.Path, context.Cause(p.ctx))
	case len(p.files) == 0:
		return nil, failure(p.spec.Name.Path, errors.New("there were no frames"))
	}
	return p.files, nil
}

// Abort implements Writer. Complete pictures are kept.
func (p *pictures) Abort() {
	if p.over {
		return
	}
	p.over = true
	p.cancel()
	close(p.jobs)
	p.wg.Wait()
}
