package aep

import (
	"reflect"
	"slices"
	"unicode/utf16"

	"overcrank/aep/cos"
	"overcrank/aep/rifx"
)

// Keys in the dictionaries of a text document.
const (
	cosParagraphRuns = "5"
	cosCharacterRuns = "6"
	cosRunLength     = "1"
)

// document changes a text: its content, the styles that differ, its keyframes. Everything else stays, including styles
// and fonts that nothing uses.
func (pr propertyRewriter) document(c *rifx.Chunk, was, now *Property) {
	values := valuesOf(now)
	fresh, err := pr.text(now, values)
	if err != nil {
		return
	}
	body := c.Find("btdk")
	head := c.Find("tdbs")
	if body == nil || head == nil {
		return
	}
	root, err := cos.Parse(body.Data)
	if err != nil {
		return
	}
	old := valuesOf(was)
	docs := cos.List(root, 1, 1)
	if len(docs) == 0 || len(docs) < len(old) {
		return
	}
	fonts := fontTable{names: fontNames(root)}
	known := len(fonts.names)
	out := make(cos.Array, len(values))
	for i, v := range values {
		from := min(i, len(old)-1)
		before, ok := old[from].(*TextDocument)
		if !ok {
			return
		}
		doc, isDict := clone(docs[from]).(cos.Dict)
		if !isDict {
			return
		}
		after := v.(*TextDocument)
		fonts.redraw(doc, before, after)
		if before.Box && after.Box && (before.BoxPos != after.BoxPos || before.BoxSize != after.BoxSize) {
			reframe(root, doc, after)
		}
		out[i] = doc
	}
	if !setAt(root, out, "1", "1") || len(fonts.names) > known && !addFonts(root, fonts.names[known:]) {
		return
	}
	data, err := cos.Append(nil, root)
	if err != nil {
		return
	}
	body.Data = data
	pr.value(head, fresh.Find("tdbs"), now)
}

// redraw writes the content and runs of a text over those of the document that it was read from.
func (t *fontTable) redraw(doc cos.Dict, was, now *TextDocument) {
	text, ok := doc["0"].(cos.Dict)
	if !ok {
		return
	}
	text["0"] = cos.String(now.Text + "\r")
	length := len(utf16.Encode([]rune(now.Text))) + 1

	runs := cos.List(text, 6, 0)
	characters := fitted(now.Runs, length, func(r *TextRun) *int { return &r.Length })
	out := make(cos.Array, len(characters))
	for i, r := range characters {
		var before cos.Dict
		if n := len(was.Runs); n > 0 {
			before = t.character(was.Runs[min(i, n-1)].Style)
		}
		out[i] = rerun(runs, i, cosCharacterRuns, before, t.character(r.Style), r.Length)
	}
	setAt(text, out, cosCharacterRuns, "0")

	runs = cos.List(text, 5, 0)
	paragraphs := fitted(now.Paragraphs, length, func(r *ParagraphRun) *int { return &r.Length })
	out = make(cos.Array, len(paragraphs))
	for i, r := range paragraphs {
		var before cos.Dict
		if n := len(was.Paragraphs); n > 0 {
			before = paragraph(was.Paragraphs[min(i, n-1)].Style)
		}
		out[i] = rerun(runs, i, cosParagraphRuns, before, paragraph(r.Style), r.Length)
	}
	setAt(text, out, cosParagraphRuns, "0")
}

// rerun is the i-th run of a text: the existing one, or the last one, with the parts of its style that differ.
func rerun(runs cos.Array, i int, kind string, was, now cos.Dict, length int) cos.Dict {
	run := cos.Dict{}
	if len(runs) > 0 {
		if old, ok := clone(runs[min(i, len(runs)-1)]).(cos.Dict); ok {
			run = old
		}
	}
	sheet := dictAt(dictAt(dictAt(run, "0"), "0"), kind)
	for key, v := range now {
		if was == nil || !reflect.DeepEqual(was[key], v) {
			sheet[key] = v
		}
	}
	run[cosRunLength] = length
	return run
}

// fitted makes the lengths of runs add up to the length of the text: the excess is cut off, and the last run takes the
// rest.
func fitted[R any](runs []R, length int, of func(*R) *int) []R {
	out := slices.Clone(runs)
	for i := range out {
		n := of(&out[i])
		if *n = min(*n, length); i == len(out)-1 {
			*n = length
		}
		length -= *n
	}
	return slices.DeleteFunc(out, func(r R) bool { return *of(&r) <= 0 })
}

// reframe moves the box that a document is set in.
func reframe(root, doc cos.Dict, now *TextDocument) {
	i := cos.Int(doc, 0, 1, 0, 0, 0)
	if holder, ok := cos.At(root, 0, 8, 0, i, 0).(cos.Dict); ok {
		holder["1"] = cos.At(frame(now), 0, 1)
	}
}

// addFonts adds fonts to the list of those that a text may use, each with the description of the first.
func addFonts(root cos.Dict, names []string) bool {
	list := cos.List(root, 0, 1, 0)
	for _, name := range names {
		entry := cos.Dict{}
		if len(list) > 0 {
			entry, _ = clone(list[0]).(cos.Dict)
		}
		if entry == nil {
			return false
		}
		dictAt(dictAt(entry, "0"), "0")["0"] = cos.String(name)
		list = append(list[:len(list):len(list)], entry)
	}
	return setAt(root, list, "0", "1", "0")
}

// dictAt is the dictionary at a key, created if missing.
func dictAt(d cos.Dict, key string) cos.Dict {
	if inner, ok := d[key].(cos.Dict); ok {
		return inner
	}
	inner := cos.Dict{}
	d[key] = inner
	return inner
}

// setAt sets the value at a path of dictionaries; false when the path does not exist.
func setAt(d cos.Dict, v cos.Value, path ...string) bool {
	for _, key := range path[:len(path)-1] {
		inner, ok := d[key].(cos.Dict)
		if !ok {
			return false
		}
		d = inner
	}
	d[path[len(path)-1]] = v
	return true
}

// clone is a deep copy of an object.
func clone(v cos.Value) cos.Value {
	switch v := v.(type) {
	case cos.Dict:
		out := make(cos.Dict, len(v))
		for key, inner := range v {
			out[key] = clone(inner)
		}
		return out
	case cos.Array:
		out := make(cos.Array, len(v))
		for i, inner := range v {
			out[i] = clone(inner)
		}
		return out
	}
	return v
}
