package dom

import (
	"slices"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// layerRef represents a layer of a composition. A layer is also a property group: root is the top of its properties.
type layerRef struct {
	comp    *aep.Item
	l       *aep.Layer
	top     *propRef
	removed bool
}

func (r *layerRef) root() *propRef {
	if r.top == nil {
		r.top = &propRef{layer: r, p: r.l.Props}
	}
	return r.top
}

// index counts from 1 at the top; 0 for a removed layer.
func (r *layerRef) index() int { return slices.Index(r.comp.Comp.Layers, r.l) + 1 }

func (s *session) ref(comp *aep.Item, l *aep.Layer) *layerRef {
	r, ok := s.refs[l]
	if !ok {
		if l.Props == nil {
			l.Props = &aep.Property{Match: layerMatch(l.Kind), Group: true, Enabled: true}
			aep.CompleteLayer(s.project, comp.Comp, l)
		}
		r = &layerRef{comp: comp, l: l}
		s.refs[l] = r
	}
	return r
}

func (s *session) layer(comp *aep.Item, l *aep.Layer) *goja.Object {
	if o, ok := s.layers[l]; ok {
		return o
	}
	c := s.classes.avLayer
	switch l.Kind {
	case aep.LayerText:
		c = s.classes.textLayer
	case aep.LayerShape:
		c = s.classes.shapeLayer
	case aep.LayerCamera:
		c = s.classes.camera
	case aep.LayerLight:
		c = s.classes.light
	}
	r := s.ref(comp, l)
	o := c.callable(r, func(call goja.FunctionCall) goja.Value { return s.value(s.lookUp(r.root(), call.Argument(0))) })
	s.layers[l] = o
	return o
}

func (s *session) defineLayers() {
	c := &s.classes
	c.layer = s.class("Layer", c.propertyGroup, nil)
	c.avLayer = s.class("AVLayer", c.layer, nil)
	c.textLayer = s.class("TextLayer", c.avLayer, nil)
	c.shapeLayer = s.class("ShapeLayer", c.avLayer, nil)
	c.camera = s.class("CameraLayer", c.layer, nil)
	c.light = s.class("LightLayer", c.layer, nil)
	s.defineLayerNames(c.layer)
	s.defineLayerTimes(c.layer)
	s.defineLayerSwitches(c.layer)
	s.defineLayerOrder(c.layer)
	s.defineAVLayer(c.avLayer)
	s.defineMatte(c.avLayer)
	attr(c.light, "lightType", func(r *layerRef) any { return firstLight + r.l.LightKind }, func(r *layerRef, v goja.Value) {
		r.l.LightKind = s.enumerated(v, "lightType", firstLight, 5)
	})
}

func (s *session) defineLayerNames(c *class) {
	attr(c, "name", func(r *layerRef) any { return s.project.DisplayName(r.l) }, func(r *layerRef, v goja.Value) { r.l.Name = v.String() })
	get(c, "isNameSet", func(r *layerRef) any { return r.l.Name != "" })
	get(c, "index", func(r *layerRef) any { return r.index() })
	get(c, "propertyIndex", func(r *layerRef) any { return r.index() })
	get(c, "id", func(r *layerRef) any { return r.l.ID })
	get(c, "matchName", func(r *layerRef) any { return layerMatch(r.l.Kind) })
	get(c, "containingComp", func(r *layerRef) any { return s.item(r.comp) })
	attr(c, "comment", func(r *layerRef) any { return r.l.Comment }, func(r *layerRef, v goja.Value) { r.l.Comment = v.String() })
	attr(c, "label", func(r *layerRef) any { return r.l.Label }, func(r *layerRef, v goja.Value) { r.l.Label = int(s.between(v, "label", 0, 16)) })
	attr(c, "parent", func(r *layerRef) any {
		if p := s.sibling(r, r.l.Parent); p != nil {
			return s.layer(r.comp, p)
		}
		return nil
	}, s.setParent)
	method(c, "setParentWithJump", func(r *layerRef, a args) any { s.setParent(r, a.at(0)); return undefined() })
	attr(c, "selected", func(*layerRef) any { return false }, func(*layerRef, goja.Value) {})
	get(c, "selectedProperties", func(*layerRef) any { return []goja.Value{} })
	method(c, "toString", func(r *layerRef, _ args) any { return "[object Layer]" })
}

func (s *session) sibling(r *layerRef, id uint32) *aep.Layer {
	if id == 0 {
		return nil
	}
	for _, l := range r.comp.Comp.Layers {
		if l.ID == id {
			return l
		}
	}
	return nil
}

func (s *session) setParent(r *layerRef, v goja.Value) {
	if goja.IsNull(v) || goja.IsUndefined(v) {
		r.l.Parent = 0
		return
	}
	p, ok := optional[*layerRef](s, v)
	if !ok || p.comp != r.comp || p.removed {
		s.throw(`After Effects error: Unable to set "parent": it must be a layer of the same composition`)
	}
	for l := p.l; l != nil; l = s.sibling(r, l.Parent) {
		if l == r.l {
			s.throw(`After Effects error: Unable to set "parent": a layer can't be its own parent`)
		}
	}
	r.l.Parent = p.l.ID
}

func (s *session) defineLayerTimes(c *class) {
	attr(c, "startTime", func(r *layerRef) any { return r.l.Start }, func(r *layerRef, v goja.Value) {
		d := s.between(v, "startTime", -10800, 10800) - r.l.Start
		r.l.Start, r.l.In, r.l.Out = r.l.Start+d, r.l.In+d, r.l.Out+d
	})
	attr(c, "inPoint", func(r *layerRef) any { return r.l.In }, func(r *layerRef, v goja.Value) {
		r.l.In = s.between(v, "inPoint", -10800, 10800)
		r.l.Out = max(r.l.Out, r.l.In+1/max(r.comp.Comp.FrameRate, 1))
	})
	attr(c, "outPoint", func(r *layerRef) any { return r.l.Out }, func(r *layerRef, v goja.Value) {
		r.l.Out = s.between(v, "outPoint", -10800, 10800)
		r.l.In = min(r.l.In, r.l.Out-1/max(r.comp.Comp.FrameRate, 1))
	})
	attr(c, "stretch", func(r *layerRef) any { return r.l.Stretch }, func(r *layerRef, v goja.Value) {
		n := s.between(v, "stretch", -9900, 9900)
		if n > -1 && n < 1 {
			s.throw(`After Effects error: Unable to set "stretch": value %g out of range`, n)
		}
		in, out := r.l.In-r.l.Start, r.l.Out-r.l.Start
		r.l.In, r.l.Out = r.l.Start+in*n/r.l.Stretch, r.l.Start+out*n/r.l.Stretch
		if r.l.In > r.l.Out {
			r.l.In, r.l.Out = r.l.Out, r.l.In
		}
		r.l.Stretch = n
	})
	get(c, "time", func(r *layerRef) any { return s.app.times[r.comp] })
	get(c, "active", func(r *layerRef) any { return s.active(r, s.app.times[r.comp]) })
	method(c, "activeAtTime", func(r *layerRef, a args) any { return s.active(r, a.num(0, 0)) })
}

func (s *session) active(r *layerRef, t float64) bool {
	return r.l.Enabled && !r.l.Null && t >= r.l.In && t < r.l.Out
}

// flag is a switch of a layer.
type flag struct {
	name string
	at   func(*aep.Layer) *bool
}

func (s *session) defineLayerSwitches(c *class) {
	for _, f := range []flag{
		{"enabled", func(l *aep.Layer) *bool { return &l.Enabled }},
		{"solo", func(l *aep.Layer) *bool { return &l.Solo }},
		{"shy", func(l *aep.Layer) *bool { return &l.Shy }},
		{"locked", func(l *aep.Layer) *bool { return &l.Locked }},
	} {
		s.flag(c, f)
	}
	get(c, "canSetEnabled", func(*layerRef) any { return true })
	get(c, "hasVideo", func(r *layerRef) any { return s.layerHasVideo(r) })
	get(c, "nullLayer", func(r *layerRef) any { return r.l.Null })
	attr(c, "autoOrient", func(r *layerRef) any {
		switch {
		case r.l.AutoOrient:
			return firstAutoOrient + 1
		case r.l.FacesCamera:
			return firstAutoOrient + 2
		case r.l.CharactersFace:
			return firstAutoOrient + 3
		}
		return firstAutoOrient
	}, func(r *layerRef, v goja.Value) {
		chosen := s.enumerated(v, "autoOrient", firstAutoOrient, 4)
		r.l.AutoOrient, r.l.FacesCamera, r.l.CharactersFace = chosen == 1, chosen == 2, chosen == 3
	})
}

func (s *session) layerHasVideo(r *layerRef) bool {
	switch r.l.Kind {
	case aep.LayerCamera, aep.LayerLight:
		return false
	case aep.LayerText, aep.LayerShape:
		return true
	}
	it := s.project.Item(r.l.Source)
	return it != nil && (it.Comp != nil || it.Footage != nil && (it.Footage.HasVideo || it.Footage.Kind == aep.FootageSolid))
}

func (s *session) flag(c *class, f flag) {
	attr(c, f.name, func(r *layerRef) any { return *f.at(r.l) }, func(r *layerRef, v goja.Value) { *f.at(r.l) = v.ToBoolean() })
}

func (s *session) defineLayerOrder(c *class) {
	method(c, "remove", func(r *layerRef, _ args) any {
		if r.l.Locked {
			s.throw(`After Effects error: Unable to call "remove": the layer %q is locked`, s.project.DisplayName(r.l))
		}
		s.removeLayer(r)
		return undefined()
	})
	method(c, "moveToBeginning", func(r *layerRef, _ args) any { s.move(r, 0); return undefined() })
	method(c, "moveToEnd", func(r *layerRef, _ args) any { s.move(r, len(r.comp.Comp.Layers)-1); return undefined() })
	beside := func(name string, after int) {
		method(c, name, func(r *layerRef, a args) any {
			other, ok := optional[*layerRef](s, a.at(0))
			if !ok || other.comp != r.comp || other.removed {
				s.throw("After Effects error: Unable to call %q: it needs a layer of the same composition", name)
			}
			if other == r {
				return undefined()
			}
			layers := slices.DeleteFunc(slices.Clone(r.comp.Comp.Layers), func(l *aep.Layer) bool { return l == r.l })
			s.move(r, slices.Index(layers, other.l)+after)
			return undefined()
		})
	}
	beside("moveBefore", 0)
	beside("moveAfter", 1)
	method(c, "moveTo", func(r *layerRef, a args) any {
		s.move(r, min(max(a.int(0, 1), 1), len(r.comp.Comp.Layers))-1)
		return undefined()
	})
	method(c, "duplicate", func(r *layerRef, _ args) any {
		n := r.l.Copy()
		n.ID = s.nextItemID()
		if n.Name != "" {
			n.Name = s.freeLayerName(r.comp.Comp, n.Name)
		}
		r.comp.Comp.Layers = slices.Insert(r.comp.Comp.Layers, r.index()-1, n)
		return s.layer(r.comp, n)
	})
	method(c, "copyToComp", func(r *layerRef, a args) any {
		into, ok := optional[*itemRef](s, a.at(0))
		if !ok || into.item.Comp == nil {
			s.throw(`After Effects error: Unable to call "copyToComp": it needs a CompItem`)
		}
		n := r.l.Copy()
		n.ID, n.Parent, n.MatteLayer = s.nextItemID(), 0, 0
		into.item.Comp.Layers = slices.Insert(into.item.Comp.Layers, 0, n)
		return undefined()
	})
}

func (s *session) freeLayerName(c *aep.Composition, name string) string {
	for n := 2; ; n++ {
		try := name + " " + itoa(n)
		if !slices.ContainsFunc(c.Layers, func(l *aep.Layer) bool { return l.Name == try }) {
			return try
		}
	}
}

func (s *session) move(r *layerRef, to int) {
	c := r.comp.Comp
	c.Layers = slices.DeleteFunc(c.Layers, func(l *aep.Layer) bool { return l == r.l })
	c.Layers = slices.Insert(c.Layers, min(max(to, 0), len(c.Layers)), r.l)
}

// removeLayer removes a layer, also as the parent and the matte of others.
func (s *session) removeLayer(r *layerRef) {
	c := r.comp.Comp
	c.Layers = slices.DeleteFunc(c.Layers, func(l *aep.Layer) bool { return l == r.l })
	for _, l := range c.Layers {
		if l.Parent == r.l.ID {
			l.Parent = 0
		}
		if l.MatteLayer == r.l.ID {
			l.MatteLayer, l.Matte = 0, aep.MatteNone
		}
	}
	r.removed = true
}
