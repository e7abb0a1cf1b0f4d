// Package style paints the styles of layers: shadows, glows, bevels, overlays and strokes.
//
// To add one, add a file with its constructor, and a line in table.go. The constructor finds the parameters once; Paint evaluates and paints
// them for each frame. Styles come after the transform, as Adobe says (After Effects CS4 help, "Render order and collapsing transformations"):
// their lengths are pixels of the composition, and their directions its axes.
package style

import (
	"image"
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// Style is a style of one layer, its parameters found. Several goroutines paint it at once.
type Style interface {
	// Reach is how far the style paints or reads around the layer, in pixels of the picture.
	Reach(f *Frame) int
	Paint(f *Frame, c *Canvas)
}

// Frame is what a style is painted for: a moment, and a picture.
type Frame struct {
	Time float64 // of the composition, in seconds
	Eval *eval.Evaluator
	// Scale is the size, in pixels of the picture, of a pixel of the composition.
	Scale float64
	// Whole is the box of the composition in the picture, Layer that of the layer.
	Whole, Layer geom.Rect
	// Pattern is the tile of a Pattern Overlay, in pixels of the composition; nil where there is none.
	Pattern *raster.Image
	// Surface is a transparent picture; release gives it back.
	Surface func(bounds image.Rectangle) (img *raster.Image, release func())
}

// Canvas is what styles paint on.
type Canvas struct {
	// Shape is the transparency of the layer, also beyond the pictures, as far as the styles read it.
	Shape *image.Alpha
	// Around is what is seen where the layer is not, Inside what is seen where it is: both begin as what lies below the layer. Where the layer
	// is seen in part, so is each of them.
	Around, Inside *raster.Image
}

// maxReach limits how far a style paints, in pixels.
const maxReach = 2000

// length is a length in pixels of the composition, as pixels of the picture.
func (f *Frame) length(n *eval.Number) float64 { return max(0, min(maxReach, f.number(n)*f.Scale)) }

// number is the value of a parameter: a finite number, whatever the file or its expression says.
func (f *Frame) number(n *eval.Number) float64 {
	return finite(n.At(f.Eval, f.Time))
}

func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	const huge = 1e6
	return max(-huge, min(huge, v))
}

// share is a percentage as 0 to 1.
func (f *Frame) share(n *eval.Number) float64 { return max(0, min(1, f.number(n)/100)) }

// choice is the value of a popup, from 1, or of a switch, 0 or 1.
func (f *Frame) choice(n *eval.Number) int { return int(f.number(n)) }

func (f *Frame) color(v *eval.Vector) [3]float64 {
	c := v.At(f.Eval, f.Time)
	return [3]float64{c[0], c[1], c[2]}
}

// Params finds the parameters of a style, by the ends of their match names.
type Params struct {
	ref     eval.Ref // its group
	options eval.Ref // the layer's blending options
	prefix  string   // such as "dropShadow/"
	lacks   *[]string
}

func (p Params) at(name string) eval.Ref {
	return eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: p.ref.Prop.Child(p.prefix + name)}
}

func (p Params) number(name string, def float64) eval.Number { return eval.NumberOf(p.at(name), def) }

func (p Params) color(name string, r, g, b float64) eval.Vector {
	return eval.VectorOf(p.at(name), [4]float64{r, g, b, 1})
}

// lack notes a part of the style that is not drawn, such as "the noise".
//
//go:noinline
func (p Params) lack(part string) { *p.lacks = append(*p.lacks, part) }

// light is the direction from which a style is lit, in degrees: its own, or that of all styles of the layer.
type light struct{ shared, angle, common eval.Number }

func (p Params) light(def float64) light {
	common := eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: p.options.Prop.Child("ADBE Global Angle2")}
	return light{p.number("useGlobalAngle", 0), p.number("localLightingAngle", def), eval.NumberOf(common, 120)}
}

func (l *light) at(f *Frame) float64 {
	if f.choice(&l.shared) != 0 {
		return f.number(&l.common)
	}
	return f.number(&l.angle)
}

// away is the way of a shadow of some length, in pixels of the picture.
func (l *light) away(f *Frame, length float64) geom.Point {
	sin, cos := math.Sincos(l.at(f) * math.Pi / 180)
	return geom.Point{X: -cos * length, Y: sin * length}
}

// ink is how a style lays its colour over what is there.
type ink struct{ mode, opacity, noise eval.Number }

func (p Params) ink(mode, opacity float64) ink {
	i := ink{p.number("mode2", mode), p.number("opacity", opacity), p.number("noise", 0)}
	if i.noise.Varies() || i.noise.First() > 0 {
		p.lack("After Effects' own pattern of the noise")
	}
	return i
}

// lay lays a colour over dst where a mask covers it.
func (i *ink) lay(f *Frame, dst *raster.Image, where *image.Alpha, color [3]float64) {
	var shades [256]raster.Color
	for k := range shades {
		shades[k] = raster.Premultiply([4]float64{color[0], color[1], color[2], float64(k) / 255})
	}
	noise := f.share(&i.noise)
	i.paint(f, dst, func(img *raster.Image) {
		covered(img, where, func(px []uint8, k uint8, x, y int) {
			if noise > 0 {
				k = speckled(k, noise, x, y)
			}
			copy(px, shades[k][:])
		})
	})
}

// covered passes on each pixel of img that a mask, which is no smaller, covers.
func covered(img *raster.Image, where *image.Alpha, each func(px []uint8, k uint8, x, y int)) {
	r := img.Rect.Intersect(where.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):]
		for i, k := range where.Pix[where.PixOffset(r.Min.X, y):][:r.Dx()] {
			if k != 0 {
				each(row[4*i:4*i+4], k, r.Min.X+i, y)
			}
		}
	}
}

// paint lays over dst what is painted on a transparent picture.
func (i *ink) paint(f *Frame, dst *raster.Image, on func(img *raster.Image)) {
	opacity := f.share(&i.opacity)
	if opacity == 0 {
		return
	}
	img, release := f.Surface(dst.Rect)
	defer release()
	on(img)
	raster.Composite(dst, img, opacity, blendOf(f.choice(&i.mode)))
}

// speckled turns a share of the coverage k of a pixel into specks, which cover as much in the mean.
func speckled(k uint8, noise float64, x, y int) uint8 {
	speck := 0.0
	if random.At(0, x, y, 0)*255 < float64(k) {
		speck = 255
	}
	return uint8(float64(k) + (speck-float64(k))*noise + 0.5)
}

// The values of the popup "Blend Mode" that styles begin with.
const (
	normal   = 1
	multiply = 5
	screen   = 11
)

// blendOf is the blend mode of an entry of the popup "Blend Mode". Its entries are those of layers, in the order of Photoshop, with lines between
// their groups.
func blendOf(entry int) raster.Blend {
	if entry > 0 && entry < len(entries) {
		if blend, ok := raster.Mode(entries[entry]); ok {
			return blend
		}
	}
	return raster.Normal
}

var entries = [...]string{
	"", "Normal", "Dissolve", "",
	"Darken", "Multiply", "Color Burn", "Linear Burn", "Darker Color", "",
	"Lighten", "Screen", "Color Dodge", "Linear Dodge", "Lighter Color", "",
	"Overlay", "Soft Light", "Hard Light", "Linear Light", "Vivid Light", "Pin Light", "Hard Mix", "",
	"Difference", "Exclusion", "",
	"Hue", "Saturation", "Color", "Luminosity", "",
	"Subtract", "Divide",
}

// gradient is a gradient of a style; nil when the file says nothing of its colours.
func gradient(f *Frame, s *eval.Slot) *raster.Gradient {
	stops, _ := s.At(f.Eval, f.Time).(*aep.Gradient)
	if stops == nil || len(stops.Colors) == 0 {
		return nil
	}
	out := &raster.Gradient{}
	for _, c := range stops.Colors {
		out.Colors = append(out.Colors, raster.ColorStop{Offset: c.Offset, Midpoint: c.Midpoint, RGB: c.RGB})
	}
	for _, a := range stops.Alphas {
		out.Alphas = append(out.Alphas, raster.AlphaStop{Offset: a.Offset, Midpoint: a.Midpoint, Alpha: a.Alpha})
	}
	return out
}
