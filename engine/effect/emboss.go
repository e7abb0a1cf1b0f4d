package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// emboss is Emboss and Color Emboss: the difference of the colours on both sides along a direction, on grey or on the picture.
type emboss struct {
	direction, relief, contrast, keep eval.Number
	color                             bool
}

func newEmboss(p Params) Effect {
	p.Lack("the exact relief")
	return &emboss{p.Number("0001", 45), p.Number("0002", 1), p.Number("0003", 100), p.Number("0004", 0), false}
}

func newColorEmboss(p Params) Effect {
	p.Lack("the exact relief")
	return &emboss{p.Number("0001", 45), p.Number("0002", 1), p.Number("0003", 100), p.Number("0004", 0), true}
}

func (e *emboss) Draw(f *Frame, img *raster.Image) error {
	before, release := f.Host.Surface(img.Rect)
	defer release()
	copy(before.Pix, img.Pix)
	d := towardsLight(f.Number(&e.direction), max(-maxReach, min(maxReach, f.Number(&e.relief)*f.Scale())))
	contrast := max(-100, min(100, f.Number(&e.contrast)/100))
	r := raster.NewReader(before)
	eachPlace(img, func(px []uint8, at geom.Point) {
		if px[3] == 0 {
			return
		}
		near, far := r.At(geom.Point{X: at.X - d.X, Y: at.Y - d.Y}), r.At(geom.Point{X: at.X + d.X, Y: at.Y + d.Y})
		a := float64(px[3])
		var rise [3]float64
		for i := range rise {
			rise[i] = float64(near[i]) - float64(far[i])
		}
		if !e.color {
			v := luma(rise)
			for i := range rise {
				px[i] = channel(a/2+v*contrast, a)
			}
			return
		}
		for i := range rise {
			px[i] = channel(float64(px[i])+rise[i]*contrast, a)
		}
	})
	fade(img, before, f.Share(&e.keep))
	return nil
}

// towardsLight is a way of a length in a direction, in degrees clockwise from up.
func towardsLight(degrees, length float64) geom.Point {
	if math.IsNaN(length) || math.IsNaN(degrees) || math.IsInf(degrees, 0) {
		return geom.Point{}
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return geom.Point{X: sin * length, Y: -cos * length}
}

// eachPlace calls of with each pixel of img and where its middle lies.
func eachPlace(img *raster.Image, of func(px []uint8, at geom.Point)) {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for i := 0; i+4 <= len(row); i += 4 {
			of(row[i:i+4:i+4], geom.Point{X: float64(img.Rect.Min.X+i/4) + 0.5, Y: float64(y) + 0.5})
		}
	}
}

// findEdges is Find Edges: how steep each channel is (Sobel), dark on white.
type findEdges struct{ invert, keep eval.Number }

func newFindEdges(p Params) Effect {
	p.Lack("the exact edges")
	return &findEdges{p.Number("0001", 0), p.Number("0002", 0)}
}

func (e *findEdges) Draw(f *Frame, img *raster.Image) error {
	before, release := f.Host.Surface(img.Rect)
	defer release()
	copy(before.Pix, img.Pix)
	w, h, invert := img.Rect.Dx(), img.Rect.Dy(), f.Choice(&e.invert) != 0
	row := func(y int) []uint8 { return before.Pix[max(0, min(h-1, y))*before.Stride:][:4*w] }
	for y := range h {
		above, here, below, out := row(y-1), row(y), row(y+1), img.Pix[y*img.Stride:][:4*w]
		for x := range w {
			l, m, r := 4*max(x-1, 0), 4*x, 4*min(x+1, w-1)
			a := int(out[m+3])
			for c := range 3 {
				across := int(above[r+c]) + 2*int(here[r+c]) + int(below[r+c]) - int(above[l+c]) - 2*int(here[l+c]) - int(below[l+c])
				down := int(below[l+c]) + 2*int(below[m+c]) + int(below[r+c]) - int(above[l+c]) - 2*int(above[m+c]) - int(above[r+c])
				v := min(a, int(math.Sqrt(float64(across*across+down*down))))
				if !invert {
					v = a - v
				}
				out[m+c] = uint8(v)
			}
		}
	}
	fade(img, before, f.Share(&e.keep))
	return nil
}
