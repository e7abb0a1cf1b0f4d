package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of the popup "Match Colors" of effects that look for a colour.
const (
	matchRGB = iota + 1
	matchHue
	matchChroma
)

// colorMatch tells how alike colours are to one. What After Effects measures is not published: here it is the distance, as a share of the
// longest that there is.
type colorMatch struct {
	color               [3]float64
	by                  int
	tolerance, softness float64 // 0–1
}

// distance is 0 for the colour itself and 1 for the most unlike.
func (m *colorMatch) distance(c [3]float64) float64 {
	switch m.by {
	case matchHue:
		a, b := toHLS([4]float64{c[0], c[1], c[2], 1}), toHLS([4]float64{m.color[0], m.color[1], m.color[2], 1})
		if a.s == 0 || b.s == 0 {
			return 1 // grey has no hue
		}
		d := math.Abs(a.h - b.h)
		return 2 * math.Min(d, 1-d)
	case matchChroma:
		a, b := luma(c), luma(m.color)
		// The difference of the two chroma signals of ITU-R BT.601, each between -0.5 and 0.5.
		return math.Hypot(((c[2]-a)-(m.color[2]-b))*0.564, ((c[0]-a)-(m.color[0]-b))*0.713) / math.Sqrt2
	}
	d := [3]float64{c[0] - m.color[0], c[1] - m.color[1], c[2] - m.color[2]}
	return math.Sqrt((d[0]*d[0] + d[1]*d[1] + d[2]*d[2]) / 3)
}

// share is 1 within the tolerance and falls to 0 over the softness beyond it.
func (m *colorMatch) share(c [3]float64) float64 {
	over := m.distance(c) - m.tolerance
	switch {
	case over <= 0:
		return 1
	case over >= m.softness:
		return 0
	}
	return 1 - over/m.softness
}

// colorMatching are the parameters of a colorMatch.
type colorMatching struct {
	color                   eval.Vector
	by, tolerance, softness eval.Number // tolerance and softness per cent
}

func (e *colorMatching) at(f *Frame) colorMatch {
	return colorMatch{rgb(f.Color(&e.color)), f.Choice(&e.by), unit(f.Number(&e.tolerance) / 100), unit(f.Number(&e.softness) / 100)}
}

// leaveColor is Leave Color: all but one colour loses its colour.
type leaveColor struct {
	amount eval.Number
	leave  colorMatching
}

func newLeaveColor(p Params) Effect {
	p.Lack("the exact similarity of colours")
	return &leaveColor{
		amount: p.Number("0001", 0),
		leave:  colorMatching{p.Color("0002", [4]float64{1, 0, 0, 1}), p.Number("0005", 1), p.Number("0003", 15), p.Number("0004", 0)},
	}
}

func (e *leaveColor) Draw(f *Frame, img *raster.Image) error {
	amount, leave := unit(f.Number(&e.amount)/100), e.leave.at(f)
	recolor(img, func(c [3]float64) [3]float64 {
		grey := luma(c)
		return towards(c, [3]float64{grey, grey, grey}, amount*(1-leave.share(c)))
	})
	return nil
}

// changeColor is Change Color: one colour gets another hue, lightness and saturation.
type changeColor struct {
	view, hue, lightness, saturation, invert eval.Number
	change                                   colorMatching
}

// changeColorMask is the value of Change Color's popup "View" for its mask.
const changeColorMask = 2

func newChangeColor(p Params) Effect {
	p.Lack("the exact similarity of colours")
	return &changeColor{
		view: p.Number("0001", 1), hue: p.Number("0002", 0), lightness: p.Number("0003", 0), saturation: p.Number("0004", 0), invert: p.Number("0009", 0),
		change: colorMatching{p.Color("0005", [4]float64{0, 0, 1, 1}), p.Number("0008", 1), p.Number("0006", 15), p.Number("0007", 0)},
	}
}

func (e *changeColor) Draw(f *Frame, img *raster.Image) error {
	by := hueChange{all: hueShift{f.Number(&e.hue) / 360, f.Number(&e.saturation) / 100, f.Number(&e.lightness) / 100}}
	match, inverse, mask := e.change.at(f), f.Choice(&e.invert) != 0, f.Choice(&e.view) == changeColorMask
	recolor(img, func(c [3]float64) [3]float64 {
		share := match.share(c)
		if inverse {
			share = 1 - share
		}
		if mask {
			return [3]float64{share, share, share}
		}
		return towards(c, by.of(c), share)
	})
	return nil
}
