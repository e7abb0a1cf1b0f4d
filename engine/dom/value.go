package dom

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// shapeObject and markerObject are the values of paths and markers in scripts.
type (
	shapeObject  struct{ path *aep.Path }
	markerObject struct{ m aep.Marker }
)

func (s *session) defineValues() {
	s.defineTextDocument()
	c := &s.classes
	c.shape = s.class("Shape", nil, func(args) *goja.Object {
		return s.classes.shape.object(&shapeObject{&aep.Path{Closed: true}})
	})
	attr(c.shape, "closed", func(o *shapeObject) any { return o.path.Closed }, func(o *shapeObject, v goja.Value) { o.path.Closed = v.ToBoolean() })
	for name, at := range map[string]func(*aep.Vertex) (x, y *float64){
		"vertices":    func(v *aep.Vertex) (x, y *float64) { return &v.X, &v.Y },
		"inTangents":  func(v *aep.Vertex) (x, y *float64) { return &v.InX, &v.InY },
		"outTangents": func(v *aep.Vertex) (x, y *float64) { return &v.OutX, &v.OutY },
	} {
		attr(c.shape, name, func(o *shapeObject) any {
			out := make([]goja.Value, len(o.path.Vertices))
			for i := range o.path.Vertices {
				x, y := at(&o.path.Vertices[i])
				out[i] = s.value([]float64{*x, *y})
			}
			return out
		}, func(o *shapeObject, v goja.Value) { s.setPoints(o.path, v, name == "vertices", at) })
	}
	c.marker = s.class("MarkerValue", nil, func(a args) *goja.Object {
		return s.classes.marker.object(&markerObject{aep.Marker{Comment: a.str(0)}})
	})
	attr(c.marker, "comment", func(o *markerObject) any { return o.m.Comment }, func(o *markerObject, v goja.Value) { o.m.Comment = v.String() })
	attr(c.marker, "duration", func(o *markerObject) any { return o.m.Duration }, func(o *markerObject, v goja.Value) {
		o.m.Duration = s.between(v, "duration", 0, 10800)
	})
	c.ease = s.class("KeyframeEase", nil, func(a args) *goja.Object {
		return s.classes.ease.object(&aep.Ease{Speed: a.num(0, 0), Influence: a.num(1, 33.3) / 100})
	})
	attr(c.ease, "speed", func(e *aep.Ease) any { return e.Speed }, func(e *aep.Ease, v goja.Value) { e.Speed = s.number(v, "speed") })
	attr(c.ease, "influence", func(e *aep.Ease) any { return e.Influence * 100 }, func(e *aep.Ease, v goja.Value) {
		e.Influence = s.between(v, "influence", 0.1, 100) / 100
	})
}

func (s *session) setPoints(path *aep.Path, v goja.Value, grow bool, at func(*aep.Vertex) (x, y *float64)) {
	o, ok := v.(*goja.Object)
	if !ok {
		s.throw("After Effects error: a Shape's points are an array of [x, y]")
	}
	n := length(o)
	if n < 0 {
		s.throw("After Effects error: a Shape's points are an array of [x, y]")
	}
	if n > 1<<16 {
		s.throw("After Effects error: a Shape of %d points", n)
	}
	if grow {
		vertices := make([]aep.Vertex, n)
		copy(vertices, path.Vertices)
		path.Vertices = vertices
	}
	for i := 0; i < n && i < len(path.Vertices); i++ {
		xy := s.floats(o.Get(itoa(i)), "points")
		if len(xy) < 2 {
			s.throw("After Effects error: a Shape's points are an array of [x, y]")
		}
		x, y := at(&path.Vertices[i])
		*x, *y = xy[0], xy[1]
	}
}

// toScript converts a value of the project to JavaScript.
func (s *session) toScript(p *aep.Property, v aep.Value) any {
	switch v := v.(type) {
	case aep.Numbers:
		if p.LayerRef != 0 || p.Dimensions <= 1 && len(v) == 1 {
			return v[0]
		}
		return []float64(v)
	case *aep.TextDocument:
		return s.classes.textDocument.object(aep.CopyValue(v).(*aep.TextDocument))
	case *aep.Path:
		return s.classes.shape.object(&shapeObject{aep.CopyValue(v).(*aep.Path)})
	}
	return nil
}

// fromScript reads a value that a script sets, in the type of the property's current value.
func (s *session) fromScript(r *propRef, v goja.Value) aep.Value {
	p, what := r.p, r.displayName()
	switch old := p.Value.(type) {
	case *aep.TextDocument:
		if doc, ok := optional[*aep.TextDocument](s, v); ok {
			return aep.CopyValue(doc)
		}
		doc := aep.CopyValue(old).(*aep.TextDocument)
		doc.SetText(v.String())
		return doc
	case *aep.Path:
		if o, ok := optional[*shapeObject](s, v); ok {
			return aep.CopyValue(o.path)
		}
		s.throw("After Effects error: Unable to set %q: it needs a Shape", what)
	case aep.Numbers:
		return s.numbers(p, old, what, v)
	}
	if p.Match == "ADBE Text Document" {
		doc := newDocument("")
		if given, ok := optional[*aep.TextDocument](s, v); ok {
			return aep.CopyValue(given)
		}
		doc.SetText(v.String())
		return doc
	}
	s.throw("After Effects error: Unable to set %q: values of this kind can't be set", what)
	return nil
}

func (s *session) numbers(p *aep.Property, old aep.Numbers, what string, v goja.Value) aep.Value {
	if b, ok := v.Export().(bool); ok {
		v = s.rt.ToValue(map[bool]int{true: 1}[b])
	}
	if layer, ok := optional[*layerRef](s, v); ok {
		v = s.rt.ToValue(layer.index())
	}
	list := s.floats(v, what)
	n := max(len(old), 1)
	if p.Color {
		return s.color(old, list, what)
	}
	if len(list) > n && n == 1 || len(list) == 0 {
		s.throw("After Effects error: Unable to set %q: value is an array of %d numbers, %d needed", what, len(list), n)
	}
	if _, isArray := v.(*goja.Object); !isArray && n > 1 {
		if p.Match != "ADBE Scale" {
			s.throw("After Effects error: Unable to set %q: value is not an array of %d numbers", what, n)
		}
		list = []float64{list[0], list[0]}
	}
	out := make(aep.Numbers, n)
	copy(out, old)
	copy(out, list)
	return out
}

// color reads three or four numbers of 0–1; a missing alpha keeps its value.
func (s *session) color(old aep.Numbers, list []float64, what string) aep.Value {
	if len(list) != 3 && len(list) != 4 {
		s.throw("After Effects error: Unable to set %q: a colour is an array of 3 or 4 numbers", what)
	}
	out := aep.Numbers{0, 0, 0, 1}
	copy(out, old)
	copy(out, list)
	return out
}

func (s *session) defineProperty(c *class) {
	get(c, "value", func(r *propRef) any { return s.valueAt(r, s.app.times[r.layer.comp], true) })
	method(c, "valueAtTime", func(r *propRef, a args) any { return s.valueAt(r, a.num(0, 0), !a.bool(1, false)) })
	get(c, "propertyValueType", func(r *propRef) any { return s.valueType(r.p) })
	get(c, "hasMin", func(*propRef) any { return false })
	get(c, "hasMax", func(*propRef) any { return false })
	get(c, "unitsText", func(r *propRef) any { return units(r.p.Match) })
	get(c, "isSpatial", func(r *propRef) any { return r.p.Spatial })
	get(c, "canVaryOverTime", func(r *propRef) any { return r.p.Value != nil })
	get(c, "isTimeVarying", func(r *propRef) any { return len(r.p.Keys) > 1 || r.p.Expression != "" && r.p.ExpressionOn })
	get(c, "isDropdownEffect", func(r *propRef) any { return len(r.p.Choices) > 0 })
	attr(c, "dimensionsSeparated", func(r *propRef) any { return r.p.Separated }, s.separate)
	get(c, "isSeparationLeader", func(r *propRef) any { return r.p.Match == "ADBE Position" })
	get(c, "isSeparationFollower", func(r *propRef) any { return strings.HasPrefix(r.p.Match, "ADBE Position_") })
	get(c, "separationDimension", func(r *propRef) any { return int(r.p.Match[len(r.p.Match)-1] - '0') })
	get(c, "separationLeader", func(r *propRef) any {
		if r.parent == nil {
			return nil
		}
		if p := r.parent.p.Child("ADBE Position"); p != nil {
			return s.propertyObject(r.parent, p)
		}
		return nil
	})
	method(c, "getSeparationFollower", func(r *propRef, a args) any {
		if r.parent != nil {
			if p := r.parent.p.Child("ADBE Position_" + itoa(a.int(0, 0))); p != nil {
				return s.propertyObject(r.parent, p)
			}
		}
		return nil
	})
	method(c, "setValue", func(r *propRef, a args) any {
		a.need(1)
		if len(r.p.Keys) > 0 {
			s.throw("After Effects error: Unable to call \"setValue\" on %q: the property has keyframes; use setValueAtTime, or remove them first", r.displayName())
		}
		if r.p.Separated {
			s.throw("After Effects error: Unable to call \"setValue\" on %q: its dimensions are separated; set them one by one", r.displayName())
		}
		r.p.Value = s.fromScript(r, a.at(0))
		s.syncLayerRef(r)
		return undefined()
	})
	get(c, "essentialPropertySource", func(r *propRef) any {
		if r.name == "" {
			return nil
		}
		return s.propertyObject(r.parent, r.p)
	})
	get(c, "canSetAlternateSource", func(*propRef) any { return false })
	get(c, "alternateSource", func(*propRef) any { return nil })
	method(c, "canAddToMotionGraphicsTemplate", func(*propRef, args) any { return false })
	method(c, "addToMotionGraphicsTemplate", func(*propRef, args) any { return false })
	method(c, "addToMotionGraphicsTemplateAs", func(*propRef, args) any { return false })
	attr(c, "selectedKeys", func(*propRef) any { return []goja.Value{} }, nil)
}

func (s *session) syncLayerRef(r *propRef) {
	n, ok := r.p.Value.(aep.Numbers)
	if r.p.LayerRef == 0 || !ok || len(n) == 0 {
		return
	}
	if i := int(n[0]); i >= 1 && i <= len(r.layer.comp.Comp.Layers) {
		r.p.LayerRef = r.layer.comp.Comp.Layers[i-1].ID
	}
}

// separate splits the dimensions of a position into properties of their own, or joins them again.
func (s *session) separate(r *propRef, v goja.Value) {
	on := v.ToBoolean()
	if r.p.Match != "ADBE Position" || r.parent == nil {
		s.throw(`After Effects error: Unable to set "dimensionsSeparated": only positions can be separated`)
	}
	if on == r.p.Separated {
		return
	}
	n, _ := r.p.Value.(aep.Numbers)
	for i := range 3 {
		f := r.parent.p.Child("ADBE Position_" + itoa(i))
		if f == nil {
			continue
		}
		f.Hidden = !on
		if on && i < len(n) {
			f.Value = aep.Numbers{n[i]}
		} else if own, ok := f.Value.(aep.Numbers); ok && !on && i < len(n) && len(own) > 0 {
			n[i] = own[0]
		}
	}
	r.p.Separated = on
}

func (s *session) valueAt(r *propRef, t float64, post bool) any {
	if isMarker(r.p) {
		return nil
	}
	var v aep.Value
	if post {
		v = s.eval.Value(r.ref(), t)
	} else {
		v = eval.Plain(r.ref(), t)
	}
	if v == nil {
		v = r.p.Value
	}
	if r.p.LayerRef != 0 {
		for i, l := range r.layer.comp.Comp.Layers {
			if l.ID == r.p.LayerRef {
				return i + 1
			}
		}
		return 0
	}
	return s.toScript(r.p, v)
}

func (s *session) valueType(p *aep.Property) int {
	const noValue, threeSpatial, three, twoSpatial, two, one, color, custom, marker, layer, shape, document = 6412, 6413, 6414, 6415, 6416, 6417, 6418, 6419, 6420, 6421, 6423, 6424
	if isMarker(p) {
		return marker
	}
	if p.LayerRef != 0 {
		return layer
	}
	switch v := p.Value.(type) {
	case *aep.TextDocument:
		return document
	case *aep.Path:
		return shape
	case aep.Numbers:
		switch {
		case p.Color:
			return color
		case len(v) == 3 && p.Spatial:
			return threeSpatial
		case len(v) == 3:
			return three
		case len(v) == 2 && p.Spatial:
			return twoSpatial
		case len(v) == 2:
			return two
		}
		return one
	case nil:
		return noValue
	}
	return custom
}

func units(match string) string {
	switch match {
	case "ADBE Opacity", "ADBE Scale":
		return "percent"
	case "ADBE Rotate Z", "ADBE Rotate X", "ADBE Rotate Y":
		return "degrees"
	case "ADBE Position", "ADBE Anchor Point":
		return "pixels"
	}
	return ""
}
