package dom

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// essentials are the Essential Properties of a layer: the fields of the Essential Graphics panel of its source
// composition. Setting one sets the property that it drives, in a copy of the composition that only this layer shows.
type essentials struct {
	layer *layerRef
	comp  *aep.Item
}

func (s *session) essential(r *layerRef) any {
	src := s.project.Item(r.l.Source)
	if src == nil || src.Comp == nil || len(src.Comp.Controllers) == 0 {
		return nil
	}
	e := &essentials{layer: r, comp: src}
	o := s.rt.ToValue(func(call goja.FunctionCall) goja.Value { return s.value(s.controller(e, call.Argument(0))) }).(*goja.Object)
	_ = o.Delete("name")
	_ = o.Delete("length")
	_ = o.SetPrototype(s.classes.propertyGroup.proto)
	_ = o.Set("property", s.function("property", func(a args) any { return s.controller(e, a.at(0)) }))
	for name, value := range map[string]any{"numProperties": len(src.Comp.Controllers), "matchName": "ADBE Layer Overrides",
		"name": "Essential Properties", "propertyType": namedGroup} {
		_ = o.DefineDataProperty(name, s.value(value), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	return o
}

func (s *session) controller(e *essentials, key goja.Value) any {
	list := e.comp.Comp.Controllers
	at := -1
	if name, ok := key.Export().(string); ok {
		for i, c := range list {
			if strings.EqualFold(c.Name, name) || c.ID == name {
				at = i
				break
			}
		}
		if at < 0 {
			return nil
		}
	} else {
		at = int(s.number(key, "property")) - 1
		if at < 0 || at >= len(list) {
			s.throw("After Effects error: Unable to call \"property\" because of parameter 1. Value %d out of range 1 to %d", at+1, len(list))
		}
	}
	e.comp = s.project.Settle(e.layer.l, e.comp)
	return s.controlled(e.comp.Comp.Controllers[at])
}

// controlled is the property that a controller drives, under the controller's name.
func (s *session) controlled(c aep.Controller) any {
	comp := s.project.Item(c.Comp)
	if comp == nil || comp.Comp == nil {
		return nil
	}
	for _, l := range comp.Comp.Layers {
		if l.ID != c.Layer {
			continue
		}
		r := s.ref(comp, l)
		if len(c.Path) == 0 || c.Path[len(c.Path)-1] == "ADBE Layer Source Alternate" {
			return s.media(r, c)
		}
		driven := c.Property(l)
		if driven == nil {
			return nil
		}
		top := s.reach(r.root(), driven, 0)
		if top == nil {
			return nil
		}
		named := *top
		named.name = c.Name
		return s.newPropertyObject(&named)
	}
	return nil
}

// reach finds the path from a group down to a property.
func (s *session) reach(r *propRef, p *aep.Property, depth int) *propRef {
	if r.p == p {
		return r
	}
	if depth > 64 {
		return nil
	}
	for _, child := range r.p.Children {
		if child != p && !child.Group {
			continue
		}
		if found := s.reach(s.things[s.propertyObject(r, child)].(*propRef), p, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// media is a controller whose value is the source of a layer.
func (s *session) media(r *layerRef, c aep.Controller) any {
	o := s.rt.CreateObject(s.classes.property.proto)
	p := &aep.Property{Match: "ADBE Layer Source Alternate", Name: c.Name, Enabled: true}
	s.things[o] = &propRef{layer: r, p: p, parent: r.root(), name: c.Name}
	own := func(name string, v goja.Value) {
		_ = o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	own("canSetAlternateSource", s.rt.ToValue(true))
	own("setAlternateSource", s.function("setAlternateSource", func(a args) any { s.replaceSource(r, a); return undefined() }))
	own("essentialPropertySource", s.layer(r.comp, r.l))
	_ = o.DefineAccessorProperty("alternateSource", s.function("alternateSource", func(args) any { return s.itemOrNull(r.l.Source) }), nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	return o
}
