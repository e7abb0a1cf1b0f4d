package dom

import (
	"slices"

	"github.com/dop251/goja"

	"overcrank/aep"
)

func (s *session) defineLayerCollection(c *class) {
	get(c, "length", func(r *itemRef) any { return len(r.item.Comp.Layers) })
	method(c, "byName", func(r *itemRef, a args) any {
		for _, l := range r.item.Comp.Layers {
			if s.project.DisplayName(l) == a.str(0) {
				return s.layer(r.item, l)
			}
		}
		return nil
	})
	method(c, "add", func(r *itemRef, a args) any { return s.addItemLayer(r, a) })
	method(c, "addText", func(r *itemRef, a args) any {
		doc, ok := optional[*aep.TextDocument](s, a.at(0))
		if !ok {
			doc = newDocument(a.str(0))
		}
		return s.addTextLayer(r, aep.CopyValue(doc).(*aep.TextDocument))
	})
	method(c, "addBoxText", func(r *itemRef, a args) any {
		doc := newDocument(a.str(1))
		if wh := s.floats(a.at(0), "addBoxText"); len(wh) == 2 {
			doc.Box, doc.BoxSize = true, [2]float64{wh[0], wh[1]}
			doc.BoxPos = [2]float64{-wh[0] / 2, -wh[1] / 2}
		}
		return s.addTextLayer(r, doc)
	})
	method(c, "addSolid", func(r *itemRef, a args) any {
		a.need(5)
		src := &aep.Item{Name: a.str(1), Kind: aep.ItemFootage, Footage: s.solid(a.at(0), a.at(2), a.at(3), a.at(4))}
		s.addItem(src)
		l := s.newLayer(r, aep.LayerAV, a.num(5, r.item.Comp.Duration))
		l.Source = src.ID
		return s.insertLayer(r, l)
	})
	method(c, "addNull", func(r *itemRef, a args) any {
		src := &aep.Item{Name: s.freeName("Null"), Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid,
			Width: 100, Height: 100, Still: true, HasVideo: true, PixelAspect: 1, Format: "Soli", Color: [3]float64{1, 1, 1}}}
		s.addItem(src)
		l := s.newLayer(r, aep.LayerAV, a.num(0, r.item.Comp.Duration))
		l.Source, l.Null = src.ID, true
		o := s.insertLayer(r, l)
		if p := l.Props.Find("ADBE Transform Group", "ADBE Anchor Point"); p != nil {
			p.Value = aep.Numbers{0, 0, 0}[:max(p.Dimensions, 2)]
		}
		return o
	})
	method(c, "addShape", func(r *itemRef, a args) any {
		l := s.newLayer(r, aep.LayerShape, r.item.Comp.Duration)
		l.Name = "Shape Layer " + itoa(len(r.item.Comp.Layers)+1)
		return s.insertLayer(r, l)
	})
	method(c, "addCamera", func(r *itemRef, a args) any {
		l := s.newLayer(r, aep.LayerCamera, r.item.Comp.Duration)
		l.Name, l.ThreeD, l.FacesCamera = a.str(0), true, true
		return s.insertLayer(r, l)
	})
	method(c, "addLight", func(r *itemRef, a args) any {
		l := s.newLayer(r, aep.LayerLight, r.item.Comp.Duration)
		l.Name, l.ThreeD = a.str(0), true
		return s.insertLayer(r, l)
	})
}

func (s *session) newLayer(r *itemRef, kind aep.LayerKind, duration float64) *aep.Layer {
	return &aep.Layer{ID: s.nextItemID(), Kind: kind, Stretch: 100, Out: duration, Blend: aep.BlendNormal,
		Enabled: true, AudioEnabled: true, EffectsEnabled: true, Quality: 2,
		Props: &aep.Property{Match: layerMatch(kind), Group: true, Enabled: true}}
}

// insertLayer inserts a new layer at the top, with all the properties of its kind.
func (s *session) insertLayer(r *itemRef, l *aep.Layer) *goja.Object {
	comp := r.item.Comp
	comp.Layers = slices.Insert(comp.Layers, 0, l)
	aep.CompleteLayer(s.project, comp, l)
	return s.layer(r.item, l)
}

func (s *session) addTextLayer(r *itemRef, doc *aep.TextDocument) any {
	l := s.newLayer(r, aep.LayerText, r.item.Comp.Duration)
	l.Props.Children = []*aep.Property{{Match: "ADBE Text Properties", Name: "Text", Group: true, Enabled: true, Children: []*aep.Property{
		{Match: "ADBE Text Document", Name: "Source Text", Enabled: true, Value: doc},
	}}}
	o := s.insertLayer(r, l)
	if l.Name == "" {
		l.Name = short(firstLine(doc.Text))
	}
	return o
}

func (s *session) addItemLayer(r *itemRef, a args) any {
	src, ok := optional[*itemRef](s, a.at(0))
	if !ok || src.root || src.item.Kind == aep.ItemFolder {
		s.throw(`After Effects error: Unable to call "add" because of parameter 1. It is not an item that can be a layer`)
	}
	if src.item.Comp != nil && s.contains(src.item, r.item) {
		s.throw(`After Effects error: Unable to call "add": a composition can't contain itself`)
	}
	d := duration(src.item)
	if d == 0 {
		d = r.item.Comp.Duration
	}
	l := s.newLayer(r, aep.LayerAV, a.num(1, d))
	l.Source = src.item.ID
	return s.insertLayer(r, l)
}

// contains tells whether outer shows inner, at any depth.
func (s *session) contains(outer, inner *aep.Item) bool {
	return s.shows(outer, func(it *aep.Item) bool { return it == inner }, map[*aep.Item]bool{})
}

func layerMatch(kind aep.LayerKind) string {
	switch kind {
	case aep.LayerText:
		return "ADBE Text Layer"
	case aep.LayerShape:
		return "ADBE Vector Layer"
	case aep.LayerCamera:
		return "ADBE Camera Layer"
	case aep.LayerLight:
		return "ADBE Light Layer"
	}
	return "ADBE AV Layer"
}
