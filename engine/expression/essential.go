package expression

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// essential is an Essential Property of a layer: the property that a field of the Essential Graphics panel of its source drives, by the
// field's name or number. In a render, values that a layer sets for itself are in the composition that it shows (aep.Project.Instances); while
// a script runs they are still the layer's own.
func (m *Machine) essential(n *layerNode, key goja.Value) goja.Value {
	it := m.host.Project.Item(n.l.Source)
	if it == nil || it.Comp == nil || len(it.Comp.Controllers) == 0 {
		m.throw("the layer %q has no essential properties", m.host.Project.DisplayName(n.l))
	}
	key = m.plain(key)
	for i, c := range it.Comp.Controllers {
		if goja.IsNumber(key) && int(key.ToInteger()) != i+1 || goja.IsString(key) && !strings.EqualFold(c.Name, key.String()) {
			continue
		}
		if v := n.ownValue(c); v != nil {
			return v
		}
		if v := m.driven(c); v != nil {
			return v
		}
	}
	m.throw("the layer %q has no essential property %q", m.host.Project.DisplayName(n.l), short(key.String()))
	return nil
}

// ownValue is what the layer sets for a field, nil when it sets nothing.
func (n *layerNode) ownValue(c aep.Controller) goja.Value {
	root := n.root()
	set := root.p.Child("ADBE Layer Overrides")
	if set == nil {
		return nil
	}
	for _, v := range set.Children {
		if v.Field == "" {
			n.m.throw("some essential properties that the layer %q sets are of unknown fields", n.m.host.Project.DisplayName(n.l))
		}
		if v.Field == c.ID && v.Value != nil {
			if found := n.m.reach(root, v, 0); found != nil {
				return found.shown()
			}
		}
	}
	return nil
}

// driven is the property that a field of a panel drives; nil when it is none.
func (m *Machine) driven(c aep.Controller) goja.Value {
	it := m.host.Project.Item(c.Comp)
	if it == nil || it.Comp == nil {
		return nil
	}
	for _, l := range it.Comp.Layers {
		if l.ID != c.Layer || l.Props == nil {
			continue
		}
		p := c.Property(l)
		if p == nil || len(c.Path) == 0 {
			return nil
		}
		if found := m.reach(m.layer(it, l).root(), p, 0); found != nil {
			return found.shown()
		}
	}
	return nil
}
