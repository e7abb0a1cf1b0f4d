package dom

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// class is a constructor and its prototype, as scripts see them. Objects have no state of their own: session.things maps
// each to what it represents.
type class struct {
	s      *session
	name   string
	proto  *goja.Object
	ctor   *goja.Object
	parent *class
}

// class makes a class that scripts can test with instanceof; construct is nil when they can't make objects of it.
func (s *session) class(name string, parent *class, construct func(a args) *goja.Object) *class {
	c := &class{s: s, name: name, parent: parent}
	c.ctor = s.rt.ToValue(func(call goja.ConstructorCall) *goja.Object {
		if construct == nil {
			s.throw("%s can't be constructed", name)
		}
		return construct(args{s: s, name: name, list: call.Arguments})
	}).(*goja.Object)
	c.proto = c.ctor.Get("prototype").(*goja.Object)
	if parent != nil {
		_ = c.proto.SetPrototype(parent.proto)
	}
	hide := func(o *goja.Object, key string, v goja.Value) {
		_ = o.DefineDataProperty(key, v, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	hide(c.ctor, "name", s.rt.ToValue(name))
	hide(c.proto, "constructor", c.ctor)
	_ = s.rt.Set(name, c.ctor)
	return c
}

// object makes an object of the class that represents thing.
func (c *class) object(thing any) *goja.Object {
	o := c.s.rt.CreateObject(c.proto)
	c.s.things[o] = thing
	return o
}

// callable makes an object of the class that can be called, as in group("name").
func (c *class) callable(thing any, call func(goja.FunctionCall) goja.Value) *goja.Object {
	o := c.s.rt.ToValue(call).(*goja.Object)
	_ = o.Delete("name")
	_ = o.Delete("length")
	_ = o.SetPrototype(c.proto)
	c.s.things[o] = thing
	return o
}

// args are the arguments of a call from a script.
type args struct {
	s    *session
	name string
	list []goja.Value
}

func (a args) at(i int) goja.Value {
	if i < len(a.list) {
		return a.list[i]
	}
	return goja.Undefined()
}

func (a args) has(i int) bool {
	return i < len(a.list) && !goja.IsUndefined(a.list[i]) && !goja.IsNull(a.list[i])
}

func (a args) need(n int) {
	if len(a.list) < n {
		a.s.throw("After Effects error: Unable to call %q: it needs %d arguments, got %d", a.name, n, len(a.list))
	}
}

func (a args) str(i int) string {
	if !a.has(i) {
		return ""
	}
	return a.at(i).String()
}

func (a args) num(i int, def float64) float64 {
	if !a.has(i) {
		return def
	}
	return a.s.number(a.at(i), a.name)
}

func (a args) int(i, def int) int { return int(a.num(i, float64(def))) }

func (a args) bool(i int, def bool) bool {
	if !a.has(i) {
		return def
	}
	return a.at(i).ToBoolean()
}

// number reads a finite number; what names it in the error.
func (s *session) number(v goja.Value, what string) float64 {
	f := v.ToFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		s.throw("After Effects error: Unable to set %q: %q is not a number", what, short(v.String()))
	}
	return f
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// thing is what the receiver of a call represents. T may be *propRef for layers too, since a layer is a property group.
func thing[T any](s *session, this goja.Value, what string) T {
	o, _ := this.(*goja.Object)
	if o != nil {
		t := s.things[o]
		if gone(t) {
			s.throw("%s: Object is invalid: it was removed", what)
		}
		if v, ok := t.(T); ok {
			return v
		}
		if l, ok := t.(*layerRef); ok {
			if v, ok := any(l.root()).(T); ok {
				return v
			}
		}
	}
	s.throw("%s: the object is invalid", what)
	panic("unreachable")
}

func gone(t any) bool {
	switch t := t.(type) {
	case *layerRef:
		return t.removed
	case *propRef:
		return t.gone()
	}
	return false
}

// optional is thing for arguments that may be something else.
func optional[T any](s *session, v goja.Value) (T, bool) {
	var zero T
	o, ok := v.(*goja.Object)
	if !ok {
		return zero, false
	}
	t, ok := s.things[o].(T)
	return t, ok
}

// get defines a read-only attribute.
func get[T any](c *class, name string, f func(T) any) { attr(c, name, f, nil) }

// attr defines an attribute; set is nil for read-only ones.
func attr[T any](c *class, name string, f func(T) any, set func(T, goja.Value)) {
	s := c.s
	getter := s.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		if call.This == goja.Value(c.proto) {
			return goja.Undefined()
		}
		return s.value(f(thing[T](s, call.This, c.name+"."+name)))
	})
	setter := s.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		t := thing[T](s, call.This, c.name+"."+name)
		if set == nil {
			s.throw("After Effects error: Unable to set %q: it is a read-only attribute", name)
		}
		set(t, call.Argument(0))
		return goja.Undefined()
	})
	_ = c.proto.DefineAccessorProperty(name, getter, setter, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// method defines a method.
func method[T any](c *class, name string, f func(T, args) any) {
	s := c.s
	fn := s.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		return s.value(f(thing[T](s, call.This, c.name+"."+name), args{s: s, name: name, list: call.Arguments}))
	})
	_ = c.proto.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// function makes a free function.
func (s *session) function(name string, f func(args) any) goja.Value {
	return s.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		return s.value(f(args{s: s, name: name, list: call.Arguments}))
	})
}

// value converts a Go value to JavaScript.
func (s *session) value(v any) goja.Value {
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
		list := make([]any, len(v))
		for i, f := range v {
			list[i] = f
		}
		return s.rt.NewArray(list...)
	case []goja.Value:
		list := make([]any, len(v))
		for i, f := range v {
			list[i] = f
		}
		return s.rt.NewArray(list...)
	case []string:
		list := make([]any, len(v))
		for i, f := range v {
			list[i] = f
		}
		return s.rt.NewArray(list...)
	}
	return s.rt.ToValue(v)
}

// undefined is the result of methods that return nothing.
func undefined() any { return goja.Undefined() }

// length is the length of an array, -1 for an object that is not one.
func length(o *goja.Object) int {
	l := o.Get("length")
	if l == nil || goja.IsUndefined(l) {
		return -1
	}
	return int(l.ToInteger())
}

// floats reads an array of numbers.
func (s *session) floats(v goja.Value, what string) []float64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return []float64{s.number(v, what)}
	}
	if l := o.Get("length"); l == nil || goja.IsUndefined(l) {
		return []float64{s.number(v, what)}
	}
	n := length(o)
	if n < 0 || n > 1<<16 {
		s.throw("After Effects error: Unable to set %q: array of %d numbers", what, n)
	}
	out := make([]float64, n)
	for i := range out {
		e := o.Get(itoa(i))
		if e == nil {
			e = goja.Undefined()
		}
		out[i] = s.number(e, what)
	}
	return out
}

// camel is the attribute name of a display name: "Anchor Point" is anchorPoint.
func camel(name string) string {
	var b strings.Builder
	up := false
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		switch {
		case !letter:
			up = b.Len() > 0
		case b.Len() == 0:
			b.WriteString(strings.ToLower(string(r)))
		case up:
			b.WriteString(strings.ToUpper(string(r)))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
