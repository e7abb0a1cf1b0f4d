// Package render draws frames of a composition.
package render

import (
	"context"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// Options say how to draw.
type Options struct {
	Scale float64 // 1 full size, 0.5 half
	Draft bool    // nearest sampling, no antialiasing of footage
	Fonts *text.Book
	// Footage opens the file of a footage item; the renderer closes what it opened.
	Footage func(ctx context.Context, it *aep.Item) (*footage.Source, error)
	// Expressions makes the expression machine of one worker; nil ignores expressions.
	Expressions func(e *eval.Evaluator) eval.Expressions
	// Warn hears once of each thing that can't be drawn.
	Warn    func(message string)
	Workers int // 0 means one per processor
}

// Renderer draws one composition of a project that no longer changes.
type Renderer struct{}

// New prepares the composition comp. p must be complete (aep.Complete).
func New(p *aep.Project, comp *aep.Item, opt Options) (*Renderer, error) {
	panic("skeleton: helper B1")
}

// Size is the size of the frames in pixels.
func (r *Renderer) Size() (w, h int) { panic("skeleton: helper B1") }

// Frames draws frames first..last in steps (0-based), several at a time, and hands them to emit in order. The image
// is emit's until it returns.
func (r *Renderer) Frames(ctx context.Context, first, last, step int, emit func(n int, img *raster.Image) error) error {
	panic("skeleton: helper B1")
}

// Audio lists the sounds of the composition, precomps included.
func (r *Renderer) Audio() []audio.Clip { panic("skeleton: helper B1") }

// Close ends the footage it opened.
func (r *Renderer) Close() error { panic("skeleton: helper B1") }
