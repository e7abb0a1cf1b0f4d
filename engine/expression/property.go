package expression

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// node represents a property or a group of properties.
type node struct {
	m      *Machine
	comp   *aep.Item
	layer  *aep.Layer
	p      *aep.Property
	parent *node // nil for the top of a layer
	object *goja.Object
	names  map[string]*node // what find found, while the project does not change
}

func (n *node) ref() eval.Ref { return eval.Ref{Comp: n.comp, Layer: n.layer, Prop: n.p} }

// A property is an object with its numbers at indexes, as in position[0].

// Get returns the numbers and the length of an array; everything else is found in the prototypes.
func (n *node) Get(key string) goja.Value {
	if key == "" || key[0] > '9' && key != "length" {
		return nil
	}
	value := n.m.valueAt(n, n.m.cur.time)
	if list, ok := value.(aep.Numbers); ok {
		return n.element(key, list)
	}
	v := n.m.show(n.layer, n.p, value)
	if key == "length" {
		if goja.IsString(v) {
			return n.m.rt.ToValue(len([]rune(v.String())))
		}
		if o, ok := v.(*goja.Object); ok {
			return o.Get("length")
		}
		return nil
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 {
		return nil
	}
	if o, ok := v.(*goja.Object); ok {
		return o.Get(key)
	}
	return nil
}

// element is one of the numbers of a value, or how many there are.
func (n *node) element(key string, list []float64) goja.Value {
	count := dimensions(n.layer, n.p, list)
	if key == "length" {
		if count == 1 {
			return nil
		}
		return n.m.rt.ToValue(count)
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i >= count {
		return nil
	}
	return n.m.rt.ToValue(list[i])
}

// Set refuses: expressions only read.
func (n *node) Set(string, goja.Value) bool { return false }

// Has tells whether Get finds the key.
func (n *node) Has(key string) bool { return n.Get(key) != nil }

// Delete refuses.
func (n *node) Delete(string) bool { return false }

// Keys lists the indexes.
func (n *node) Keys() []string {
	l := n.Get("length")
	if l == nil {
		return nil
	}
	keys := make([]string, min(max(int(l.ToInteger()), 0), 1000))
	for i := range keys {
		keys[i] = itoa(i)
	}
	return keys
}

// child is the node of a property below n: there is only one.
func (n *node) child(p *aep.Property) *node {
	m := n.m
	if c, ok := m.nodes[p]; ok {
		return c
	}
	c := &node{m: m, comp: n.comp, layer: n.layer, p: p, parent: n}
	if p.Group {
		c.object = m.callable(m.classes.group, c, func(call goja.FunctionCall) goja.Value { return m.lookUp(c, call.Argument(0)) })
	} else {
		c.object = m.rt.NewDynamicObject(c)
		proto := m.classes.property
		switch p.Value.(type) {
		case *aep.TextDocument:
			proto = m.classes.text
		case *aep.Path:
			proto = m.classes.path
		}
		_ = c.object.SetPrototype(proto)
		m.things[c.object] = c
	}
	m.nodes[p] = c
	return c
}

// callable is an object that can be called, as in effect("x")("y").
func (m *Machine) callable(proto *goja.Object, thing any, call func(goja.FunctionCall) goja.Value) *goja.Object {
	o := m.rt.ToValue(call).(*goja.Object)
	_ = o.Delete("name")
	_ = o.Delete("length")
	_ = o.SetPrototype(proto)
	m.things[o] = thing
	return o
}

// lookUp finds a child by number, from 1, or by name.
func (m *Machine) lookUp(n *node, key goja.Value) goja.Value {
	key = m.plain(key)
	if goja.IsNumber(key) {
		i := int(key.ToInteger())
		if i < 1 || i > len(n.p.Children) {
			m.throw("%q has no property %d (it has %d)", n.name(), i, len(n.p.Children))
		}
		return n.child(n.p.Children[i-1]).shown()
	}
	name := key.String()
	if c := n.find(name); c != nil {
		return c.shown()
	}
	m.throw("there is no property %q in %q", short(name), n.name())
	return nil
}

// shown is the value for the node: itself, or the layer that a parameter selects.
func (n *node) shown() goja.Value {
	switch {
	case n.p.LayerRef != 0:
		return n.m.layerByID(n.comp, n.p.LayerRef)
	case n.p.ChoosesLayer:
		return goja.Null()
	}
	return n.object
}

func (n *node) name() string {
	if n.parent == nil {
		return n.m.host.Project.DisplayName(n.layer)
	}
	if n.p.Name != "" {
		return n.p.Name
	}
	return n.p.Match
}

// find finds a child by display name, match name, or attribute name.
func (n *node) find(name string) *node {
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

func (n *node) search(name string) *node {
	if p := n.p.Child(name); p != nil {
		return n.child(p)
	}
	if match, ok := memberNames()[n.p.Match][name]; ok && n.p.Child(match) != nil {
		return n.child(n.p.Child(match))
	}
	if strings.Contains(name, "_") {
		return n.search(modern(name))
	}
	for _, p := range n.p.Children {
		if camelEqual(p.Name, name) {
			return n.child(p)
		}
	}
	if n.p.Match == "ADBE Transform Group" && (strings.EqualFold(name, "rotation") || strings.EqualFold(name, "zRotation") || strings.EqualFold(name, "z rotation")) {
		if p := n.p.Child("ADBE Rotate Z"); p != nil {
			return n.child(p)
		}
	}
	// The contents of a shape group are also found from the group itself.
	for _, inner := range []string{"ADBE Vectors Group", "ADBE Vector Transform Group"} {
		if g := n.p.Child(inner); g != nil && n.p.Match == "ADBE Vector Group" {
			if p := g.Child(name); p != nil {
				return n.child(g).child(p)
			}
			for _, p := range g.Children {
				if camelEqual(p.Name, name) {
					return n.child(g).child(p)
				}
			}
		}
	}
	return nil
}

// camelEqual tells whether attr is the attribute name of a display name: anchorPoint for "Anchor Point".
func camelEqual(name, attr string) bool {
	j, first, up := 0, true, false
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter {
			up = !first
			continue
		}
		lower := c
		if c >= 'A' && c <= 'Z' {
			lower = c + 32
		}
		switch {
		case first:
			c = lower
		case up && lower >= 'a' && lower <= 'z':
			c = lower - 32
		}
		first, up = false, false
		if j >= len(attr) || attr[j] != c {
			return false
		}
		j++
	}
	return j == len(attr) && j > 0
}

// thisProperty is the node of the property of the running expression.
func (m *Machine) thisProperty() *node {
	ref := m.cur.ref
	if n, ok := m.nodes[ref.Prop]; ok {
		return n
	}
	if n := m.reach(m.layer(ref.Comp, ref.Layer).root(), ref.Prop, 0); n != nil {
		return n
	}
	return m.layer(ref.Comp, ref.Layer).root().child(ref.Prop)
}

// reach finds the path from the top of a layer down to p.
func (m *Machine) reach(n *node, p *aep.Property, depth int) *node {
	if depth > 64 {
		return nil
	}
	for _, c := range n.p.Children {
		if c == p {
			return n.child(c)
		}
	}
	for _, c := range n.p.Children {
		if c.Group {
			if found := m.reach(n.child(c), p, depth+1); found != nil {
				return found
			}
		}
	}
	return nil
}

// valueAt is the value of a property at a time, including its expression unless that is the running one.
func (m *Machine) valueAt(n *node, t float64) aep.Value {
	if n.p == m.cur.ref.Prop {
		if t == m.cur.time {
			return m.own()
		}
		return m.plainAt(n.ref(), t)
	}
	if m.host.Eval == nil {
		return m.plainAt(n.ref(), t)
	}
	return m.host.Eval.Value(n.ref(), t)
}

// own is the value of the property of the running expression without it, now.
func (m *Machine) own() aep.Value {
	m.uses(m.cur.ref.Prop)
	return m.cur.before
}

// uses notes that the running expression depends on a property's value without expression.
func (m *Machine) uses(p *aep.Property) {
	if m.cur != nil && (len(p.Keys) > 1 || p.Separated) {
		m.cur.moving = true
	}
}

func (m *Machine) plainAt(ref eval.Ref, t float64) aep.Value {
	m.uses(ref.Prop)
	if v := eval.Plain(ref, t); v != nil {
		return v
	}
	return ref.Prop.Value
}

func (m *Machine) valueOf(n *node, t float64) goja.Value {
	return m.show(n.layer, n.p, m.valueAt(n, t))
}

func (m *Machine) currentValue() goja.Value {
	return m.show(m.cur.ref.Layer, m.cur.ref.Prop, m.own())
}

// show converts a value of the project to JavaScript.
func (m *Machine) show(l *aep.Layer, p *aep.Property, v aep.Value) goja.Value {
	switch v := v.(type) {
	case aep.Numbers:
		if n := dimensions(l, p, v); n != 1 {
			return m.array(v[:n])
		}
		return m.rt.ToValue(v[0])
	case *aep.TextDocument:
		return m.rt.ToValue(v.Text)
	case *aep.Path:
		return m.pathObject(v)
	}
	return goja.Undefined()
}

// dimensions is how many numbers of a value count: two for positions and scales of 2D layers, which are stored as three.
func dimensions(l *aep.Layer, p *aep.Property, v aep.Numbers) int {
	if len(v) == 3 && l != nil && !l.ThreeD {
		switch p.Match {
		case "ADBE Position", "ADBE Anchor Point", "ADBE Scale":
			return 2
		}
	}
	return len(v)
}

// nodeOf is the property that a method is called on: the receiver, or the property of the running expression.
func (m *Machine) nodeOf(this goja.Value) *node {
	if o, ok := this.(*goja.Object); ok {
		switch t := m.things[o].(type) {
		case *node:
			return t
		case *layerNode:
			return t.root()
		}
	}
	if m.cur == nil {
		m.throw("no expression is under way")
	}
	return m.thisProperty()
}
