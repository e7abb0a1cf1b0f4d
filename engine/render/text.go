package render

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
	"overcrank/engine/text"
)

var textKind = kind(func(w *worker, v view) (*drawing, error) {
	doc, _ := v.layer.Document.At(w.eval, v.t).(*aep.TextDocument)
	if doc == nil || doc.Text == "" {
		return nil, nil
	}
	layout, serial, err := w.r.layouts.get(w.r.opt.Fonts, v.layer, doc)
	if err != nil {
		w.r.warned.say(fmt.Sprintf("%sthe text is left out: %v", w.r.about(v.comp.Item, v.layer.Layer), err))
		return nil, nil
	}
	var box geom.Rect
	for i := range layout.Shapes {
		box = box.Union(layout.Shapes[i].Bounds().Transform(v.m))
	}
	return &drawing{
		box: box, still: true, state: serial,
		draw: func(dst *raster.Image, _ float64, _ raster.Blend) error {
			for i := range layout.Shapes {
				w.paint(dst, &layout.Shapes[i], v.m)
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
	serial uint64
	err    error
}

func (c *layouts) get(fonts *text.Book, l *scene.Layer, doc *aep.TextDocument) (*text.Layout, uint64, error) {
	if fonts == nil {
		return nil, 0, errNoFonts
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.known[l]; ok && (e.doc == doc || reflect.DeepEqual(e.doc, doc)) {
		return e.layout, e.serial, e.err
	}
	if c.known == nil {
		c.known = make(map[*scene.Layer]laidOut)
	}
	c.count++
	e := laidOut{doc: doc, serial: c.count}
	e.layout, e.err = fonts.Layout(doc)
	if e.err == nil && e.layout == nil {
		e.layout = &text.Layout{}
	}
	c.known[l] = e
	return e.layout, e.serial, e.err
}
