package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Fractal Noise's popup "Fractal Type" that are drawn. The others are drawn as the first.
const (
	fractalBasic = iota + 1
	fractalTurbulentSmooth
	fractalTurbulentBasic
	fractalTurbulentSharp
	fractalMax = 8
)

// The values of Fractal Noise's popup "Overflow" but the others, which cut off.
const (
	overflowSoft = 2
	overflowWrap = 3
)

// fractalNoise is Fractal Noise and Turbulent Noise: greys of noise at several scales. It is noise of the same kind and look, but not the
// same noise: After Effects' own is not public.
type fractalNoise struct {
	fractal, kind, invert, contrast, brightness, overflow, rotation, uniform, scale, width, height, complexity eval.Number
	influence, subScale, subRotation, centered, evolution, cycled, cycle, seed, opacity                        eval.Number
	offset, subOffset                                                                                          eval.Vector
	blend                                                                                                      blending
}

// newFractalNoise has the parameters of Fractal Noise.
func newFractalNoise(p Params) Effect {
	e := newNoiseOf(p)
	e.subRotation, e.subOffset, e.centered = p.Number("0019", 0), p.Point("0020"), p.Number("0021", 0)
	e.evolution, e.cycled, e.cycle, e.seed = p.Number("0023", 0), p.Number("0025", 0), p.Number("0026", 1), p.Number("0027", 0)
	e.opacity, e.blend = p.Number("0029", 100), blendingOf(p, "0030", 2, 2)
	return e
}

// newTurbulentNoise has those of Turbulent Noise.
func newTurbulentNoise(p Params) Effect {
	e := newNoiseOf(p)
	none := func(def float64) eval.Number { return eval.NumberOf(eval.Ref{}, def) }
	e.subRotation, e.centered, e.cycled, e.cycle = none(0), none(0), none(0), none(1)
	e.evolution, e.seed, e.opacity, e.blend = p.Number("0020", 0), p.Number("0023", 0), p.Number("0025", 100), blendingOf(p, "0026", 2, 2)
	return e
}

// newNoiseOf has the parameters that both have under the same numbers.
func newNoiseOf(p Params) *fractalNoise {
	p.Lack("the exact noise")
	e := &fractalNoise{
		fractal: p.Number("0001", fractalBasic), kind: p.Number("0002", float64(noiseSoftLinear)), invert: p.Number("0003", 0),
		contrast: p.Number("0004", 100), brightness: p.Number("0005", 0), overflow: p.Number("0006", 4), rotation: p.Number("0008", 0),
		uniform: p.Number("0009", 1), scale: p.Number("0010", 100), width: p.Number("0011", 100), height: p.Number("0012", 100),
		offset: p.Point("0013"), complexity: p.Number("0015", 6), influence: p.Number("0017", 70), subScale: p.Number("0018", 56),
	}
	p.LackIf(&e.fractal, func(v float64) bool { return whole(v) > fractalTurbulentSharp && whole(v) != fractalMax }, "the fractal type")
	return e
}

// Limits of a noise.
const (
	maxComplexity = 20
	noiseCell     = 100 // pixels of the layer between two places of the lattice, at a scale of 100
)

// octave is one scale of a noise.
type octave struct {
	*field
	to     geom.Matrix // from pixels of the layer to places of the lattice
	weight float64
}

// octaves are the scales of the noise that are visible in img.
func (e *fractalNoise) octaves(f *Frame, img *raster.Image) []octave {
	back, ok := f.Matrix.Invert()
	if !ok {
		return nil
	}
	box := boxOf(img).Transform(back)
	width, height := f.Number(&e.width), f.Number(&e.height)
	if f.Choice(&e.uniform) != 0 {
		width = f.Number(&e.scale)
		height = width
	}
	offset := f.PointOr(&e.offset, 0.5, 0.5)
	unturned := geom.Rotate(-f.Number(&e.rotation))
	to := geom.Scale(1/(noiseCell*max(0.1, width)/100), 1/(noiseCell*max(0.1, height)/100)).Mul(unturned).Mul(geom.Translate(-offset.X, -offset.Y))
	z, period := evolution(f.Number(&e.evolution), f.Choice(&e.cycled) != 0, f.Number(&e.cycle))
	finer := 100 / max(10, f.Number(&e.subScale))
	influence, complexity := max(0, f.Number(&e.influence)/100), max(1, min(maxComplexity, f.Number(&e.complexity)))
	subOffset, seed, centered := f.Point(&e.subOffset), f.Choice(&e.seed), f.Choice(&e.centered) != 0
	next := geom.Scale(finer, finer).Mul(geom.Rotate(-f.Number(&e.subRotation))).Mul(geom.Translate(-subOffset.X/noiseCell, -subOffset.Y/noiseCell))
	var out []octave
	for i, weight := 0, 1.0; float64(i) < complexity && weight > 1e-3; i++ {
		part := min(1, complexity-float64(i)) // of the last
		out = append(out, octave{newField(noiseType(f.Choice(&e.kind)), seed*1000+i, z, period, box.Transform(to)), to, weight * part})
		weight *= influence
		to = next.Mul(to)
		if !centered {
			to = geom.Translate(31.7, 17.3).Mul(to)
		}
	}
	return out
}

// fold is what a fractal type makes of the noise of each octave.
func fold(fractal int, row []float32) {
	for i, v := range row {
		switch fractal {
		case fractalTurbulentSmooth:
			row[i] = v * v
		case fractalTurbulentBasic, fractalMax:
			row[i] = max(v, -v)
		case fractalTurbulentSharp:
			row[i] = float32(math.Sqrt(float64(max(v, -v))))
		}
	}
}

func (e *fractalNoise) Draw(f *Frame, img *raster.Image) error {
	octaves, fractal := e.octaves(f, img), f.Choice(&e.fractal)
	var square, all float64
	for i := range octaves {
		square += octaves[i].weight * octaves[i].weight
		all += octaves[i].weight
	}
	tone := e.tone(f)
	middle, spread := 0.5, 0.5/math.Sqrt(max(square, 1e-9))
	switch fractal {
	case fractalTurbulentSmooth, fractalTurbulentBasic, fractalTurbulentSharp:
		middle, spread = 0, 1.5/max(all, 1e-9)
	case fractalMax:
		middle, spread = 0, 1
	}
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	back, _ := f.Matrix.Invert()
	sums, row := make([]float32, img.Rect.Dx()), make([]float32, img.Rect.Dx())
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		clear(sums)
		at := back.Apply(geom.Point{X: float64(img.Rect.Min.X) + 0.5, Y: float64(y) + 0.5})
		for i := range octaves {
			o := &octaves[i]
			from := o.to.Apply(at)
			o.row(row, from.X, from.Y, o.to.A*back.A+o.to.C*back.B, o.to.B*back.A+o.to.D*back.B)
			fold(fractal, row)
			gather(sums, row, float32(o.weight), fractal == fractalMax)
		}
		to := painted.Pix[painted.PixOffset(img.Rect.Min.X, y):][:4*len(sums)]
		for i, sum := range sums {
			v := tone[int(unit((middle+spread*float64(sum)+1)/3)*float64(len(tone)-1)+0.5)]
			to[4*i], to[4*i+1], to[4*i+2], to[4*i+3] = v, v, v, 255
		}
	}
	e.blend.layInside(f, img, painted, completion(f, &e.opacity))
	return nil
}

// gather adds row, weighed, to sums, or keeps the greater.
func gather(sums, row []float32, weight float32, greatest bool) {
	for i, v := range row {
		if greatest {
			sums[i] = max(sums[i], v*weight)
		} else {
			sums[i] += v * weight
		}
	}
}

// tone are the greys of noise from -1 to 2.
func (e *fractalNoise) tone(f *Frame) *[1024]uint8 {
	contrast, brightness := f.Number(&e.contrast)/100, f.Number(&e.brightness)/100
	overflow, invert := f.Choice(&e.overflow), f.Choice(&e.invert) != 0
	var t [1024]uint8
	for i := range t {
		v := ((float64(i)/float64(len(t)-1)*3-1)-0.5)*contrast + 0.5 + brightness
		switch overflow {
		case overflowSoft:
			v = 0.5 + math.Atan((v-0.5)*math.Pi)/math.Pi
		case overflowWrap:
			v = math.Abs(math.Remainder(v, 2))
		}
		if invert {
			v = 1 - v
		}
		t[i] = uint8(unit(v)*255 + 0.5)
	}
	return &t
}
