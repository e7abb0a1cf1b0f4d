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
		"Inter", "NotoSerif", "DejaVuSans",
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
		"Calibri": "Carlito", "Cambria-Bold": "Caladea", "Georgia-Italic": "Gelasio", "TimesNewRomanPSMT": "NimbusRoman", "Times-Roman": "NimbusRoman",
		"CourierNewPSMT": "NimbusMonoPS", "Courier": "NimbusMonoPS", "Palatino-Roman": "P052", "PalatinoLinotype-Roman": "P052", "BookmanOldStyle": "URWBookman",
		"NewCenturySchlbk-Roman": "C059", "AvantGarde-Book": "URWGothic", "ZapfChancery-MediumItalic": "Z003", "ArialNarrow": "NimbusSansNarrow",
		"Garamond": "NimbusRoman", "Verdana": "Inter",
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
