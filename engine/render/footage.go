package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"sync"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

var footageKind = kind(func(w *worker, v view) (*drawing, error) {
	it := v.layer.Source
	if it == nil || it.Footage.Kind == aep.FootagePlaceholder {
		return nil, nil
	}
	if !it.Footage.HasVideo && it.Footage.Width == 0 {
		return nil, nil // sound or data
	}
	t, ok := w.sourceTime(v, footageLength(it.Footage))
	if !ok {
		return nil, nil
	}
	return w.prepareFile(v, it, t)
})

// prepareFile does not read the picture yet: if its surface is in the cache it is never read.
func (w *worker) prepareFile(v view, it *aep.Item, t float64) (*drawing, error) {
	src, err := w.r.sources.get(w.ctx, it, w.n)
	if err != nil {
		return nil, w.leftOut(v, it, err)
	}
	if src == nil || src.Info.Width <= 0 || src.Info.Height <= 0 {
		return nil, nil
	}
	if d := it.Footage.Duration; d > 0 && it.Footage.Loop > 1 {
		t = math.Mod(t, d)
	}
	fw, fh := float64(it.Footage.Width), float64(it.Footage.Height)
	if fw <= 0 || fh <= 0 {
		fw, fh = float64(src.Info.Width), float64(src.Info.Height)
	}
	if src.Info.Outlines && v.layer.Sharp() {
		return w.sharp(v, it, src, fw, fh), nil
	}
	how := raster.Bilinear
	if w.r.opt.Draft {
		how = raster.Nearest
	}
	at := []instant{{t, 1}}
	if !it.Footage.Still {
		at = w.instants(v, t, src.Info.FrameRate, footageLength(it.Footage))
	}
	least := shrink(geom.Scale(w.r.largest(it), w.r.largest(it)), src.Info, fw, fh)
	read := func(t float64) (*raster.Image, func(), error) {
		img, err := src.Halved(w.ctx, t, shrink(v.m, src.Info, fw, fh), least)
		return img, func() {}, err
	}
	fit := func(r image.Rectangle) geom.Matrix {
		return v.m.Mul(geom.Scale(fw/float64(r.Dx()), fh/float64(r.Dy())))
	}
	var hides image.Rectangle
	if _, read := w.r.readStills.Load(it.ID); read && !src.Info.Alpha {
		hides = inside(v.m, fw, fh)
		if !wholePixels(v.m) || fw != float64(src.Info.Width) || fh != float64(src.Info.Height) { // halved or stretched pixels fade more widely
			hides = hides.Inset(int(math.Ceil(math.Exp2(float64(shrink(v.m, src.Info, fw, fh))) * max(fw/float64(src.Info.Width), fh/float64(src.Info.Height)))))
		}
	}
	d := &drawing{
		opaque: hides,
		box:    geom.Rect{MaxX: fw, MaxY: fh}.Transform(v.m).Grow(1), blends: true, still: it.Footage.Still,
		source: func(image.Rectangle) (picture, error) {
			img, release, err := w.mixed(at, image.Rectangle{}, read)
			if err != nil {
				return picture{}, w.leftOut(v, it, err)
			}
			if it.Footage.Still && !it.Footage.Sequence {
				w.r.readStills.Store(it.ID, struct{}{})
			}
			return picture{img: img, m: fit(img.Rect), release: release, how: how}, nil
		},
		deep: func(dst *deep.Image) error {
			err := w.deepFootage(it, at, read, func(src *deep.Image) {
				deep.Draw(dst, src, fit(src.Rect), dst.Rect, 1, deep.Normal, how)
			})
			if err != nil {
				return w.leftOut(v, it, err)
			}
			return nil
		},
	}
	d.draw = d.drawSource
	return d, nil
}

// leftOut warns that a layer's footage cannot be read; it returns an error when the render has ended.
func (w *worker) leftOut(v view, it *aep.Item, err error) error {
	if cause := w.ctx.Err(); cause != nil {
		return cause
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	w.r.mar(fmt.Sprintf("%sthe footage '%s' is left out: %v", w.r.about(v.comp.Item, v.layer.Layer), it.Name, err))
	return nil
}

// shrink is how often a picture has to be halved before it is sampled, so that no pixel is skipped.
func shrink(m geom.Matrix, of footage.Info, w, h float64) int {
	sx, sy := m.AxisScale()
	return min(halvings(max(sx*w/float64(of.Width), sy*h/float64(of.Height))), 12)
}

// largest is how large a file is drawn at most in any frame, in pixels of the target or of a surface for one of its own.
func (r *Renderer) largest(it *aep.Item) float64 {
	return scene.Doubled(r.scene.Largest(it) * r.opt.Scale)
}

// halvings is how often what is seen at a scale can be halved and is still no smaller than that. What rounding adds to a scale is overlooked, so that
// a picture that turns at half its size does not change its sharpness from frame to frame.
func halvings(scale float64) (n int) {
	for ; scale > 0 && scale <= 0.5+1e-9 && n < maxHalvings; n++ {
		scale *= 2
	}
	return n
}

// maxHalvings is more than the sides of any picture can be halved to a purpose.
const maxHalvings = 14

func footageLength(f *aep.Footage) float64 {
	if f.Still {
		return 0
	}
	return f.Duration * float64(max(1, f.Loop))
}

// sourceTime is the time within a layer's source; false before its beginning and after its end. A length of 0 has no
// end. A composition that keeps its frame rate has the times of its own frames only.
func (w *worker) sourceTime(v view, length float64) (float64, bool) {
	inner := v.layer.Inner
	if inner == nil || !inner.KeepsFrameRate {
		return w.anyTime(v, length)
	}
	late := v.late // the moments of a frame stay apart
	v.t, v.late = v.t-late, 0
	t, ok := w.anyTime(v, length)
	frame := FrameTime(inner.Composition, 1)
	return math.Floor(t/frame+0.01)*frame + late, ok
}

// anyTime is sourceTime without regard to frames.
func (w *worker) anyTime(v view, length float64) (float64, bool) {
	if v.layer.Remapped {
		t := v.layer.Remap.At(w.eval, v.t)
		if length > 0 {
			t = min(t, length-frameSlack)
		}
		return max(0, t), true
	}
	t := eval.LocalTime(v.layer.Layer, v.t)
	if length <= 0 {
		return max(0, t), true
	}
	end := length - frameSlack
	if v.layer.Stretch < 0 { // played backwards, the end comes first and is included
		end = length + frameSlack
	}
	return max(0, t), t >= -frameSlack && t < end
}

// sources opens each file once and closes them all.
type sources struct {
	open  func(ctx context.Context, it *aep.Item) (*footage.Source, error)
	mu    sync.Mutex
	known map[uint32]*source
}

type source struct {
	once sync.Once
	src  *footage.Source
	err  error
	// asked is the last frame of the composition that used the file; resting is whether its pictures were dropped since.
	asked   int
	resting bool
}

// get is the file of an item, for frame n of the composition.
func (s *sources) get(ctx context.Context, it *aep.Item, n int) (*footage.Source, error) {
	if s.open == nil {
		return nil, errors.New("footage cannot be read in this render")
	}
	s.mu.Lock()
	if s.known == nil {
		s.known = make(map[uint32]*source)
	}
	e := s.known[it.ID]
	if e == nil {
		e = &source{}
		s.known[it.ID] = e
	}
	e.asked, e.resting = max(e.asked, n), false
	s.mu.Unlock()
	e.once.Do(func() {
		src, err := s.open(ctx, it)
		s.mu.Lock()
		e.src, e.err = src, err
		s.mu.Unlock()
	})
	return e.src, e.err
}

// restAfter is the number of unused frames after which the pictures and processes of a file are dropped.
const restAfter = 50

// rest drops what files hold, pictures and ffmpeg processes, if they were not used for a while before frame n.
func (s *sources) rest(n int) {
	s.mu.Lock()
	var tired []*footage.Source
	for _, e := range s.known {
		if e.src != nil && !e.resting && e.asked < n-restAfter {
			e.resting = true
			tired = append(tired, e.src)
		}
	}
	s.mu.Unlock()
	for _, src := range tired {
		src.Rest()
	}
}

func (s *sources) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, e := range s.known {
		if e.src != nil {
			errs = append(errs, e.src.Close())
		}
	}
	s.known = nil
	return errors.Join(errs...)
}
