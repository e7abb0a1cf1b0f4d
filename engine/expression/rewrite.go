package expression

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// rewritten is an expression as a function.
type rewritten struct {
	source string
	params []string // its parameters, out of the names that every expression has
	loose  bool     // it may use what changes without our knowledge
}

// rewrite converts an expression to a function that returns the value of the last statement that ran. Arithmetic whose
// operands may be arrays becomes calls. Variables that are assigned without a declaration become local variables, so
// that nothing leaks from one evaluation into the next. Lines keep their numbers.
//
// In the older of After Effects' two engines a declaration has a value: that which it gives its last variable.
func rewrite(src string, isGlobal func(string) bool, older bool) (rewritten, error) {
	prg, err := parser.ParseFile(nil, "expression", src, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return rewritten{}, err
	}
	w := newRewriter(src)
	w.survey(reflect.ValueOf(prg.Body))
	w.walk(reflect.ValueOf(prg.Body), true)
	tail := resultName
	if older {
		tail = lastDeclared(prg.Body)
	}
	body := w.splice()
	out := rewritten{loose: w.loose()}
	if !w.used["posterizeTime"] {
		for _, name := range []string{"time", "value", "thisComp", "thisLayer", "thisProperty"} {
			if w.used[name] && !w.declared[name] {
				out.params = append(out.params, name)
			}
		}
	}
	head := "(function(" + strings.Join(out.params, ",") + "){var " + resultName
	for _, name := range w.undeclared() {
		if slices.Contains(out.params, name) {
			continue
		}
		head += "," + name
		if isGlobal(name) {
			head += "=globalThis." + name
		}
	}
	out.source = head + ";" + body + "\nreturn " + tail + "})"
	if _, err := parser.ParseFile(nil, "expression", out.source, 0, parser.WithDisableSourceMaps); err != nil {
		out.source, err = whole(src, out.params)
		return out, err
	}
	return out, nil
}

// lastDeclared is the variable that the last statement declares, else the name of the result.
func lastDeclared(body []ast.Statement) string {
	if len(body) == 0 {
		return resultName
	}
	if s, ok := body[len(body)-1].(*ast.VariableStatement); ok {
		if id, ok := s.List[len(s.List)-1].Target.(*ast.Identifier); ok {
			return id.Name.String()
		}
	}
	return resultName
}

// loose tells whether the expression may use what changes without our knowledge: the date, what other expressions left behind, or code
// that is not in its source.
func (w *rewriter) loose() bool {
	return slices.ContainsFunc([]string{"Date", "$", "globalThis", "eval", "Function"}, func(name string) bool { return w.used[name] })
}

// whole is the function for a source whose positions in the syntax tree are wrong: it runs the source unchanged, without
// arithmetic on arrays.
func whole(src string, params []string) (string, error) {
	quoted, err := json.Marshal(src)
	if err != nil {
		return "", err
	}
	return "(function(" + strings.Join(params, ",") + "){return eval(" + string(quoted) + ")})", nil
}

const resultName = "$result"

type edit struct {
	at, end int    // the source between them is removed
	text    string // and replaced by this
	close   bool   // at one position, closing edits come before opening ones
}

type rewriter struct {
	src      string
	plain    []bool // false inside strings, patterns, templates' texts and comments
	edits    []edit
	starts   map[ast.Node]int
	ends     map[ast.Node]int
	declared map[string]bool
	assigned map[string]bool
	order    []string // assigned names in order
	used     map[string]bool
}

func newRewriter(src string) *rewriter {
	w := &rewriter{src: src, plain: make([]bool, len(src)), starts: map[ast.Node]int{}, ends: map[ast.Node]int{},
		declared: map[string]bool{}, assigned: map[string]bool{}, used: map[string]bool{}}
	for i := range w.plain {
		w.plain[i] = true
	}
	return w
}

func at(i file.Idx) int { return int(i) - 1 }

func (w *rewriter) blank(from, to int) {
	for i := max(from, 0); i < to && i < len(w.plain); i++ {
		w.plain[i] = false
	}
}

// walk collects the edits. last tells whether statements here determine the expression's value; those of functions
// inside it do not.
func (w *rewriter) walk(v reflect.Value, last bool) {
	w.descend(v, func(n any) bool {
		switch n := n.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
			if last {
				w.fieldsOf(n, false)
				return false
			}
		case *ast.TryStatement:
			if last && n.Finally != nil {
				// A finally block does not determine the value.
				w.walk(reflect.ValueOf(n.Body), true)
				w.walk(reflect.ValueOf(n.Catch), true)
				w.walk(reflect.ValueOf(n.Finally), false)
				return false
			}
		case *ast.ExpressionStatement:
			if last {
				w.open(w.start(n.Expression), resultName+"=(")
				w.fieldsOf(n, last)
				w.shut(w.end(n.Expression), ")")
				return false
			}
		case *ast.BinaryExpression:
			return w.binary(n, last)
		case *ast.AssignExpression:
			return w.compound(n, last)
		case *ast.UnaryExpression:
			if n.Operator == token.MINUS && !n.Postfix && !w.scalar(n.Operand) {
				w.replace(at(n.Idx), at(n.Idx)+1, "$neg(")
				w.fieldsOf(n, last)
				w.shut(w.end(n), ")")
				return false
			}
		}
		return true
	})
}

func (w *rewriter) fieldsOf(n any, last bool) {
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name != "DeclarationList" && f.IsExported() {
			w.walk(v.Field(i), last)
		}
	}
}

func helper(op token.Token) string {
	switch op {
	case token.PLUS:
		return "$add"
	case token.MINUS:
		return "$sub"
	case token.MULTIPLY:
		return "$mul"
	case token.SLASH:
		return "$div"
	case token.REMAINDER:
		return "$mod"
	}
	return ""
}

func (w *rewriter) binary(n *ast.BinaryExpression, last bool) bool {
	name := helper(n.Operator)
	if name == "" || w.scalar(n.Left) && w.scalar(n.Right) || n.Operator == token.PLUS && (joins(n.Left) || joins(n.Right)) {
		return true
	}
	op := w.operator(n.Left)
	if op < 0 || op >= len(w.src) || w.src[op] != n.Operator.String()[0] {
		return true
	}
	w.open(w.start(n), name+"(")
	w.walk(reflect.ValueOf(n.Left), last)
	w.replace(op, op+1, ",")
	w.walk(reflect.ValueOf(n.Right), last)
	w.shut(w.end(n), ")")
	return false
}

// compound rewrites a += b as a = $add(a, b), if a can be written twice without being evaluated twice.
func (w *rewriter) compound(n *ast.AssignExpression, last bool) bool {
	name := helper(n.Operator)
	if name == "" || !simple(n.Left) || w.scalar(n.Right) && n.Operator == token.PLUS && joins(n.Right) {
		return true
	}
	op := w.operator(n.Left)
	if op < 0 || op+1 >= len(w.src) || w.src[op] != n.Operator.String()[0] || w.src[op+1] != '=' {
		return true
	}
	left := w.src[w.start(n.Left):w.end(n.Left)]
	w.replace(op, op+2, "="+name+"("+left+",")
	w.walk(reflect.ValueOf(n.Right), last)
	w.shut(w.end(n), ")")
	return false
}

// simple tells whether e is a name, or a member of one, that can be written twice.
func simple(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.Identifier:
		return true
	case *ast.DotExpression:
		return simple(e.Left)
	case *ast.BracketExpression:
		switch e.Member.(type) {
		case *ast.Identifier, *ast.NumberLiteral, *ast.StringLiteral:
			return simple(e.Left)
		}
	}
	return false
}

// joins tells whether e is certainly a string: then + concatenates, and needs no rewriting.
func joins(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.StringLiteral, *ast.TemplateLiteral:
		return true
	case *ast.BinaryExpression:
		return e.Operator == token.PLUS && (joins(e.Left) || joins(e.Right))
	}
	return false
}

// scalar tells whether e is certainly a single number, for which the language's own arithmetic is right.
func (w *rewriter) scalar(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.NumberLiteral, *ast.BooleanLiteral, *ast.StringLiteral, *ast.TemplateLiteral:
		return true
	case *ast.Identifier:
		return e.Name == "time" && !w.declared["time"] && !w.assigned["time"]
	case *ast.UnaryExpression:
		switch e.Operator {
		case token.NOT, token.TYPEOF, token.BITWISE_NOT, token.PLUS, token.INCREMENT, token.DECREMENT:
			return true
		case token.MINUS:
			return w.scalar(e.Operand)
		}
	case *ast.BinaryExpression:
		if e.Comparison || helper(e.Operator) == "" && e.Operator != token.LOGICAL_AND && e.Operator != token.LOGICAL_OR && e.Operator != token.COALESCE {
			return true
		}
		return helper(e.Operator) != "" && w.scalar(e.Left) && w.scalar(e.Right)
	case *ast.CallExpression:
		if d, ok := e.Callee.(*ast.DotExpression); ok {
			return w.isMath(d.Left)
		}
	case *ast.DotExpression:
		switch e.Identifier.Name {
		case "length", "index", "width", "height", "numKeys", "frameDuration", "duration":
			return true
		}
		return w.isMath(e.Left)
	}
	return false
}

func (w *rewriter) isMath(e ast.Expression) bool {
	id, ok := e.(*ast.Identifier)
	return ok && id.Name == "Math" && !w.declared["Math"] && !w.assigned["Math"]
}

func (w *rewriter) open(i int, text string) {
	w.edits = append(w.edits, edit{at: i, end: i, text: text})
}
func (w *rewriter) shut(i int, text string) {
	w.edits = append(w.edits, edit{at: i, end: i, text: text, close: true})
}
func (w *rewriter) replace(from, to int, text string) {
	w.edits = append(w.edits, edit{at: from, end: to, text: text})
}

// splice applies the edits. At one position the closing edits come first, in the order in which they were made, which is
// inner ones first; then the opening edits, outer ones first.
func (w *rewriter) splice() string {
	slices.SortStableFunc(w.edits, func(a, b edit) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.close && !b.close:
			return -1
		case !a.close && b.close:
			return 1
		}
		return 0
	})
	var b strings.Builder
	done := 0
	for _, e := range w.edits {
		from := min(max(e.at, done), len(w.src))
		b.WriteString(w.src[done:from])
		b.WriteString(e.text)
		done = max(from, min(e.end, len(w.src)))
	}
	b.WriteString(w.src[done:])
	return b.String()
}
