package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

func TestCheckRefusesWhatWouldExhaustTheStack(t *testing.T) {
	for name, src := range map[string]string{
		"brackets": strings.Repeat("(", 1e6), "nots": strings.Repeat("!", 1e6) + "1", "sums": "a" + strings.Repeat("+a", 1e6),
		"assignments": strings.Repeat("a=", 1e6) + "1", "length": strings.Repeat(" ", MaxSource+1),
		"conditions": strings.Repeat("if(1)", 1e6) + "1", "calls": "f" + strings.Repeat("()", 1e6),
		"after a quote": "// don't\n" + strings.Repeat("!", 1e6),
	} {
		if err := Check(src); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, src := range map[string]string{
		"text": `var a = "` + strings.Repeat("!(", 1e5) + `"`, "many statements": strings.Repeat("a = b + c;\n", 1e5),
		"many elements": "[" + strings.Repeat("-1,", 1e5) + "]",
	} {
		if err := Check(src); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// doubled makes an array in which as many places as there are grains on a chessboard have the same number.
const doubled = "var a = [1]; for (var i = 0; i < 64; i++) a = [a, a]; "

func TestBuiltInsAreBounded(t *testing.T) {
	for _, src := range []string{
		"'x'.repeat(1e12)", "'x'.padEnd(1e12)", "'x'.padStart(1e12)", "new Array(1e9).join('ab')", "Array(4e9).fill(1)",
		"Array.from({length: 1e12})", "Math.max.apply(null, {length: 4e9})", "Reflect.apply(Math.max, null, {length: 4e9})",
		doubled + "String(a)", doubled + "a.join()", doubled + "'' + a", doubled + "a.flat(Infinity)", doubled + "a.toLocaleString()",
		doubled + "JSON.stringify(a)", doubled + "JSON.stringify({a: a})",
		"[].includes.call({length: 1e15}, 1)", "[].reverse.call({length: 1e15})", "[].concat.call({length: 1e15}, []), [].slice.call({length: 1e15})",
	} {
		_, err := New().RunString(src)
		var thrown *goja.Exception
		if !errors.As(err, &thrown) || !strings.Contains(err.Error(), "RangeError") {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestPatternsThatNeverEndAreStopped(t *testing.T) {
	v, err := New().RunString(`var s = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"; /^(a+)+\1$/.test(s)`)
	if err == nil && v.ToBoolean() {
		t.Errorf("matched")
	}
}

func TestBuiltInsStillWork(t *testing.T) {
	for src, want := range map[string]string{
		"[3,1,2].sort().join('-')": "1-2-3", "[1,2].concat([3]).indexOf(3)": "2", "'ab'.repeat(2)": "abab", "Math.max.apply(null, [1, 5, 2])": "5",
		"[1,2,3].map(function (x) { return x * 2 }).reduce(function (a, b) { return a + b })": "12", "String([1,[2,3]])": "1,2,3",
		"Array.from('abc').reverse().join('')": "cba", "var a = [1]; a.push(2, 3); a.shift(); a.splice(1, 1); a.length": "1",
		"'x'.padStart(3, '0')": "00x", "[1,2].toString()": "1,2", "JSON.stringify({a: [1, [2]], b: {c: 'd'}})": `{"a":[1,[2]],"b":{"c":"d"}}`, "[1,[2,[3]]].flat(Infinity).join()": "1,2,3",
		"var c = [1]; c.push(c); String(c)": "1,", "[].slice.call({length: 2, 0: 'a', 1: 'b'}).join()": "a,b",
		"try { [1].forEach(function () { throw new Error('own') }) } catch (e) { e.message }": "own",
	} {
		v, err := New().RunString(src)
		if err != nil || v.String() != want {
			t.Errorf("%s = %v, %v; want %s", src, v, err, want)
		}
	}
}

func TestFaultsTellTheLine(t *testing.T) {
	for src, want := range map[string]Fault{
		"1;\nx.y":                    {"ReferenceError: x is not defined", "f", 2},
		"\n\nthrow new Error('own')": {"own", "f", 3},
		"throw 'text'":               {"text", "f", 1},
		"throw null":                 {"null", "f", 1},
		"\nthrow {toString: function () { throw 1 }}": {"an error that can't be shown", "f", 2},
		"function f() {\n return f() }\nf()":          {"too much recursion", "f", 2},
	} {
		p, err := Compile("f", src)
		if err == nil {
			_, err = New().RunProgram(p)
		}
		if got := FaultOf(err); got != want {
			t.Errorf("%q: %+v, want %+v", src, got, want)
		}
	}
	if _, err := Compile("f", "\nvar = 1"); FaultOf(err).Line != 2 {
		t.Errorf("a syntax error: %+v", FaultOf(err))
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("var a = 'it' + \"s\"; // don't\n(1)")
	f.Fuzz(func(_ *testing.T, src string) {
		if len(src) < 4000 {
			_, _ = Compile("fuzz", src)
		}
	})
}
