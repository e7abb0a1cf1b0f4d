package dom

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// lookUp finds a child by its number, from 1, or by display or match name; null when there is none.
func (s *session) lookUp(r *propRef, key goja.Value) any {
	if name, ok := key.Export().(string); ok {
		if parent, p := s.byName(r, name); p != nil {
			return s.propertyObject(parent, p)
		}
		return nil
	}
	i := int(s.number(key, "property"))
	if i < 1 || i > len(r.p.Children) {
		s.throw("After Effects error: Unable to call \"property\" because of parameter 1. Value %d out of range 1 to %d", i, len(r.p.Children))
	}
	return s.propertyObject(r, r.p.Children[i-1])
}

// byName finds a child by name. At the layer itself it also searches the groups that After Effects lets scripts leave
// out.
func (s *session) byName(r *propRef, name string) (*propRef, *aep.Property) {
	if p := r.p.Child(name); p != nil {
		return r, p
	}
	if match, ok := aliases()[strings.ToLower(name)]; ok {
		if p := r.p.Child(match); p != nil {
			return r, p
		}
	}
	if r.parent != nil {
		if r.p.Match == "ADBE Transform Group" {
			if p := r.p.Child(transformAlias(name)); p != nil {
				return r, p
			}
		}
		return nil, nil
	}
	for _, match := range []string{"ADBE Transform Group", "ADBE Text Properties", "ADBE Audio Group", "ADBE Camera Options Group", "ADBE Light Options Group"} {
		g := r.p.Child(match)
		if g == nil {
			continue
		}
		p := g.Child(name)
		if p == nil && match == "ADBE Transform Group" {
			p = g.Child(transformAlias(name))
		}
		if p != nil {
			return s.things[s.propertyObject(r, g)].(*propRef), p
		}
	}
	return nil, nil
}

// aliases are names that scripts may use for groups instead of their display name.
func aliases() map[string]string {
	return map[string]string{
		"effects": "ADBE Effect Parade", "effect": "ADBE Effect Parade", "masks": "ADBE Mask Parade", "mask": "ADBE Mask Parade",
		"transform": "ADBE Transform Group", "text": "ADBE Text Properties", "contents": "ADBE Root Vectors Group",
		"content": "ADBE Root Vectors Group", "audio": "ADBE Audio Group", "marker": "ADBE Marker",
		"time remap": "ADBE Time Remapping", "timeremap": "ADBE Time Remapping", "layer styles": "ADBE Layer Styles", "layerstyle": "ADBE Layer Styles",
		"essential properties": "ADBE Layer Overrides", "material options": "ADBE Material Options Group",
	}
}

// transformAlias converts names for other dimensions, and attribute names, to match names.
func transformAlias(name string) string {
	switch strings.ToLower(strings.ReplaceAll(name, " ", "")) {
	case "anchorpoint", "pointofinterest":
		return "ADBE Anchor Point"
	case "position":
		return "ADBE Position"
	case "xposition":
		return "ADBE Position_0"
	case "yposition":
		return "ADBE Position_1"
	case "zposition":
		return "ADBE Position_2"
	case "scale":
		return "ADBE Scale"
	case "orientation":
		return "ADBE Orientation"
	case "xrotation":
		return "ADBE Rotate X"
	case "yrotation":
		return "ADBE Rotate Y"
	case "rotation", "zrotation":
		return "ADBE Rotate Z"
	case "opacity":
		return "ADBE Opacity"
	}
	return name
}

// defineShortcuts makes every property an attribute of its group: layer.transform.anchorPoint. It is the last prototype
// in the chain, so it gets only names that no class defines.
func (s *session) defineShortcuts() {
	base := s.rt.NewObject()
	proxy := s.rt.NewProxy(base, &goja.ProxyTrapConfig{
		Get: func(target *goja.Object, name string, receiver goja.Value) goja.Value {
			o, ok := receiver.(*goja.Object)
			if !ok {
				return target.Get(name)
			}
			var r *propRef
			switch t := s.things[o].(type) {
			case *layerRef:
				r = t.root()
			case *propRef:
				r = t
			}
			if r == nil || !r.p.Group {
				return target.Get(name)
			}
			if parent, p := s.byAttribute(r, name); p != nil {
				return s.propertyObject(parent, p)
			}
			return target.Get(name)
		},
	})
	_ = s.classes.propertyBase.proto.SetPrototype(s.rt.ToValue(proxy).(*goja.Object))
}

func (s *session) byAttribute(r *propRef, name string) (*propRef, *aep.Property) {
	for _, p := range r.p.Children {
		if camel(p.Name) == name {
			return r, p
		}
	}
	switch name {
	case "toString", "valueOf", "constructor", "toJSON", "length", "name":
		return nil, nil
	}
	if r.parent == nil {
		for _, match := range []string{"ADBE Transform Group", "ADBE Text Properties", "ADBE Audio Group", "ADBE Camera Options Group", "ADBE Light Options Group"} {
			g := r.p.Child(match)
			if g == nil {
				continue
			}
			for _, p := range g.Children {
				if camel(p.Name) == name {
					return s.things[s.propertyObject(r, g)].(*propRef), p
				}
			}
		}
	}
	return s.byName(r, name)
}
