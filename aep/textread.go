package aep

import (
	"fmt"
	"strings"

	"overcrank/aep/cos"
	"overcrank/aep/rifx"
)

// Keys of a character style. Those that are not needed here are left out.
const (
	styleFont           = 0
	styleSize           = 1
	styleFauxBold       = 2
	styleFauxItalic     = 3
	styleAutoLeading    = 4
	styleLeading        = 5
	styleHScale         = 6
	styleVScale         = 7
	styleTracking       = 8
	styleBaselineShift  = 9
	styleKerning        = 11
	styleCaps           = 12
	styleVertical       = 13
	styleLigature       = 18
	styleBaseline       = 35
	styleTsume          = 36
	styleNoBreak        = 52
	styleFill           = 53
	styleStroke         = 54
	styleApplyFill      = 56
	styleApplyStroke    = 57
	styleStrokeOverFill = 58
	styleStrokeJoin     = 62
	styleStrokeWidth    = 63
	styleDigits         = 70

	capsSmall        = 1
	capsAll          = 2
	verticalSuper    = 1
	verticalSub      = 2
	paragraphJustify = 0
	paragraphFirst   = 1
	paragraphStart   = 2
	paragraphEnd     = 3
	paragraphBefore  = 4
	paragraphAfter   = 5
	paragraphLeading = 7

	paragraphFromTop   = 8
	paragraphHyphenate = 9
	paragraphHanging   = 21
	paragraphEveryLine = 29
	paragraphDirection = 33

	kerningNone    = 0
	kerningOfFont  = 1
	kerningOptical = 2
)

// defaultAutoLeading is the height of a line as a multiple of its size, when the paragraph does not say.
const defaultAutoLeading = 1.2

// documents reads the text document of each keyframe.
func (r *reader) documents(_ *Property, list *rifx.Chunk, _ *layerScope) ([]Value, error) {
	root, err := cos.Parse(list.Data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	fonts := fontNames(root)
	var out []Value
	for _, doc := range cos.List(root, 1, 1) {
		d := decodeDocument(root, doc, fonts)
		if err := r.count(len(d.Runs) + len(d.Paragraphs)); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func fontNames(root cos.Dict) []string {
	var names []string
	for _, f := range cos.List(root, 0, 1, 0) {
		names = append(names, cos.Text(f, 0, 0, 0))
	}
	return names
}

func decodeDocument(root cos.Dict, doc cos.Value, fonts []string) *TextDocument {
	d := &TextDocument{Text: strings.TrimSuffix(cos.Text(doc, 0, 0), "\r")}
	for _, run := range cos.List(doc, 0, 5, 0) {
		style := overlay{cos.At(run, 0, 0, 5), cos.At(root, 0, 6, 0, cos.Int(run, 0, 0, 0, 6), 0, 5)}
		d.Paragraphs = append(d.Paragraphs, ParagraphRun{Length: max(0, cos.Int(run, 0, 1)), Style: decodeParagraph(style)})
		d.Options |= style.options(paragraphOptions[:])
	}
	for _, run := range cos.List(doc, 0, 6, 0) {
		style := overlay{cos.At(run, 0, 0, 6), cos.At(root, 0, 5, 0, cos.Int(run, 0, 0, 0, 5), 0, 6)}
		d.Runs = append(d.Runs, TextRun{Length: max(0, cos.Int(run, 0, 1)), Style: decodeCharacter(style, fonts)})
		if d.Options |= style.options(characterOptions[:]); style.int(styleKerning) == kerningOptical {
			d.Options |= OpticalKerning
		}
	}
	if len(cos.List(doc, 0, 8, 0)) > 0 {
		d.Options |= ManualKerning
	}
	d.frame(root, doc)
	return d
}

// frame reads the box of paragraph text: the document's view names a frame, whose path has four corners with their
// tangents. The frame of point text has no path. Beside the path its data have the frame's type, and the orientation of its lines, as those of
// Adobe's text engine do in other files.
func (d *TextDocument) frame(root cos.Dict, doc cos.Value) {
	frame := cos.At(root, 0, 8, 0, cos.Int(doc, 0, 1, 0, 0, 0), 0)
	if lines := LineOrientation(cos.Int(frame, 0, 2, 1)); lines == VerticalRightToLeft || lines == VerticalLeftToRight {
		d.Lines = lines
	}
	outline := cos.List(frame, 1, 0)
	if len(outline) < 4 {
		return
	}
	var lo, hi [2]float64
	for i, v := range outline {
		f, ok := v.(float64)
		if !ok {
			return
		}
		axis := i % 2
		if i < 2 {
			lo[axis], hi[axis] = f, f
		}
		lo[axis], hi[axis] = min(lo[axis], f), max(hi[axis], f)
	}
	d.Box = true
	d.BoxPos = lo
	d.BoxSize = [2]float64{hi[0] - lo[0], hi[1] - lo[1]}
}

// overlay is a style that takes missing values from the style it is based on.
type overlay struct{ own, base cos.Value }

func (o overlay) at(key int) cos.Value {
	if v := cos.At(o.own, key); v != nil {
		return v
	}
	return cos.At(o.base, key)
}

func (o overlay) float(key int, def float64) float64 {
	if f, ok := o.at(key).(float64); ok {
		return f
	}
	return def
}

// optionKey is where an option is stored: a switch, or a number that is another one than usual.
type optionKey struct {
	key    int
	usual  float64
	option TextOptions
}

// The options of characters and of paragraphs.
var (
	characterOptions = [...]optionKey{{styleBaseline, 1, RotatedBaseline}, {key: styleNoBreak, option: NoBreak}, {key: styleDigits, option: OtherDigits}}
	paragraphOptions = [...]optionKey{
		{key: paragraphFromTop, option: JapaneseLeading}, {key: paragraphHyphenate, option: Hyphenated}, {key: paragraphHanging, option: HangingRoman},
		{key: paragraphEveryLine, option: EveryLine}, {key: paragraphDirection, option: RightToLeft},
	}
)

// options are those of a list that the style has.
func (o overlay) options(list []optionKey) (on TextOptions) {
	for _, k := range list {
		if o.bool(k.key, false) || o.float(k.key, k.usual) != k.usual {
			on |= k.option
		}
	}
	return on
}

func (o overlay) int(key int) int { return cos.Int(o.at(key), 0) }

func (o overlay) bool(key int, def bool) bool {
	if b, ok := o.at(key).(bool); ok {
		return b
	}
	return def
}

// paint is a colour, stored as alpha, red, green, blue of 0–1.
func (o overlay) paint(key int) [4]float64 {
	c := cos.List(o.at(key), 0, 1)
	if len(c) < 4 {
		return [4]float64{0, 0, 0, 1}
	}
	return [4]float64{cos.Float(c, 0, 1), cos.Float(c, 0, 2), cos.Float(c, 0, 3), cos.Float(c, 1, 0)}
}

func decodeCharacter(o overlay, fonts []string) CharacterStyle {
	s := CharacterStyle{
		Size:           o.float(styleSize, 12),
		FauxBold:       o.bool(styleFauxBold, false),
		FauxItalic:     o.bool(styleFauxItalic, false),
		AutoLeading:    o.bool(styleAutoLeading, true),
		Leading:        o.float(styleLeading, 0),
		HScale:         100 * o.float(styleHScale, 1),
		VScale:         100 * o.float(styleVScale, 1),
		Tracking:       o.float(styleTracking, 0),
		BaselineShift:  o.float(styleBaselineShift, 0),
		SmallCaps:      o.int(styleCaps) == capsSmall,
		AllCaps:        o.int(styleCaps) == capsAll,
		Superscript:    o.int(styleVertical) == verticalSuper,
		Subscript:      o.int(styleVertical) == verticalSub,
		Tsume:          o.float(styleTsume, 0),
		Fill:           o.paint(styleFill),
		Stroke:         o.paint(styleStroke),
		ApplyFill:      o.bool(styleApplyFill, true),
		ApplyStroke:    o.bool(styleApplyStroke, false),
		StrokeOverFill: o.bool(styleStrokeOverFill, true),
		StrokeWidth:    o.float(styleStrokeWidth, 1),
		Unligated:      !o.bool(styleLigature, true),
		Unkerned:       o.float(styleKerning, kerningOfFont) == kerningNone,
	}
	if join := StrokeJoin(o.int(styleStrokeJoin)); join > MiterStroke && join <= BevelStroke {
		s.StrokeJoin = join
	}
	if i := o.int(styleFont); i >= 0 && i < len(fonts) {
		s.Font = fonts[i]
	}
	return s
}

func decodeParagraph(o overlay) ParagraphStyle {
	s := ParagraphStyle{
		Justification:     Justification(o.int(paragraphJustify)),
		FirstLineIndent:   o.float(paragraphFirst, 0),
		StartIndent:       o.float(paragraphStart, 0),
		EndIndent:         o.float(paragraphEnd, 0),
		SpaceBefore:       o.float(paragraphBefore, 0),
		SpaceAfter:        o.float(paragraphAfter, 0),
		AutoLeadingFactor: o.float(paragraphLeading, defaultAutoLeading),
	}
	if s.Justification < JustifyLeft || s.Justification > JustifyFullAll {
		s.Justification = JustifyLeft
	}
	return s
}
