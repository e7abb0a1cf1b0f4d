// Package raster draws: coverage of outlines, strokes, affine sampling, blend modes, on premultiplied RGBA.
package raster

import (
	"image"

	"overcrank/engine/geom"
)

// Image is premultiplied 8-bit RGBA, sRGB, as image.RGBA holds it.
type Image = image.RGBA

// StrokeStyle says how an outline is stroked. Width is in pixels of the outline's space.
type StrokeStyle struct {
	Width      float64
	Cap        int // 1 butt, 2 round, 3 square
	Join       int // 1 miter, 2 round, 3 bevel
	MiterLimit float64
	Dashes     []float64
	DashOffset float64
}

// Shape is an outline to paint with one colour, already in its order.
type Shape struct {
	Outline geom.Outline
	Color   [4]float64 // RGBA 0–1, not premultiplied
	EvenOdd bool
	Stroke  *StrokeStyle // nil: filled
}
