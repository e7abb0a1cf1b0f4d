package expression

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// essential is an Essential Property of a layer: the property that a field of the Essential Graphics panel of its source drives, by the
// field's name or number. A value that a layer sets for itself is not among what the project's reader knows, so that it is refused.
func (m *Machine) essential(n *layerNode, key goja.Value) goja.Value {
	it := m.host.Project.Item(n.l.Source)
	if it == nil || it.Comp == nil || len(it.Comp.Controllers) == 0 {
		m.throw("the layer %q has no essential properties", m.host.Project.DisplayName(n.l))
	}
	if own := n.root().p.Child("ADBE Layer Overrides"); own != nil && len(own.Children) > 0 {
		m.throw("the essential properties that the layer %q sets are not read by this renderer", m.host.Project.DisplayName(n.l))
	}
	key = m.plain(key)
	for i, c := range it.Comp.Controllers {
		if goja.IsNumber(key) && int(key.ToInteger()) != i+1 || goja.IsString(key) && !strings.EqualFold(c.Name, key.String()) {
			continue
		}
		if v := m.driven(c); v != nil {
			return v
		}
	}
	m.throw("the layer %q has no essential property %q", m.host.Project.DisplayName(n.l), short(key.String()))
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
