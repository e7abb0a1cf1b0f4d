package render

import (
	"image"
	"math"
	"slices"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// uncovered are those of the visible layers, from the bottom, that are seen within clip: the highest one that hides all below it, and those
// above. Where nothing was drawn before, the picture is the same to the last bit: what is opaque replaces what lies below.
func (w *worker) uncovered(clip image.Rectangle, shown []shownLayer) ([]shownLayer, error) {
	for i := len(shown) - 1; i > 0; i-- {
		l := &shown[i]
		w.at = l.layer
		if l.among != nil || !w.plain(l.view) {
			continue
		}
		if err := w.ready(l); err != nil {
			return nil, err
		}
		if l.d != nil && !l.d.opaque.Empty() && clip.In(l.d.opaque) && l.exposure(w) == nil {
			return shown[i:], nil
		}
	}
	return shown, nil
}

// maxCovers is how many opaque rectangles of a composition are remembered.
const maxCovers = 16

// hide notes which of the visible layers, from the bottom, paint only where one opaque rectangle above replaces it. What reads more of the picture below
// than its own pixels, such as an adjustment layer, may show them elsewhere before.
func (w *worker) hide(shown []shownLayer) error {
	var covers []image.Rectangle
	for i := len(shown) - 1; i >= 0; i-- {
		l := &shown[i]
		if l.among != nil || l.layer.Adjustment || l.layer.Stencil() {
			covers = nil
			continue
		}
		plain := w.plain(l.view)
		if !plain && (len(covers) == 0 || !w.bounded(l)) {
			continue
		}
		w.at = l.layer
		if err := w.ready(l); err != nil {
			return err
		}
		if l.d == nil || l.exposure(w) != nil {
			continue
		}
		box := raster.PixelRect(l.d.box)
		if l.hidden = slices.ContainsFunc(covers, box.In) && w.bounded(l); l.hidden {
			continue
		}
		if plain && !l.d.opaque.Empty() && len(covers) < maxCovers {
			covers = append(covers, l.d.opaque)
		}
	}
	return nil
}

// bounded tells whether a layer paints nothing beyond its drawing.
func (w *worker) bounded(l *shownLayer) bool {
	return len(l.layer.Effects) == 0 && l.layer.Styles == nil && !l.layer.Collapse && l.h == nil && w.plainInSpace(l.view)
}

// plain tells whether a layer is laid over those below it as it is: solids and footage without anything that changes their transparency.
func (w *worker) plain(v view) bool {
	l := v.layer
	return (l.Kind == scene.Solid || l.Kind == scene.Footage) && isNormal(l.Blend) && !l.Adjustment && !l.PreserveTransparency &&
		l.Matte == aep.MatteNone && l.Styles == nil && len(l.Masks) == 0 && len(l.Effects) == 0 && v.h == nil && w.opacity(v) == 1 && w.plainInSpace(v)
}

// inside are the whole pixels that a picture of w by h pixels, mapped by m, covers up to a border that fades.
func inside(m geom.Matrix, w, h float64) image.Rectangle {
	if m.B != 0 || m.C != 0 {
		return image.Rectangle{}
	}
	r := geom.Rect{MaxX: w, MaxY: h}.Transform(m)
	// The border fades over one pixel of the picture, as large as it is shown.
	fade := max(1, math.Abs(m.A), math.Abs(m.D))
	whole := func(v float64) int { return int(max(-1<<24, min(1<<24, v))) }
	out := image.Rectangle{
		Min: image.Pt(whole(math.Ceil(r.MinX+fade)), whole(math.Ceil(r.MinY+fade))),
		Max: image.Pt(whole(math.Floor(r.MaxX-fade)), whole(math.Floor(r.MaxY-fade))),
	}
	if wholePixels(m) {
		out = image.Rect(whole(math.Round(r.MinX)), whole(math.Round(r.MinY)), whole(math.Round(r.MaxX)), whole(math.Round(r.MaxY)))
	}
	if out.Min.X >= out.Max.X || out.Min.Y >= out.Max.Y {
		return image.Rectangle{}
	}
	return out
}

// wholePixels tells whether m moves by whole pixels only.
func wholePixels(m geom.Matrix) bool {
	return m.A == 1 && m.D == 1 && m.E == math.Round(m.E) && m.F == math.Round(m.F)
}
