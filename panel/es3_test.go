package panel

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/token"
)

// newer lists what ECMAScript 3 lacks and ExtendScript therefore refuses, each with a piece of code that has it.
var newer = map[string]string{
	"let":                              `let a = 1;`,
	"const":                            `const a = 1;`,
	"an arrow function":                `var a = () => 1;`,
	"a template string":                "var a = `b`;",
	"a class":                          `class A {}`,
	"for of":                           `for (var a of b) {}`,
	"a spread":                         `f(...a);`,
	"a default":                        `function f(a = 1) {}`,
	"destructuring":                    `var {a} = b;`,
	"shorthand":                        `var a = {b};`,
	"a getter":                         `var a = {get b() { return 1; }};`,
	"a trailing comma":                 `var a = [1, 2, ];`,
	"a trailing comma in an object":    "var a = {b: 1,\n};",
	"a reserved word as a name":        `a.delete();`,
	"a reserved key":                   `var a = {default: 1};`,
	"JSON":                             `JSON.parse(a);`,
	"forEach":                          `a.forEach(f);`,
	"indexOf of a list":                `[1].map(f);`,
	"trim":                             `a.trim();`,
	"Object.keys":                      `Object.keys(a);`,
	"Date.now":                         `Date.now();`,
	"optional chaining":                `a?.b;`,
	"an exponent":                      `a ** b;`,
	"a nested choice without brackets": `a ? b : c ? d : e;`,
	"and beside or":                    `a && b || c;`,
	"a name that is not ASCII":         "var \u00e4 = 1;",
}

// complain lists what in a text ExtendScript does not take.
func complain(text string) []string {
	program, err := parser.ParseFile(nil, "Overcrank.jsx", text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	say := func(at int, format string, args ...any) {
		line := 1 + strings.Count(text[:min(max(at-1, 0), len(text))], "\n")
		wrong = append(wrong, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
	}
	for i := range len(text) {
		if text[i] >= 0x80 {
			say(i+1, "byte %#x is not ASCII", text[i])
			break
		}
	}
	for _, at := range trailingComma.FindAllStringIndex(withoutText(text), -1) {
		say(at[0]+1, "a comma before a closing bracket")
	}
	bracketed := func(n ast.Node) bool {
		return strings.HasSuffix(text[:int(n.Idx0())-1], "(")
	}
	walk(reflect.ValueOf(program.Body), func(n any) { complainOf(n, bracketed, say) })
	return wrong
}

var trailingComma = regexp.MustCompile(`,\s*[\]})]`)

// quoted are strings, regular expressions and comments, as far as the panel's own style goes.
var quoted = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|//[^\n]*|[(,=:]\s*/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`)

func withoutText(text string) string {
	return quoted.ReplaceAllStringFunc(text, func(s string) string {
		return s[:1] + strings.Repeat("_", max(len(s)-1, 0))
	})
}

// lacking are methods that ES3 has not, by name: none of After Effects' own is called so.
var lacking = strings.Fields(`forEach map filter reduce reduceRight some every trim trimStart trimEnd padStart padEnd repeat includes
	startsWith endsWith bind toISOString toJSON findIndex find fill entries keys values assign freeze create defineProperty now from isArray
	getOwnPropertyNames getPrototypeOf codePointAt`)

// own are those of these names that After Effects has after all, by what stands before the dot.
var own = []string{"folder.create", "folderAt().create"}

var reserved = strings.Fields(`abstract boolean break byte case catch char class const continue debugger default delete do double else enum
	export extends false final finally float for function goto if implements import in instanceof int interface long native new null package
	private protected public return short static super switch synchronized this throw throws transient true try typeof var void volatile
	while with`)

func complainOf(n any, bracketed func(ast.Node) bool, say func(at int, format string, args ...any)) {
	switch n := n.(type) {
	case *ast.VariableStatement, *ast.VariableDeclaration:
	case *ast.LexicalDeclaration:
		say(int(n.Idx), "%s", n.Token)
	case *ast.ForLoopInitializerLexicalDecl, *ast.ForDeclaration:
		say(0, "let or const in a loop")
	case *ast.ForOfStatement:
		say(int(n.For), "for of")
	case *ast.ArrowFunctionLiteral:
		say(int(n.Start), "an arrow function")
	case *ast.TemplateLiteral:
		say(int(n.OpenQuote), "a template string")
	case *ast.ClassLiteral:
		say(int(n.Class), "a class")
	case *ast.SpreadElement, *ast.ObjectPattern, *ast.ArrayPattern, *ast.PropertyShort, *ast.OptionalChain, *ast.Optional, *ast.AwaitExpression, *ast.YieldExpression,
		*ast.PrivateIdentifier, *ast.MetaProperty:
		say(0, "%T", n)
	case *ast.FunctionLiteral:
		for _, p := range n.ParameterList.List {
			if p.Initializer != nil {
				say(int(n.Function), "a default")
			}
		}
		if n.ParameterList.Rest != nil || n.Async || n.Generator {
			say(int(n.Function), "a function of a newer kind")
		}
	case *ast.PropertyKeyed:
		if n.Kind != ast.PropertyKindValue || n.Computed {
			say(int(n.Idx0()), "a property of kind %s", n.Kind)
		}
		if key, ok := n.Key.(*ast.StringLiteral); ok && slices.Contains(reserved, key.Value.String()) && !strings.HasPrefix(key.Literal, `"`) {
			say(int(n.Idx0()), "the reserved word %s as a key", key.Value)
		}
	case *ast.DotExpression:
		name := n.Identifier.Name.String()
		if slices.Contains(reserved, name) {
			say(int(n.Identifier.Idx), "the reserved word %s as a name", name)
		}
	case *ast.CallExpression:
		if callee, ok := n.Callee.(*ast.DotExpression); ok && slices.Contains(lacking, callee.Identifier.Name.String()) && !slices.Contains(own, path(callee)) {
			say(int(callee.Identifier.Idx), "%s, which ES3 has not", path(callee))
		}
	case *ast.Identifier:
		if name := n.Name.String(); name == "JSON" || name == "Promise" || name == "Map" || name == "Set" || name == "Symbol" || name == "console" {
			say(int(n.Idx), "%s, which ExtendScript has not", name)
		}
	case *ast.ConditionalExpression:
		for _, part := range []ast.Expression{n.Test, n.Consequent, n.Alternate} {
			if inner, ok := part.(*ast.ConditionalExpression); ok && !bracketed(inner) {
				say(int(inner.Idx0()), "a choice within a choice without brackets, which ExtendScript reads in another way")
			}
		}
	case *ast.BinaryExpression:
		if n.Operator == token.EXPONENT || n.Operator == token.COALESCE {
			say(int(n.Idx0()), "the operator %s", n.Operator)
		}
		for _, part := range []ast.Expression{n.Left, n.Right} {
			inner, ok := part.(*ast.BinaryExpression)
			if ok && n.Operator == token.LOGICAL_OR && inner.Operator == token.LOGICAL_AND && !bracketed(inner) {
				say(int(inner.Idx0()), "and beside or without brackets, which ExtendScript reads in another way")
			}
		}
	}
}

func path(n *ast.DotExpression) string {
	switch left := n.Left.(type) {
	case *ast.Identifier:
		return left.Name.String() + "." + n.Identifier.Name.String()
	case *ast.CallExpression:
		if f, ok := left.Callee.(*ast.Identifier); ok {
			return f.Name.String() + "()." + n.Identifier.Name.String()
		}
	}
	return "." + n.Identifier.Name.String()
}

// walk visits each node below a value.
func walk(v reflect.Value, visit func(n any)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().String() == "*file.File" {
			return
		}
		if v.CanInterface() {
			visit(v.Interface())
		}
		walk(v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "DeclarationList" {
				walk(v.Field(i), visit)
			}
		}
	}
}

func TestThePanelIsOldJavaScriptInASCII(t *testing.T) {
	for _, wrong := range complain(string(For("1.2.3", "https://f\u00e4rm.studio"))) {
		t.Error(wrong)
	}
}

func TestWhatIsNewerThanES3IsFound(t *testing.T) {
	for what, code := range newer {
		if len(complain(code)) == 0 {
			t.Errorf("%s is not found in %s", what, code)
		}
	}
	for _, fine := range []string{`var a = {b: 1, "default": 2}; a["delete"]();`, `if (/[,]}/.test(a)) { f(", }"); } // [1,]`, `try { f(); } finally { g(); }`} {
		if wrong := complain(fine); len(wrong) > 0 {
			t.Errorf("%s: %v", fine, wrong)
		}
	}
}
