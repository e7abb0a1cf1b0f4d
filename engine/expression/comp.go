package expression

import (
	"path"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

type (
	compRef    struct{ item *aep.Item }
	footageRef struct{ item *aep.Item }
)

func (m *Machine) comp(it *aep.Item) goja.Value {
	if it == nil {
		return goja.Null()
	}
	if o, ok := m.comps[it]; ok {
		return o
	}
	o := m.rt.CreateObject(m.classes.comp)
	m.things[o] = &compRef{it}
	m.comps[it] = o
	return o
}

func (m *Machine) footage(it *aep.Item) goja.Value {
	if o, ok := m.comps[it]; ok {
		return o
	}
	o := m.rt.CreateObject(m.classes.footage)
	m.things[o] = &footageRef{it}
	m.comps[it] = o
	return o
}

// attrs defines attributes on a prototype.
func attrs[T any](m *Machine, proto *goja.Object, list map[string]func(T) any) {
	for name, f := range list {
		getter := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
			o, _ := c.This.(*goja.Object)
			t, ok := m.things[o].(T)
			if !ok {
				return goja.Undefined()
			}
			return m.js(f(t))
		})
		_ = proto.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
}

func methods[T any](m *Machine, proto *goja.Object, list map[string]func(T, goja.FunctionCall) any) {
	for name, f := range list {
		fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
			o, _ := c.This.(*goja.Object)
			t, ok := m.things[o].(T)
			if !ok {
				m.throw("%s is called on something else", name)
			}
			return m.js(f(t, c))
		})
		_ = proto.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

func (m *Machine) defineComps() {
	m.classes.comp, m.classes.footage = m.rt.NewObject(), m.rt.NewObject()
	attrs(m, m.classes.comp, map[string]func(*compRef) any{
		"name":             func(r *compRef) any { return r.item.Name },
		"width":            func(r *compRef) any { return r.item.Comp.Width },
		"height":           func(r *compRef) any { return r.item.Comp.Height },
		"duration":         func(r *compRef) any { return r.item.Comp.Duration },
		"frameDuration":    func(r *compRef) any { return 1 / max(r.item.Comp.FrameRate, 1e-3) },
		"frameRate":        func(r *compRef) any { return r.item.Comp.FrameRate },
		"displayStartTime": func(r *compRef) any { return r.item.Comp.DisplayStart },
		"pixelAspect":      func(r *compRef) any { return max(r.item.Comp.PixelAspect, 0.01) },
		"numLayers":        func(r *compRef) any { return len(r.item.Comp.Layers) },
		"ntscDropFrame":    func(r *compRef) any { return r.item.Comp.DropFrame },
		"shutterAngle":     func(r *compRef) any { return r.item.Comp.ShutterAngle },
		"shutterPhase":     func(r *compRef) any { return r.item.Comp.ShutterPhase },
		"bgColor":          func(r *compRef) any { b := r.item.Comp.Background; return []float64{b[0], b[1], b[2], 1} },
		"marker":           func(r *compRef) any { return m.markers(r.item.Comp.Markers) },
		"activeCamera": func(r *compRef) any {
			if l := activeCamera(r.item.Comp, m.clock()); l != nil {
				return m.layer(r.item, l).object
			}
			return nil
		},
	})
	methods(m, m.classes.comp, map[string]func(*compRef, goja.FunctionCall) any{"layer": m.compLayer, "layerByComment": m.layerByComment})
	m.defineFootage()
	m.define("comp", func(c goja.FunctionCall) goja.Value {
		name := c.Argument(0).String()
		it := m.host.Project.Composition(name)
		if it == nil {
			m.throw("there is no composition %q", short(name))
		}
		return m.comp(it)
	})
	m.define("footage", func(c goja.FunctionCall) goja.Value {
		name := c.Argument(0).String()
		for _, it := range m.host.Project.Items {
			if it.Kind == aep.ItemFootage && it.Name == name {
				return m.footage(it)
			}
		}
		m.throw("there is no footage %q", short(name))
		return nil
	})
	m.global("thisComp", func() goja.Value { return m.comp(m.cur.ref.Comp) })
	m.global("thisLayer", func() goja.Value { return m.layer(m.cur.ref.Comp, m.cur.ref.Layer).object })
	m.global("thisProperty", func() goja.Value { return m.thisProperty().object })
	project := m.rt.NewObject()
	_ = project.Set("fullPath", path.Base(strings.ReplaceAll(m.host.Project.Path, "\\", "/")))
	_ = project.Set("bitsPerChannel", m.host.Project.BitsPerChannel)
	_ = project.Set("linearBlending", m.host.Project.Color.LinearBlending)
	_ = m.rt.Set("thisProject", project)
}

func (m *Machine) compLayer(r *compRef, c goja.FunctionCall) any {
	layers := r.item.Comp.Layers
	key := m.plain(c.Argument(0))
	if goja.IsString(key) {
		if l := m.numbering(r.item).names[key.String()]; l != nil {
			return m.layer(r.item, l).object
		}
		m.throw("there is no layer %q in composition %q", short(key.String()), r.item.Name)
	}
	i := 0
	if o, ok := key.(*goja.Object); ok {
		other, ok := m.things[o].(*layerNode)
		if !ok {
			m.throw("layer: %q is neither a number, a name nor a layer", short(key.String()))
		}
		i = m.numbering(r.item).of(other.l)
		i += int(m.arg(c, 1, 0, "layer"))
	} else {
		i = int(m.number(key, "layer"))
	}
	if i < 1 || i > len(layers) {
		m.throw("there is no layer %d in composition %q (it has %d)", i, r.item.Name, len(layers))
	}
	return m.layer(r.item, layers[i-1]).object
}

// cutSlack makes a time that rounding put just before a cut count as after it.
const cutSlack = 1e-6

// activeCamera is the topmost camera that is on at a time.
func activeCamera(c *aep.Composition, t float64) *aep.Layer {
	for _, l := range c.Layers {
		if l.Kind == aep.LayerCamera && l.Enabled && t+cutSlack >= l.In && t+cutSlack < l.Out {
			return l
		}
	}
	return nil
}

// layerByComment finds the topmost layer whose comment contains a text.
func (m *Machine) layerByComment(r *compRef, c goja.FunctionCall) any {
	text := m.plain(c.Argument(0)).String()
	for _, l := range r.item.Comp.Layers {
		if strings.Contains(l.Comment, text) {
			return m.layer(r.item, l).object
		}
	}
	m.throw("there is no layer with the comment %q in composition %q", short(text), r.item.Name)
	return nil
}

// order is the order of the layers of a composition.
type order struct {
	numbers map[*aep.Layer]int // from 1
	names   map[string]*aep.Layer
}

func (o *order) of(l *aep.Layer) int { return o.numbers[l] }

// numbering is kept while the project does not change.
func (m *Machine) numbering(comp *aep.Item) *order {
	if o := m.orders[comp]; o != nil {
		return o
	}
	o := &order{make(map[*aep.Layer]int), make(map[string]*aep.Layer)}
	for i, l := range comp.Comp.Layers {
		o.numbers[l] = i + 1
		name := m.host.Project.DisplayName(l)
		if o.names[name] == nil {
			o.names[name] = l
		}
	}
	if m.steady() {
		m.orders[comp] = o
	}
	return o
}

// steady tells whether the project does not change any more.
func (m *Machine) steady() bool { return m.host.Eval != nil && m.host.Eval.Steady() }

func (m *Machine) defineFootage() {
	attrs(m, m.classes.footage, map[string]func(*footageRef) any{
		"name":          func(r *footageRef) any { return r.item.Name },
		"width":         func(r *footageRef) any { return r.item.Footage.Width },
		"height":        func(r *footageRef) any { return r.item.Footage.Height },
		"duration":      func(r *footageRef) any { return r.item.Footage.Duration },
		"frameDuration": func(r *footageRef) any { return 1 / max(r.item.Footage.FrameRate, 1e-3) },
		"pixelAspect":   func(r *footageRef) any { return max(r.item.Footage.PixelAspect, 0.01) },
		"ntscDropFrame": func(*footageRef) any { return false },
		"sourceText":    func(r *footageRef) any { return m.sourceText(r.item) },
		"sourceData":    func(r *footageRef) any { return m.sourceData(r.item) },
	})
	methods(m, m.classes.footage, map[string]func(*footageRef, goja.FunctionCall) any{
		"dataValue":    func(r *footageRef, c goja.FunctionCall) any { return m.streamOf(r.item, c).at(m) },
		"dataKeyCount": func(r *footageRef, c goja.FunctionCall) any { return len(m.streamOf(r.item, c).samples) },
		"dataKeyTimes": func(r *footageRef, c goja.FunctionCall) any {
			times := []float64{}
			for _, s := range m.streamOf(r.item, c).within(m, c) {
				times = append(times, s.time)
			}
			return times
		},
		"dataKeyValues": func(r *footageRef, c goja.FunctionCall) any {
			values := []any{}
			for _, s := range m.streamOf(r.item, c).within(m, c) {
				values = append(values, s.value)
			}
			return m.rt.NewArray(values...)
		},
	})
}
