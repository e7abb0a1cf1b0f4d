package expression

import "github.com/dop251/goja"

// classes are the prototypes of the API's objects.
type classes struct {
	layer, group, property, text, path, comp, footage, style, key *goja.Object
}

// propertyMethod defines a method of properties that is also a global, for the property of the running expression.
func (m *Machine) propertyMethod(name string, f func(n *node, c goja.FunctionCall) goja.Value) {
	fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value { return f(m.nodeOf(c.This), c) })
	_ = m.classes.property.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = m.rt.GlobalObject().DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// propertyAttr is propertyMethod for attributes. groups says whether groups have the attribute too.
func (m *Machine) propertyAttr(name string, groups, global bool, f func(n *node) goja.Value) {
	getter := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		if m.cur == nil {
			return goja.Undefined()
		}
		return f(m.nodeOf(c.This))
	})
	_ = m.classes.property.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	if groups {
		_ = m.classes.group.DefineAccessorProperty(name, getter, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if global {
		m.global(name, func() goja.Value { return f(m.thisProperty()) })
	}
}

func (m *Machine) defineProperties() {
	array := m.rt.Get("Array").(*goja.Object).Get("prototype").(*goja.Object)
	str := m.rt.Get("String").(*goja.Object).Get("prototype").(*goja.Object)
	c := &m.classes
	c.property = m.rt.CreateObject(array)
	c.group = m.rt.CreateObject(m.fallback())
	c.layer = m.rt.CreateObject(c.group)
	c.text = m.rt.NewObject()
	c.path = m.rt.CreateObject(c.property)
	m.defineValueMethods()
	m.defineKeys()
	m.defineLoops()
	m.defineWiggle()
	// A text value is a string with the methods of a property.
	c.text = m.rt.CreateObject(str)
	for _, name := range c.property.GetOwnPropertyNames() {
		m.copyMember(c.property, c.text, name, name)
	}
}

// copyMember copies a member of from, with its definition, to the object to, where it has the name as.
func (m *Machine) copyMember(from, to *goja.Object, name, as string) {
	copyTo, _ := goja.AssertFunction(m.rt.Get("Reflect").(*goja.Object).Get("defineProperty"))
	describe, _ := goja.AssertFunction(m.rt.Get("Reflect").(*goja.Object).Get("getOwnPropertyDescriptor"))
	d, err := describe(goja.Undefined(), from, m.rt.ToValue(name))
	if err == nil {
		_, _ = copyTo(goja.Undefined(), to, m.rt.ToValue(as), d)
	}
}

// fallback is the last prototype of groups and layers, which finds properties as attributes.
func (m *Machine) fallback() *goja.Object {
	proxy := m.rt.NewProxy(m.rt.NewObject(), &goja.ProxyTrapConfig{
		Get: func(target *goja.Object, name string, receiver goja.Value) goja.Value {
			o, _ := receiver.(*goja.Object)
			switch t := m.things[o].(type) {
			case *layerNode:
				if c := t.attribute(name); c != nil {
					return c.object
				}
			case *node:
				if c := t.find(name); c != nil {
					return c.shown()
				}
			}
			return target.Get(name)
		},
	})
	return m.rt.ToValue(proxy).(*goja.Object)
}
