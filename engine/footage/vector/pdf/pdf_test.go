package pdf_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"overcrank/engine/footage/vector"
	"overcrank/engine/footage/vector/pdf"
	"overcrank/engine/geom"
	"overcrank/engine/text"
	"overcrank/engine/text/texttest"
)

// file writes a file of a page of 100 by 100 with a table of objects. The page is object 3 and its content object 4; others follow.
func file(page, content string, others ...string) []byte {
	objects := append([]string{
		"<</Type/Catalog/Pages 2 0 R/OCProperties<</D<</OFF[9 0 R]>>>>>>", "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 100 100]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R " + page + ">>", fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content),
	}, others...)
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return b.Bytes()
}

func packed(dict string, content []byte) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", dict, b.Len(), b.String())
}

// drawn is what a file shows, with no fonts but its own.
func drawn(t *testing.T, raw []byte, times float64) (*image.RGBA, *vector.Picture) {
	t.Helper()
	return shown(t, raw, nil, times)
}

func shown(t testing.TB, raw []byte, fonts *text.Book, times float64) (*image.RGBA, *vector.Picture) {
	t.Helper()
	pic, err := pdf.Read(bytes.NewReader(raw), fonts)
	if err != nil {
		t.Fatal(err)
	}
	w, h := pic.Pixels()
	img := image.NewRGBA(image.Rect(0, 0, int(float64(w)*times), int(float64(h)*times)))
	if err := pic.Draw(t.Context(), img, geom.Scale(times, times)); err != nil {
		t.Fatal(err)
	}
	return img, pic
}

func area(img *image.RGBA) (sum float64) {
	for i := 3; i < len(img.Pix); i += 4 {
		sum += float64(img.Pix[i]) / 255
	}
	return sum
}

func TestPathsHaveTheAreasThatGeometryTells(t *testing.T) {
	t.Parallel()
	const kappa = "50 90 m 72.09 90 90 72.09 90 50 c 90 27.91 72.09 10 50 10 c 27.91 10 10 27.91 10 50 c 10 72.09 27.91 90 50 90 c h "
	for content, want := range map[string]float64{
		"10 20 30 40 re f":                    1200,
		"0 0 m 100 0 l 0 100 l f":             5000,
		kappa + "f":                           math.Pi * 1600,
		"0 0 100 100 re 25 25 50 50 re f*":    7500,
		"0 0 100 100 re 25 25 50 50 re f":     10000,
		"4 w 10 50 m 90 50 l S":               320,
		"4 w 2 J 10 50 m 90 50 l S":           336,
		"4 w [10 5] 5 d 0 50 m 100 50 l S":    4 * (5 + 6*10),
		"20 20 40 40 re 10 w S":               1600,
		"q 2 0 0 2 10 10 cm 0 0 10 20 re f Q": 800,
		kappa + "W n 0 0 50 100 re f":         math.Pi * 800,
		"q 0 0 50 100 re W n q 0 0 100 50 re W n 0 0 100 100 re f Q Q 50 50 10 10 re f": 2600,
		"/G gs 0 0 20 20 re f":                                   200,
		"/OC /Off BDC 0 0 50 50 re f EMC 0 0 9 9 re f":           81,
		"/OC /On BDC 0 0 50 50 re f EMC":                         2500,
		"/Form Do":                                               400,
		"/Group Do":                                              150,
		"q /Mask gs 0 0 100 100 re f Q":                          2500 + 2500*128.0/255,
		"0 0 10 10 re n 0 0 10 10 re":                            0,
		"/Pattern cs /Tile scn 0 0 50 50 re f":                   0,
		"/Spot cs 1 scn 0 0 10 10 re f":                          100,
		"20 0 0 20 5 5 cm BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI": 400,
		"20 0 0 20 5 5 cm BI /W 8 /H 1 /IM true ID \x0f EI":      200,
	} {
		raw := file("/Resources<</ExtGState<</G<</ca .5>>/Mask<</SMask<</S/Luminosity/G 7 0 R>>>>>>/Properties<</Off 9 0 R/On 10 0 R>>/XObject<</Form 5 0 R/Group 6 0 R>>"+
			"/Pattern<</Tile<</PatternType 1>>>>/ColorSpace<</Spot[/Separation/Gold/DeviceCMYK<</FunctionType 2/Domain[0 1]/C0[0 0 0 0]/C1[0 .2 .9 0]/N 1>>]>>>>", content,
			"<</Type/XObject/Subtype/Form/BBox[0 0 10 10]/Matrix[2 0 0 2 0 0]/Length 18>>stream\n0 0 100 100 re f \nendstream",
			"<</Type/XObject/Subtype/Form/BBox[0 0 100 100]/Group<</S/Transparency>>/Resources<</ExtGState<</G<</ca .5>>>>/XObject<</Both 8 0 R>>>>/Length 13>>stream\n/G gs/Both Do\nendstream",
			"<</Type/XObject/Subtype/Form/BBox[0 0 100 100]/Group<</S/Transparency/CS/DeviceGray>>/Length 50>>stream\n1 g 0 0 50 50 re f 0.50196 g 50 0 50 50 re f      \nendstream",
			"<</Type/XObject/Subtype/Form/BBox[0 0 100 100]/Group<</S/Transparency>>/Length 34>>stream\n0 0 10 20 re f 0 10 10 20 re f      \nendstream",
			"<</Type/OCG/Name(off)>>", "<</Type/OCG/Name(on)>>")
		img, _ := drawn(t, raw, 4)
		if got := area(img) / 16; math.Abs(got-want) > 0.004*want+0.02 {
			t.Errorf("%q: %.2f, want %.2f", content, got, want)
		}
	}
}

func TestThePageIsTurnedAndCutAsItSays(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]struct {
		w, h int
		at   image.Point
	}{
		"":                                      {100, 100, image.Pt(5, 95)},
		"/CropBox[0 0 50 20]":                   {50, 20, image.Pt(5, 15)},
		"/Rotate 90":                            {100, 100, image.Pt(5, 5)},
		"/Rotate 90/MediaBox[0 0 60 40]":        {40, 60, image.Pt(5, 5)},
		"/Rotate 180/MediaBox[0 0 60 40]":       {60, 40, image.Pt(55, 5)},
		"/Rotate -90/MediaBox[0 0 60 40]":       {40, 60, image.Pt(35, 55)},
		"/MediaBox[-10 -10 20.5 20]/UserUnit 2": {61, 60, image.Pt(30, 30)},
	} {
		img, pic := drawn(t, file(page, "1 0 0 rg 0 0 10 10 re f"), 1)
		if w, h := pic.Pixels(); w != want.w || h != want.h || img.RGBAAt(want.at.X, want.at.Y) != (color.RGBA{255, 0, 0, 255}) {
			t.Errorf("%s: %d x %d, %v", page, w, h, img.RGBAAt(want.at.X, want.at.Y))
		}
	}
}

func TestColoursAndGradientsFollowTheirFormulas(t *testing.T) {
	t.Parallel()
	const ramp = "/Function<</FunctionType 2/Domain[0 1]/C0[0 0 0]/C1[1 1 1]/N 1>>"
	page := "/Resources<</Shading<</Line<</ShadingType 2/ColorSpace/DeviceRGB/Coords[20 0 60 0]/Extend[true false]" + ramp + ">>" +
		"/Ring<</ShadingType 3/ColorSpace/DeviceRGB/Coords[50 50 0 50 50 50]" + ramp + ">>>>" +
		"/Pattern<</P<</PatternType 2/Matrix[2 0 0 1 0 0]/Shading<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 50 0]" + ramp + ">>>>>>>>"
	for content, want := range map[string]func(x, y float64) (v float64, painted bool){
		"/Line sh": func(x, _ float64) (float64, bool) { return max(0, (x-20)/40), x < 60 },
		"/Ring sh": func(x, y float64) (float64, bool) { d := math.Hypot(x-50, y-50); return d / 50, d < 50 },
		"/Pattern cs /P scn .5 0 0 .5 0 0 cm 0 0 200 200 re f": func(x, _ float64) (float64, bool) { return x / 100, true },
		"0 .5 1 rg 0 0 100 100 re f":                           func(float64, float64) (float64, bool) { return 0, true },
		".25 .5 1 .2 k 0 0 100 100 re f":                       func(float64, float64) (float64, bool) { return .75 * .8, true },
	} {
		img, _ := drawn(t, file(page, content), 1)
		for y := 2; y < 100; y += 7 {
			for x := 2; x < 100; x += 7 {
				v, painted := want(float64(x)+0.5, float64(y)+0.5)
				got := img.RGBAAt(x, y)
				if (got.A == 255) != painted || painted && math.Abs(float64(got.R)-255*v) > 2 {
					t.Fatalf("%s at %d, %d: %v, want %.1f, %v", content, x, y, got, 255*v, painted)
				}
			}
		}
	}
}

func TestPicturesAreUnpackedAndTransparentAsTheyAre(t *testing.T) {
	t.Parallel()
	// Two rows of two pixels, predicted from their left and from above.
	pixels := []byte{1, 255, 0, 0, 1, 0, 255, 2, 0, 0, 0, 0, 0, 0}
	page := "/Resources<</XObject<</I 5 0 R>>>>"
	img, pic := drawn(t, file(page, "100 0 0 100 0 0 cm /I Do",
		packed("/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceRGB/SMask 6 0 R/DecodeParms<</Predictor 15/Colors 3/Columns 2>>", pixels),
		packed("/Subtype/Image/Width 1/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", []byte{255, 128})), 1)
	if len(pic.Lacks) > 0 {
		t.Error(pic.Lacks)
	}
	for at, want := range map[image.Point]color.RGBA{{10, 10}: {255, 0, 0, 255}, {90, 10}: {0, 0, 255, 255}, {10, 90}: {128, 0, 0, 128}, {90, 90}: {0, 0, 128, 128}} {
		if got := img.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}

// With a table that is a stream, objects within a stream, and content packed twice.
func TestNewerFilesAreRead(t *testing.T) {
	t.Parallel()
	var coded bytes.Buffer
	var flat bytes.Buffer
	z := zlib.NewWriter(&flat)
	_, _ = z.Write([]byte("0 0 50 100 re f"))
	_ = z.Close()
	e := ascii85.NewEncoder(&coded)
	_, _ = e.Write(flat.Bytes())
	_ = e.Close()
	coded.WriteString("~>")
	inner := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Page/MediaBox[0 0 100 100]/Contents 4 0 R>>"}
	head, body := "", ""
	for i, o := range inner {
		head += fmt.Sprintf("%d %d ", i+1, len(body))
		body += o + " "
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n")
	at4 := b.Len()
	fmt.Fprintf(&b, "4 0 obj <</Filter[/ASCII85Decode/FlateDecode]/Length %d>>stream\n%s\nendstream endobj\n", coded.Len(), coded.String())
	at5 := b.Len()
	fmt.Fprintf(&b, "5 0 obj %s endobj\n", packed(fmt.Sprintf("/Type/ObjStm/N 3/First %d", len(head)), []byte(head+body)))
	at6 := b.Len()
	rows := []byte{2, 0, 5, 0, 2, 0, 5, 1, 2, 0, 5, 2, 1, byte(at4 >> 8), byte(at4), 0, 1, byte(at5 >> 8), byte(at5), 0}
	fmt.Fprintf(&b, "6 0 obj %s endobj\nstartxref\n%d\n", packed("/Type/XRef/Root 1 0 R/Size 6/Index[1 5]/W[1 2 1]", rows), at6)
	img, _ := drawn(t, b.Bytes(), 1)
	if got := area(img); got != 5000 {
		t.Errorf("an area of %g", got)
	}
}

func TestFilesWithoutATableAreReadByTheirObjects(t *testing.T) {
	t.Parallel()
	raw := file("", "0 0 50 100 re f")
	img, _ := drawn(t, raw[:bytes.Index(raw, []byte("xref"))], 1)
	if got := area(img); got != 5000 {
		t.Errorf("an area of %g", got)
	}
}

func TestWhatIsNotReadIsSaidWithWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ raw, want string }{
		"PostScript": {"%!PS-Adobe-3.0\n", "PostScript"},
		"encrypted":  {strings.Replace(string(file("", "")), "/Root", "/Encrypt<</Filter/Standard>>/Root", 1), "encrypted"},
		"nothing":    {"%PDF-1.4\n", "no catalogue"},
		"no page":    {"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 1 0 R>> endobj", "no page"},
		"loop":       {"%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Type/Pages/Kids[2 0 R]>> endobj", "no page"},
		"forms within themselves": {string(file("/Resources<</XObject<</F 5 0 R>>>>", "/F Do",
			"<</Subtype/Form/Resources<</XObject<</F 5 0 R>>>>/Length 5>>stream\n/F Do\nendstream")), "forms lie within each other"},
		"a picture of a gigapixel":  {string(file("/Resources<</XObject<</F 5 0 R>>>>", "/F Do", "<</Subtype/Image/Width 40000/Height 40000/Length 0>>stream\n\nendstream")), "40000 x 40000"},
		"nesting":                   {string(file("", strings.Repeat("[", 1000))), "too deep"},
		"an object without content": {string(file("", "0 0 9 9 re f", strings.Repeat(" ", 10))), ""},
	} {
		_, err := pdf.Read(strings.NewReader(c.raw), nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for content, want := range map[string]string{
		"/Pattern cs /Tile scn 0 0 50 50 re f": "patterns",
		"/S sh":                                "gradients that are neither linear nor radial",
	} {
		if _, pic := drawn(t, file("", content), 1); strings.Join(pic.Lacks, "|") != want {
			t.Errorf("%s: %q", content, pic.Lacks)
		}
	}
}

func TestColoursOfInksAreKnown(t *testing.T) {
	for content, want := range map[string]bool{
		"1 0 0 rg 0 0 9 9 re f": false, "1 0 0 0 k 0 0 9 9 re f": true, "/DeviceCMYK CS 0 0 m 9 9 l S": true, "/Ink cs 1 0 0 0 sc 0 0 9 9 re f": true,
	} {
		_, pic := drawn(t, file("/Resources<</ColorSpace<</Ink[/ICCBased 5 0 R]>>>>", content, "<</N 4/Length 0>>stream\n\nendstream"), 1)
		if pic.Inks != want {
			t.Errorf("%s: %t", content, pic.Inks)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(file("/Resources<</ExtGState<</G<</ca .5/BM/Multiply>>>>>>", "q /G gs 0 0 50 50 re W n 1 0 0 rg 0 0 100 100 re f Q 3 w 0 0 m 9 9 l S"))
	f.Add(file("/Resources<</Shading<</L<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 9 9]/Function<</FunctionType 2/Domain[0 1]/N 1>>>>>>>>", "/L sh"))
	f.Add(file("", "20 0 0 20 5 5 cm BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI"))
	f.Add(file(page, "BT /F 20 Tf 1 Tc 50 Tz 2 Tr 10 40 Td [(AB) -50 (A)] TJ T* 7 Tr (A) ' ET 0 0 50 50 re f", letters...))
	f.Add(file(page, "BT /F 9 Tf 5 5 Td <000a07d0> Tj ET", "<</Subtype/Type0/DescendantFonts[6 0 R]/Encoding 8 0 R/ToUnicode 8 0 R>>", "<</W[1[5 6] 7 9 3]/FontDescriptor 7 0 R>>", "<<>>",
		"<</Length 99>>stream\n1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <61> <63> [<0041> <d83dde00>] endbfrange\nendstream"))
	f.Add(file(page, "BT /F 9 Tf 5 5 Td (AB) Tj ET", "<</Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/Encoding<</Differences[65/a]>>/CharProcs<</a 4 0 R>>>>"))
	f.Add(file("/Resources<</ColorSpace<</U[/Pattern/DeviceGray]>>/Pattern<</T 5 0 R/U 6 0 R>>>>", "/Pattern cs /T scn 0 0 50 50 re f /U CS .5 /U SCN 9 w 3 3 m 90 90 l S",
		"<</PatternType 1/PaintType 1/BBox[0 0 9 9]/XStep 7/YStep -11/Matrix[1 .1 0 1 3 3]/Resources<</Pattern<</T 6 0 R>>>>/Length 37>>stream\n/Pattern cs /T scn 0 0 4 4 re f 1 g f \nendstream",
		"<</PatternType 1/PaintType 2/BBox[0 0 .5 2]/XStep 1/YStep 3/Resources<<>>/Length 15>>stream\n0 0 .3 1 re f  \nendstream"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		pic, err := pdf.Read(bytes.NewReader(raw), texttest.Book(t))
		if err != nil {
			return
		}
		img := image.NewRGBA(image.Rect(0, 0, 64, 64))
		_ = pic.Draw(t.Context(), img, geom.Scale(64/pic.Width, 64/pic.Height))
		for i := 0; i < len(img.Pix); i += 4 {
			if a := img.Pix[i+3]; img.Pix[i] > a || img.Pix[i+1] > a || img.Pix[i+2] > a {
				t.Fatalf("pixel %d is not premultiplied: %v", i/4, img.Pix[i:i+4])
			}
		}
	})
}
