package render

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
	"overcrank/engine/text"
	"overcrank/engine/text/animate"
)

var textKind = kind(func(w *worker, v view) (*drawing, error) {
	doc, _ := v.layer.Document.At(w.eval, v.t).(*aep.TextDocument)
	if doc == nil || doc.Text == "" {
		return nil, nil
	}
	laid := w.r.layouts.get(w, v, doc)
	if laid.err != nil {
		w.r.mar(fmt.Sprintf("%sthe text is left out: %v", w.r.about(v.comp.Item, v.layer.Layer), laid.err))
		return nil, nil
	}
	if g := v.layer.Glyphs; g != nil {
		d := &drawing{still: !g.Varies(), state: laid.serial}
		marks := laid.marks
		if g.Varies() {
			marks = g.Marks(w.eval, v.t, laid.layout, w.r.opt.Fonts)
		}
		m := v.m
		if v.characters != nil && !v.own {
			marks, m, d.still = v.characters.marks(marks), geom.Identity, false
		}
		d.box = boxOfMarks(marks, m)
		d.draw = func(dst *raster.Image, _ float64, _ raster.Blend) error {
			if blend := g.Blend(); blend != nil {
				w.isolated(dst, d.box, 1, raster.Normal, func(own *raster.Image) { w.blendMarks(own, marks, m, blend) })
				return nil
			}
			w.drawMarks(dst, marks, m)
			return nil
		}
		return d, nil
	}
	shapes := laid.layout.Shapes
	var box geom.Rect
	for i := range shapes {
		box = box.Union(shapes[i].Bounds().Transform(v.m))
	}
	return &drawing{
		box: box, still: true, state: laid.serial,
		deep: func(dst *deep.Image) error {
			for i := range shapes {
				w.deepPaint(dst, &shapes[i], v.m)
			}
			return nil
		},
		draw: func(dst *raster.Image, _ float64, _ raster.Blend) error {
			for i := range shapes {
				w.paint(dst, &shapes[i], v.m)
			}
			return nil
		},
	}, nil
})

var errNoFonts = errors.New("there are no fonts")

// layouts caches the last layout of each text layer, with a number that is unique to the layout.
type layouts struct {
	mu    sync.Mutex
	known map[*scene.Layer]laidOut
	count uint64
}

type laidOut struct {
	doc    *aep.TextDocument
	layout *text.Layout
	marks  []animate.Mark // of a text in single glyphs that do not vary
	serial uint64
	err    error
}

func (c *layouts) get(w *worker, v view, doc *aep.TextDocument) laidOut {
	fonts := w.r.opt.Fonts
	if fonts == nil {
		return laidOut{err: errNoFonts}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.known[v.layer]; ok && (e.doc == doc || reflect.DeepEqual(e.doc, doc)) {
		return e
	}
	if c.known == nil {
		c.known = make(map[*scene.Layer]laidOut)
	}
	c.count++
	e := laidOut{doc: doc, serial: c.count}
	lay := fonts.Layout
	if v.layer.Glyphs != nil {
		lay = fonts.Glyphs
	}
	e.layout, e.err = lay(doc)
	if e.err == nil && e.layout == nil {
		e.layout = &text.Layout{}
	}
	if g := v.layer.Glyphs; g != nil && e.err == nil && !g.Varies() {
		e.marks = g.Marks(w.eval, v.t, e.layout, fonts)
	}
	c.known[v.layer] = e
	return e
}
