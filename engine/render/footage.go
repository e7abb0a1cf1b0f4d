package render

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

var footageKind = kind{
	is: func(p *aep.Project, l *aep.Layer) bool {
		it := p.Item(l.Source)
		return l.Kind == aep.LayerAV && (it == nil || it.Footage != nil)
	},
	prepare: func(w *worker, v view) (*drawing, error) {
		it := w.r.project.Item(v.layer.Source)
		if it == nil || it.Footage.Kind == aep.FootagePlaceholder {
			w.r.undrawn(v, "a source without a file")
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
	},
}

func (w *worker) prepareFile(v view, it *aep.Item, t float64) (*drawing, error) {
	src, err := w.r.sources.get(w.ctx, it)
	if err == nil && src == nil {
		return nil, nil
	}
	var img *raster.Image
	if err == nil {
		if d := it.Footage.Duration; d > 0 && it.Footage.Loop > 1 {
			t = math.Mod(t, d)
		}
		img, err = src.Frame(w.ctx, t)
	}
	if err != nil {
		if cause := w.ctx.Err(); cause != nil {
			return nil, cause
		}
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
		w.r.warned.say(fmt.Sprintf("%sthe footage '%s' is left out: %v", w.r.about(v.comp, v.layer), it.Name, err))
		return nil, nil
	}
	if img == nil || img.Rect.Empty() {
		return nil, nil
	}
	fw, fh := float64(it.Footage.Width), float64(it.Footage.Height)
	if fw <= 0 || fh <= 0 {
		fw, fh = float64(img.Rect.Dx()), float64(img.Rect.Dy())
	}
	img = w.r.sources.shrunk(img, shrink(v.m, img, fw, fh), it.Footage.Still)
	fit := v.m.Mul(geom.Scale(fw/float64(img.Rect.Dx()), fh/float64(img.Rect.Dy())))
	how := raster.Bilinear
	if w.r.opt.Draft {
		how = raster.Nearest
	}
	return &drawing{
		box: geom.Rect{MaxX: fw, MaxY: fh}.Transform(v.m).Grow(1), blends: true, still: it.Footage.Still,
		draw: func(dst *raster.Image, opacity float64, blend raster.Blend) error {
			raster.Draw(dst, img, fit, dst.Rect, opacity, blend, how)
			return nil
		},
	}, nil
}

// shrink is how many times an image has to be halved before it is sampled, so that no pixel of it is skipped.
func shrink(m geom.Matrix, img *raster.Image, w, h float64) int {
	sx, sy := m.AxisScale()
	s := max(sx*w/float64(img.Rect.Dx()), sy*h/float64(img.Rect.Dy()))
	n := 0
	for ; s > 0 && s <= 0.5 && n < 12; n++ {
		s *= 2
	}
	return n
}

func footageLength(f *aep.Footage) float64 {
	if f.Still {
		return 0
	}
	return f.Duration * float64(max(1, f.Loop))
}

// remapped is whether a layer plays its source by a property of its own.
func remapped(l *aep.Layer) bool {
	remap := l.Props.Child("ADBE Time Remapping")
	return remap != nil && (len(remap.Keys) > 0 || eval.Driven(remap))
}

// sourceTime is the time within a layer's source; false when the source has ended or not begun. length 0 is endless.
func (w *worker) sourceTime(v view, length float64) (float64, bool) {
	if remapped(v.layer) {
		t := w.number(v, v.layer.Props, "ADBE Time Remapping", 0)
		if length > 0 {
			t = min(t, length-frameSlack)
		}
		return max(0, t), true
	}
	t := eval.LocalTime(v.layer, v.t)
	if length <= 0 {
		return max(0, t), true
	}
	end := length - frameSlack
	if v.layer.Stretch < 0 { // backwards, the end comes first and is part of it
		end = length + frameSlack
	}
	return max(0, t), t >= -frameSlack && t < end
}

// sources opens each file once and closes them all.
type sources struct {
	open  func(ctx context.Context, it *aep.Item) (*footage.Source, error)
	mu    sync.Mutex
	known map[uint32]*source
	small map[smaller]*raster.Image
}

type source struct {
	once sync.Once
	src  *footage.Source
	err  error
}

type smaller struct {
	img *raster.Image
	n   int
}

func (s *sources) get(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	if s.open == nil {
		return nil, errors.New("there is no way to read footage")
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
	s.mu.Unlock()
	e.once.Do(func() { e.src, e.err = s.open(ctx, it) })
	return e.src, e.err
}

// maxSmall bounds how many shrunk stills are kept.
const maxSmall = 256

// shrunk is img halved n times; that of a still is kept.
func (s *sources) shrunk(img *raster.Image, n int, still bool) *raster.Image {
	if n == 0 {
		return img
	}
	key := smaller{img, n}
	if still {
		s.mu.Lock()
		known := s.small[key]
		s.mu.Unlock()
		if known != nil {
			return known
		}
	}
	for range n {
		img = raster.Halve(img)
	}
	if still {
		s.mu.Lock()
		if s.small == nil || len(s.small) >= maxSmall {
			s.small = make(map[smaller]*raster.Image)
		}
		s.small[key] = img
		s.mu.Unlock()
	}
	return img
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
	s.known, s.small = nil, nil
	return errors.Join(errs...)
}
