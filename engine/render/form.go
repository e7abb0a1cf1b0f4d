package render

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"overcrank/engine/raster"
)

// Form is another form in which frames are wanted, such as the pixels of an encoder. Frames that renders share are kept in it, so that one that is
// used again needs no conversion.
type Form struct {
	Name string // under which frames are kept; forms with the same name are the same
	Size int    // of a frame, in bytes
	// Convert fills to, of that size, from a frame. Several goroutines call it at once.
	Convert func(to []byte, img *raster.Image)
}

// Formed is Frames in another form, of frames with ascending numbers: those who draw also convert. What emit gets is valid until it returns, or
// as long as it is held.
func (r *Renderer) Formed(ctx context.Context, f Form, numbers iter.Seq[int], emit func(n int, formed *FormedFrame) error) error {
	if f.Size <= 0 || f.Name == "" {
		return errors.New("frames can't be drawn in a form without a name or a size")
	}
	forming := &forming{Form: f}
	forming.spare.New = func() any { return &FormedFrame{pix: make([]byte, f.Size), of: forming} }
	return r.frames(ctx, forming, numbers, func(n int, d drawn) error { return emit(n, d.formed) })
}

// forming is a form with spare buffers for it.
type forming struct {
	Form
	spare sync.Pool // of *FormedFrame
}

// FormedFrame is a frame in another form. Nobody may change it.
type FormedFrame struct {
	pix     []byte
	of      *forming
	holders atomic.Int32 // the renderer, until another frame follows, and those who hold it
}

// Pix are its bytes.
func (f *FormedFrame) Pix() []byte { return f.pix }

// Hold keeps the frame as it is until release is called, once: so it can be written meanwhile, without a copy.
func (f *FormedFrame) Hold() (release func()) {
	f.holders.Add(1)
	return f.release
}

func (f *FormedFrame) release() {
	if f.holders.Add(-1) == 0 {
		f.of.spare.Put(f)
	}
}

// address is the address of a frame in this form.
func (f *forming) address(of Look) [sha256.Size]byte {
	return sha256.Sum256(append(of[:], f.Name...))
}

// release gives back what a frame was drawn into.
func (r *Renderer) release(d drawn) {
	if d.img != nil {
		r.surfaces.put(d.img)
	}
	if d.formed != nil {
		d.formed.release()
	}
}

// shared is frame n as another render drew it, or drawn here.
func (w *worker) shared(n int) drawn {
	at := &frameLook{}
	if w.r.origins != nil {
		at = w.r.looks.of(w, n)
	}
	if w.form != nil {
		return w.sharedForm(n, at)
	}
	r := w.r
	if at.known && !r.marred.Load() {
		img := r.surfaces.get(frameRect(r.width, r.height))
		if r.opt.Kept.Read(at.look, img.Pix, bytesOfPixel) {
			return drawn{img: img, kept: true}
		}
		r.surfaces.put(img)
	}
	img, err := w.frame(n)
	if err == nil && at.known && !r.marred.Load() {
		r.opt.Kept.Drawn(at.look, img.Pix, bytesOfPixel)
	}
	return drawn{img: img, err: err}
}

// bytesOfPixel is the size of a pixel of an image.
const bytesOfPixel = 4

// sharedForm is shared, of frames in the worker's form.
func (w *worker) sharedForm(n int, at *frameLook) drawn {
	r, f := w.r, w.form
	formed, _ := f.spare.Get().(*FormedFrame)
	formed.holders.Store(1)
	if at.known && !r.marred.Load() && r.opt.Kept.Read(f.address(at.look), formed.pix, 0) {
		return drawn{formed: formed, kept: true}
	}
	img, err := w.frame(n)
	if err != nil {
		return drawn{img: img, formed: formed, err: err}
	}
	f.Convert(formed.pix, img)
	r.surfaces.put(img)
	if at.known && !r.marred.Load() {
		r.opt.Kept.Drawn(f.address(at.look), formed.pix, 0)
	}
	return drawn{formed: formed}
}
