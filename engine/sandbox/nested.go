package sandbox

import (
	"strconv"

	"github.com/dop251/goja"
)

// nested guards the built-in functions that walk through arrays within arrays, and JSON.stringify, which walks through objects too. A few
// lines of a script make an array that contains itself a million times over, in twice as many places on each level.
func (g guard) nested() {
	proto := g.prototype("Array")
	for _, name := range []string{"join", "toString", "toLocaleString", "flat"} {
		g.outermost(proto, name, func(c goja.FunctionCall) goja.Value { return c.This }, false)
	}
	if json, ok := g.rt.Get("JSON").(*goja.Object); ok {
		g.outermost(json, "stringify", func(c goja.FunctionCall) goja.Value { return c.Argument(0) }, true)
	}
}

// outermost wraps a function that calls itself for what is nested: only the outermost call counts what it will walk through.
func (g guard) outermost(o *goja.Object, name string, of func(goja.FunctionCall) goja.Value, objects bool) {
	g.wrapCall(o, name, func(c goja.FunctionCall, call func() goja.Value) goja.Value {
		if *g.walking {
			return call()
		}
		*g.walking = true
		defer func() { *g.walking = false }()
		left := maxNested
		g.count(of(c), objects, nil, &left)
		return call()
	})
}

// count takes what lies in v, at any depth, from left, and refuses what is more. What contains itself is walked through once, as goja does.
func (g guard) count(v goja.Value, objects bool, path []*goja.Object, left *int) {
	o, ok := v.(*goja.Object)
	if !ok {
		return
	}
	for _, outer := range path {
		if outer.SameAs(o) {
			return
		}
	}
	if len(path) > maxNesting {
		g.refuse("Arrays are nested too deep")
	}
	path = append(path, o)
	each := func(name string) {
		if len(path) > 1 {
			*left--
		}
		if *left < 0 {
			g.refuse("Invalid array length")
		}
		g.count(o.Get(name), objects, path, left)
	}
	switch {
	case o.ClassName() == "Array":
		for i := range int(g.length(o)) {
			each(strconv.Itoa(i))
		}
	case objects:
		for _, name := range o.Keys() {
			each(name)
		}
	}
}

const (
	maxNesting = 1000    // how deep arrays may be nested
	maxNested  = 1 << 20 // how many elements arrays within an array may have
)
