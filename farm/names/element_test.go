package names_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"overcrank/farm/names"
)

func TestAnElementIsNoPathAndKeepsWhatItCan(t *testing.T) {
	for name, want := range map[string]string{
		"logo.png": "logo.png", "../../etc/passwd": "passwd", `C:\plates\sky 1.mov`: "sky 1.mov", "plates/": "plates", ".hidden": ".hidden",
		"a\u202fb\u200dc.png": "a\u202fb\u200dc.png", "a:b?.png": "a_b_.png", "a\x00b\x7f": "a_b_", "end. . ": "end", " x ": "x",
		"a\u202egnp.exe": "a_gnp.exe", "a\u0085b": "a_b", "a\u2028b": "a_b", "\u2066x\u2069": "_x_", "a\xffb": "a_b", "100%25.png": "100%25.png", "a%03d.png": "a%03d.png",
		"": "other", ".": "other", "..": "other", "/": "_", "...": "other", "nul": "_nul", "CON.png": "_CON.png", "com1 .txt": "_com1 .txt", "console.log": "console.log",
		strings.Repeat("ü", 90) + ".jpeg":                       strings.Repeat("ü", 47) + ".jpeg",
		strings.Repeat("x", 98) + "." + strings.Repeat("y", 20): strings.Repeat("x", 98),
	} {
		if got := names.Element(name, "other"); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func TestWhatIsOneElementEverywhere(t *testing.T) {
	for name, want := range map[string]bool{
		"logo.png": true, ".hidden": true, "console.log": true, "com.txt": true, "com10": true, "lpt": true, "été 2.mov": true,
		"a%03d.png": true, "100%25.png": true, "\u05d0\u200f.png": true, "a\u200db": true,
		"a\u202egnp.exe": false, "a\u0085b": false, "a\u2029b": false, "\u2067a": false, "a.png.": false, "a.png ": false, "a*.png": false, "a?.png": false, "a*?.png": false,
		"a<b": false, "a>b": false, `a"b`: false, "a|b": false, "a\xffb": false, "a\x00b": false,
		"": false, ".": false, "..": false, "a/b": false, `a\b`: false, "c:": false, "a\nb": false, "nul": false, "Aux.png": false, "COM1.a.b": false, "lpt¹": false, "conin$": false,
	} {
		if names.IsElement(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}

func TestWhatCanStandInALine(t *testing.T) {
	for name, want := range map[string]bool{
		"Suite 4": true, "été: a/b?": true, "\u05d0\u200f": true, "日本語": true, " x ": true,
		"": false, "a\x00b": false, "a\nb": false, "a\u0085b": false, "a\u2028b": false, "a\u202eb": false, "a\u2066b": false, "\x1b[2J": false, "a\xff": false,
	} {
		if names.IsLabel(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}

func FuzzElement(f *testing.F) {
	f.Add("../a\\b:c")
	f.Add(strings.Repeat("\u00e9", 60) + ".\x80png")
	f.Fuzz(func(t *testing.T, name string) {
		got := names.Element(name, "other")
		if got == "" || got == "." || got == ".." || strings.ContainsAny(got, "/\\:\x00") || len(got) > 100 {
			t.Errorf("%q became %q", name, got)
		}
		if !names.IsElement(got) {
			t.Errorf("%q became %q, which is no element", name, got)
		}
		if utf8.ValidString(name) && !utf8.ValidString(got) {
			t.Errorf("%q became %q, which is no text", name, got)
		}
		if again := names.Element(got, "other"); again != got {
			t.Errorf("%q became %q, and that %q", name, got, again)
		}
	})
}
