package sandbox

import (
	"errors"

	"github.com/dop251/goja"
)

// guard wraps built-in functions whose work depends on a length that a script chooses freely. Interrupt cannot stop
// them.
type guard struct {
	rt      *goja.Runtime
	walking *bool // a function that walks through arrays within arrays is running
}

func (g guard) strings() {
	proto := g.prototype("String")
	g.wrap(proto, "repeat", func(c goja.FunctionCall) {
		if n := c.Argument(0).ToFloat(); n*float64(len(c.This.String())) > MaxString {
			g.refuse("Invalid string length")
		}
	})
	for _, name := range []string{"padStart", "padEnd"} {
		g.wrap(proto, name, func(c goja.FunctionCall) {
			if c.Argument(0).ToFloat() > MaxString {
				g.refuse("Invalid string length")
			}
		})
	}
}

func (g guard) arrays() {
	proto := g.prototype("Array")
	for _, name := range []string{
		"concat", "copyWithin", "fill", "flat", "includes", "indexOf", "lastIndexOf", "reverse", "shift", "slice", "sort",
		"splice", "toLocaleString", "toReversed", "toSorted", "toSpliced", "unshift", "with", "at", "pop", "push",
		"every", "some", "map", "forEach", "filter", "reduce", "reduceRight", "find", "findIndex", "findLast", "findLastIndex",
	} {
		g.wrap(proto, name, func(c goja.FunctionCall) { g.length(c.This) })
	}
	for _, name := range []string{"join", "toString"} {
		g.wrap(proto, name, func(c goja.FunctionCall) {
			n := g.length(c.This)
			if name == "join" && n*float64(len(c.Argument(0).String())) > MaxString {
				g.refuse("Invalid string length")
			}
		})
	}
	if array, ok := g.rt.Get("Array").(*goja.Object); ok {
		g.wrap(array, "from", func(c goja.FunctionCall) { g.length(c.Argument(0)) })
	}
}

func (g guard) calls() {
	g.wrap(g.prototype("Function"), "apply", func(c goja.FunctionCall) { g.length(c.Argument(1)) })
	if reflect, ok := g.rt.Get("Reflect").(*goja.Object); ok {
		g.wrap(reflect, "apply", func(c goja.FunctionCall) { g.length(c.Argument(2)) })
		g.wrap(reflect, "construct", func(c goja.FunctionCall) { g.length(c.Argument(1)) })
	}
}

func (g guard) prototype(class string) *goja.Object {
	return g.rt.Get(class).(*goja.Object).Get("prototype").(*goja.Object)
}

func (g guard) wrap(o *goja.Object, name string, check func(goja.FunctionCall)) {
	g.wrapCall(o, name, func(c goja.FunctionCall, call func() goja.Value) goja.Value {
		check(c)
		return call()
	})
}

// wrapCall replaces a function by one that runs around it.
func (g guard) wrapCall(o *goja.Object, name string, around func(c goja.FunctionCall, call func() goja.Value) goja.Value) {
	plain := o.Get(name)
	function, ok := goja.AssertFunction(plain)
	if !ok {
		return
	}
	wrapped := g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		return around(c, func() goja.Value {
			v, err := function(c.This, c.Arguments...)
			if err != nil {
				Rethrow(err)
			}
			return v
		})
	}).(*goja.Object)
	_ = wrapped.DefineDataProperty("name", g.rt.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = o.DefineDataProperty(name, wrapped, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// Rethrow passes an error of a nested call on to the calling script. Interrupts stay interrupts.
func Rethrow(err error) {
	var ex *goja.Exception
	if errors.As(err, &ex) {
		panic(ex)
	}
	panic(err)
}

// length is the length of an array-like object; one longer than MaxLength is refused.
func (g guard) length(v goja.Value) float64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return 0
	}
	l := o.Get("length")
	if l == nil {
		return 0
	}
	n := l.ToFloat()
	if n > MaxLength {
		g.refuse("Invalid array length")
	}
	return n
}

func (g guard) refuse(message string) {
	e, err := g.rt.New(g.rt.Get("RangeError"), g.rt.ToValue(message))
	if err != nil {
		panic(g.rt.NewTypeError(message))
	}
	panic(e)
}
