package expression

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// writer makes arithmetic with numbers only, where the rewritten and the plain program must come to the same.
type writer struct{ r *rand.Rand }

func (w writer) pick(list ...string) string { return list[w.r.IntN(len(list))] }

func (w writer) gap() string { return w.pick("", "", " ", "\n", " /* ( */ ", " // )\n") }

func (w writer) expr(depth int) string {
	if depth <= 0 {
		return w.pick("a", "b", "c", "1", "2.5", "0.5", "a++", "(b)", "f(a)", "o.x", "o['x']", "-a", "'3'", "`4`", "o?.x", "((c))", "f.call(null, 2)", "new N(2).v", "/[(]/.source.length")
	}
	sub := func() string { return w.expr(depth - 1 - w.r.IntN(2)) }
	switch w.r.IntN(11) {
	case 0, 1, 2, 3:
		return w.group(sub()) + w.gap() + w.pick("+", "-", "*", "/", "%") + " " + w.gap() + w.group(sub())
	case 4:
		return "(" + w.gap() + sub() + w.gap() + ")"
	case 5:
		return "(" + sub() + " ? " + sub() + " : " + sub() + ")"
	case 6:
		return "f(" + sub() + "," + w.gap() + sub() + ")"
	case 7:
		return "- " + w.group(sub())
	case 8:
		return "(" + w.pick("a", "o.x", "b", "o['x']") + " " + w.pick("+=", "-=", "*=", "=") + w.gap() + sub() + ")"
	case 9:
		return "(x => x " + w.pick("+", "*") + " " + w.group(sub()) + ")(" + sub() + ")"
	}
	return "(function (y) { return " + w.group(sub()) + " - y })(" + sub() + ")"
}

func (w writer) group(s string) string {
	if w.r.IntN(2) == 0 {
		return "(" + s + ")"
	}
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "/") {
		return "(" + s + ")"
	}
	return s
}

func (w writer) program() string {
	s := "var a = 3, b = 2, c = 7, o = {x: 5}; function f(p) { return p + 1 } function N(v) { this.v = v }\n"
	for range 1 + w.r.IntN(3) {
		switch w.r.IntN(5) {
		case 0:
			s += "if (" + w.expr(2) + " > 1) " + w.expr(3) + "\nelse " + w.expr(2) + "\n"
		case 1:
			s += "for (var i = 0; i < 3; i++) { " + w.expr(2) + " }\n"
		case 2:
			s += "u = " + w.expr(3) + ";"
		case 3:
			s += "try { " + w.expr(2) + " } finally { c = " + w.expr(1) + " }\n"
		default:
			s += w.expr(4) + ";\n"
		}
	}
	return s
}

func TestRewrittenArithmeticComesToTheSame(t *testing.T) {
	m := newStage(t).machine
	m.frames = []*frame{{ref: newStage(t).ref("opacity")}}
	m.cur = m.frames[0]
	compared := 0
	for seed := range uint64(3000) {
		src := writer{rand.New(rand.NewPCG(seed, 1))}.program()
		if _, err := parser.ParseFile(nil, "", src, 0); err != nil {
			continue
		}
		want, wantErr := goja.New().RunString(src)
		fn, err := rewrite(src, func(string) bool { return false }, false)
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		f, err := m.rt.RunString(fn.source)
		if err != nil {
			t.Fatalf("%v\n%s\nbecame\n%s", err, src, fn.source)
		}
		call, _ := goja.AssertFunction(f)
		got, gotErr := call(goja.Undefined())
		if (wantErr == nil) != (gotErr == nil) {
			t.Fatalf("%v, without rewriting %v\n%s\nbecame\n%s", gotErr, wantErr, src, fn.source)
		}
		if wantErr == nil && !same(got, want) {
			t.Fatalf("%v, without rewriting %v\n%s\nbecame\n%s", got, want, src, fn.source)
		}
		if strings.Count(src, "\n") > strings.Count(fn.source, "\n") {
			t.Fatalf("lines were lost\n%s\nbecame\n%s", src, fn.source)
		}
		compared++
	}
	if compared < 1000 {
		t.Errorf("only %d programs were compared", compared)
	}
}

func same(a, b goja.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if goja.IsNumber(a) && goja.IsNumber(b) {
		x, y := a.ToFloat(), b.ToFloat()
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	}
	return a.String() == b.String()
}

func FuzzRewrite(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(writer{rand.New(rand.NewPCG(seed, 2))}.program())
	}
	for _, s := range []string{"value + [1,2]", "a = b\n+c", "x = /(/.test('a') - 1", "`${a + b}` * 2", "é + 1", "a?.b - c?.[d]*2", "(a,b)*(c)", "class A { x = 1 + b } 2 * a",
		"{a: b - c}", "for (x of [1]) -x", "new (a.b)(c)-d", "let {p = a + b} = {p}; -p", "a\n++b", "async () => await a + b", "function* g() { yield a - b }", "/* * */ a - /* ( */ (b)", "if (a) -b; else (c) - d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 2000 || strings.Contains(src, "#") {
			return // private names outside classes pass the parser and nothing else
		}
		fn, err := rewrite(src, func(string) bool { return false }, false)
		if err != nil {
			return
		}
		// Top-level await and the like are refused inside a function with or without arithmetic.
		if _, err := parser.ParseFile(nil, "", "(function(){"+src+"\n})", 0, parser.WithDisableSourceMaps); err != nil {
			return
		}
		if _, err := parser.ParseFile(nil, "", fn.source, 0, parser.WithDisableSourceMaps); err != nil {
			t.Fatalf("%v\n%q\nbecame\n%q", err, src, fn.source)
		}
		if strings.Contains(fn.source, "return eval(") && !strings.Contains(src, "eval") {
			t.Fatalf("%q could not be rewritten", src)
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{"value*2", "wiggle(3, 50)", "thisComp.layer(1)(1)(1)", "loopOut('offset')", "position[0]", "text.sourceText.style", "key(1)", "thisLayer('Effects')", "createPath()", "footage('data.json').sourceData"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 500 || strings.Contains(src, "while") || strings.Contains(src, "for") {
			return
		}
		s := newStage(t)
		for _, on := range []string{"opacity", "position", "text"} {
			_, err := s.run(on, src, 1)
			if err != nil && strings.Contains(err.Error(), "fault in the expression engine") {
				t.Fatalf("%s of %q: %v", on, src, err)
			}
		}
	})
}

func ExampleError() {
	fmt.Println((&Error{Line: 3, Message: "ReferenceError: x is not defined"}).Error())
	// Output: After Effects expression error at line 3: ReferenceError: x is not defined
}
