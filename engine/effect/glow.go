package effect

import (
	"strings"

	"overcrank/engine/deep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Glow's popups.
const (
	glowOfAlpha = 1 // Glow Based On

	glowOnTop  = 1 // Composite Original
	glowBehind = 2

	glowNone   = 1 // Glow Operation; the others by their labels
	glowNormal = 2

	glowTwoColors = 2 // Glow Colors
)

// glow is Glow: what is brighter than a threshold shines over its surroundings.
type glow struct {
	basis, threshold, radius, intensity, original, operation, colors, dimensions eval.Number
	a, b                                                                         eval.Vector
}

func newGlow(p Params) Effect {
	p.Lack("the exact strength")
	e := &glow{
		basis: p.Number("0001", 2), threshold: p.Number("0002", 153), radius: p.Number("0003", 10), intensity: p.Number("0004", 1),
		original: p.Number("0005", glowBehind), operation: p.Number("0006", 3), colors: p.Number("0007", 1), dimensions: p.Number("0014", 1),
		a: p.Color("0012", [4]float64{1, 1, 1, 1}), b: p.Color("0013", [4]float64{0, 0, 0, 1}),
	}
	if e.colors.May(above(glowTwoColors - 1)) {
		p.Unless("0009", 1, "the looping of the colours")
	}
	p.LackIf(&e.colors, above(glowTwoColors), "the arbitrary map")
	p.LackIf(&e.operation, func(v float64) bool { _, ok := raster.Mode(e.mode(whole(v))); return !ok }, "the glow operation")
	return e
}

// mode is the name of the blend mode of a value of the popup "Glow Operation", by its label in the file, which is English.
func (e *glow) mode(operation int) string {
	if prop := e.operation.Prop(); prop != nil && operation >= glowNormal && operation <= len(prop.Choices) {
		return strings.TrimSpace(prop.Choices[operation-1])
	}
	if operation == glowNormal {
		return "Normal"
	}
	return "Add"
}

func (e *glow) blurring(f *Frame) raster.Blurring {
	return raster.Gaussian(dimensions(f, &e.dimensions, f.Number(&e.radius)*BlurSigma*f.Scale()))
}

func (e *glow) Reach(f *Frame) int { return e.blurring(f).Reach() }

func (e *glow) Draw(f *Frame, img *raster.Image) error {
	light, release := f.Host.Surface(img.Rect)
	defer release()
	copy(light.Pix, img.Pix)
	e.bright(f, light)
	e.spread(f, light)
	under, over := img, light
	if f.Choice(&e.original) == glowOnTop {
		under, over = light, img
	}
	switch {
	case f.Choice(&e.operation) == glowNone || f.Choice(&e.original) > glowBehind:
		copy(img.Pix, light.Pix)
	default:
		blend, ok := raster.Mode(e.mode(f.Choice(&e.operation)))
		if !ok {
			blend = raster.Add
		}
		raster.Composite(under, over, 1, blend)
		copy(img.Pix, under.Pix)
	}
	return nil
}

// bright keeps of each channel what exceeds the threshold, stretched to the full range.
func (e *glow) bright(f *Frame, img *raster.Image) {
	threshold := unit(f.Number(&e.threshold) / 255)
	ofAlpha := f.Choice(&e.basis) == glowOfAlpha
	m := mappingOf(func(v float64) float64 { return (v - threshold) / max(1-threshold, 1.0/255) })
	each(img, func(px [4]uint8) [4]uint8 {
		if ofAlpha {
			c, a := straight(px), float64(m[px[3]])/255
			return raster.Premultiply([4]float64{c[0], c[1], c[2], a})
		}
		for i := range 3 {
			px[i] = m[px[i]]
		}
		px[3] = min(px[3], max(px[0], px[1], px[2]))
		return px
	})
}

// spread spreads the light and strengthens it.
func (e *glow) spread(f *Frame, light *raster.Image) {
	k := max(0, min(255, f.Number(&e.intensity)))
	if k >= 2 { // what bytes lose of light that spreads would be strengthened into bands that are seen; it takes four times as long
		fine := deep.New(light.Rect)
		deep.FromBytes(fine, light)
		deep.Blur(fine, e.blurring(f))
		for i := range fine.Pix {
			fine.Pix[i] *= float32(k)
		}
		deep.ToBytes(light, fine)
		k = 1
	} else {
		e.blurring(f).Image(light)
	}
	e.tint(f, light, k)
}

// tint multiplies the light, and gives it two colours instead of its own if so chosen.
func (e *glow) tint(f *Frame, light *raster.Image, k float64) {
	two, a, b := f.Choice(&e.colors) == glowTwoColors, rgb(f.Color(&e.a)), rgb(f.Color(&e.b))
	if k == 1 && !two {
		return
	}
	m := mappingOf(func(v float64) float64 { return v * k })
	each(light, func(px [4]uint8) [4]uint8 {
		for i := range px {
			px[i] = m[px[i]]
		}
		if two {
			share := float64(px[3]) / 255
			c := towards(b, a, share)
			return raster.Premultiply([4]float64{c[0], c[1], c[2], share})
		}
		return px
	})
}
