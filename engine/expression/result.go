package expression

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// result converts an expression's result to the type of the value that it replaces.
func (m *Machine) result(out goja.Value, before aep.Value) (aep.Value, error) {
	if out == nil || goja.IsUndefined(out) || goja.IsNull(out) {
		return nil, &Error{Message: "the expression gives no value"}
	}
	if list, ok := before.(aep.Numbers); !ok || len(list) > 2 {
		m.own() // of a text the style stays, of a vector what the result lacks
	}
	switch before := before.(type) {
	case aep.Numbers:
		return m.numbers(out, before)
	case *aep.TextDocument:
		return m.document(out, before)
	case *aep.Path:
		return m.outline(out)
	}
	return nil, &Error{Message: "this kind of property takes no expression"}
}

func (m *Machine) numbers(out goja.Value, before aep.Numbers) (aep.Value, error) {
	out = m.plain(out)
	if o, ok := out.(*goja.Object); ok && o.ClassName() != "Array" {
		if v := o.Get("value"); v != nil && !goja.IsUndefined(v) {
			out = v // out is a keyframe
		}
	}
	list, isArray := m.vector(out)
	if !isArray {
		list, isArray = m.loosely(out)
	}
	if !isArray {
		f, err := m.scalarOf(out)
		if err != nil {
			return nil, err
		}
		if len(before) > 1 {
			return nil, &Error{Message: "the expression gives one number, " + strconv.Itoa(len(before)) + " are needed"}
		}
		return aep.Numbers{f}, nil
	}
	if len(list) == 0 || len(before) > 1 && len(list) < 2 {
		return nil, &Error{Message: "the expression gives an array of " + strconv.Itoa(len(list)) + " numbers, " + strconv.Itoa(len(before)) + " are needed"}
	}
	v := append(aep.Numbers(nil), before...)
	copy(v, list)
	for _, f := range v {
		if !finite(f) {
			return nil, &Error{Message: "the expression gives a number that is infinite or undefined"}
		}
	}
	return v, nil
}

// loosely converts an array whose elements are not all numbers: of elements that are arrays the first number counts, texts and truth
// values are converted.
func (m *Machine) loosely(v goja.Value) ([]float64, bool) {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Array" {
		return nil, false
	}
	n := o.Get("length").ToInteger()
	if n == 0 || n > 4 {
		return nil, false
	}
	out := make([]float64, n)
	for i := range out {
		e := o.Get(itoa(i))
		for range maxNested {
			inner, ok := m.lone(e, 0).(*goja.Object)
			if !ok || inner.ClassName() != "Array" {
				break
			}
			e = inner.Get("0")
		}
		if e == nil {
			return nil, false
		}
		f, err := m.scalarOf(m.lone(e, 0))
		if err != nil {
			return nil, false
		}
		out[i] = f
	}
	return out, true
}

func (m *Machine) scalarOf(out goja.Value) (float64, error) {
	if s, ok := out.Export().(string); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil || !finite(f) {
			return 0, &Error{Message: "the expression gives the text " + strconv.Quote(short(s)) + ", a number is needed"}
		}
		return f, nil
	}
	f := out.ToFloat()
	if !finite(f) {
		return 0, &Error{Message: "the expression gives something that is not a number"}
	}
	return f, nil
}

// document replaces the text and keeps the style, or takes both from a style object.
func (m *Machine) document(out goja.Value, before *aep.TextDocument) (aep.Value, error) {
	if o, ok := out.(*goja.Object); ok {
		if st, ok := m.things[o].(*styled); ok {
			return st.on(before), nil
		}
	}
	text := m.plain(out).String()
	if len(text) > maxText {
		return nil, &Error{Message: "the expression gives a text that is too long"}
	}
	doc := cloneDocument(before)
	doc.SetText(text)
	return doc, nil
}
