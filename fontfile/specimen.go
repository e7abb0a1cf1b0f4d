package fontfile

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// Specimen is a line of text in a font's own face, as an SVG path whose baseline and margins fit its box.
type Specimen struct {
	Path          string // of the glyphs' outlines, to be filled
	Width, Height float64
}

const (
	specimenSize   = 40.0 // of the text, in units of the box
	specimenRise   = 1.05 // from the top of the box to the baseline, in sizes
	specimenHeight = 1.5  // of the box, in sizes
	specimenWidest = 13.0 // of the box, in sizes: what follows is left out
	specimenMargin = 0.1  // before the text and after it, in sizes
	// specimenReach is how far from its pen a glyph may draw, in sizes. A line of a damaged font may lead anywhere.
	specimenReach = 4.0
	maxSegments   = 40000 // of all glyphs together: ornate faces have some thousands
)

// specimenTexts are tried in this order: a font shows the first of which it has every character.
var specimenTexts = []string{"Hamburgefonts 123", "Обложка кадра 123", "Φωτογραφία 123", "永遠の空 123", "天地玄黄 123", "가나다라 123", "שלום עולם", "สวัสดี", "HAMBURGEFONTS", "0123456789"}

// maxOddGlyphs is how many glyphs a font shows that has none of the texts, such as one of symbols; among maxTried characters they are looked for.
const (
	maxOddGlyphs = 10
	maxTried     = 2000
)

// Draw draws a specimen of a face of a font file of size bytes, by its number within a collection, from 0. Time and memory are not bounded: call
// it in a process that can be killed. A file that cannot be drawn gives a *Refusal.
func Draw(r io.ReaderAt, size int64, number int) (s Specimen, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = Specimen{}, refuse("the font is damaged: %v", p)
		}
	}()
	loaders, err := opentype.NewLoaders(io.NewSectionReader(r, 0, size))
	if err != nil {
		return s, refuse("the font is damaged: %v", err)
	}
	if number < 0 || number >= len(loaders) {
		return s, refuse("the file has no font %d", number+1)
	}
	f, err := font.NewFont(loaders[number])
	if err != nil {
		return s, refuse("the font is damaged: %v", err)
	}
	return drawFace(font.NewFace(f))
}

func drawFace(face *font.Face) (Specimen, error) {
	upem := float64(face.Upem())
	if upem <= 0 {
		return Specimen{}, refuse("the font is damaged: it has no size")
	}
	d := drawing{scale: specimenSize / upem, pen: specimenMargin * specimenSize}
	for _, glyph := range specimenGlyphs(face) {
		advance := float64(face.HorizontalAdvance(glyph)) * d.scale
		if math.IsNaN(advance) || advance < 0 || d.pen+advance > specimenWidest*specimenSize {
			break
		}
		if outline, ok := face.GlyphDataOutline(glyph); ok {
			d.glyph(outline.Segments)
		}
		d.pen += advance
	}
	if d.path.Len() == 0 {
		return Specimen{}, refuse("the font has no outlines to draw")
	}
	return Specimen{Path: d.path.String(), Width: math.Ceil(d.pen + specimenMargin*specimenSize), Height: specimenHeight * specimenSize}, nil
}

// specimenGlyphs are the glyphs of the first text of which the face has every character, otherwise its first ones with outlines.
func specimenGlyphs(face *font.Face) []font.GID {
	for _, text := range specimenTexts {
		if glyphs, whole := glyphsOf(face, text); whole {
			return glyphs
		}
	}
	var odd []font.GID
	characters := face.Cmap.Iter()
	for tried := 0; characters.Next() && tried < maxTried && len(odd) < maxOddGlyphs; tried++ {
		_, glyph := characters.Char()
		if outline, ok := face.GlyphDataOutline(glyph); ok && len(outline.Segments) > 0 {
			odd = append(odd, glyph)
		}
	}
	return odd
}

func glyphsOf(face *font.Face, text string) (glyphs []font.GID, whole bool) {
	for _, r := range text {
		glyph, has := face.NominalGlyph(r)
		if !has {
			return nil, false
		}
		glyphs = append(glyphs, glyph)
	}
	return glyphs, true
}

// drawing writes outlines one after the other.
type drawing struct {
	path     strings.Builder
	pen      float64
	scale    float64
	segments int
}

var pathWords = map[opentype.SegmentOp]struct {
	word   byte
	points int
}{
	opentype.SegmentOpMoveTo: {'M', 1}, opentype.SegmentOpLineTo: {'L', 1}, opentype.SegmentOpQuadTo: {'Q', 2}, opentype.SegmentOpCubeTo: {'C', 3},
}

func (d *drawing) glyph(segments []opentype.Segment) {
	if d.segments += len(segments); d.segments > maxSegments {
		return
	}
	for i := range segments {
		word, known := pathWords[segments[i].Op]
		if !known {
			continue
		}
		d.path.WriteByte(word.word)
		for j, p := range segments[i].Args[:word.points] {
			if j > 0 {
				d.path.WriteByte(' ')
			}
			d.number(d.pen + within(float64(p.X)*d.scale))
			d.path.WriteByte(' ')
			d.number(specimenRise*specimenSize - within(float64(p.Y)*d.scale))
		}
	}
}

func (d *drawing) number(v float64) {
	d.path.WriteString(strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64))
}

// within keeps a distance from the pen in reach.
func within(v float64) float64 {
	const reach = specimenReach * specimenSize
	if math.IsNaN(v) {
		return 0
	}
	return max(-reach, min(reach, v))
}

// SVG is the specimen as a document of its own, in black.
func (s Specimen) SVG() []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g"><path d="%s"/></svg>`,
		s.Width, s.Height, s.Width, s.Height, s.Path)
}
