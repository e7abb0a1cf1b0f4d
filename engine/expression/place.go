package expression

import "github.com/dop251/goja/ast"

// The syntax tree leaves parentheses out. What follows finds where an expression really begins and ends in the source.

// operator is the index of the operator after e, after e's own closing parentheses.
func (w *rewriter) operator(e ast.Expression) int {
	i := w.end(e)
	for {
		i = w.skip(i)
		if i >= len(w.src) || w.src[i] != ')' {
			return i
		}
		i++
	}
}

// skip is the next index, from i on, that is neither space nor comment.
func (w *rewriter) skip(i int) int {
	for i < len(w.src) && (!w.plain[i] && !w.literal(i) || space(w.src[i])) {
		i++
	}
	return i
}

// literal tells whether a blanked index begins a literal rather than a comment.
func (w *rewriter) literal(i int) bool {
	switch w.src[i] {
	case '"', '\'', '`':
		return true
	}
	return false
}

func space(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c >= 0x80
}

// start is where e begins, including the parentheses of its leftmost part.
func (w *rewriter) start(e ast.Expression) int {
	if s, ok := w.starts[e]; ok {
		return s
	}
	s := at(e.Idx0())
	if inner := chained(e); inner != nil {
		s = w.start(inner)
	}
	if left := leftmost(e); left != nil {
		s = w.start(left)
		for i := w.skip(w.end(left)); i < len(w.src) && w.src[i] == ')' && w.plain[i]; i = w.skip(i + 1) {
			s = w.back(s)
		}
	}
	w.starts[e] = s
	return s
}

// back is the index of the opening parenthesis before s.
func (w *rewriter) back(s int) int {
	for i := s - 1; i >= 0; i-- {
		if w.plain[i] && w.src[i] == '(' {
			return i
		}
	}
	return s
}

// end is where e ends, including the parentheses of its rightmost part.
func (w *rewriter) end(e ast.Expression) int {
	if s, ok := w.ends[e]; ok {
		return s
	}
	s := at(e.Idx1())
	if inner := chained(e); inner != nil {
		s = w.end(inner)
	}
	switch e := e.(type) {
	case *ast.Identifier:
		s = w.word(at(e.Idx))
	case *ast.DotExpression:
		s = w.word(at(e.Identifier.Idx))
	case *ast.UnaryExpression:
		if e.Postfix {
			i := w.operator(e.Operand)
			s = i + 2
		}
	}
	if right := rightmost(e); right != nil {
		s = w.end(right)
		for i := w.before(w.start(right)); i >= 0 && w.src[i] == '(' && w.plain[i]; i = w.before(i) {
			next := w.skip(s)
			if next >= len(w.src) || w.src[next] != ')' {
				break
			}
			s = next + 1
		}
	}
	w.ends[e] = s
	return s
}

// before is the last index before i that is neither space nor comment.
func (w *rewriter) before(i int) int {
	for i--; i >= 0 && (!w.plain[i] || space(w.src[i])); i-- {
	}
	return i
}

func (w *rewriter) word(i int) int {
	for i < len(w.src) {
		c := w.src[i]
		if c != '_' && c != '$' && c != '\\' && c < 0x80 && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		i++
	}
	return i
}

// chained is the expression that a link of a?.b wraps without adding text of its own.
func chained(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case *ast.OptionalChain:
		return e.Expression
	case *ast.Optional:
		return e.Expression
	}
	return nil
}

func leftmost(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case *ast.BinaryExpression:
		return e.Left
	case *ast.AssignExpression:
		return e.Left
	case *ast.CallExpression:
		return e.Callee
	case *ast.DotExpression:
		return e.Left
	case *ast.BracketExpression:
		return e.Left
	case *ast.ConditionalExpression:
		return e.Test
	case *ast.SequenceExpression:
		return e.Sequence[0]
	case *ast.TemplateLiteral:
		return e.Tag
	case *ast.UnaryExpression:
		if e.Postfix {
			return e.Operand
		}
	}
	return nil
}

func rightmost(e ast.Expression) ast.Expression {
	switch e := e.(type) {
	case *ast.BinaryExpression:
		return e.Right
	case *ast.AssignExpression:
		return e.Right
	case *ast.ConditionalExpression:
		return e.Alternate
	case *ast.SequenceExpression:
		return e.Sequence[len(e.Sequence)-1]
	case *ast.AwaitExpression:
		return e.Argument
	case *ast.YieldExpression:
		return e.Argument
	case *ast.NewExpression:
		if e.ArgumentList == nil {
			return e.Callee
		}
	case *ast.UnaryExpression:
		if !e.Postfix {
			return e.Operand
		}
	case *ast.ArrowFunctionLiteral:
		if body, ok := e.Body.(*ast.ExpressionBody); ok {
			return body.Expression
		}
	}
	return nil
}
