package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Minimax's popup "Operation".
const (
	minimaxLowest = iota + 1
	minimaxHighest
	minimaxLowestHighest
	minimaxHighestLowest
)

// The values of Minimax's popup "Channel".
const (
	minimaxColor = iota + 1
	minimaxAll
	minimaxRed
	minimaxGreen
	minimaxBlue
	minimaxAlpha
)

// minimax is Minimax: each channel becomes the lowest or the highest within a radius.
type minimax struct{ operation, radius, channel, direction, keep eval.Number }

func newMinimax(p Params) Effect {
	return &minimax{p.Number("0001", minimaxHighest), p.Number("0002", 0), p.Number("0003", minimaxColor), p.Number("0004", 1), p.Number("0005", 0)}
}

// maxReach limits how far effects reach whose radius a file names, in pixels.
const maxReach = 1 << 12

func (e *minimax) reach(f *Frame) int { return pixels(f.Number(&e.radius) * f.Scale()) }

// pixels is a length in whole pixels; 0 for one that is not a number.
func pixels(v float64) int {
	if !(v > 0) {
		return 0
	}
	return int(min(v, maxReach) + 0.5)
}

func (e *minimax) Reach(f *Frame) int { return 2 * e.reach(f) }

func (e *minimax) Draw(f *Frame, img *raster.Image) error {
	r := e.reach(f)
	if r == 0 {
		return nil
	}
	channels := e.channels(f)
	var passes []bool // whether each looks for the highest
	switch f.Choice(&e.operation) {
	case minimaxLowest:
		passes = []bool{false}
	case minimaxHighest:
		passes = []bool{true}
	case minimaxLowestHighest:
		passes = []bool{false, true}
	case minimaxHighestLowest:
		passes = []bool{true, false}
	}
	across, down := f.Choice(&e.direction) != dimensionVertical, f.Choice(&e.direction) != dimensionHorizontal
	for _, highest := range passes {
		spread(img, channels, r, highest, f.Choice(&e.keep) != 0, across, down)
	}
	clampColors(img)
	return nil
}

// channels are the offsets of the channels that change.
func (e *minimax) channels(f *Frame) []int {
	switch which := f.Choice(&e.channel); which {
	case minimaxAll:
		return []int{0, 1, 2, 3}
	case minimaxRed, minimaxGreen, minimaxBlue:
		return []int{which - minimaxRed}
	case minimaxAlpha:
		return []int{3}
	}
	return []int{0, 1, 2}
}

// The values of the popups for the dimensions of an effect; 1 is both.
const (
	dimensionHorizontal = 2
	dimensionVertical   = 3
)

// spread makes channels of img the highest or the lowest within r pixels, across, down or both. Beyond the border lies nothing; with inside
// set it does not count.
func spread(img *raster.Image, channels []int, r int, highest, inside, across, down bool) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	line := newExtremes(max(w, h), r, highest, inside)
	for _, c := range channels {
		for y := 0; across && y < h; y++ {
			line.along(img.Pix[y*img.Stride+c:], w, 4)
		}
		for x := 0; down && x < w; x++ {
			line.along(img.Pix[4*x+c:], h, img.Stride)
		}
	}
}

// extremes finds the highest or the lowest value within a radius of each of a line of values, in the three comparisons a value of van Herk
// and Gil–Werman: blocks as long as the window are scanned from both ends.
type extremes struct {
	r                       int
	flip                    uint8 // 255 to look for the lowest as the highest of the inverse
	beyond                  uint8
	values, forth, backward []uint8
}

func newExtremes(n, r int, highest, inside bool) *extremes {
	e := &extremes{r: r}
	if !highest {
		e.flip = 255
		if !inside {
			e.beyond = 255 // the inverse of nothing
		}
	}
	window := 2*r + 1
	padded := (n + 2*r + window) / window * window
	e.values, e.forth, e.backward = make([]uint8, padded), make([]uint8, padded), make([]uint8, padded)
	return e
}

func (e *extremes) along(v []uint8, n, step int) {
	window := 2*e.r + 1
	padded := min((n+2*e.r+window)/window*window, len(e.values))
	for i := range padded {
		e.values[i] = e.beyond
	}
	for i := range n {
		e.values[e.r+i] = v[i*step] ^ e.flip
	}
	for from := 0; from < padded; from += window {
		e.forth[from] = e.values[from]
		for i := from + 1; i < from+window; i++ {
			e.forth[i] = max(e.forth[i-1], e.values[i])
		}
		last := from + window - 1
		e.backward[last] = e.values[last]
		for i := last - 1; i >= from; i-- {
			e.backward[i] = max(e.backward[i+1], e.values[i])
		}
	}
	for i := range n {
		v[i*step] = max(e.backward[i], e.forth[i+window-1]) ^ e.flip
	}
}
