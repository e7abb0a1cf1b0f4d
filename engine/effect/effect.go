// Package effect holds the effects that the embedded engine draws, one file each.
//
// To add one, add a file with its constructor, and a line in table.go. The constructor finds the parameters once; Draw evaluates
// and draws them for each frame. Pictures are premultiplied 8-bit RGBA.
//
// What many effects need stands in recolor.go (colours, pixel by pixel) and warp.go (pixels from elsewhere in the layer).
package effect

import (
	"errors"
	"image"
	"math"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Effect is an effect of one layer, its parameters found. Several goroutines draw it at once.
type Effect interface {
	// Draw changes img, the picture of the layer. After an error, which says in words why the effect cannot be drawn, img must be as it
	// was: the layer is shown without the effect.
	Draw(f *Frame, img *raster.Image) error
}

// Tone is an Effect that gives each pixel a colour which depends on its own only. In projects of more than 8 bits it is drawn by that.
type Tone interface {
	// Tone is what the effect makes of a colour at a moment: red, green, blue and alpha, not premultiplied, of which the first three may lie beyond 0
	// and 1. It is nil where nothing changes.
	Tone(f *Frame) func(c [4]float64) [4]float64
}

// Deep is an Effect that can be drawn in more than bytes.
type Deep interface {
	// DrawDeep is Draw in more than bytes.
	DrawDeep(f *Frame, img *deep.Image) error
}

// Spreading is an Effect that paints beyond the layer's pixels, or reads beyond those that it paints.
type Spreading interface {
	// Reach is how far, in pixels of the picture.
	Reach(f *Frame) int
}

// Moving is an Effect that shows pixels of the layer far from where they were, or paints where the layer has none.
type Moving interface {
	// Bounds is the part of the picture that the effect paints on a layer that so far paints box, both in pixels of the picture.
	Bounds(f *Frame, box geom.Rect) geom.Rect
}

// Timed is an Effect that may look different in each frame although its parameters and the layer stay the same: it depends on the time, on
// another layer, or on the layer at other times. Such layers are not kept between frames.
type Timed interface {
	Timed() bool
}

// Hearing is an Effect that shows the sound of another layer.
type Hearing interface {
	Hears() uint32 // the id of that layer, 0 for none
}

// Frame is what an effect is drawn for: a moment, and a picture.
type Frame struct {
	Time float64 // of the composition, in seconds
	Rate float64 // of the composition, in frames per second
	Eval *eval.Evaluator
	// Size is the width and height of the layer, in its pixels. Text and shapes have the size of their composition.
	Size geom.Point
	// Matrix maps pixels of the layer to those of the picture.
	Matrix geom.Matrix
	Host   Host
	// Ink makes of a colour of the project one of the picture; nil where they are the same.
	Ink func(c [4]float64) [4]float64
}

// Host is what an effect may ask of the renderer.
type Host interface {
	// Surface is a transparent picture; release gives it back.
	Surface(bounds image.Rectangle) (img *raster.Image, release func())
	// Paint draws an outline in pixels of the picture, mapped by m.
	Paint(dst *raster.Image, s *raster.Shape, m geom.Matrix)
	// Layer is another layer of the composition at the time of the frame, in its own pixels times scale. It is nil if there is no such layer, or
	// it shows nothing.
	Layer(other Chosen, scale float64) (img *raster.Image, release func(), err error)
	// Text is a line of text in a font of the machine, as outlines in pixels of the layer from the start of its baseline, and its width.
	// tracking is in thousandths of the size.
	Text(size, tracking float64, line string) (o geom.Outline, width float64, err error)
	// Sound is the sound of the source of another layer of the composition, from a time of the composition for some seconds: one channel, rate
	// samples per second, from -1 to 1. There are none if nothing is heard.
	Sound(id uint32, from, length float64) (samples []float32, rate float64, err error)
	// Original is the layer with its masks, but before its effects, for the same picture.
	Original(bounds image.Rectangle) (img *raster.Image, release func(), err error)
	// At is the layer as it comes to this effect at another time of the composition, in seconds, for the same picture.
	At(seconds float64, bounds image.Rectangle) (img *raster.Image, release func(), err error)
}

// ErrMany is the error of Host.At when effects have asked for too many pictures of other times in one frame.
var ErrMany = errors.New("effects that show other times show more than 2000 pictures in one frame")

// ErrDeep is the error of Host.At when effects that read other times read each other's layers too often.
var ErrDeep = errors.New("effects that show other times are nested more than two deep")

// Scale is the size, in pixels of the picture, of a pixel of the layer.
func (f *Frame) Scale() float64 { return f.Matrix.MeanScale() }

// layerRect is where the layer lies in a picture with the bounds given.
func (f *Frame) layerRect(bounds image.Rectangle) image.Rectangle {
	return raster.PixelRect(geom.Rect{MaxX: f.Size.X, MaxY: f.Size.Y}.Transform(f.Matrix)).Intersect(bounds)
}

// Number is the value of a parameter: a finite number, whatever the file or its expression says.
func (f *Frame) Number(n *eval.Number) float64 { return finite(n.At(f.Eval, f.Time)) }

// Choice is the value of a popup, from 1, or of a switch, 0 or 1; 0 for a number that is neither.
func (f *Frame) Choice(n *eval.Number) int { return whole(f.Number(n)) }

// whole is a small number without its fraction; 0 for one that is not small.
func whole(v float64) int {
	if !(math.Abs(v) < 1<<16) {
		return 0
	}
	return int(v)
}

// Share is a percentage as 0 to 1. Some effects store percentages as fractions, some as whole per cent.
func (f *Frame) Share(n *eval.Number) float64 {
	v := f.Number(n)
	if v > 1 {
		v /= 100
	}
	return unit(v)
}

// Point is the value of a point, in pixels of the layer.
func (f *Frame) Point(v *eval.Vector) geom.Point {
	n := v.At(f.Eval, f.Time)
	return geom.Point{X: finite(n[0]), Y: finite(n[1])}
}

// PointOr is the value of a point; where the file lacks it, at a fraction of the layer's size.
func (f *Frame) PointOr(v *eval.Vector, x, y float64) geom.Point {
	if !v.Has() {
		return geom.Point{X: x * f.Size.X, Y: y * f.Size.Y}
	}
	return f.Point(v)
}

// Color is the value of a colour, RGBA from 0 to 1.
func (f *Frame) Color(v *eval.Vector) [4]float64 {
	c := v.At(f.Eval, f.Time)
	if f.Ink != nil {
		return f.Ink(c)
	}
	return c
}

// Data are the values of a parameter of the effect's own kind at the keyframes around the frame, and how far it lies on the way from the first
// to the second; nil where the file has none.
func (f *Frame) Data(s *eval.Slot) (from, to aep.Opaque, share float64) {
	a, b, share := s.Around(f.Time)
	from, _ = a.(aep.Opaque)
	to, _ = b.(aep.Opaque)
	return from, to, share
}

// Params finds the parameters of an effect, by the numbers at the end of their match names.
type Params struct {
	ref   eval.Ref // its group
	notes *notes
}

// notes are which parameters an effect asked for, and what it does not draw.
type notes struct {
	asked map[string]bool // by their match names
	lacks []string
}

// Of are the parameters of the effect ref.Prop.
func Of(ref eval.Ref) Params { return Params{ref, &notes{asked: make(map[string]bool)}} }

func (p Params) at(number string) eval.Ref {
	match := p.ref.Prop.Match + "-" + number
	p.notes.asked[match] = true
	return eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: p.ref.Prop.Child(match)}
}

// Number is a parameter of one number; def where the file lacks it.
func (p Params) Number(number string, def float64) eval.Number {
	return eval.NumberOf(p.at(number), def)
}

// Point is a parameter that is a point, in pixels of the layer.
func (p Params) Point(number string) eval.Vector { return eval.VectorOf(p.at(number), [4]float64{}) }

// Color is a parameter that is a colour.
func (p Params) Color(number string, def [4]float64) eval.Vector {
	v := eval.VectorOf(p.at(number), def)
	return v
}

// Data is a parameter of the effect's own kind, such as its curves.
func (p Params) Data(number string) eval.Slot { return eval.SlotOf(p.at(number)) }

// Chosen is a layer that a parameter chooses, and what of it counts; the zero Chosen is none.
type Chosen struct {
	ID   uint32
	Part aep.LayerPart
}

// Layer tells whether a parameter chooses a layer, and which.
func (p Params) Layer(number string) (other Chosen, chosen bool) {
	prop := p.at(number).Prop
	if prop == nil {
		return Chosen{}, false
	}
	if prop.LayerRef != 0 {
		return Chosen{prop.LayerRef, prop.LayerPart}, true
	}
	return Chosen{}, prop.Float(0) != 0
}

// Clock is the time of the effect's layer.
func (p Params) Clock() Clock { return Clock{p.ref.Layer} }

// Clock tells the time of a layer.
type Clock struct{ layer *aep.Layer }

// At is the time of the layer, in seconds, at time t of its composition.
func (c Clock) At(t float64) float64 { return eval.LocalTime(c.layer, t) }

// Lack notes a part of the effect that is not drawn, such as "the feather".
//
// It is not inlined, nor are those that follow: they are called in a hundred places of a program that has to stay small.
//
//go:noinline
func (p Params) Lack(part string) { p.notes.lacks = append(p.notes.lacks, part) }

// LackIf notes a part that is not drawn where n may be one of the numbers that is tells, at any time.
//
//go:noinline
func (p Params) LackIf(n *eval.Number, is func(v float64) bool, part string) {
	if n.May(is) {
		p.Lack(part)
	}
}

// Unless notes a part that is not drawn where a parameter may have another value than the usual one, which is that of a file that lacks it.
//
//go:noinline
func (p Params) Unless(number string, usual float64, part string) {
	n := p.Number(number, usual)
	p.LackIf(&n, func(v float64) bool { return v != usual }, part)
}

// above tells whether a number is greater than that.
func above(that float64) func(v float64) bool { return func(v float64) bool { return v > that } }

// Lacks are the parts that are not drawn, and what was set of the effect that it never asked for.
func (p Params) Lacks() []string {
	out := p.notes.lacks
	for _, c := range p.ref.Prop.Children {
		if !p.notes.asked[c.Match] && c.Altered() {
			out = append(out, "the parameter '"+c.Name+"'")
		}
	}
	return out
}

// New makes an Effect of its parameters.
type New func(p Params) Effect

// IsControl tells whether an effect only holds values for expressions.
func IsControl(group *aep.Property) bool { return controls[group.Match] || isPseudo(group.Match) }

// channel is a premultiplied channel, rounded, of a pixel with alpha a; 0 for a value that is not a number.
func channel(v, a float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, a) + 0.5)
}

// unit is v within 0 to 1; 0 for a value that is not a number.
func unit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// finite is v, or 0 for what is not a number; numbers beyond any use are cut off, so that products of them are finite too.
func finite(v float64) float64 {
	const far = 1e9
	if math.IsNaN(v) {
		return 0
	}
	return max(-far, min(far, v))
}
