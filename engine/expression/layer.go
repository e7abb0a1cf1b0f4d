package expression

import (
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// layerNode represents a layer.
type layerNode struct {
	m      *Machine
	comp   *aep.Item
	l      *aep.Layer
	top    *node
	object *goja.Object
	names  map[string]*node // what attribute found, while the project does not change
}

func (n *layerNode) root() *node {
	if n.top == nil {
		n.top = &node{m: n.m, comp: n.comp, layer: n.l, p: n.l.Props, object: n.object}
		if n.l.Props == nil {
			n.top.p = &aep.Property{Group: true}
		}
	}
	return n.top
}

func (m *Machine) layer(comp *aep.Item, l *aep.Layer) *layerNode {
	if n, ok := m.layers[l]; ok {
		return n
	}
	n := &layerNode{m: m, comp: comp, l: l}
	n.object = m.callable(m.classes.layer, n, func(c goja.FunctionCall) goja.Value {
		key := m.plain(c.Argument(0))
		if goja.IsNumber(key) {
			return m.lookUp(n.root(), key)
		}
		if found := n.attribute(key.String()); found != nil {
			return found.object
		}
		return m.lookUp(n.root(), key)
	})
	m.layers[l] = n
	return n
}

// attribute finds a group, or a member of those in groups.
func (n *layerNode) attribute(name string) *node {
	if c, ok := n.names[name]; ok {
		return c
	}
	c := n.search(name)
	if n.m.steady() {
		if n.names == nil {
			n.names = make(map[string]*node)
		}
		n.names[name] = c
	}
	return c
}

func (n *layerNode) search(name string) *node {
	if match, ok := groupNames()[strings.ToLower(name)]; ok {
		if p := n.root().p.Child(match); p != nil {
			return n.root().child(p)
		}
	}
	if c := n.root().find(name); c != nil {
		return c
	}
	for _, match := range openGroups() {
		if g := n.root().p.Child(match); g != nil {
			if c := n.root().child(g).find(name); c != nil {
				return c
			}
		}
	}
	return nil
}

func (m *Machine) layerByID(comp *aep.Item, id uint32) goja.Value {
	if l := eval.LayerByID(comp.Comp, id); l != nil {
		return m.layer(comp, l).object
	}
	return goja.Null()
}

// layerOf is the layer that a method is called on: the receiver, or the layer of the running expression.
func (m *Machine) layerOf(this goja.Value) *layerNode {
	if o, ok := this.(*goja.Object); ok {
		if n, ok := m.things[o].(*layerNode); ok {
			return n
		}
	}
	if m.cur == nil {
		m.throw("no expression is under way")
	}
	return m.layer(m.cur.ref.Comp, m.cur.ref.Layer)
}

// layerAttr defines an attribute of layers that is also a global, for the layer of the running expression.
func (m *Machine) layerAttr(name string, f func(n *layerNode) any) {
	getter := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		if m.cur == nil {
			return goja.Undefined()
		}
		return m.js(f(m.layerOf(c.This)))
	})
	_ = m.classes.layer.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	m.global(name, func() goja.Value { return m.js(f(m.layer(m.cur.ref.Comp, m.cur.ref.Layer))) })
}

func (m *Machine) layerMethod(name string, f func(n *layerNode, c goja.FunctionCall) any) {
	fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value { return m.js(f(m.layerOf(c.This), c)) })
	_ = m.classes.layer.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = m.rt.GlobalObject().DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// js converts a Go value to JavaScript.
func (m *Machine) js(v any) goja.Value {
	switch v := v.(type) {
	case nil:
		return goja.Null()
	case *goja.Object:
		if v == nil {
			return goja.Null()
		}
		return v
	case goja.Value:
		return v
	case []float64:
		return m.array(v)
	}
	return m.rt.ToValue(v)
}

func (m *Machine) defineLayers() {
	m.layerAttr("index", func(n *layerNode) any { return m.numbering(n.comp).of(n.l) })
	m.layerAttr("name", func(n *layerNode) any { return m.host.Project.DisplayName(n.l) })
	m.layerAttr("inPoint", func(n *layerNode) any { return n.l.In })
	m.layerAttr("outPoint", func(n *layerNode) any { return n.l.Out })
	m.layerAttr("startTime", func(n *layerNode) any { return n.l.Start })
	m.layerAttr("width", func(n *layerNode) any { w, _ := n.size(); return w })
	m.layerAttr("height", func(n *layerNode) any { _, h := n.size(); return h })
	m.layerAttr("enabled", func(n *layerNode) any { return n.l.Enabled })
	m.layerAttr("active", func(n *layerNode) any { return n.l.Enabled && m.clock() >= n.l.In && m.clock() < n.l.Out })
	m.layerAttr("hasVideo", func(n *layerNode) any { return n.l.Kind != aep.LayerCamera && n.l.Kind != aep.LayerLight })
	m.layerAttr("hasAudio", func(n *layerNode) any {
		it := m.host.Project.Item(n.l.Source)
		return it != nil && it.Footage != nil && it.Footage.HasAudio
	})
	m.layerAttr("audioActive", func(n *layerNode) any { return n.l.AudioEnabled })
	m.layerAttr("hasParent", func(n *layerNode) any { return n.parent() != nil })
	m.layerAttr("parent", func(n *layerNode) any {
		if p := n.parent(); p != nil {
			return m.layer(n.comp, p).object
		}
		return nil
	})
	m.layerAttr("source", func(n *layerNode) any {
		switch it := m.host.Project.Item(n.l.Source); {
		case it == nil:
			return nil
		case it.Comp != nil:
			return m.comp(it)
		default:
			return m.footage(it)
		}
	})
	m.layerAttr("marker", func(n *layerNode) any { return m.markers(n.l.Markers) })
	m.layerAttr("stretch", func(n *layerNode) any { return n.l.Stretch })
	for _, name := range []string{"transform", "text", "position", "anchorPoint", "scale", "rotation", "opacity", "timeRemap",
		"xPosition", "yPosition", "zPosition", "xRotation", "yRotation", "zRotation", "orientation", "audioLevels", "pointOfInterest", "zoom"} {
		m.layerAttr(name, func(n *layerNode) any {
			if c := n.attribute(name); c != nil {
				return c.object
			}
			return goja.Undefined()
		})
	}
	m.defineLayerGroups()
	m.defineSpaces()
}

func (n *layerNode) size() (w, h float64) {
	if w, h := eval.SourceSize(n.m.host.Project, n.l); w > 0 {
		return w, h
	}
	return float64(n.comp.Comp.Width), float64(n.comp.Comp.Height)
}

func (n *layerNode) parent() *aep.Layer { return eval.LayerByID(n.comp.Comp, n.l.Parent) }

// defineLayerGroups defines effect("x"), mask("x") and content("x").
func (m *Machine) defineLayerGroups() {
	for name, match := range map[string]string{"effect": "ADBE Effect Parade", "mask": "ADBE Mask Parade", "content": "ADBE Root Vectors Group"} {
		m.layerMethod(name, func(n *layerNode, c goja.FunctionCall) any {
			p := n.root().p.Child(match)
			if p == nil {
				m.throw("the layer %q has no %s", m.host.Project.DisplayName(n.l), name)
			}
			return m.lookUp(n.root().child(p), c.Argument(0))
		})
	}
	// A shape group finds its members in the same way.
	content := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		o, _ := c.This.(*goja.Object)
		if l, ok := m.things[o].(*layerNode); ok {
			p := l.root().p.Child("ADBE Root Vectors Group")
			if p == nil {
				m.throw("the layer %q has no contents", m.host.Project.DisplayName(l.l))
			}
			return m.lookUp(l.root().child(p), c.Argument(0))
		}
		n := m.nodeOf(c.This)
		if g := n.p.Child("ADBE Vectors Group"); g != nil {
			n = n.child(g)
		}
		return m.lookUp(n, c.Argument(0))
	})
	_ = m.classes.group.DefineDataProperty("content", content, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	m.defineAnimators()
	m.layerMethod("sourceRectAtTime", func(n *layerNode, c goja.FunctionCall) any {
		left, top, w, h := m.SourceRect(n.comp, n.l, m.arg(c, 0, m.cur.time, "sourceRectAtTime"), m.flag(c, 1, false))
		o := m.rt.NewObject()
		_ = o.Set("left", left)
		_ = o.Set("top", top)
		_ = o.Set("width", w)
		_ = o.Set("height", h)
		return o
	})
	m.layerMethod("activeAtTime", func(n *layerNode, c goja.FunctionCall) any {
		t := m.number(c.Argument(0), "activeAtTime")
		return n.l.Enabled && t >= n.l.In && t < n.l.Out
	})
	m.layerMethod("sourceTime", func(n *layerNode, c goja.FunctionCall) any {
		at := m.arg(c, 0, m.cur.time, "sourceTime")
		if remap := n.attribute("timeRemap"); remap != nil && len(remap.p.Keys) > 0 {
			return m.valueOf(remap, at)
		}
		if len(c.Arguments) == 0 {
			at = m.clock()
		}
		return eval.LocalTime(n.l, at)
	})
	m.layerMethod("essentialProperty", func(n *layerNode, c goja.FunctionCall) any { return m.essential(n, c.Argument(0)) })
	m.layerMethod("sampleImage", m.sampleImage)
}

// defineAnimators defines text.animator("x"), its selector("y") and its property, which is a group.
func (m *Machine) defineAnimators() {
	for name, match := range map[string]string{"animator": "ADBE Text Animators", "selector": "ADBE Text Selectors"} {
		fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
			n := m.nodeOf(c.This)
			g := n.p.Child(match)
			if g == nil {
				m.throw("%q has no %s", n.name(), name)
			}
			return m.lookUp(n.child(g), c.Argument(0))
		})
		_ = m.classes.group.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	lookUp := m.classes.group.Get("property")
	property := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		o, _ := c.This.(*goja.Object)
		if n, ok := m.things[o].(*node); ok {
			if g := n.p.Child("ADBE Text Animator Properties"); g != nil {
				return n.child(g).object
			}
		}
		return lookUp
	})
	_ = m.classes.group.DefineAccessorProperty("property", property, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	invert := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		o, _ := c.This.(*goja.Object)
		if n, ok := m.things[o].(*node); ok && n.p.Mask != nil {
			return m.rt.ToValue(n.p.Mask.Inverted)
		}
		return goja.Undefined()
	})
	_ = m.classes.group.DefineAccessorProperty("invert", invert, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
}
