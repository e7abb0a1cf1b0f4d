package expression

import (
	"reflect"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// survey collects names, and marks text that looks like code but is not.
func (w *rewriter) survey(v reflect.Value) {
	w.each(v, func(n any) {
		switch n := n.(type) {
		case *ast.StringLiteral:
			w.blank(at(n.Idx), at(n.Idx)+len(n.Literal))
		case *ast.RegExpLiteral:
			w.blank(at(n.Idx), at(n.Idx)+len(n.Literal))
		case *ast.TemplateElement:
			w.blank(at(n.Idx), at(n.Idx)+len(n.Literal))
		case *ast.Identifier:
			w.used[n.Name.String()] = true
		case *ast.PropertyShort:
			w.used[n.Name.Name.String()] = true
		case *ast.Binding:
			w.declare(n.Target)
		case *ast.FunctionLiteral:
			if n.Name != nil {
				w.declared[n.Name.Name.String()] = true
			}
		case *ast.ClassLiteral:
			if n.Name != nil {
				w.declared[n.Name.Name.String()] = true
			}
		case *ast.CatchStatement:
			w.declare(n.Parameter)
		case *ast.ForDeclaration:
			w.declare(n.Target)
		case *ast.ParameterList:
			w.declare(n.Rest)
		case *ast.AssignExpression:
			w.assign(n.Left)
		case *ast.UnaryExpression:
			if n.Operator == token.INCREMENT || n.Operator == token.DECREMENT {
				w.assign(n.Operand)
			}
		case *ast.ForIntoExpression:
			w.assign(n.Expression)
		}
	})
	w.comments()
}

// comments blanks comments, which are not in the syntax tree.
func (w *rewriter) comments() {
	for i := 0; i+1 < len(w.src); i++ {
		if !w.plain[i] || w.src[i] != '/' || !w.plain[i+1] {
			continue
		}
		end := -1
		switch w.src[i+1] {
		case '/':
			end = len(w.src)
			if n := strings.IndexByte(w.src[i:], '\n'); n >= 0 {
				end = i + n
			}
		case '*':
			if n := strings.Index(w.src[i+2:], "*/"); n >= 0 {
				end = i + 2 + n + 2
			}
		}
		if end > 0 {
			w.blank(i, end)
			i = end - 1
		}
	}
}

func (w *rewriter) declare(target any) {
	w.each(reflect.ValueOf(target), func(n any) {
		switch n := n.(type) {
		case *ast.Identifier:
			w.declared[n.Name.String()] = true
		case *ast.PropertyShort:
			w.declared[n.Name.Name.String()] = true
		}
	})
}

func (w *rewriter) assign(left ast.Expression) {
	if id, ok := left.(*ast.Identifier); ok {
		name := id.Name.String()
		if !w.assigned[name] {
			w.assigned[name] = true
			w.order = append(w.order, name)
		}
	}
}

func (w *rewriter) undeclared() []string {
	var out []string
	for _, name := range w.order {
		if !w.declared[name] && name != "undefined" && name != "arguments" {
			out = append(out, name)
		}
	}
	return out
}

// each visits every node below v, outer nodes first.
func (w *rewriter) each(v reflect.Value, visit func(any)) {
	w.descend(v, func(n any) bool { visit(n); return true })
}

func (w *rewriter) descend(v reflect.Value, visit func(any) bool) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			w.descend(v.Elem(), visit)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct {
			return
		}
		if v.Elem().Type().PkgPath() != reflect.TypeFor[ast.Program]().PkgPath() {
			return
		}
		if !visit(v.Interface()) {
			return
		}
		w.fields(v.Elem(), visit)
	case reflect.Struct:
		if v.Type().PkgPath() == reflect.TypeFor[ast.Program]().PkgPath() {
			w.fields(v, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.descend(v.Index(i), visit)
		}
	}
}

func (w *rewriter) fields(v reflect.Value, visit func(any) bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		// Declarations are listed a second time, beside the statements that make them.
		if f.Name == "DeclarationList" || !f.IsExported() {
			continue
		}
		w.descend(v.Field(i), visit)
	}
}
