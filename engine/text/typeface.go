package text

import (
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"

	"overcrank/engine/geom"
)

// typeface is a loaded font. It is safe for concurrent use; its faces are not.
type typeface struct {
	name            string
	look            look
	font            *font.Font
	variations      []font.Variation
	upem            float64
	ascent, descent float64 // in ems, both positive: how tall "d" and how deep "p" is
	metrics         Metrics
	glyphs          sync.Map
}

func newTypeface(e *entry, f *font.Font) *typeface {
	tf := &typeface{name: e.name(), look: e.look, font: f, variations: e.variations, upem: float64(f.Upem())}
	if tf.upem <= 0 {
		tf.upem = 1000
	}
	face := tf.face()
	tf.ascent, tf.descent = 0.75, 0.25
	if ext, ok := face.FontHExtents(); ok && ext.Ascender > 0 {
		tf.ascent, tf.descent = float64(ext.Ascender)/tf.upem, max(0, -float64(ext.Descender)/tf.upem)
	}
	tf.metrics = Metrics{Ascent: tf.ascent, Descent: tf.descent, XHeight: 0.5}
	if ext, ok := extents(face, 'x'); ok && ext.YBearing > 0 {
		tf.metrics.XHeight = float64(ext.YBearing) / tf.upem
	}
	if ext, ok := extents(face, 'd'); ok {
		tf.ascent = float64(ext.YBearing) / tf.upem
	}
	if ext, ok := extents(face, 'p'); ok {
		tf.descent = -float64(ext.YBearing+ext.Height) / tf.upem
	}
	return tf
}

// face makes a face for one goroutine.
func (tf *typeface) face() *font.Face {
	f := font.NewFace(tf.font)
	if len(tf.variations) > 0 {
		f.SetVariations(tf.variations)
	}
	return f
}

func extents(face *font.Face, r rune) (font.GlyphExtents, bool) {
	gid, ok := face.NominalGlyph(r)
	if !ok {
		return font.GlyphExtents{}, false
	}
	return face.GlyphExtents(gid)
}

func (tf *typeface) has(r rune) bool {
	_, ok := tf.font.NominalGlyph(r)
	return ok
}

// outline is a glyph in ems, y downwards. It must not be changed.
func (tf *typeface) outline(face *font.Face, gid font.GID) *geom.Outline {
	if o, ok := tf.glyphs.Load(gid); ok {
		return o.(*geom.Outline)
	}
	var o geom.Outline
	if data, ok := face.GlyphDataOutline(gid); ok {
		convert(&o, data.Segments, 1/tf.upem)
	}
	got, _ := tf.glyphs.LoadOrStore(gid, &o)
	return got.(*geom.Outline)
}

// convert converts a font's segments, whose contours close by themselves and may have quadratic curves, to an outline.
func convert(o *geom.Outline, segments []opentype.Segment, scale float64) {
	at := func(p opentype.SegmentPoint) geom.Point {
		return geom.Point{X: float64(p.X) * scale, Y: -float64(p.Y) * scale}
	}
	var pen geom.Point
	open := false
	for _, s := range segments {
		a := at(s.Args[0])
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			if open {
				o.Close()
			}
			open = true
			o.Move(a.X, a.Y)
			pen = a
		case opentype.SegmentOpLineTo:
			o.Line(a.X, a.Y)
			pen = a
		case opentype.SegmentOpQuadTo:
			end := at(s.Args[1])
			o.Cubic(pen.X+(a.X-pen.X)*2/3, pen.Y+(a.Y-pen.Y)*2/3, end.X+(a.X-end.X)*2/3, end.Y+(a.Y-end.Y)*2/3, end.X, end.Y)
			pen = end
		case opentype.SegmentOpCubeTo:
			b, end := at(s.Args[1]), at(s.Args[2])
			o.Cubic(a.X, a.Y, b.X, b.Y, end.X, end.Y)
			pen = end
		}
	}
	if open {
		o.Close()
	}
}

// Outline is what segments of a font draw, times scale, y downwards.
func Outline(segments []opentype.Segment, scale float64) (o geom.Outline) {
	convert(&o, segments, scale)
	return o
}

func loadCmap(ld *opentype.Loader) (font.Cmap, error) {
	raw, err := ld.RawTable(opentype.MustNewTag("cmap"))
	if err != nil {
		return nil, err
	}
	table, _, err := tables.ParseCmap(raw)
	if err != nil {
		return nil, err
	}
	cmap, _, err := font.ProcessCmap(table, tables.FPNone)
	return cmap, err
}
