package text

import (
	"math"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// plain is a document of one style.
func plain(text string, change func(*aep.CharacterStyle, *aep.ParagraphStyle, *aep.TextDocument)) *aep.TextDocument {
	st := aep.CharacterStyle{
		Font: "Go-Regular", Size: 100, HScale: 100, VScale: 100, AutoLeading: true,
		ApplyFill: true, Fill: [4]float64{1, 1, 1, 1},
	}
	ps := aep.ParagraphStyle{AutoLeadingFactor: 1.2}
	n := len(utf16.Encode([]rune(text))) + 1
	doc := &aep.TextDocument{Text: text}
	if change != nil {
		change(&st, &ps, doc)
	}
	doc.Runs = []aep.TextRun{{Length: n, Style: st}}
	doc.Paragraphs = []aep.ParagraphRun{{Length: n, Style: ps}}
	return doc
}

// goFonts is a book that holds the Go fonts alone, so that results are the same on every machine.
func goFonts(t testing.TB) *Book {
	t.Helper()
	b, err := openBook(nil, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func set(t testing.TB, b *Book, doc *aep.TextDocument) *Layout {
	t.Helper()
	l, err := b.Layout(doc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %.3f, want %.3f", what, got, want)
	}
}

type style = *aep.CharacterStyle
type para = *aep.ParagraphStyle
type doc = *aep.TextDocument

func TestPointTextStandsOnItsOrigin(t *testing.T) {
	b := goFonts(t)
	for _, c := range []struct {
		name string
		just aep.Justification
		x    float64 // of the line's start, in widths
	}{
		{"left", aep.JustifyLeft, 0}, {"right", aep.JustifyRight, -1}, {"centre", aep.JustifyCenter, -0.5},
		{"full without a box", aep.JustifyFullAll, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := set(t, b, plain("HoH", func(_ style, p para, _ doc) { p.Justification = c.just }))
			near(t, "baseline", l.Lines[0].Baseline, 0, 0)
			near(t, "start", l.Lines[0].X, c.x*l.Lines[0].Width, 0.001)
			near(t, "bottom of the ink", l.Top+l.Height, 1.0, 2)
			if l.Lines[0].Width < 150 || l.Lines[0].Width > 300 {
				t.Errorf("three letters of 100 px are %.1f px wide", l.Lines[0].Width)
			}
		})
	}
}

func TestStylesChangeWidths(t *testing.T) {
	b := goFonts(t)
	width := func(text string, change func(style, para, doc)) float64 {
		return set(t, b, plain(text, change)).Lines[0].Width
	}
	normal := width("Hamburg", nil)
	for _, c := range []struct {
		name   string
		text   string
		change func(style, para, doc)
		want   float64
	}{
		{"tracking between letters only", "Hamburg", func(s style, _ para, _ doc) { s.Tracking = 50 }, normal + 6*5},
		{"horizontal scale", "Hamburg", func(s style, _ para, _ doc) { s.HScale = 150 }, normal * 1.5},
		{"vertical scale", "Hamburg", func(s style, _ para, _ doc) { s.VScale = 150 }, normal},
		{"size", "Hamburg", func(s style, _ para, _ doc) { s.Size = 50 }, normal / 2},
		{"superscript", "Hamburg", func(s style, _ para, _ doc) { s.Superscript = true }, normal * scriptScale},
		{"spaces at the end hang over", "Hamburg   ", nil, normal},
		{"all caps", "Hamburg", func(s style, _ para, _ doc) { s.AllCaps = true }, width("HAMBURG", nil)},
		{"sharp s in capitals", "Gruß", func(s style, _ para, _ doc) { s.AllCaps = true }, width("GRUSS", nil)},
		{"small capitals", "amburg", func(s style, _ para, _ doc) { s.SmallCaps = true }, width("AMBURG", nil) * smallCapsScale},
	} {
		t.Run(c.name, func(t *testing.T) { near(t, "width", width(c.text, c.change), c.want, 0.02*c.want/10) })
	}
}

func TestLinesAndParagraphsKeepTheirDistance(t *testing.T) {
	b := goFonts(t)
	for _, c := range []struct {
		name   string
		text   string
		change func(style, para, doc)
		want   []float64 // baselines
	}{
		{"auto leading", "a\rb\x03c", nil, []float64{0, 120, 240}},
		{"own leading", "a\rb", func(s style, _ para, _ doc) { s.AutoLeading, s.Leading = false, 89 }, []float64{0, 89}},
		{"leading zero is auto", "a\rb", func(s style, _ para, _ doc) { s.AutoLeading, s.Leading = false, 0 }, []float64{0, 120}},
		{"empty lines", "a\r\rb", nil, []float64{0, 120, 240}},
		{"space before and after", "a\rb\x03c", func(_ style, p para, _ doc) { p.SpaceBefore, p.SpaceAfter = 10, 5 }, []float64{0, 135, 255}},
		{"no text", "", nil, []float64{0}},
		{"line ends of other systems", "a\r\nb\nc", nil, []float64{0, 120, 240}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := set(t, b, plain(c.text, c.change))
			if len(l.Lines) != len(c.want) {
				t.Fatalf("%d lines, want %d", len(l.Lines), len(c.want))
			}
			for i, w := range c.want {
				near(t, "baseline", l.Lines[i].Baseline, w, 0.001)
			}
		})
	}
}

func TestTallestCharacterGivesTheLineItsLeading(t *testing.T) {
	small := aep.CharacterStyle{Font: "Go-Regular", Size: 20, AutoLeading: true, ApplyFill: true}
	large := small
	large.Size = 60
	l := set(t, goFonts(t), &aep.TextDocument{
		Text: "a\rbC", Runs: []aep.TextRun{{Length: 3, Style: small}, {Length: 2, Style: large}},
	})
	near(t, "second baseline", l.Lines[1].Baseline, 72, 0.001)
	if len(l.Shapes) != 3 {
		t.Errorf("%d shapes, want one for each line and style", len(l.Shapes))
	}
}

func box(w, h float64, just aep.Justification) func(style, para, doc) {
	return func(s style, p para, d doc) {
		s.Size = 20
		p.Justification = just
		d.Box, d.BoxPos, d.BoxSize = true, [2]float64{10, 30}, [2]float64{w, h}
	}
}

func TestBoxWrapsItsText(t *testing.T) {
	b := goFonts(t)
	l := set(t, b, plain("The quick brown fox jumps over the lazy dog", box(150, 400, aep.JustifyLeft)))
	var got []string
	for _, ln := range l.Lines {
		got = append(got, strings.TrimSpace(ln.Text))
		if ln.Width > 150 {
			t.Errorf("line %q is %.1f px wide in a box of 150", ln.Text, ln.Width)
		}
		near(t, "start", ln.X, 10, 0)
	}
	if s := strings.Join(got, "|"); strings.ReplaceAll(s, "|", " ") != "The quick brown fox jumps over the lazy dog" || len(got) != 3 {
		t.Errorf("lines are %s", s)
	}
	near(t, "first baseline below the top by the ascent", l.Lines[0].Baseline, 30+l.Lines[0].Ascent, 0.001)
	near(t, "top of the ink of a line with ascenders", l.Top, 30, 0.5)
}

func TestBoxJustifies(t *testing.T) {
	b := goFonts(t)
	const text = "The quick brown fox jumps over the lazy dog"
	for _, c := range []struct {
		name       string
		just       aep.Justification
		fillsLast  bool
		lastX      float64 // share of the free room left of the last line
		fillsOther bool
	}{
		{"left", aep.JustifyLeft, false, 0, false},
		{"right", aep.JustifyRight, false, 1, false},
		{"centre", aep.JustifyCenter, false, 0.5, false},
		{"full, last left", aep.JustifyFullLastLeft, false, 0, true},
		{"full, last right", aep.JustifyFullLastRight, false, 1, true},
		{"full, last centred", aep.JustifyFullLastCenter, false, 0.5, true},
		{"full", aep.JustifyFullAll, true, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := set(t, b, plain(text, box(160, 400, c.just)))
			n := len(l.Lines) - 1
			for i, ln := range l.Lines {
				fills := math.Abs(ln.Width-160) < 0.001
				if want := i < n && c.fillsOther || i == n && c.fillsLast; fills != want {
					t.Errorf("line %d is %.2f px wide in a box of 160", i, ln.Width)
				}
			}
			last := l.Lines[n]
			near(t, "start of the last line", last.X, 10+c.lastX*(160-last.Width), 0.001)
		})
	}
}

func TestBoxHidesWhatFallsOut(t *testing.T) {
	l := set(t, goFonts(t), plain("one\rtwo\rthree\rfour", box(300, 45, aep.JustifyLeft)))
	if len(l.Lines) != 2 {
		t.Errorf("%d lines in a box for two", len(l.Lines))
	}
}

func TestWordTooWideForItsBoxIsCut(t *testing.T) {
	l := set(t, goFonts(t), plain("Donaudampfschifffahrt", box(60, 900, aep.JustifyLeft)))
	if len(l.Lines) < 3 {
		t.Fatalf("%d lines", len(l.Lines))
	}
	l = set(t, goFonts(t), plain("ab", box(1, 900, aep.JustifyLeft)))
	if len(l.Lines) != 2 {
		t.Errorf("a box narrower than a letter holds %d lines, want one letter on each", len(l.Lines))
	}
}

func TestIndents(t *testing.T) {
	l := set(t, goFonts(t), plain("The quick brown fox jumps over the lazy dog", func(s style, p para, d doc) {
		box(200, 400, aep.JustifyLeft)(s, p, d)
		p.FirstLineIndent, p.StartIndent, p.EndIndent = 30, 20, 10
	}))
	near(t, "first line", l.Lines[0].X, 60, 0)
	near(t, "second line", l.Lines[1].X, 30, 0)
	for _, ln := range l.Lines {
		if ln.X+ln.Width > 200 {
			t.Errorf("line %q reaches %.1f, beyond the indent at 200", ln.Text, ln.X+ln.Width)
		}
	}
}

func TestPaintFollowsTheStyle(t *testing.T) {
	b := goFonts(t)
	for _, c := range []struct {
		name   string
		change func(style, para, doc)
		want   string // f filled, s stroked
	}{
		{"fill", nil, "f"},
		{"nothing", func(s style, _ para, _ doc) { s.ApplyFill = false }, ""},
		{"fill over stroke", func(s style, _ para, _ doc) { s.ApplyStroke, s.StrokeWidth = true, 4 }, "sf"},
		{"stroke over fill", func(s style, _ para, _ doc) { s.ApplyStroke, s.StrokeWidth, s.StrokeOverFill = true, 4, true }, "fs"},
		{"stroke without width", func(s style, _ para, _ doc) { s.ApplyStroke = true }, "f"},
		{"faux bold", func(s style, _ para, _ doc) { s.FauxBold = true }, "fs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for _, s := range set(t, b, plain("A", c.change)).Shapes {
				if s.Stroke != nil {
					got += "s"
				} else {
					got += "f"
				}
			}
			if got != c.want {
				t.Errorf("painted %q, want %q", got, c.want)
			}
		})
	}
}

func TestRightToLeftTextStandsInVisualOrder(t *testing.T) {
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	if b.machine().nearest("dejavusans", look{weight: 400}) == nil {
		t.Skip("DejaVu Sans, which has Hebrew, is not installed")
	}
	s := newSetter(b)
	paras, err := paragraphs(plain("שלום abc", func(s style, _ para, _ doc) { s.Font = "DejaVuSans" }))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := s.breakLines(paras[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	for _, run := range lines[0].runs {
		for _, g := range run {
			order = append(order, g.first)
		}
	}
	want := []int{5, 6, 7, 4, 3, 2, 1, 0}
	for i := range want {
		if i >= len(order) || order[i] != want[i] {
			t.Fatalf("characters stand in the order %v, want %v", order, want)
		}
	}
}

func TestLayoutServesManyAtOnce(t *testing.T) {
	b := goFonts(t)
	want := set(t, b, plain("Together", nil)).Lines[0].Width
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				l, err := b.Layout(plain("Together", nil))
				if err != nil || l.Lines[0].Width != want {
					t.Errorf("got %v, %v", l, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func FuzzLayout(f *testing.F) {
	f.Add("Hello\rworld\x03again", 30.0, 100.0, 40.0, 0.0)
	f.Add("שלום ab ١٢ 👩‍👩‍👧 ﬁ", 0.0, 10.0, -5.0, 500.0)
	b := goFonts(f)
	f.Fuzz(func(t *testing.T, text string, size, width, leading, tracking float64) {
		if len(text) > 2000 {
			return
		}
		d := plain(text, func(s style, _ para, d doc) {
			s.Size, s.Leading, s.Tracking = size, leading, tracking
			d.Box, d.BoxSize = width > 0, [2]float64{width, width}
		})
		if _, err := b.Layout(d); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkLayout(b *testing.B) {
	book := goFonts(b)
	d := plain("The quick brown fox jumps over the lazy dog", box(160, 400, aep.JustifyFullLastLeft))
	for b.Loop() {
		set(b, book, d)
	}
}

func TestStylesGoWithoutKerningAndLigatures(t *testing.T) {
	for want, style := range map[string]aep.CharacterStyle{
		"": {}, "liga clig": {Unligated: true}, "kern": {Unkerned: true}, "liga clig kern": {Tracking: 10, Unkerned: true},
	} {
		var off []string
		for _, f := range features(&style) {
			if f.Value != 0 {
				t.Errorf("%s is on", f.Tag)
			}
			off = append(off, f.Tag.String())
		}
		if got := strings.Join(off, " "); got != want {
			t.Errorf("%+v goes without %q, want %q", style, got, want)
		}
	}
}

func TestStrokesOfTextsAreJoinedAsTheirStyleSays(t *testing.T) {
	for join, want := range map[aep.StrokeJoin]int{aep.MiterStroke: raster.MiterJoin, aep.RoundStroke: raster.RoundJoin, aep.BevelStroke: raster.BevelJoin} {
		l := set(t, goFonts(t), plain("L", func(s style, _ para, _ doc) { s.ApplyStroke, s.StrokeWidth, s.StrokeJoin = true, 3, join }))
		if n := len(l.Shapes); n == 0 || l.Shapes[n-1].Stroke == nil && l.Shapes[0].Stroke == nil {
			t.Fatalf("no stroke among %d shapes", n)
		}
		for _, s := range l.Shapes {
			if s.Stroke != nil && s.Stroke.Join != want {
				t.Errorf("join %d is drawn as %d, want %d", join, s.Stroke.Join, want)
			}
		}
	}
}
