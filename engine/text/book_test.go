package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"

	"overcrank/engine/text/program/programtest"
)

func TestNamesTellTheLook(t *testing.T) {
	for _, c := range []struct {
		name   string
		family string
		look   look
	}{
		{"AvenirNext-Bold", "avenirnext", look{weight: 700}},
		{"AvenirNext-DemiBoldItalic", "avenirnext", look{weight: 600, italic: true}},
		{"HelveticaNeue-UltraLight", "helveticaneue", look{weight: 200}},
		{"MyriadPro-BoldCondIt", "myriadpro", look{weight: 700, italic: true, narrow: true}},
		{"Futura-CondensedExtraBold", "futura", look{weight: 800, narrow: true}},
		{"Arial-BoldMT", "arial", look{weight: 700}},
		{"ArialMT", "arialmt", look{weight: 400}},
		{"Inter Semi Bold", "inter", look{weight: 400}},
		{"Gotham-Book", "gotham", look{weight: 400}},
		{"Helvetica-Oblique", "helvetica", look{weight: 400, italic: true}},
		{"Avenir-Heavy", "avenir", look{weight: 900}},
		{"", "", look{weight: 400}},
	} {
		family, l := parseName(c.name)
		if c.name == "Inter Semi Bold" {
			c.look.weight = 600
		}
		if family != c.family || l != c.look {
			t.Errorf("%q is %q %+v, want %q %+v", c.name, family, l, c.family, c.look)
		}
	}
}

// jobFonts writes fonts into a folder as a job brings them.
func jobFonts(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFontsAreFoundByEachOfTheirNames(t *testing.T) {
	dir := jobFonts(t, map[string][]byte{"brand-face.ttf": gomedium.TTF})
	b, err := openBook([]string{dir}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"GoMedium", "Go Medium", "go-medium", "brand-face"} {
		tf, err := b.match(name)
		if err != nil || tf.name != "Go Medium" {
			t.Errorf("%q gives %v, %v", name, tf, err)
		}
	}
	if notes := b.Substitutes(); len(notes) != 0 {
		t.Errorf("substitutes: %v", notes)
	}
}

func TestMissingFontIsReplacedAndNamedOnce(t *testing.T) {
	b := goFonts(t)
	for range 2 {
		set(t, b, plain("A", func(s style, _ para, _ doc) { s.Font = "AvenirNext-Bold" }))
	}
	got := b.Substitutes()
	if len(got) != 1 || got[0] != "font 'AvenirNext-Bold' is not installed: drawn with 'Go Bold'" {
		t.Errorf("substitutes: %q", got)
	}
}

func TestMissingCharacterIsNamed(t *testing.T) {
	b := goFonts(t)
	set(t, b, plain("a漢漢", nil))
	got := b.Substitutes()
	if len(got) != 1 || !strings.Contains(got[0], "'漢'") {
		t.Errorf("substitutes: %q", got)
	}
}

func TestJobsFontsComeFirst(t *testing.T) {
	dir := jobFonts(t, map[string][]byte{"Go-Regular.ttf": gobold.TTF})
	b, err := openBook([]string{dir}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if tf, err := b.match("Go-Regular"); err != nil || tf.name != "Go Bold" {
		t.Errorf("got %v, %v: the job's file of that name should have won", tf, err)
	}
}

func TestBrokenFontsDoNotStopText(t *testing.T) {
	cut := gobold.TTF[:len(gobold.TTF)/2]
	scrambled := append([]byte(nil), gobold.TTF...)
	for i := 600; i < len(scrambled); i += 97 {
		scrambled[i] ^= 0x5A
	}
	dir := jobFonts(t, map[string][]byte{"empty.ttf": nil, "text.otf": []byte("not a font"), "GoBold.ttf": cut, "other.ttc": scrambled})
	b, err := openBook([]string{dir}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"empty", "text", "GoBold", "other"} {
		d := plain("Text", func(s style, _ para, _ doc) { s.Font = name })
		if l, err := b.Layout(d); err == nil && len(l.Lines) != 1 {
			t.Errorf("%s: %d lines", name, len(l.Lines))
		}
	}
}

func TestFolderThatIsAFileIsRefused(t *testing.T) {
	dir := jobFonts(t, map[string][]byte{"x.ttf": gobold.TTF})
	if _, err := OpenBook(filepath.Join(dir, "x.ttf")); err == nil {
		t.Error("a file passed for a folder of fonts")
	}
	if _, err := OpenBook(filepath.Join(dir, "none")); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestStandInsMatchTheirOriginals(t *testing.T) {
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	if b.machine().nearest("liberationsans", look{weight: 400}) == nil || b.machine().nearest("inter", look{weight: 400}) == nil {
		t.Skip("Liberation and Inter are not installed")
	}
	for name, want := range map[string]string{
		"Helvetica-Bold":            "Liberation Sans Bold",
		"ArialMT":                   "Liberation Sans",
		"TimesNewRomanPS-BoldMT":    "Liberation Serif Bold",
		"CourierNewPS-ItalicMT":     "Liberation Mono Italic",
		"AvenirNext-DemiBoldItalic": "Inter Semi Bold Italic",
		"Futura-Medium":             "Inter Medium",
		"Gotham-Black":              "Inter Black",
		"Inter-Heavy":               "Inter Black",
	} {
		tf, err := b.match(name)
		if err != nil {
			t.Fatal(err)
		}
		if tf.name != want {
			t.Errorf("%s is drawn with %s, want %s", name, tf.name, want)
		}
	}
}

func TestStandInKeepsTheLengthOfLines(t *testing.T) {
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	if b.machine().nearest("inter", look{weight: 400}) == nil {
		t.Skip("Inter is not installed")
	}
	width := func(font string) float64 {
		return set(t, b, plain("Hamburgefonstiv", func(s style, _ para, _ doc) { s.Font = font })).Lines[0].Width
	}
	near(t, "share of Inter's width", width("AvenirNext-Regular")/width("Inter-Regular"), widths["avenirnext"]/widths["inter"], 0.001)
	near(t, "width of the same metrics", width("ArialMT")/width("LiberationSans"), 1, 0.001)
}

func FuzzOpenFont(f *testing.F) {
	f.Add(gobold.TTF)
	f.Add(outlined(f, "CFF ", programtest.CFF(true, false)))
	f.Add(outlined(f, "CFF ", programtest.CFF(false, true)))
	f.Add(outlined(f, "CFF2", programtest.Variable(3, 2)))
	f.Add([]byte("ttcf\x00\x01\x00\x00\x00\x00\x00\x02"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f.ttf"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := openBook([]string{dir}, func() []string { return nil })
		if err != nil {
			t.Fatal(err)
		}
		_, _ = b.Layout(plain("Fuzz", func(s style, _ para, _ doc) { s.Font = "f" }))
	})
}

func BenchmarkOpenBook(b *testing.B) {
	for b.Loop() {
		book, err := OpenBook()
		if err != nil {
			b.Fatal(err)
		}
		book.machine().find("AvenirNext-Bold")
	}
}

func TestVariableFontsHoldTheirWholeFamily(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/go-text/typesetting").Output()
	if err != nil {
		t.Skip("the typesetting module's own test fonts can't be found:", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "font", "testdata", "Selawik-VF-Subset.ttf"))
	if err != nil {
		t.Skip("the typesetting module brings no variable font:", err)
	}
	b, err := openBook([]string{jobFonts(t, map[string][]byte{"variable.ttf": data})}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	weights := map[float64]bool{}
	for _, e := range b.own.entries {
		names = append(names, e.postScript+" "+e.style)
		weights[e.look.weight] = true
	}
	if len(b.own.entries) < 3 || len(weights) < 3 {
		t.Fatalf("the font holds %q", names)
	}
	width := func(e *entry) float64 {
		return set(t, b, plain("nnnn", func(s style, _ para, _ doc) { s.Font = e.postScript })).Lines[0].Width
	}
	light, bold := b.own.nearest(key(b.own.entries[0].family), look{weight: 100}), b.own.nearest(key(b.own.entries[0].family), look{weight: 900})
	if light == bold || width(light) == width(bold) {
		t.Errorf("%s and %s are equally wide: %.2f", light.postScript, bold.postScript, width(bold))
	}
}
