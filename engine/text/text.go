// Package text finds fonts and turns text documents into outlines.
//
// A Book has the fonts of a render. Its Layout sets a document like After Effects' composer, as far as another font
// allows: lines, leading, tracking, justification and boxes come from the document, shapes and advances from the font.
package text

import (
	"overcrank/engine/raster"
)

// Layout is a text document as shapes in pixels of its layer, in painting order, with the bounds of its shapes and of
// its lines. The origin is the anchor of point text, or the layer's origin for text in a box.
type Layout struct {
	Shapes                   []raster.Shape
	Glyphs                   []Glyph // instead of Shapes, line by line and from left to right, if they were asked for
	Counts                   Counts  // of the glyphs
	Left, Top, Width, Height float64 // of the shapes, as sourceRectAtTime returns them
	Lines                    []Line
}

// Line is one line of a Layout, in pixels of the layer. Text cut off by its box has no lines. X and Baseline of a vertical line are along it and across.
type Line struct {
	Text            string
	X, Baseline     float64 // where the line starts
	Width           float64 // advance, without the spaces at its end
	Ascent, Descent float64 // of its tallest characters, both positive
	Align           float64 // how much of the room that it leaves is before it, 0 to 1
}
