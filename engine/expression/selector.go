package expression

import (
	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// matchAmount is the property of a text's expression selector.
const matchAmount = "ADBE Text Expressible Amount"

// Select runs the expression of an expression selector for some characters; it implements eval.Selectors.
func (m *Machine) Select(ref eval.Ref, s eval.Selection, before aep.Value, t float64) (aep.Value, error) {
	return m.evaluate(ref, &s, before, t)
}

// selectionOf is what an expression selector is told when its value is asked for without any characters; nil for other properties.
func selectionOf(ref eval.Ref) *eval.Selection {
	if ref.Prop.Match != matchAmount {
		return nil
	}
	return &eval.Selection{Index: 1, Total: 1, Value: [3]float64{100, 100, 100}}
}

// defineSelectors defines what only expression selectors have.
func (m *Machine) defineSelectors() {
	for name, of := range map[string]func(s *eval.Selection) any{
		"textIndex":     func(s *eval.Selection) any { return s.Index },
		"textTotal":     func(s *eval.Selection) any { return s.Total },
		"selectorValue": func(s *eval.Selection) any { return m.rt.NewArray(s.Value[0], s.Value[1], s.Value[2]) },
	} {
		m.global(name, func() goja.Value {
			if m.cur == nil || m.cur.selection == nil {
				m.throw("%s is known in expression selectors only", name)
			}
			return m.rt.ToValue(of(m.cur.selection))
		})
	}
}

// everyDimension is the result of an expression selector: one number counts for all dimensions.
func (m *Machine) everyDimension(out goja.Value) goja.Value {
	if out == nil {
		return out
	}
	switch n := m.plain(out).Export().(type) {
	case int64, float64, bool:
		return m.rt.NewArray(n, n, n)
	}
	return out
}
