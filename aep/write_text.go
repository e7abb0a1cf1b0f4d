package aep

import (
	"fmt"
	"strconv"

	"overcrank/aep/cos"
	"overcrank/aep/rifx"
)

// text writes a text property: its keyframes, and its documents with the fonts they use.
func (pw propertyWriter) text(p *Property, values []Value) (rifx.Chunk, error) {
	base := pw.base(p, 1, true)
	if len(p.Keys) > 0 {
		keys := make([][]byte, len(p.Keys))
		for i, k := range p.Keys {
			keys[i] = pw.bareKey(k)
		}
		base = append(base, list(keys))
	}
	var fonts fontTable
	docs, frames := make(cos.Array, len(values)), make(cos.Array, len(values))
	for i, v := range values {
		doc, ok := v.(*TextDocument)
		if !ok {
			return rifx.Chunk{}, fmt.Errorf("keyframe %d of a text holds no text", i+1)
		}
		docs[i] = fonts.document(doc, i)
		frames[i] = frame(doc)
	}
	body, err := cos.Append(nil, cos.Dict{
		"0": cos.Dict{"1": cos.Dict{"0": fonts.list()}, "8": cos.Dict{"0": frames}},
		"1": cos.Dict{"1": docs},
	})
	if err != nil {
		return rifx.Chunk{}, err
	}
	text := rifx.Chunk{ID: "btdk", List: true, Data: body}
	return rifx.List("btds", rifx.List("tdbs", append(base, expression(p)...)...), text), nil
}

// fontTable numbers the fonts of a text property.
type fontTable struct{ names []string }

func (t *fontTable) index(name string) int {
	for i, n := range t.names {
		if n == name {
			return i
		}
	}
	t.names = append(t.names, name)
	return len(t.names) - 1
}

func (t *fontTable) list() cos.Array {
	out := make(cos.Array, len(t.names))
	for i, n := range t.names {
		out[i] = cos.Dict{"0": cos.Dict{"0": cos.Dict{"0": cos.String(n)}}}
	}
	return out
}

// frame is the frame of a text: a path of four edges for text in a box; that of point text has no path. Its data say which way lines run.
func frame(d *TextDocument) cos.Dict {
	data := cos.Dict{}
	if d.Lines != HorizontalLines {
		data["1"] = int(d.Lines)
	}
	if !d.Box {
		return cos.Dict{"0": cos.Dict{"2": data}}
	}
	left, top := d.BoxPos[0], d.BoxPos[1]
	right, bottom := left+d.BoxSize[0], top+d.BoxSize[1]
	corners := [][2]float64{{left, top}, {right, top}, {right, bottom}, {left, bottom}}
	var outline cos.Array
	for i, from := range corners {
		to := corners[(i+1)%len(corners)]
		outline = append(outline, from[0], from[1], from[0], from[1], to[0], to[1], to[0], to[1])
	}
	return cos.Dict{"0": cos.Dict{"1": cos.Dict{"0": outline}, "2": data}}
}

// document is the COS of one text, which is set in the frame of that number.
func (t *fontTable) document(d *TextDocument, frame int) cos.Dict {
	var characters, paragraphs cos.Array
	for _, r := range d.Runs {
		style := cos.Dict{"0": cos.Dict{"0": cos.Dict{"6": t.character(r.Style)}}, "1": r.Length}
		characters = append(characters, style)
	}
	for _, r := range d.Paragraphs {
		style := cos.Dict{"0": cos.Dict{"0": cos.Dict{"5": paragraph(r.Style)}}, "1": r.Length}
		paragraphs = append(paragraphs, style)
	}
	text := cos.Dict{
		"0": cos.String(d.Text + "\r"), // the last paragraph ends too
		"5": cos.Dict{"0": paragraphs},
		"6": cos.Dict{"0": characters},
	}
	return cos.Dict{"0": text, "1": cos.Dict{"0": cos.Array{cos.Dict{"0": frame}}}}
}

// character is the style of a run of characters.
func (t *fontTable) character(s CharacterStyle) cos.Dict {
	caps := 0
	switch {
	case s.AllCaps:
		caps = capsAll
	case s.SmallCaps:
		caps = capsSmall
	}
	script := 0
	switch {
	case s.Superscript:
		script = verticalSuper
	case s.Subscript:
		script = verticalSub
	}
	kerning := kerningOfFont
	if s.Unkerned {
		kerning = kerningNone
	}
	return styleDict(map[int]cos.Value{
		styleKerning: kerning, styleLigature: !s.Unligated, styleStrokeJoin: int(s.StrokeJoin),
		styleFont: t.index(s.Font), styleSize: s.Size, styleFauxBold: s.FauxBold, styleFauxItalic: s.FauxItalic,
		styleAutoLeading: s.AutoLeading, styleLeading: s.Leading, styleHScale: s.HScale / 100, styleVScale: s.VScale / 100,
		styleTracking: s.Tracking, styleBaselineShift: s.BaselineShift, styleCaps: caps, styleVertical: script,
		styleTsume: s.Tsume, styleFill: paint(s.Fill), styleStroke: paint(s.Stroke), styleApplyFill: s.ApplyFill,
		styleApplyStroke: s.ApplyStroke, styleStrokeOverFill: s.StrokeOverFill, styleStrokeWidth: s.StrokeWidth,
	})
}

// styleDict is a style with numbers as keys.
func styleDict(m map[int]cos.Value) cos.Dict {
	d := make(cos.Dict, len(m))
	for k, v := range m {
		d[strconv.Itoa(k)] = v
	}
	return d
}

// paint is a colour in the order in which text stores it: alpha first.
func paint(c [4]float64) cos.Dict {
	return cos.Dict{"0": cos.Dict{"0": 1, "1": cos.Array{c[3], c[0], c[1], c[2]}}}
}

// paragraph is the style of a run of paragraphs.
func paragraph(s ParagraphStyle) cos.Dict {
	return styleDict(map[int]cos.Value{
		paragraphJustify: int(s.Justification), paragraphFirst: s.FirstLineIndent, paragraphStart: s.StartIndent,
		paragraphEnd: s.EndIndent, paragraphBefore: s.SpaceBefore, paragraphAfter: s.SpaceAfter, paragraphLeading: s.AutoLeadingFactor,
	})
}
