package render

import (
	"image"
	"math"
	"reflect"
	"slices"

	"overcrank/aep"
	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
	"overcrank/engine/shape"
)

// mask is one mask of a layer at a time.
type mask struct {
	mode      aep.MaskMode
	inverted  bool
	outline   geom.Outline
	opacity   float64 // 0–1
	feather   [2]float64
	linear    bool
	expansion float64
	path      *aep.Path // if its edge has widths of its own
}

// masks are the masks of the layer that have an area, in order.
func (w *worker) masks(v view) []mask { return w.masksOf(v.layer.Masks, v.t, v.t) }

// masksOf are those of a list that have an area at a moment of the frame at a time. Those whose changes are not blurred are those of the frame.
func (w *worker) masksOf(list []scene.Mask, frame, moment float64) []mask {
	var out []mask
	for i := range list {
		m, t := &list[i], frame
		if m.Blurred {
			t = moment
		}
		path, _ := m.Path.At(w.eval, t).(*aep.Path)
		if path == nil || !path.Closed && len(path.Vertices) < 3 {
			continue
		}
		feather := m.Feather.At(w.eval, t)
		var wide *aep.Path
		if len(path.Feather) > 0 && path.Closed {
			wide = path
		}
		out = append(out, mask{
			path: wide,
			mode: m.Mode, inverted: m.Inverted, outline: shape.OutlineOf(path), opacity: max(0, min(1, m.Opacity.At(w.eval, t)/100)),
			feather: [2]float64{feather[0], feather[1]}, linear: m.Linear, expansion: m.Expansion.At(w.eval, t),
		})
	}
	return out
}

// movingMasks are the layer's masks at the moments of a frame; nil when they stay what they are, or when that is not blurred.
func (w *worker) movingMasks(v view) [][]mask {
	if !slices.ContainsFunc(v.layer.Masks, func(m scene.Mask) bool { return m.Blurred }) {
		return nil
	}
	s, ok := w.r.shutter(v.filmed().Composition)
	if !ok {
		return nil
	}
	still, moves := w.masks(v), false
	out := make([][]mask, s.least)
	for i := range out {
		out[i] = w.masksOf(v.layer.Masks, v.t, w.later(v.stage, s.moment(i, s.least)).t)
		moves = moves || !reflect.DeepEqual(out[i], still)
	}
	if !moves {
		return nil
	}
	return out
}

// masked is the coverage of masks, those of the layer in a frame, at the pixels of r.
func (w *worker) masked(v view, masks []mask, r image.Rectangle) *image.Alpha {
	moments := w.movingMasks(v)
	if moments == nil {
		return w.combine(masks, v.m, r)
	}
	mean := image.NewAlpha(r)
	sums := make([]uint16, len(mean.Pix)) // of at most maxShutterSamples
	for _, at := range moments {
		if len(at) == 0 { // none has an area
			for i := range sums {
				sums[i] += 255
			}
			continue
		}
		for i, k := range w.combine(at, v.m, r).Pix {
			sums[i] += uint16(k)
		}
	}
	n := len(moments)
	for i, sum := range sums {
		mean.Pix[i] = uint8((int(sum) + n/2) / n)
	}
	return mean
}

// combine is the coverage of all masks at the pixels of r; to maps pixels of the layer to these.
func (w *worker) combine(masks []mask, to geom.Matrix, r image.Rectangle) *image.Alpha {
	total := image.NewAlpha(r)
	if first := masks[0].mode; first != aep.MaskAdd && first != aep.MaskLighten {
		for i := range total.Pix {
			total.Pix[i] = 255
		}
	}
	sx, sy := to.AxisScale()
	for _, m := range masks {
		cov := w.coverage(m, to, r, m.softness(sx, sy))
		for y := r.Min.Y; y < r.Max.Y; y++ {
			a := total.Pix[total.PixOffset(r.Min.X, y):][:r.Dx()]
			b := cov.Pix[cov.PixOffset(r.Min.X, y):][:r.Dx()]
			m.join(a, b)
		}
	}
	return total
}

// softness is the blur of a mask's edge where pixels of the layer are so large: one that ends smoothly on both sides, or one box, which makes of
// an edge a line as wide as the feather.
func (m *mask) softness(sx, sy float64) raster.Blurring {
	if m.linear {
		return raster.Boxes(max(0, m.feather[0]*sx-1)/2, max(0, m.feather[1]*sy-1)/2, 1)
	}
	return raster.Gaussian(m.feather[0]*sx*effect.BlurSigma, m.feather[1]*sy*effect.BlurSigma)
}

// coverage is the coverage of one mask at the pixels of r and, if it is blurred, around them.
func (w *worker) coverage(m mask, to geom.Matrix, r image.Rectangle, soft raster.Blurring) *image.Alpha {
	reach := soft.Reach()
	edge := newEdge(&m, to)
	cov := image.NewAlpha(r.Inset(-reach - edge.reach(m.expansion*to.MeanScale())))
	w.pen.Reset(cov.Rect)
	w.pen.Fill(m.outline, to)
	w.pen.Spans(false, func(x, y int, row []uint8) { copy(cov.Pix[cov.PixOffset(x, y):], row) })
	switch {
	case edge != nil:
		edge.soften(cov, m.expansion*to.MeanScale(), m.linear)
	case m.expansion != 0:
		w.pen.Reset(cov.Rect)
		w.pen.Stroke(m.outline, raster.StrokeStyle{Width: 2 * math.Abs(m.expansion), Cap: raster.RoundCap, Join: raster.RoundJoin}, to)
		w.pen.Spans(false, func(x, y int, row []uint8) {
			dst := cov.Pix[cov.PixOffset(x, y):]
			for i, k := range row {
				if m.expansion > 0 {
					dst[i] = max(dst[i], k)
				} else {
					dst[i] = min(dst[i], 255-k)
				}
			}
		})
	}
	if reach > 0 {
		soft.Alpha(cov)
	}
	return cov
}

// join combines the coverage b of a mask with the coverage a of those before it.
func (m mask) join(a, b []uint8) {
	k := uint32(m.opacity*255 + 0.5)
	for i, c := range b {
		if m.inverted {
			c = 255 - c
		}
		x, y := uint32(a[i]), (uint32(c)*k+127)/255
		switch m.mode {
		case aep.MaskSubtract:
			x = x * (255 - y) / 255
		case aep.MaskIntersect:
			x = x * y / 255
		case aep.MaskDarken:
			x = min(x, y)
		case aep.MaskLighten:
			x = max(x, y)
		case aep.MaskDifference:
			x = max(x, y) - min(x, y)
		default:
			x = x + y - x*y/255
		}
		a[i] = uint8(min(x, 255))
	}
}
