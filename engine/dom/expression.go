package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// defineExpression defines what scripts may do with expressions. A new expression is evaluated at once: if it fails it
// is disabled, and expressionError says why.
func (s *session) defineExpression(c *class) {
	get(c, "canSetExpression", func(r *propRef) any { return canExpress(r.p) })
	attr(c, "expression", func(r *propRef) any { return r.p.Expression }, func(r *propRef, v goja.Value) {
		if !canExpress(r.p) {
			s.throw("After Effects error: Unable to set \"expression\": %q takes no expression", r.displayName())
		}
		r.p.Expression = v.String()
		r.p.ExpressionOn = r.p.Expression != ""
		s.tryExpression(r)
	})
	attr(c, "expressionEnabled", func(r *propRef) any { return r.p.ExpressionOn && r.p.Expression != "" }, func(r *propRef, v goja.Value) {
		r.p.ExpressionOn = v.ToBoolean() && r.p.Expression != ""
		s.tryExpression(r)
	})
	get(c, "expressionError", func(r *propRef) any { return s.faults[r.p] })
}

func canExpress(p *aep.Property) bool {
	switch p.Value.(type) {
	case aep.Numbers, *aep.TextDocument, *aep.Path:
		return !isMarker(p) && p.LayerRef == 0
	}
	return false
}

func (s *session) tryExpression(r *propRef) {
	delete(s.faults, r.p)
	if !r.p.ExpressionOn {
		return
	}
	t := s.app.times[r.layer.comp]
	if _, err := s.machine.Evaluate(r.ref(), eval.Plain(r.ref(), t), t); err != nil {
		s.faults[r.p] = err.Error()
		r.p.ExpressionOn = false
	}
}
