package text

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/fontfile"
)

// A font that is as wide as a missing one stands in for it before those that only look like it, and the warning names it.
func TestFontsAsWideAsAMissingOneStandInForIt(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"Carlito", "Caladea", "Gelasio", "NimbusRoman", "NimbusMonoPS", "TeXGyreTermes", "P052", "URWBookman", "C059", "URWGothic", "Z003", "NimbusSansNarrow",
		"Inter", "NotoSerif", "DejaVuSans", "NimbusSans", "LiberationSans", "LiberationSerif", "Selawik", "ComicRelief",
	} {
		font, err := fontfile.Rename(bytes.NewReader(goregular.TTF), int64(len(goregular.TTF)), 0, name+"-Regular")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".ttf"), font, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := openBook([]string{dir}, func() []string { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for missing, want := range map[string]string{
		"Calibri": "Carlito", "Cambria-Bold": "Caladea", "Georgia-Italic": "Gelasio", "TimesNewRomanPSMT": "LiberationSerif", "Times-Roman": "NimbusRoman",
		"Helvetica-Bold": "NimbusSans", "ArialMT": "LiberationSans", "Arimo-Regular": "LiberationSans", "Tinos-Regular": "LiberationSerif",
		"SegoeUI": "Selawik", "ComicSansMS": "ComicRelief", "CenturyGothic": "URWGothic", "MonotypeCorsiva": "Z003", "TeXGyreHeros-Regular": "NimbusSans",
		"CourierNewPSMT": "NimbusMonoPS", "Courier": "NimbusMonoPS", "Palatino-Roman": "P052", "PalatinoLinotype-Roman": "P052", "BookmanOldStyle": "URWBookman",
		"NewCenturySchlbk-Roman": "C059", "AvantGarde-Book": "URWGothic", "ZapfChancery-MediumItalic": "Z003", "ArialNarrow": "NimbusSansNarrow",
		"Garamond": "LiberationSerif", "Verdana": "Inter",
	} {
		found, err := b.match(missing)
		if err != nil {
			t.Fatal(err)
		}
		if got := found.name; !strings.HasPrefix(key(got), key(want)) {
			t.Errorf("%s is drawn with %s, want %s", missing, got, want)
		}
		told := false
		for _, s := range b.Substitutes() {
			told = told || strings.Contains(s, "'"+missing+"' is not installed: drawn with '"+found.name+"'")
		}
		if !told {
			t.Errorf("nothing is said of %s: %q", missing, b.Substitutes())
		}
	}
}

// letters are the shares of letters in English text, in parts of 10,000.
var letters = map[string]float64{
	"e": 1270, "t": 906, "a": 817, "o": 751, "i": 697, "n": 675, "s": 633, "h": 609, "r": 599, "d": 425, "l": 403, "c": 278, "u": 276,
	"m": 241, "w": 236, "f": 223, "g": 202, "y": 197, "p": 193, "b": 149, "v": 98, "k": 77, "j": 15, "x": 15, "q": 10, "z": 7,
}

// meanWidth is the mean advance of letters and spaces of a font, in ems.
func meanWidth(t *testing.T, b *Book, font string) float64 {
	t.Helper()
	const size = 100
	width := func(text string) float64 {
		return set(t, b, plain(text, func(s style, _ para, _ doc) { s.Font = font })).Lines[0].Width
	}
	sum := 0.0
	for c, share := range letters {
		sum += share / 10_000 * (width(c+c+c+c) - width(c)) / 3
	}
	return (0.82*sum + 0.18*(width("n n n n")-width("nnnn"))/3) / size
}

// TestWidthsAreThoseOfTheFonts measures the fonts of this machine that the table has.
func TestWidthsAreThoseOfTheFonts(t *testing.T) {
	b, err := OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for family := range b.machine().families {
		want := widthOf(family)
		e := b.machine().nearest(family, look{weight: 400})
		if want == 0 || e.look.weight != 400 || e.look.italic {
			continue
		}
		measured++
		if got := meanWidth(t, b, e.unique()); got < want*0.985 || got > want*1.015 {
			t.Errorf("%s is %.3f em wide, and not %.3f", family, got, want)
		}
	}
	if measured == 0 {
		t.Skip("none of them is installed")
	}
}

// TestALineOfAFontThatIsMissingKeepsItsLength has one font of each width stand in for families of other widths.
func TestALineOfAFontThatIsMissingKeepsItsLength(t *testing.T) {
	for _, c := range []struct {
		missing, here string
		want          float64
	}{
		{"cambria", "Liberation Serif", 0.408 / 0.400}, {"palatino", "Tinos", 0.444 / 0.400}, {"helvetica", "TeX Gyre Heros", 1}, {"avenir", "Nimbus Sans", 0.449 / 0.441},
		{"times", "Liberation Serif", 1}, {"times", "Inter", 0.844}, {"garamond", "Liberation Serif", 1}, {"couriernew", "Nimbus Mono PS", 1},
		{"zapfchancery", "DejaVu Sans", 0.8}, {"couriernew", "Arial", 1.15},
	} {
		if got := fit(c.missing, &entry{family: c.here}); got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("%s in the place of %s is drawn %.3f times as wide, want %.3f", c.here, c.missing, got, c.want)
		}
	}
}
