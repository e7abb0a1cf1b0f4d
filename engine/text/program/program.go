// Package program draws single glyphs of fonts that lie within other files, such as PDF, by their numbers: TrueType, OpenType, CFF without a container and
// Type 1. Such fonts are hostile, cut down to few glyphs, and often lack what sets text: the engine's own text is set by package text.
package program

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-text/typesetting/font/opentype"

	"overcrank/engine/geom"
	"overcrank/engine/text"
	"overcrank/engine/text/cff"
)

// Font is a font program. One goroutine at a time uses it.
type Font struct {
	Glyphs int
	// Names are glyphs by their names, Codes by the codes of the font's own encoding, CIDs by the numbers of characters in a font that is keyed by such.
	// Each is nil where the font has none.
	Names map[string]int
	Codes map[byte]int
	CIDs  map[int]int

	segments func(glyph int) ([]opentype.Segment, error)
	matrix   geom.Matrix // from the units of the font to ems
	maps     []charmap
}

// The bounds of a font.
const (
	MaxBytes  = 32 << 20
	maxPoints = 100_000 // of a glyph, and the operators that make it
)

// Errors of fonts.
var (
	errBroken  = cff.ErrBroken
	errComplex = errors.New("a glyph is too complex")
)

// Read reads a font program of any kind.
func Read(data []byte) (f *Font, err error) {
	defer guard(&err)
	switch {
	case len(data) > MaxBytes:
		return nil, fmt.Errorf("a font has more than %d MB", MaxBytes>>20)
	case bytes.HasPrefix(data, []byte{1, 0}) && len(data) > 4 && data[2] >= 4 && data[3] >= 1 && data[3] <= 4:
		return readCFF(data)
	case bytes.HasPrefix(data, []byte("%!")) || bytes.HasPrefix(data, []byte{0x80, 1}):
		return readType1(data)
	}
	return readSFNT(data)
}

// guard makes an error of a panic of the reader of a broken font.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", errBroken, r)
	}
}

// Outline is a glyph in ems, y downwards.
func (f *Font) Outline(glyph int) (o geom.Outline, err error) {
	defer guard(&err)
	if glyph < 0 || glyph >= f.Glyphs {
		return o, fmt.Errorf("the font has no glyph %d", glyph)
	}
	segments, err := f.segments(glyph)
	if err != nil {
		return o, err
	}
	flip := geom.Scale(1, -1)
	return text.Outline(segments, 1).Transform(flip.Mul(f.matrix).Mul(flip)), nil
}
