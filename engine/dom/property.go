package dom

import (
	"slices"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// propRef represents a node of a layer's properties.
type propRef struct {
	layer   *layerRef
	p       *aep.Property
	parent  *propRef // nil for the top of a layer
	name    string   // overrides the name, for controllers of the Essential Graphics panel
	removed bool
}

func (r *propRef) gone() bool {
	for q := r; q != nil; q = q.parent {
		if q.removed {
			return true
		}
	}
	return r.layer.removed
}

func (r *propRef) ref() eval.Ref { return eval.Ref{Comp: r.layer.comp, Layer: r.layer.l, Prop: r.p} }

// indexed tells whether scripts may add members to the group and remove them.
func indexed(match string) bool {
	switch match {
	case "ADBE Effect Parade", "ADBE Mask Parade", "ADBE Vectors Group", "ADBE Root Vectors Group", "ADBE Text Animators",
		"ADBE Text Selectors", "ADBE Layer Overrides":
		return true
	}
	return false
}

// propertyObject is the object that represents a child property: there is only one.
func (s *session) propertyObject(parent *propRef, p *aep.Property) *goja.Object {
	if o, ok := s.props[p]; ok {
		return o
	}
	r := &propRef{layer: parent.layer, p: p, parent: parent}
	o := s.newPropertyObject(r)
	s.props[p] = o
	return o
}

func (s *session) newPropertyObject(r *propRef) *goja.Object {
	if !r.p.Group {
		return s.classes.property.object(r)
	}
	c := s.classes.propertyGroup
	if r.p.Mask != nil {
		c = s.classes.mask
	}
	return c.callable(r, func(call goja.FunctionCall) goja.Value { return s.value(s.lookUp(r, call.Argument(0))) })
}

func (s *session) groupObject(r *propRef) *goja.Object {
	if r.parent == nil {
		return s.layer(r.layer.comp, r.layer.l)
	}
	if o, ok := s.props[r.p]; ok {
		return o
	}
	o := s.newPropertyObject(r)
	s.props[r.p] = o
	return o
}

func (s *session) defineProperties() {
	c := &s.classes
	c.propertyBase = s.class("PropertyBase", nil, nil)
	c.propertyGroup = s.class("PropertyGroup", c.propertyBase, nil)
	c.mask = s.class("MaskPropertyGroup", c.propertyGroup, nil)
	c.property = s.class("Property", c.propertyBase, nil)
	s.definePropertyBase(c.propertyBase)
	s.definePropertyGroup(c.propertyGroup)
	s.defineMask(c.mask)
	s.defineProperty(c.property)
	s.defineExpression(c.property)
	s.defineKeys(c.property)
	s.defineShortcuts()
}

func (s *session) definePropertyBase(c *class) {
	attr(c, "name", func(r *propRef) any { return r.displayName() }, func(r *propRef, v goja.Value) {
		if r.parent == nil || !indexed(r.parent.p.Match) {
			s.throw(`After Effects error: Unable to set "name": the name of this property is fixed`)
		}
		r.p.Name = v.String()
	})
	get(c, "matchName", func(r *propRef) any { return r.p.Match })
	get(c, "propertyIndex", func(r *propRef) any {
		if r.parent == nil {
			return r.layer.index()
		}
		return slices.Index(r.parent.p.Children, r.p) + 1
	})
	get(c, "propertyDepth", func(r *propRef) any {
		n := 0
		for q := r.parent; q != nil; q = q.parent {
			n++
		}
		return n
	})
	get(c, "propertyType", func(r *propRef) any {
		switch {
		case !r.p.Group:
			return plainProperty
		case indexed(r.p.Match):
			return indexedGroup
		}
		return namedGroup
	})
	get(c, "parentProperty", func(r *propRef) any {
		if r.parent == nil {
			return nil
		}
		return s.groupObject(r.parent)
	})
	get(c, "active", func(r *propRef) any { return r.p.Enabled })
	get(c, "canSetEnabled", func(r *propRef) any { return r.canDisable() })
	attr(c, "enabled", func(r *propRef) any { return r.p.Enabled }, func(r *propRef, v goja.Value) {
		if !r.canDisable() {
			s.throw("After Effects error: Unable to set \"enabled\": %q can't be switched off", r.displayName())
		}
		r.p.Enabled = v.ToBoolean()
	})
	get(c, "elided", func(r *propRef) any { return false })
	get(c, "isEffect", func(r *propRef) any { return r.parent != nil && r.parent.p.Match == "ADBE Effect Parade" })
	get(c, "isMask", func(r *propRef) any { return r.p.Mask != nil })
	get(c, "isModified", func(r *propRef) any { return len(r.p.Keys) > 0 || r.p.Expression != "" })
	attr(c, "selected", func(*propRef) any { return false }, func(*propRef, goja.Value) {})
	method(c, "propertyGroup", func(r *propRef, a args) any {
		q := r
		for range max(a.int(0, 1), 1) {
			if q.parent == nil {
				return nil
			}
			q = q.parent
		}
		return s.groupObject(q)
	})
	method(c, "toString", func(r *propRef, _ args) any {
		if r.p.Group {
			return "[object PropertyGroup]"
		}
		return "[object Property]"
	})
	s.definePlaces(c)
}

// definePlaces defines the methods that change the order and number of a group's members.
func (s *session) definePlaces(c *class) {
	method(c, "remove", func(r *propRef, _ args) any {
		if r.parent == nil || !indexed(r.parent.p.Match) {
			s.throw("After Effects error: Unable to call \"remove\": %q can't be removed", r.displayName())
		}
		r.parent.p.Children = slices.DeleteFunc(r.parent.p.Children, func(p *aep.Property) bool { return p == r.p })
		r.removed = true
		return undefined()
	})
	method(c, "moveTo", func(r *propRef, a args) any {
		i := a.int(0, 0)
		if r.parent == nil || !indexed(r.parent.p.Match) || i < 1 || i > len(r.parent.p.Children) {
			s.throw("After Effects error: Unable to call \"moveTo\": %q can't be moved there", r.displayName())
		}
		list := slices.DeleteFunc(slices.Clone(r.parent.p.Children), func(p *aep.Property) bool { return p == r.p })
		r.parent.p.Children = slices.Insert(list, i-1, r.p)
		return undefined()
	})
	method(c, "duplicate", func(r *propRef, _ args) any {
		if r.parent == nil || !indexed(r.parent.p.Match) {
			s.throw("After Effects error: Unable to call \"duplicate\": %q can't be duplicated", r.displayName())
		}
		n := r.p.Copy()
		n.Name = r.displayName() + " 2"
		at := slices.Index(r.parent.p.Children, r.p)
		r.parent.p.Children = slices.Insert(r.parent.p.Children, at+1, n)
		return s.propertyObject(r.parent, n)
	})
}

func (r *propRef) displayName() string {
	switch {
	case r.name != "":
		return r.name
	case r.p.Name != "":
		return r.p.Name
	}
	return r.p.Match
}

func (r *propRef) canDisable() bool {
	if r.parent == nil {
		return true
	}
	return r.p.Group && (indexed(r.parent.p.Match) || strings.Contains(r.p.Match, "Layer Styles") || strings.HasSuffix(r.p.Match, "/enabled"))
}

func (s *session) definePropertyGroup(c *class) {
	get(c, "numProperties", func(r *propRef) any { return len(r.p.Children) })
	method(c, "property", func(r *propRef, a args) any { return s.lookUp(r, a.at(0)) })
	method(c, "canAddProperty", func(r *propRef, a args) any { return indexed(r.p.Match) })
	method(c, "addProperty", func(r *propRef, a args) any { return s.addProperty(r, a.str(0)) })
	for name, match := range map[string]string{"effect": "ADBE Effect Parade", "mask": "ADBE Mask Parade", "content": "ADBE Root Vectors Group"} {
		group := func(r *propRef) *propRef {
			if p := r.p.Child(match); p != nil {
				return s.things[s.propertyObject(r, p)].(*propRef)
			}
			return nil
		}
		getter := s.rt.ToValue(func(call goja.FunctionCall) goja.Value {
			r := thing[*propRef](s, call.This, name)
			if r.parent != nil {
				if parent, p := s.byAttribute(r, name); p != nil {
					return s.propertyObject(parent, p)
				}
				return goja.Undefined()
			}
			if g := group(r); g != nil {
				return s.groupObject(g)
			}
			return goja.Undefined()
		})
		_ = c.proto.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

func (s *session) defineMask(c *class) {
	mode := func(r *propRef) *aep.MaskInfo { return r.p.Mask }
	attr(c, "maskMode", func(r *propRef) any { return 6812 + slices.Index(maskModes(), mode(r).Mode) }, func(r *propRef, v goja.Value) {
		mode(r).Mode = maskModes()[s.enumerated(v, "maskMode", 6812, 7)]
	})
	attr(c, "inverted", func(r *propRef) any { return mode(r).Inverted }, func(r *propRef, v goja.Value) { mode(r).Inverted = v.ToBoolean() })
	attr(c, "locked", func(r *propRef) any { return mode(r).Locked }, func(r *propRef, v goja.Value) { mode(r).Locked = v.ToBoolean() })
	attr(c, "color", func(r *propRef) any { return mode(r).Color[:] }, func(r *propRef, v goja.Value) { mode(r).Color = s.rgb(v, "color") })
	attr(c, "rotoBezier", func(*propRef) any { return false }, func(*propRef, goja.Value) {})
}

// addProperty adds a mask, an effect or a shape, with its own properties at their defaults.
func (s *session) addProperty(r *propRef, name string) any {
	if !indexed(r.p.Match) {
		s.throw("After Effects error: Unable to call \"addProperty\": %q takes no new properties", r.displayName())
	}
	p := &aep.Property{Match: name, Group: true, Enabled: true}
	switch {
	case r.p.Match == "ADBE Mask Parade":
		p.Match, p.Name = "ADBE Mask Atom", "Mask "+itoa(len(r.p.Children)+1)
		p.Mask = &aep.MaskInfo{Mode: aep.MaskAdd, Color: [3]float64{1, 1, 0}}
		p.Children = []*aep.Property{{Match: "ADBE Mask Shape", Name: "Mask Path", Enabled: true, Value: &aep.Path{Closed: true}}}
	case name == "ADBE Vector Shape - Group" || strings.EqualFold(name, "Path"):
		p.Match = "ADBE Vector Shape - Group"
		p.Children = []*aep.Property{{Match: "ADBE Vector Shape", Name: "Path", Enabled: true, Value: &aep.Path{Closed: true}}}
	case strings.HasPrefix(name, "ADBE"):
	default:
		if match, ok := newMatchNames()[strings.ToLower(name)]; ok {
			p.Match, p.Name = match, name
		}
	}
	r.p.Children = append(r.p.Children, p)
	aep.CompleteLayer(s.project, r.layer.comp.Comp, r.layer.l)
	return s.propertyObject(r, p)
}

// newMatchNames are the match names of properties that scripts add by display name.
func newMatchNames() map[string]string {
	return map[string]string{
		"slider control": "ADBE Slider Control", "color control": "ADBE Color Control", "checkbox control": "ADBE Checkbox Control",
		"angle control": "ADBE Angle Control", "point control": "ADBE Point Control", "layer control": "ADBE Layer Control",
		"fill": "ADBE Fill", "tint": "ADBE Tint", "drop shadow": "ADBE Drop Shadow", "gaussian blur": "ADBE Gaussian Blur 2",
		"group": "ADBE Vector Group", "rectangle": "ADBE Vector Shape - Rect", "ellipse": "ADBE Vector Shape - Ellipse",
		"path": "ADBE Vector Shape - Group", "stroke": "ADBE Vector Graphic - Stroke",
	}
}
