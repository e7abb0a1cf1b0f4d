package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// bevel are the parameters of Bevel Alpha and Bevel Edges.
type bevel struct {
	thickness, angle, intensity eval.Number
	color                       eval.Vector
}

func bevelOf(p Params, thickness float64) bevel {
	p.Lack("the exact relief")
	return bevel{p.Number("0001", thickness), p.Number("0002", -60), p.Number("0004", 0.4), p.Color("0003", [4]float64{1, 1, 1, 1})}
}

// shine lays light (-1 to 1) on a premultiplied pixel: the colour of the light, or below 0 shadow.
func shine(px []uint8, color [3]float64, light float64) {
	a := float64(px[3])
	for i := range 3 {
		v := float64(px[i])
		if light > 0 {
			v += color[i] * light * a
		} else {
			v *= 1 + light
		}
		px[i] = channel(v, a)
	}
}

// bevelAlpha is Bevel Alpha: the edges of what is opaque are lit from a side.
type bevelAlpha struct{ bevel }

func newBevelAlpha(p Params) Effect { return &bevelAlpha{bevelOf(p, 2)} }

func (e *bevelAlpha) Draw(f *Frame, img *raster.Image) error {
	thickness := max(0, min(maxReach, f.Number(&e.thickness)*f.Scale()))
	if !(thickness > 0) {
		return nil
	}
	soft, release := f.Host.Surface(img.Rect)
	defer release()
	copy(soft.Pix, img.Pix)
	raster.Boxes(thickness/2, thickness/2, 1).Image(soft)
	d, color, intensity := towardsLight(f.Number(&e.angle), thickness/2), rgb(f.Color(&e.color)), unit(f.Number(&e.intensity))
	r := raster.NewReader(soft)
	eachPlace(img, func(px []uint8, at geom.Point) {
		if px[3] == 0 {
			return
		}
		near, far := r.At(geom.Point{X: at.X - d.X, Y: at.Y - d.Y})[3], r.At(geom.Point{X: at.X + d.X, Y: at.Y + d.Y})[3]
		if light := (float64(near) - float64(far)) / 255 * intensity; light != 0 {
			shine(px, color, light)
		}
	})
	return nil
}

// bevelEdges is Bevel Edges: the four sides of the layer are lit like those of a frame.
type bevelEdges struct{ bevel }

func newBevelEdges(p Params) Effect { return &bevelEdges{bevelOf(p, 0.1)} }

func (e *bevelEdges) Draw(f *Frame, img *raster.Image) error {
	back, ok := f.Matrix.Invert()
	if !ok {
		return nil
	}
	thickness := unit(f.Number(&e.thickness)) * math.Min(f.Size.X, f.Size.Y)
	light, color, intensity := towardsLight(f.Number(&e.angle), 1), rgb(f.Color(&e.color)), unit(f.Number(&e.intensity))
	sides := [4]float64{-light.X, light.X, -light.Y, light.Y} // left, right, top, bottom
	eachPlace(img, func(px []uint8, at geom.Point) {
		p := back.Apply(at)
		nearest, side := math.Inf(1), 0
		for i, d := range [4]float64{p.X, f.Size.X - p.X, p.Y, f.Size.Y - p.Y} {
			if d < nearest {
				nearest, side = d, i
			}
		}
		if nearest < thickness && px[3] != 0 {
			shine(px, color, sides[side]*intensity)
		}
	})
	return nil
}
