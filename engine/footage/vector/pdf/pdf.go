package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	typeset "overcrank/engine/text"
)

// Is tells whether the beginning of a file is that of a PDF file, as that of most Illustrator files is, or of PostScript, which Read refuses
// with words.
func Is(head []byte) bool {
	return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) || postscript(head)
}

func postscript(head []byte) bool {
	return bytes.HasPrefix(head, []byte("%!PS")) || bytes.HasPrefix(head, []byte{0xc5, 0xd0, 0xd3, 0xc6})
}

// Read reads the first page. Fonts set text in fonts that are not in the file; without fonts it is left out.
func Read(r io.Reader, fonts *typeset.Book) (*vector.Picture, error) {
	b, err := io.ReadAll(io.LimitReader(r, vector.MaxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > vector.MaxFile:
		return nil, fmt.Errorf("%w: more than %d MB", vector.ErrTooMuch, vector.MaxFile>>20)
	case postscript(b):
		return nil, errors.New("it is PostScript, which is not drawn; save it from Illustrator with 'Create PDF Compatible File'")
	}
	f, err := open(b)
	if err != nil {
		return nil, err
	}
	page, err := f.page()
	if err != nil {
		return nil, err
	}
	return f.picture(page, fonts)
}

// page is the first page, with what it has from those around it.
func (f *file) page() (dict, error) {
	node := f.dict(f.dict(f.trailer["Root"])["Pages"])
	inherited := dict{}
	for range maxNesting {
		if node == nil {
			break
		}
		for _, key := range []name{"Resources", "MediaBox", "CropBox", "Rotate"} {
			if v := node[key]; v != nil {
				inherited[key] = v
			}
		}
		kids := f.array(node["Kids"])
		if len(kids) == 0 {
			if kind := f.name(node["Type"]); kind != "" && kind != "Page" {
				break
			}
			out := dict{}
			for k, v := range node {
				out[k] = v
			}
			for k, v := range inherited {
				out[k] = v
			}
			return out, nil
		}
		node = f.first(kids)
	}
	return nil, errors.New("it has no page")
}

// first is the first of the nodes of a tree of pages that has a page.
func (f *file) first(kids array) dict {
	const most = 100
	for _, k := range kids[:min(len(kids), most)] {
		if d := f.dict(k); d != nil && (f.name(d["Type"]) != "Pages" || len(f.array(d["Kids"])) > 0) {
			return d
		}
	}
	return nil
}

// box reads a rectangle.
func (f *file) box(v any) (geom.Rect, bool) {
	n := f.numbers(v)
	if len(n) < 4 {
		return geom.Rect{}, false
	}
	r := geom.Rect{MinX: min(n[0], n[2]), MinY: min(n[1], n[3]), MaxX: max(n[0], n[2]), MaxY: max(n[1], n[3])}
	return r, !r.Empty()
}

// placed is the size of a page, a pixel for each point, and what maps its space to pixels.
func (f *file) placed(page dict) (w, h float64, m geom.Matrix) {
	box, ok := f.box(page["MediaBox"])
	if !ok {
		box = geom.Rect{MaxX: 612, MaxY: 792}
	}
	if crop, ok := f.box(page["CropBox"]); ok {
		crop = geom.Rect{MinX: max(crop.MinX, box.MinX), MinY: max(crop.MinY, box.MinY), MaxX: min(crop.MaxX, box.MaxX), MaxY: min(crop.MaxY, box.MaxY)}
		if !crop.Empty() {
			box = crop
		}
	}
	w, h = box.MaxX-box.MinX, box.MaxY-box.MinY
	m = geom.Matrix{A: 1, D: -1, E: -box.MinX, F: box.MaxY}
	for range ((int(f.number(page["Rotate"], 0))/90)%4 + 4) % 4 {
		m = geom.Matrix{B: 1, C: -1, E: h}.Mul(m)
		w, h = h, w
	}
	if unit := f.number(page["UserUnit"], 1); unit > 0 && unit < 1000 {
		w, h, m = w*unit, h*unit, geom.Scale(unit, unit).Mul(m)
	}
	return w, h, m
}

func (f *file) picture(page dict, fonts *typeset.Book) (*vector.Picture, error) {
	w, h, m := f.placed(page)
	var data []byte
	contents := f.array(page["Contents"])
	if s, ok := f.get(page["Contents"]).(*stream); ok {
		contents = array{s}
	}
	for _, v := range contents {
		s, ok := f.get(v).(*stream)
		if !ok {
			continue
		}
		part, err := f.decoded(s)
		if err != nil {
			return nil, err
		}
		data = append(append(data, part...), '\n')
	}
	root := vector.NewGroup(geom.Identity)
	out := &vector.Builder{}
	if len(f.array(page["Annots"])) > 0 {
		out.Lack("annotations")
	}
	c := content{file: f, out: out, base: m, state: start(m, root), shared: &shared{
		forms: map[*stream][]byte{}, tiles: map[tileKey]*vector.Group{}, pictures: map[*stream]*vector.Bitmap{}, hidden: f.hiddenLayers(),
		faces: map[ref]*face{}, words: newGlyphNames(), fonts: fonts,
	}}
	if err := c.run(data, f.dict(page["Resources"])); err != nil {
		return nil, err
	}
	pic, err := c.out.Picture(w, h, root)
	if err != nil {
		return nil, err
	}
	pic.Inks = f.inks
	return pic, nil
}

// hiddenLayers are the optional contents that are switched off.
func (f *file) hiddenLayers() map[ref]bool {
	out := map[ref]bool{}
	d := f.dict(f.dict(f.dict(f.trailer["Root"])["OCProperties"])["D"])
	for _, v := range f.array(d["OFF"]) {
		if r, ok := v.(ref); ok {
			out[r] = true
		}
	}
	return out
}
