package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// maxChokes limits the iterations of Matte Choker; its slider ends at 10.
const maxChokes = 10

// matteChoker is Matte Choker: two passes that soften the matte, move its edge and harden it. How far a choke moves the edge is not published;
// here full choke moves it as far as the softness reaches.
type matteChoker struct {
	passes [2]struct{ softness, choke, grey eval.Number }
	times  eval.Number
}

func newMatteChoker(p Params) Effect {
	p.Lack("the exact strength")
	e := &matteChoker{times: p.Number("0007", 1)}
	e.passes[0] = struct{ softness, choke, grey eval.Number }{p.Number("0001", 4), p.Number("0002", 75), p.Number("0003", 0.1)}
	e.passes[1] = struct{ softness, choke, grey eval.Number }{p.Number("0004", 0), p.Number("0005", 0), p.Number("0006", 1)}
	return e
}

func (e *matteChoker) blurring(f *Frame, pass int) raster.Blurring {
	r := f.Number(&e.passes[pass].softness) * f.Scale()
	return raster.Boxes(r, r, 1)
}

func (e *matteChoker) rounds(f *Frame) int { return max(1, min(maxChokes, whole(f.Number(&e.times)))) }

func (e *matteChoker) Reach(f *Frame) int {
	return (e.blurring(f, 0).Reach() + e.blurring(f, 1).Reach()) * e.rounds(f)
}

func (e *matteChoker) Draw(f *Frame, img *raster.Image) error {
	// What becomes visible where nothing was has the colour of what lies around.
	around, release := f.Host.Surface(img.Rect)
	defer release()
	copy(around.Pix, img.Pix)
	reach := float64(e.Reach(f))
	raster.Boxes(reach, reach, 1).Image(around)
	alpha := raster.AlphaOf(img, img.Rect)
	for range e.rounds(f) {
		for i := range e.passes {
			pass := &e.passes[i]
			choke, grey := max(-1, min(1, f.Number(&pass.choke)/127)), max(f.Share(&pass.grey), 1.0/255)
			b := e.blurring(f, i)
			if b.Reach() == 0 && choke == 0 {
				continue
			}
			b.Alpha(alpha)
			// The edge lies where the soft matte has this value, and rises over the grey softness around it.
			edge := (1 + choke) / 2
			m := mappingOf(func(v float64) float64 { return (v-edge)/grey + 0.5 })
			for j, v := range alpha.Pix {
				alpha.Pix[j] = m[v]
			}
		}
	}
	for i, now := range alpha.Pix {
		if px := [4]uint8(img.Pix[4*i:]); px[3] == 0 && now > 0 {
			c := straight([4]uint8(around.Pix[4*i:]))
			px = raster.Premultiply([4]float64{c[0], c[1], c[2], float64(now) / 255})
			copy(img.Pix[4*i:], px[:])
		}
	}
	setAlpha(img, alpha)
	return nil
}
