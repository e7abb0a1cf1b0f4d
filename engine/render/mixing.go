package render

import (
	"image"
	"math"

	"overcrank/engine/raster"
)

// FrameBlending says of which layers frames are mixed.
type FrameBlending int

// After Effects' render settings for frame blending.
const (
	// MixMarked mixes those of the layers whose switch is on, whatever the switch of their composition says ("On For Checked Layers").
	MixMarked FrameBlending = iota
	// MixEnabled mixes those of them whose composition's switch is on too ("Current Settings").
	MixEnabled
	// MixNone mixes none ("Off For All Layers").
	MixNone
)

// instant is a time within a source, in seconds, and how much is seen of the source as it is then, 0 to 1.
type instant struct{ t, share float64 }

// maxMixed is how many frames of a source are mixed at most: of one that plays faster than that, every so many.
const maxMixed = 16

// instants are when a layer shows its source, whose frames follow each other at a rate: at t, or where frames are blended, at the times of the
// frames around it. A source that plays more slowly than the composition dissolves from one frame to the next. One that plays faster shows the
// mean of the frames that pass in a frame of the composition.
func (w *worker) instants(v view, t, rate, length float64) []instant {
	if !w.mixes(v) || !(rate > 0 && rate < 1e6) {
		return []instant{{t, 1}}
	}
	first := t * rate
	if near := math.Round(first); math.Abs(first-near) < 0.01 {
		first = near // a composition's times are rounded
	}
	passed := w.passed(v, t, length) * rate
	if !(passed > 1.01) {
		n := math.Floor(first)
		if first == n {
			return []instant{{n / rate, 1}}
		}
		return []instant{{n / rate, n + 1 - first}, {(n + 1) / rate, first - n}}
	}
	step := math.Max(1, passed/maxMixed)
	var out []instant
	for at := first; at < first+passed-1e-6; {
		next := math.Min(first+passed, math.Floor(at/step+1e-9)*step+step)
		out = append(out, instant{math.Floor(at+1e-9) / rate, (next - at) / passed})
		at = next
	}
	return out
}

// mixes tells whether frames of what a layer shows are blended.
func (w *worker) mixes(v view) bool {
	how := w.r.opt.FrameBlending
	return v.layer.FrameBlend && how != MixNone && (how != MixEnabled || v.comp.FrameBlending)
}

// passed is how many seconds of the source pass in a frame of the composition, forwards or backwards.
func (w *worker) passed(v view, t, length float64) float64 {
	v.t += FrameTime(v.comp.Composition, 1)
	next, _ := w.sourceTime(v, length)
	return math.Min(math.Abs(next-t), 1e6)
}

// mixed is the mean of what draw gives for each instant, by how much of it is seen.
func (w *worker) mixed(at []instant, r image.Rectangle, draw func(t float64) (*raster.Image, func(), error)) (*raster.Image, func(), error) {
	if len(at) == 1 {
		return draw(at[0].t)
	}
	var pictures []*raster.Image
	var shares []float64
	for _, one := range at {
		img, release, err := draw(one.t)
		if err != nil {
			return nil, nil, err
		}
		defer release()
		pictures, shares = append(pictures, img), append(shares, one.share)
	}
	if r.Empty() {
		r = pictures[0].Rect
	}
	out := w.r.surfaces.get(r)
	raster.Weighted(out, pictures, shares)
	return out, func() { w.r.surfaces.put(out) }, nil
}
