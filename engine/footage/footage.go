// Package footage reads stills and films as frames of pixels.
package footage

import (
	"context"

	"overcrank/engine/raster"
)

// Info is what a file holds.
type Info struct {
	Width, Height int     // pixels, 0 without pictures
	Duration      float64 // seconds, 0 for stills
	FrameRate     float64
	Still         bool
	Video, Audio  bool
}

// Probe looks into a file.
func Probe(ctx context.Context, path string) (Info, error) { panic("skeleton: helper B2") }

// Source gives the frames of one file. It is safe for concurrent use; frames it gave must not be written to.
type Source struct{ Info Info }

// Open prepares a file for reading.
func Open(ctx context.Context, path string) (*Source, error) { panic("skeleton: helper B2") }

// Frame is the picture at t seconds, clamped to the file; reading forwards is cheap.
func (s *Source) Frame(ctx context.Context, t float64) (*raster.Image, error) {
	panic("skeleton: helper B2")
}

// Close ends the processes behind the source.
func (s *Source) Close() error { panic("skeleton: helper B2") }
