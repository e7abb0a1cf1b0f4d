package expression

import (
	"math"

	"github.com/dop251/goja"
)

const (
	// maxNested is how deeply a single number may be nested in arrays.
	maxNested = 16
	// maxElements is how many elements an operation on arrays takes; nothing can interrupt it.
	maxElements = 1 << 16
)

// maxText is the longest string that concatenation may make, in bytes.
const maxText = 16 << 20

// defineOperators defines the functions that replace arithmetic operators. Arrays are added and subtracted number by
// number; a number is added to the first element of an array; arrays are multiplied and divided by numbers.
func (m *Machine) defineOperators() {
	for name, source := range map[string]string{
		"add": "(function(a,b){return a+b})", "sub": "(function(a,b){return a-b})", "mul": "(function(a,b){return a*b})",
		"div": "(function(a,b){return a/b})", "mod": "(function(a,b){return a%b})", "neg": "(function(a){return -a})",
	} {
		v, err := m.rt.RunScript("<operators>", source)
		if err != nil {
			panic(err)
		}
		m.native[name], _ = goja.AssertFunction(v)
	}
	m.operator("$add", "add", func(a, b float64) float64 { return a + b }, m.sum(func(a, b float64) float64 { return a + b }))
	m.operator("$sub", "sub", func(a, b float64) float64 { return a - b }, m.sum(func(a, b float64) float64 { return a - b }))
	m.operator("$mul", "mul", func(a, b float64) float64 { return a * b }, m.product(func(a, b float64) float64 { return a * b }, true))
	m.operator("$div", "div", func(a, b float64) float64 { return a / b }, m.product(func(a, b float64) float64 { return a / b }, false))
	m.operator("$mod", "mod", math.Mod, m.product(math.Mod, false))
	_ = m.rt.GlobalObject().DefineDataProperty("$neg", m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		v := m.plain(c.Argument(0))
		if goja.IsNumber(v) {
			return m.rt.ToValue(-v.ToFloat())
		}
		if list, ok := m.vector(v); ok {
			out := make([]float64, len(list))
			for i, f := range list {
				out[i] = -f
			}
			return m.array(out)
		}
		return m.call("neg", v)
	}), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	for short, long := range map[string]string{"add": "$add", "sub": "$sub", "mul": "$mul", "div": "$div", "mod": "$mod"} {
		_ = m.rt.Set(short, m.rt.Get(long))
	}
}

type arrays func(a, b goja.Value) (goja.Value, bool)

func (m *Machine) operator(name, native string, numbers func(a, b float64) float64, list arrays) {
	f := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		a, b := m.plain(c.Argument(0)), m.plain(c.Argument(1))
		if goja.IsNumber(a) && goja.IsNumber(b) {
			return m.rt.ToValue(numbers(a.ToFloat(), b.ToFloat()))
		}
		if v, ok := list(a, b); ok {
			return v
		}
		if v, ok := m.nested(a, b, nesting{list, numbers, new(int)}); ok {
			return v
		}
		if goja.IsString(a) && goja.IsString(b) && len(a.String())+len(b.String()) > maxText {
			m.throw("a text longer than %d bytes", maxText)
		}
		return m.call(native, a, b)
	})
	_ = m.rt.GlobalObject().DefineDataProperty(name, f, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// nesting is an operation on arrays of arrays, and on how many elements it was done.
type nesting struct {
	list    arrays
	numbers func(a, b float64) float64
	done    *int
}

// nested is the arithmetic of arrays that hold arrays, such as the points of a path: element by element.
func (m *Machine) nested(a, b goja.Value, with nesting) (goja.Value, bool) {
	x, y := m.rows(a), m.rows(b)
	if *with.done += len(x) + len(y); *with.done > maxElements {
		m.throw("arithmetic on more than %d elements", maxElements)
	}
	if x == nil && y == nil {
		return nil, false
	}
	if x != nil && y != nil && len(x) != len(y) || x == nil && !goja.IsNumber(a) || y == nil && !goja.IsNumber(b) {
		return nil, false
	}
	out := make([]any, max(len(x), len(y)))
	for i := range out {
		p, q := a, b
		if x != nil {
			p = m.plain(x[i])
		}
		if y != nil {
			q = m.plain(y[i])
		}
		v, ok := with.list(p, q)
		switch {
		case ok:
			*with.done += m.size(v)
		case goja.IsNumber(p) && goja.IsNumber(q):
			v = m.rt.ToValue(with.numbers(p.ToFloat(), q.ToFloat()))
		default:
			if v, ok = m.nested(p, q, with); !ok {
				return nil, false
			}
		}
		out[i] = v
	}
	return m.rt.NewArray(out...), true
}

// size is how many elements an array has.
func (m *Machine) size(v goja.Value) int {
	if o, ok := v.(*goja.Object); ok {
		return int(o.Get("length").ToInteger())
	}
	return 1
}

// rows are the elements of an array that holds arrays; nil for any other value.
func (m *Machine) rows(v goja.Value) []goja.Value {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Array" {
		return nil
	}
	n := o.Get("length").ToInteger()
	if n > maxElements {
		return nil
	}
	list, some := make([]goja.Value, n), false
	for i := range list {
		e := o.Get(itoa(i))
		if e == nil {
			return nil
		}
		list[i] = m.plain(e)
		inner, isArray := list[i].(*goja.Object)
		isArray = isArray && inner.ClassName() == "Array"
		some = some || isArray
		if !isArray && !goja.IsNumber(list[i]) {
			return nil
		}
	}
	if !some {
		return nil
	}
	return list
}

// call runs one of the language's own operators.
func (m *Machine) call(name string, list ...goja.Value) goja.Value {
	v, err := m.native[name](goja.Undefined(), list...)
	if err != nil {
		panic(err)
	}
	return v
}

func (m *Machine) sum(f func(a, b float64) float64) arrays {
	return func(a, b goja.Value) (goja.Value, bool) {
		x, isX := m.vector(a)
		y, isY := m.vector(b)
		switch {
		case isX && isY:
			out := make([]float64, max(len(x), len(y)))
			for i := range out {
				out[i] = f(element(x, i), element(y, i))
			}
			return m.array(out), true
		case isX && goja.IsNumber(b) && len(x) > 0:
			out := append([]float64(nil), x...)
			out[0] = f(out[0], b.ToFloat())
			return m.array(out), true
		case isY && goja.IsNumber(a) && len(y) > 0:
			out := append([]float64(nil), y...)
			out[0] = f(a.ToFloat(), out[0])
			return m.array(out), true
		}
		return nil, false
	}
}

func (m *Machine) product(f func(a, b float64) float64, either bool) arrays {
	return func(a, b goja.Value) (goja.Value, bool) {
		x, isX := m.vector(a)
		y, isY := m.vector(b)
		switch {
		case isX && isY:
			m.throw("an array can't be multiplied or divided by an array")
		case isX:
			n := b.ToFloat()
			out := make([]float64, len(x))
			for i := range x {
				out[i] = f(x[i], n)
			}
			return m.array(out), true
		case isY && either:
			n := a.ToFloat()
			out := make([]float64, len(y))
			for i := range y {
				out[i] = f(n, y[i])
			}
			return m.array(out), true
		case isY:
			m.throw("a number can't be divided by an array")
		}
		return nil, false
	}
}

func element(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// vector converts an array of numbers; other arrays and values are refused.
func (m *Machine) vector(v goja.Value) ([]float64, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Array" {
		return nil, false
	}
	n := int(o.Get("length").ToInteger())
	if n > maxElements {
		return nil, false
	}
	out := make([]float64, n)
	for i := range out {
		e := o.Get(itoa(i))
		if e == nil {
			return nil, false
		}
		e = m.lone(e, 0)
		if !goja.IsNumber(e) {
			return nil, false
		}
		out[i] = e.ToFloat()
	}
	return out, true
}

// lone is the number in an array of one number, as the language itself converts it, and any other value without its property.
func (m *Machine) lone(v goja.Value, depth int) goja.Value {
	v = m.plain(v)
	if o, ok := v.(*goja.Object); ok && depth < maxNested && o.ClassName() == "Array" && o.Get("length").ToInteger() == 1 {
		return m.lone(o.Get("0"), depth+1)
	}
	return v
}

func (m *Machine) array(list []float64) goja.Value {
	out := make([]any, len(list))
	for i, f := range list {
		out[i] = m.rt.ToValue(f)
	}
	return m.rt.NewArray(out...)
}

// plain is the value of a property object, and any other value unchanged.
func (m *Machine) plain(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	if n, ok := m.things[o].(*node); ok && !n.p.Group {
		return m.valueOf(n, m.cur.time)
	}
	return v
}

// floats reads a number or an array of numbers, and throws when v is neither.
func (m *Machine) floats(v goja.Value, what string) (list []float64, isArray bool) {
	v = m.plain(v)
	if list, ok := m.vector(v); ok {
		return list, true
	}
	f := v.ToFloat()
	if math.IsNaN(f) {
		m.throw("%s: %q is not a number", what, short(v.String()))
	}
	return []float64{f}, false
}

func (m *Machine) number(v goja.Value, what string) float64 {
	list, _ := m.floats(v, what)
	if len(list) == 0 {
		m.throw("%s: an empty array is not a number", what)
	}
	return list[0]
}

// give converts a list to one number or an array.
func (m *Machine) give(list []float64, isArray bool) goja.Value {
	if !isArray && len(list) == 1 {
		return m.rt.ToValue(list[0])
	}
	return m.array(list)
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// define defines a global function.
func (m *Machine) define(name string, f func(c goja.FunctionCall) goja.Value) {
	_ = m.rt.GlobalObject().DefineDataProperty(name, m.rt.ToValue(f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}
