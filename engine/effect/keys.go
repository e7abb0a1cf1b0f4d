package effect

import (
	"image"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// keyed multiplies the transparency of img by what of makes of each visible colour.
func keyed(img *raster.Image, of func(c [3]float64) float64) {
	each(img, func(px [4]uint8) [4]uint8 {
		if px[3] == 0 {
			return px
		}
		k := uint32(unit(of(rgb(straight(px))))*255 + 0.5)
		for i := range px {
			px[i] = uint8((uint32(px[i])*k + 127) / 255)
		}
		return px
	})
}

// The values of the popup "View" of keys.
const (
	viewSource = 2
	viewMatte  = 3
)

// linearColorKey is Linear Color Key.
type linearColorKey struct {
	view, operation eval.Number
	match           colorMatching
}

func newLinearColorKey(p Params) Effect {
	p.Lack("the exact similarity of colours")
	return &linearColorKey{
		view: p.Number("0002", 1), operation: p.Number("0007", 1),
		match: colorMatching{p.Color("0003", [4]float64{0, 0, 1, 1}), p.Number("0004", 1), p.Number("0005", 0), p.Number("0006", 10)},
	}
}

// keepColors is the value of Linear Color Key's popup "Key Operation" that keeps the colour.
const keepColors = 2

func (e *linearColorKey) Draw(f *Frame, img *raster.Image) error {
	match, keep := e.match.at(f), f.Choice(&e.operation) == keepColors
	share := func(c [3]float64) float64 {
		if keep {
			return match.share(c)
		}
		return 1 - match.share(c)
	}
	switch f.Choice(&e.view) {
	case viewSource:
	case viewMatte:
		recolor(img, func(c [3]float64) [3]float64 { v := share(c); return [3]float64{v, v, v} })
	default:
		keyed(img, share)
	}
	return nil
}

// edgeTools thin and soften the edge that a key leaves.
type edgeTools struct{ thin, feather eval.Number }

func (e *edgeTools) Reach(f *Frame) int {
	s := f.Number(&e.feather) * f.Scale() * BlurSigma
	return raster.BlurReach(s) + pixels(-f.Number(&e.thin)*f.Scale())
}

// draw changes the transparency of img; the colours stay, as far as they go.
func (e *edgeTools) draw(f *Frame, img *raster.Image) { e.drawBy(f, img, 1) }

// drawBy is draw for tools that thin, with a sign of 1, or with -1 grow.
func (e *edgeTools) drawBy(f *Frame, img *raster.Image, sign float64) {
	thin := sign * f.Number(&e.thin) * f.Scale()
	s := f.Number(&e.feather) * f.Scale() * BlurSigma
	inner, outer := pixels(thin), pixels(-thin)
	if inner == 0 && outer == 0 && !(s > 0) {
		return
	}
	matte, release := f.Host.Surface(img.Rect)
	defer release()
	copy(matte.Pix, img.Pix)
	if r := max(inner, outer); r > 0 {
		spread(matte, []int{3}, r, outer > 0, true, true, true)
	}
	alpha := raster.AlphaOf(matte, img.Rect)
	raster.BlurAlpha(alpha, s, s)
	setAlpha(img, alpha)
}

// setAlpha gives img another transparency; both have the same bounds. Where there was nothing there is no colour to show.
func setAlpha(img *raster.Image, alpha *image.Alpha) {
	for i, now := range alpha.Pix {
		px := img.Pix[4*i : 4*i+4 : 4*i+4]
		was := uint32(px[3])
		if was == 0 || uint32(now) == was {
			continue
		}
		for j := range 3 {
			px[j] = uint8(min((uint32(px[j])*uint32(now)+was/2)/was, uint32(now)))
		}
		px[3] = now
	}
}

// colorKey is Color Key: a colour within a tolerance is transparent.
type colorKey struct {
	color     eval.Vector
	tolerance eval.Number
	edgeTools
}

func newColorKey(p Params) Effect {
	p.Lack("the exact similarity of colours")
	return &colorKey{p.Color("0001", [4]float64{0, 0, 1, 1}), p.Number("0002", 0), edgeTools{p.Number("0003", 0), p.Number("0004", 0)}}
}

func (e *colorKey) Draw(f *Frame, img *raster.Image) error {
	match := colorMatch{color: rgb(f.Color(&e.color)), by: matchRGB, tolerance: unit(f.Number(&e.tolerance) / 255)}
	keyed(img, func(c [3]float64) float64 { return 1 - match.share(c) })
	e.draw(f, img)
	return nil
}

// The values of Luma Key's popup "Key Type".
const (
	lumaBrighter = iota + 1
	lumaDarker
	lumaSimilar
	lumaDissimilar
)

// lumaKey is Luma Key.
type lumaKey struct {
	kind, threshold, tolerance eval.Number
	edgeTools
}

func newLumaKey(p Params) Effect {
	return &lumaKey{p.Number("0001", lumaDarker), p.Number("0002", 0), p.Number("0003", 0), edgeTools{p.Number("0004", 0), p.Number("0005", 0)}}
}

func (e *lumaKey) Draw(f *Frame, img *raster.Image) error {
	kind, threshold, tolerance := f.Choice(&e.kind), f.Number(&e.threshold), f.Number(&e.tolerance)
	keyed(img, func(c [3]float64) float64 {
		v := luma(c) * 255
		out := false
		switch kind {
		case lumaBrighter:
			out = v > threshold
		case lumaDarker:
			out = v < threshold
		case lumaSimilar:
			out = v >= threshold-tolerance && v <= threshold+tolerance
		case lumaDissimilar:
			out = v < threshold-tolerance || v > threshold+tolerance
		}
		if out {
			return 0
		}
		return 1
	})
	e.draw(f, img)
	return nil
}

// extract is Extract: a range of brightness stays, softly.
type extract struct{ channel, black, white, blackSoft, whiteSoft, invert eval.Number }

func newExtract(p Params) Effect {
	return &extract{p.Number("0002", 1), p.Number("0003", 0), p.Number("0004", 255), p.Number("0005", 0), p.Number("0006", 0), p.Number("0007", 0)}
}

func (e *extract) Draw(f *Frame, img *raster.Image) error {
	from := fromLuminance
	if which := source(f.Choice(&e.channel)) - 1; which >= fromRed && which <= fromAlpha {
		from = which
	}
	black, white, below, above := f.Number(&e.black), f.Number(&e.white), f.Number(&e.blackSoft), f.Number(&e.whiteSoft)
	inverse := f.Choice(&e.invert) != 0
	shade(img, func(c [4]float64) [4]float64 {
		v := from.of(c) * 255
		k := 1.0
		switch {
		case v < black:
			k = 0
			if below > 0 {
				k = unit(1 - (black-v)/below)
			}
		case v > white:
			k = 0
			if above > 0 {
				k = unit(1 - (v-white)/above)
			}
		}
		if inverse {
			k = 1 - k
		}
		c[3] *= k
		return c
	})
	return nil
}

// spillSuppressor is Spill Suppressor: the strongest channel of a colour is no stronger than the others.
type spillSuppressor struct {
	color  eval.Vector
	amount eval.Number
}

func newSpillSuppressor(p Params) Effect {
	return &spillSuppressor{p.Color("0001", [4]float64{0, 0, 1, 1}), p.Number("0003", 100)}
}

// newAdvancedSpill is Advanced Spill Suppressor, whose standard method finds the colour itself: here it is its key colour.
func newAdvancedSpill(p Params) Effect {
	p.Unless("0001", 1, "the ultra method")
	p.Lack("the search for the key colour")
	return &spillSuppressor{p.Color("0003", [4]float64{0, 1, 0, 1}), p.Number("1001", 100)}
}

func (e *spillSuppressor) Draw(f *Frame, img *raster.Image) error {
	main, _, _ := channelOrder(rgb(f.Color(&e.color)))
	amount := unit(f.Number(&e.amount) / 100)
	recolor(img, func(c [3]float64) [3]float64 {
		if most := max(c[(main+1)%3], c[(main+2)%3]); c[main] > most {
			c[main] += (most - c[main]) * amount
		}
		return c
	})
	return nil
}

// channelOrder are the channels of a colour, the strongest first.
func channelOrder(c [3]float64) (first, second, third int) {
	for i := range 3 {
		if c[i] > c[first] {
			first = i
		}
	}
	second, third = (first+1)%3, (first+2)%3
	if c[third] > c[second] {
		second, third = third, second
	}
	return first, second, third
}

// simpleChoker is Simple Choker: it shrinks the matte, or below 0 lets it grow.
type simpleChoker struct{ view, choke eval.Number }

// chokerMatte is the value of Simple Choker's popup "View" for its matte.
const chokerMatte = 2

func newSimpleChoker(p Params) Effect { return &simpleChoker{p.Number("0001", 1), p.Number("0002", 0)} }

func (e *simpleChoker) Reach(f *Frame) int {
	return int(math.Ceil(max(0, min(maxReach, -f.Number(&e.choke)*f.Scale()))))
}

// Draw shrinks or grows by whole pixels, and by what is left of a pixel as much of the next one.
func (e *simpleChoker) Draw(f *Frame, img *raster.Image) error {
	choke := max(-maxReach, min(maxReach, f.Number(&e.choke)*f.Scale()))
	channels, grow := []int{3}, choke < 0
	if grow {
		channels = []int{0, 1, 2, 3}
	}
	whole, rest := math.Modf(math.Abs(choke))
	if whole > 0 {
		spread(img, channels, int(whole), grow, false, true, true)
	}
	if rest > 0 {
		before, release := f.Host.Surface(img.Rect)
		defer release()
		copy(before.Pix, img.Pix)
		spread(img, channels, 1, grow, false, true, true)
		fade(img, before, 1-rest)
	}
	clampColors(img)
	if f.Choice(&e.view) == chokerMatte {
		each(img, func(px [4]uint8) [4]uint8 { return [4]uint8{px[3], px[3], px[3], 255} })
	}
	return nil
}
