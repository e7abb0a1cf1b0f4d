// Package raster draws on premultiplied RGBA: coverage of outlines, strokes, affine sampling, blend modes.
package raster

import (
	"image"
	"math"

	"overcrank/engine/geom"
)

// Image is premultiplied 8-bit RGBA, sRGB, as image.RGBA holds it.
type Image = image.RGBA

// StrokeStyle is how an outline is stroked. Width is in pixels of the outline's space.
type StrokeStyle struct {
	Width      float64
	Cap        int     // ButtCap, RoundCap or SquareCap; 0 means ButtCap
	Join       int     // MiterJoin, RoundJoin or BevelJoin; 0 means MiterJoin
	MiterLimit float64 // ratio of a corner's length to half the width; below 1 means 4
	Dashes     []float64
	DashOffset float64
	Profile    *Profile // nil for the same width everywhere; with one there are no dashes
}

// miterLimit is MiterLimit or its default.
func (s *StrokeStyle) miterLimit() float64 {
	if s.MiterLimit < 1 {
		return 4
	}
	return s.MiterLimit
}

// Shape is an outline to paint in one colour.
type Shape struct {
	Outline geom.Outline
	Color   [4]float64 // RGBA 0–1, not premultiplied
	EvenOdd bool
	Stroke  *StrokeStyle // nil: filled
}

// Bounds is a box around the painted shape.
func (s *Shape) Bounds() geom.Rect {
	b := s.Outline.Bounds()
	if s.Stroke == nil {
		return b
	}
	reach, width := s.Stroke.Width/2, s.Stroke.Width
	if s.Stroke.Profile != nil {
		reach, width = reach*s.Stroke.Profile.widest(), width*s.Stroke.Profile.widest()
	}
	if s.Stroke.Join != RoundJoin && s.Stroke.Join != BevelJoin {
		reach *= s.Stroke.miterLimit()
	}
	return b.Grow(math.Max(reach, width*math.Sqrt2/2))
}

// PixelRect is the smallest rectangle of whole pixels around r; empty when r is not finite.
func PixelRect(r geom.Rect) image.Rectangle {
	const far = 1 << 24
	clamp := func(v float64) int {
		if math.IsNaN(v) {
			return 0
		}
		return int(math.Max(-far, math.Min(far, v)))
	}
	return image.Rect(clamp(math.Floor(r.MinX)), clamp(math.Floor(r.MinY)), clamp(math.Ceil(r.MaxX)), clamp(math.Ceil(r.MaxY)))
}

// Color is a premultiplied colour.
type Color [4]uint8

// Premultiply makes a Color of RGBA 0–1.
func Premultiply(c [4]float64) Color {
	a := unit(c[3])
	var out Color
	for i := range 3 {
		out[i] = uint8(unit(c[i])*a*255 + 0.5)
	}
	out[3] = uint8(a*255 + 0.5)
	return out
}

func unit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return math.Min(v, 1)
}
