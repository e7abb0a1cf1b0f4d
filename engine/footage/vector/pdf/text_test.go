package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/aep"
	"overcrank/engine/footage/vector"
	"overcrank/engine/footage/vector/pdf"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/text/program"
	"overcrank/engine/text/program/programtest"
	"overcrank/engine/text/texttest"
)

// written is what a file with text shows.
func written(t testing.TB, raw []byte, times float64) (*image.RGBA, *vector.Picture) {
	t.Helper()
	return shown(t, raw, texttest.Book(t), times)
}

// layer is what a text layer shows in the Go font of 20 pixels at 10, 60, and how wide its letters are.
func layer(t testing.TB, s string) (*image.RGBA, []float64) {
	t.Helper()
	l, err := texttest.Book(t).Glyphs(&aep.TextDocument{Text: s, Runs: []aep.TextRun{{Length: len(s), Style: aep.CharacterStyle{Font: "GoRegular", Size: 20}}}})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	r := new(raster.Rasterizer)
	var widths []float64
	for _, g := range l.Glyphs {
		r.Reset(img.Rect)
		r.Fill(g.Outline, geom.Translate(10+g.X, 60+g.Y))
		r.Paint(img, false, raster.Premultiply([4]float64{3: 1}))
		widths = append(widths, g.Advance/20*1000)
	}
	return img, widths
}

func apart(a, b *image.RGBA) (most int) {
	for i := range a.Pix {
		most = max(most, int(a.Pix[i])-int(b.Pix[i]), int(b.Pix[i])-int(a.Pix[i]))
	}
	return most
}

const page = "/Resources<</Font<</F 5 0 R>>>>"

// simple is a page with the Go font of TrueType, whose first code is 32.
func simple(content, more string, widths ...float64) []byte {
	return file(page, content, fmt.Sprintf("<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Nobody/FirstChar 65/Widths %s/FontDescriptor 6 0 R %s>>", strings.Trim(strings.ReplaceAll(fmt.Sprint(widths), ",", " "), ""), more),
		"<</Type/FontDescriptor/Flags 32/FontFile2 7 0 R>>", packed("", goregular.TTF))
}

func TestFontsOfTheFileAreDrawnAsThoseOfTextLayers(t *testing.T) {
	t.Parallel()
	want, widths := layer(t, "ABC")
	glyphs, err := program.Read(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	var numbers []byte
	for _, r := range "ABC" {
		g, _ := glyphs.Mapped(program.Microsoft, program.Unicode, r)
		numbers = append(numbers, byte(g>>8), byte(g))
	}
	composite := func(show, encoding string, first int, more string) []byte {
		return file(page, "BT /F 20 Tf 10 40 Td <"+show+"> Tj ET", "<</Type/Font/Subtype/Type0/BaseFont/Nobody/DescendantFonts[6 0 R]/Encoding "+encoding+">>",
			fmt.Sprintf("<</Subtype/CIDFontType2/DW 0/W[%d %v]/FontDescriptor 7 0 R %s>>", first, widths, more), "<</FontFile2 8 0 R>>", packed("", goregular.TTF),
			packed("", []byte("1 begincodespacerange <00> <ff> endcodespacerange 1 begincidrange <61> <63> 65 endcidrange")),
			packed("", append(make([]byte, 2*'A'), numbers...)))
	}
	for name, raw := range map[string][]byte{
		"codes of Windows":   simple("BT /F 20 Tf 10 40 Td (ABC) Tj ET", "/Encoding/WinAnsiEncoding", widths...),
		"codes of their own": simple("BT /F 20 Tf 10 40 Td (ABC) Tj ET", "", widths...),
		"names":              simple("BT /F 20 Tf 10 40 Td (abc) Tj ET", "/FirstChar 97/Encoding<</Differences[97/A/uni0042 99/C]>>", widths...),
		"numbers":            composite(fmt.Sprintf("%x", numbers), "/Identity-H", int(numbers[0])<<8|int(numbers[1]), ""),
		"numbers by a table": composite("004100420043", "/Identity-H", 'A', "/CIDToGIDMap 10 0 R"),
		"codes by a table":   composite("616263", "9 0 R", 'A', "/CIDToGIDMap 10 0 R"),
	} {
		img, pic := written(t, raw, 1)
		if got := apart(img, want); got > 6 || len(pic.Lacks) > 0 || len(pic.Fonts) > 0 {
			t.Errorf("%s: pixels differ by %d, lacks %q, fonts %q", name, got, pic.Lacks, pic.Fonts)
		}
	}
}

func TestFontsThatAreNotInTheFileHaveStandInsOfItsWidths(t *testing.T) {
	t.Parallel()
	font := "<</Type/Font/Subtype/Type1/BaseFont/GoRegular/Encoding/WinAnsiEncoding>>"
	want, _ := layer(t, "H")
	img, pic := written(t, file(page, "BT /F 20 Tf 10 40 Td (H) Tj ET", font), 1)
	if got := apart(img, want); got > 6 || strings.Join(pic.Fonts, "|") != "GoRegular" || len(pic.Lacks) > 0 {
		t.Errorf("pixels differ by %d, fonts %q, lacks %q", got, pic.Fonts, pic.Lacks)
	}
	wide := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 72/Widths[1444]>>"
	narrow := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 72/Widths[722]>>"
	one, _ := written(t, file(page, "BT /F 20 Tf 10 40 Td (HH) Tj ET", wide), 1)
	other, pic := written(t, file(page, "BT /F 20 Tf 200 Tz 10 40 Td (HH) Tj ET", narrow), 1)
	if got := apart(one, other); got > 6 || area(one) < 100 || strings.Join(pic.Fonts, "|") != "Helvetica" {
		t.Errorf("pixels differ by %d, with an area of %g, fonts %q", got, area(one), pic.Fonts)
	}
	if _, pic := drawn(t, file(page, "BT /F 20 Tf (H) Tj ET", narrow), 1); strings.Join(pic.Lacks, "|") != "text in fonts that are not in the file" {
		t.Errorf("without fonts: %q", pic.Lacks)
	}
}

// Square letters, of 10 by 10 in a size of 20.
var letters = []string{"<</Type/Font/Subtype/Type1/BaseFont/Nobody/FirstChar 65/Widths[500 600]/FontDescriptor 6 0 R/Encoding<</Differences[32/space]>>>>",
	"<</FontFile3 7 0 R>>", packed("/Subtype/Type1C", programtest.CFF(false, false))}

func TestOperatorsOfTextPlaceAndPaintIt(t *testing.T) {
	t.Parallel()
	const at = "BT /F 20 Tf "
	for content, want := range map[string]string{
		at + "10 40 Td (A) Tj ET":                                     "10 40 10 10 re f",
		at + "10 40 Td (AB) Tj ET":                                    "10 40 20 10 re f",
		at + "5 5 Td 5 35 Td (A) Tj ET":                               "10 40 10 10 re f",
		at + "10 40 Td (A) Tj 0 -20 Td (A) Tj ET":                     "10 40 10 10 re 10 20 10 10 re f",
		at + "10 40 TD 0 -15 TD (A) Tj T* (A) Tj ET":                  "10 25 10 10 re 10 10 10 10 re f",
		at + "15 TL 10 40 Td (A) Tj (A) ' ET":                         "10 40 10 10 re 10 25 10 10 re f",
		at + "15 TL 10 40 Td 0 2 (AA) \" ET":                          "10 25 10 10 re 22 25 10 10 re f",
		at + "2 0 0 2 10 40 Tm (A) Tj ET":                             "10 40 20 20 re f",
		at + "0 1 -1 0 30 40 Tm (A) Tj ET":                            "20 40 10 10 re f",
		at + "10 40 Td [(A) -1000 (A) 500 (A)] TJ ET":                 "10 40 10 10 re 40 40 10 10 re 40 40 10 10 re f",
		at + "10 40 Td 5 Tc (AA) Tj ET":                               "10 40 10 10 re 25 40 10 10 re f",
		at + "10 40 Td 5 Tw (A A) Tj ET":                              "10 40 10 10 re 25 40 10 10 re f",
		at + "10 40 Td 50 Tz (AA) Tj ET":                              "10 40 10 10 re f",
		at + "10 40 Td 7 Ts (A) Tj ET":                                "10 47 10 10 re f",
		at + "10 40 Td 3 Tr (A) Tj 0 Tr (A) Tj ET":                    "20 40 10 10 re f",
		at + "10 40 Td 1 Tr 2 w (A) Tj ET":                            "2 w 10 40 10 10 re S",
		at + "10 40 Td 2 Tr 2 w (A) Tj ET":                            "2 w 10 40 10 10 re B",
		at + "10 40 Td 7 Tr (A) Tj ET 0 0 100 100 re f":               "10 40 10 10 re f",
		at + "10 40 Td 7 Tr (A) Tj 20 0 Td (A) Tj ET 0 0 15 100 re f": "10 40 5 10 re f",
		"q " + at + "10 40 Td 7 Tr (A) Tj ET Q 0 0 10 10 re f":        "0 0 10 10 re f",
		"q 2 0 0 2 0 0 cm " + at + "5 20 Td (A) Tj ET Q":              "10 40 20 20 re f",
		"q /F 20 Tf 5 Tc Q " + at + "10 40 Td (AA) Tj ET":             "10 40 20 10 re f",
		at + "10 40 Td (\\101\\\n) Tj ET":                             "10 40 10 10 re f",
		at + "10 40 Td /None 20 Tf (A) Tj ET":                         "",
	} {
		one, pic := written(t, file(page, content, letters...), 1)
		other, _ := written(t, file("", want), 1)
		if got := apart(one, other); got > 2 || len(pic.Lacks) > 0 {
			t.Errorf("%s: pixels differ by %d, lacks %q", content, got, pic.Lacks)
		}
	}
	older := []string{strings.Replace(letters[0], "65/Widths", "66/Widths", 1), "<</FontFile 7 0 R>>", packed("", programtest.Type1(false))}
	accented, _ := written(t, file(page, at+"10 40 Td (B) Tj ET", older...), 1)
	square, _ := written(t, file("", "10 40 10 10 re f"), 1)
	if got := apart(accented, square); got > 2 {
		t.Errorf("a font of Type 1: pixels differ by %d", got)
	}
	keyed := []string{"<</Type/Font/Subtype/Type0/BaseFont/Nobody/DescendantFonts[6 0 R]/Encoding/Identity-H>>", "<</Subtype/CIDFontType0/DW 500/FontDescriptor 7 0 R>>",
		"<</FontFile3 8 0 R>>", packed("/Subtype/CIDFontType0C", programtest.CFF(true, false))}
	one, _ := written(t, file(page, at+"10 40 Td <000a07d0> Tj ET", keyed...), 1)
	other, _ := written(t, file("", "10 40 20 10 re f"), 1)
	if got := apart(one, other); got > 2 {
		t.Errorf("a font that is keyed by characters: pixels differ by %d", got)
	}
}

func TestLettersThatAreStreamsAreDrawn(t *testing.T) {
	t.Parallel()
	font := []string{"<</Type/Font/Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FirstChar 65/Widths[60 60]/Encoding<</Differences[65/a/b]>>/CharProcs<</a 6 0 R/b 7 0 R>>>>",
		packed("", []byte("60 0 0 0 50 50 d1 1 0 0 rg 0 0 50 50 re f")), packed("", []byte("60 0 d0 0 0 1 rg 0 0 50 50 re f BT /F 20 Tf (A) Tj ET"))}
	one, pic := written(t, file(page, "0 1 0 rg BT /F 20 Tf 10 40 Td (AB) Tj ET", font...), 1)
	other, _ := written(t, file("", "0 1 0 rg 10 40 10 10 re f 0 0 1 rg 22 40 10 10 re f"), 1)
	if got := apart(one, other); got > 2 || len(pic.Lacks) > 0 {
		t.Errorf("pixels differ by %d, lacks %q", got, pic.Lacks)
	}
	loop := append([]string{strings.Replace(font[0], "/CharProcs", "/Resources<</Font<</F 5 0 R>>>>/CharProcs", 1)}, font[1], packed("", []byte("60 0 d0 BT /F 20 Tf (B) Tj ET")))
	if _, err := pdf.Read(bytes.NewReader(file(page, "BT /F 20 Tf (B) Tj ET", loop...)), nil); err == nil || !strings.Contains(err.Error(), "letters lie within each other") {
		t.Errorf("a letter within itself: %v", err)
	}
}

// TestFontsCostWhatTheyHold reads one large list of widths again for each font: a small file could fill the memory with them.
func TestFontsCostWhatTheyHold(t *testing.T) {
	t.Parallel()
	const font = "<</Font<</F <</Subtype/Type0/BaseFont/Nobody/Encoding/Identity-H/DescendantFonts[5 0 R]>>>>>>"
	objects := []string{"<</W[0[" + strings.Repeat("1 ", 100_000) + "]]>>"}
	for times, refused := range map[int]bool{5: false, 50: true} {
		_, err := pdf.Read(bytes.NewReader(file("/Resources"+font, strings.Repeat("BT /F 1 Tf ET ", times), objects...)), texttest.Book(t))
		if got := errors.Is(err, vector.ErrTooMuch); got != refused || !refused && err != nil {
			t.Errorf("%d fonts: %v", times, err)
		}
	}
}

func TestTextThatIsNotDrawnIsNamed(t *testing.T) {
	t.Parallel()
	const show = "BT /F 12 Tf (A) Tj ET"
	for name, c := range map[string]struct {
		objects []string
		want    string
	}{
		"Type 1":    {[]string{"<</Subtype/Type1/BaseFont/Nobody/FontDescriptor 6 0 R>>", "<</FontFile 7 0 R>>", packed("", []byte("%!PS-AdobeFont-1.0"))}, "text in the font 'Nobody'"},
		"broken":    {[]string{"<</Subtype/TrueType/BaseFont/Nobody/FontDescriptor 6 0 R>>", "<</FontFile2 7 0 R>>", packed("", []byte("nonsense"))}, "text in the font 'Nobody'"},
		"encoding":  {[]string{"<</Subtype/Type0/BaseFont/Nobody/Encoding/UniGB-UCS2-H/DescendantFonts[<<>>]>>"}, "text in an encoding that is not read"},
		"vertical":  {[]string{"<</Subtype/Type0/BaseFont/Nobody/Encoding/Identity-V/DescendantFonts[<<>>]>>"}, "vertical text"},
		"symbols":   {[]string{"<</Subtype/Type1/BaseFont/ZapfDingbats>>"}, "text in the font 'ZapfDingbats'"},
		"a bomb":    {[]string{strings.Replace(letters[0], "32/space", "65/box", 1), letters[1], packed("", programtest.CFF(false, true))}, "letters of the font 'Nobody'"},
		"no glyphs": {[]string{"<</Subtype/Type0/BaseFont/Nobody/Encoding/Identity-H/DescendantFonts[<<>>]>>"}, "text in the font 'Nobody'"},
	} {
		_, pic := written(t, file(page, show, c.objects...), 1)
		if got := strings.Join(pic.Lacks, "|"); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
