package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of CC Vector Blur's popup "Type".
const (
	vectorNatural = 1 + iota
	vectorConstant
	vectorPerpendicular
	vectorDirectionCenter
	vectorDirectionFading
)

// vectorChannels are what of the map counts, by the values of the popup "Property".
var vectorChannels = []int{mapLightness, mapRed, mapGreen, mapBlue, mapAlpha, mapLuminance, mapLightness, mapHue, mapSaturation}

// vectorBlur is CC Vector Blur: each pixel is blurred along a line of its own. Its direction is that in which a map rises, or across that, or the map
// says it as a share of a turn.
type vectorBlur struct {
	kind, amount, offset, ridge, property, softness eval.Number
	by                                              Chosen
}

func newVectorBlur(p Params) Effect {
	p.Lack("the exact length and direction")
	e := &vectorBlur{
		kind: p.Number("0001", vectorNatural), amount: p.Number("0002", 10), offset: p.Number("0003", 0), ridge: p.Number("0004", 0),
		property: p.Number("0006", 0), softness: p.Number("0007", 0),
	}
	e.by, _ = p.Layer("0005")
	return e
}

// Timed implements Timed.
func (e *vectorBlur) Timed() bool { return e.by.ID != 0 }

// longest is how long a blur is at most, in pixels of the picture.
const longest = 1000

func (e *vectorBlur) length(f *Frame) float64 {
	return max(0, min(longest, math.Abs(f.Number(&e.amount))*f.Scale()))
}

// Reach implements Spreading.
func (e *vectorBlur) Reach(f *Frame) int { return int(math.Ceil(e.length(f))) }

func (e *vectorBlur) Draw(f *Frame, img *raster.Image) error {
	length := e.length(f)
	if !(length > 0) {
		return nil
	}
	field, err := e.field(f, img)
	if err != nil {
		return err
	}
	src, release := copied(f, img)
	defer release()
	line := vectorLine{reader: raster.NewReader(src), fading: f.Choice(&e.kind) == vectorDirectionFading}
	w := img.Rect.Dx()
	for y := range img.Rect.Dy() {
		for x := range w {
			way := field.at(x, y).Scale(length)
			at := geom.Point{X: float64(img.Rect.Min.X+x) + 0.5, Y: float64(img.Rect.Min.Y+y) + 0.5}
			c := line.mean(at, way)
			copy(img.Pix[y*img.Stride+4*x:][:4], c[:])
		}
	}
	return nil
}

// field is what the map says at each pixel of the picture.
func (e *vectorBlur) field(f *Frame, img *raster.Image) (*vectorField, error) {
	by := img
	if e.by.ID != 0 {
		other, release, err := f.other(e.by, false, img.Rect)
		if err != nil {
			return nil, err
		}
		defer release()
		by = other
	}
	channel := vectorChannels[0]
	if i := f.Choice(&e.property); i > 0 && i < len(vectorChannels) {
		channel = vectorChannels[i]
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	sin, cos := math.Sincos(math.Mod(f.Number(&e.offset), 360) * math.Pi / 180)
	out := &vectorField{
		values: make([]float32, w*h), w: w, h: h, kind: f.Choice(&e.kind), sin: sin, cos: cos,
		levels: 255 * f.Scale() / 2, ridge: max(0, f.Number(&e.ridge)) / 100,
	}
	for i := range out.values {
		at := by.PixOffset(by.Rect.Min.X+i%w, by.Rect.Min.Y+i/w)
		if c := raster.Color(by.Pix[at : at+4]); c[3] > 0 {
			out.values[i] = float32(mapped(c, channel))
		}
	}
	if soft := min(longest, f.Number(&e.softness)*BlurSigma*f.Scale()); soft > 0 {
		raster.BlurValues(out.values, w, soft)
	}
	return out, nil
}

// vectorField is a map from 0 to 1, and how vectors are made of it.
type vectorField struct {
	values   []float32
	w, h     int
	kind     int
	sin, cos float64 // of the turn of all vectors
	levels   float64 // what the difference between the neighbours of a pixel is multiplied by to be levels of a byte per pixel of the layer
	ridge    float64 // the slope, in levels per pixel, at which a blur has half of its length
}

// steep is the slope, in levels per pixel, at which a natural blur has half of its length.
const steep = 2

// at is the vector at a pixel, of a length up to 1.
func (v *vectorField) at(x, y int) geom.Point {
	if v.kind == vectorDirectionCenter || v.kind == vectorDirectionFading {
		sin, cos := math.Sincos(float64(v.values[y*v.w+x]) * 2 * math.Pi)
		return v.turned(geom.Point{X: sin, Y: -cos})
	}
	value := func(x, y int) float64 {
		return float64(v.values[max(0, min(y, v.h-1))*v.w+max(0, min(x, v.w-1))])
	}
	rise := geom.Point{X: value(x+1, y) - value(x-1, y), Y: value(x, y+1) - value(x, y-1)}.Scale(v.levels)
	slope := rise.Len()
	if !(slope > 1e-6) {
		return geom.Point{}
	}
	length := 1.0
	if v.kind != vectorConstant {
		length = slope / (slope + steep)
	}
	rise = rise.Scale(length / (slope + v.ridge))
	if v.kind == vectorPerpendicular {
		rise = geom.Point{X: -rise.Y, Y: rise.X}
	}
	return v.turned(rise)
}

func (v *vectorField) turned(p geom.Point) geom.Point {
	return geom.Point{X: p.X*v.cos - p.Y*v.sin, Y: p.X*v.sin + p.Y*v.cos}
}

// maxAlong is of how many places a blurred pixel is the mean at most.
const maxAlong = 64

// vectorLine reads a picture along lines.
type vectorLine struct {
	reader raster.Reader
	fading bool // from the pixel on, less and less
}

// mean is the picture along a vector: on both sides of a place, or from there on.
func (l *vectorLine) mean(at, way geom.Point) raster.Color {
	n := int(math.Ceil(min(way.Len(), maxAlong)))
	if n < 2 {
		return l.reader.At(at)
	}
	var sum [4]float64
	whole := 0.0
	for i := range n {
		share, weight := (float64(i)+0.5)/float64(n), 1.0
		if l.fading {
			weight = 1 - share
		} else {
			share -= 0.5
		}
		for k, v := range l.reader.At(at.Add(way.Scale(share))) {
			sum[k] += weight * float64(v)
		}
		whole += weight
	}
	var out raster.Color
	for k, v := range sum {
		out[k] = uint8(v/whole + 0.5)
	}
	return out
}
