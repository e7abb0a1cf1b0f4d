// Package text finds fonts and turns text documents into outlines.
package text

import (
	"overcrank/aep"
	"overcrank/engine/raster"
)

// Book is the fonts of a render: the job's own folder first, then the machine's.
type Book struct{}

// OpenBook indexes the fonts of the folders, those of earlier folders first, and the machine's own.
func OpenBook(folders ...string) (*Book, error) { panic("skeleton: helper B2") }

// Substitutes lists, in words, which fonts were asked for and not found, and what stood in for each.
func (b *Book) Substitutes() []string { panic("skeleton: helper B2") }

// Layout is a text document as shapes in pixels of its layer, in painting order, with the bounds of its ink and of its
// lines. The origin is the anchor of point text, or the layer's origin for text in a box.
type Layout struct {
	Shapes                   []raster.Shape
	Left, Top, Width, Height float64 // ink, as sourceRectAtTime tells it
}

// Layout lays a document out.
func (b *Book) Layout(doc *aep.TextDocument) (*Layout, error) { panic("skeleton: helper B2") }
