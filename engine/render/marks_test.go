package render_test

import (
	"bytes"
	"image"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/text"
)

// animated makes a layer a text with one animator, which moves all characters unless there are selectors.
func animated(l *aep.Layer, selectors []*aep.Property, props ...*aep.Property) {
	l.Kind = aep.LayerText
	children(l, group("ADBE Text Properties", words(), group("ADBE Text Animators", group("ADBE Text Animator",
		group("ADBE Text Selectors", selectors...), group("ADBE Text Animator Properties", props...)))))
}

// title is a text of 20 pixels in white that begins at 20, 60 of a composition of 200 by 100; change may animate it.
func title(t testing.TB, what string, change func(l *aep.Layer, st *aep.CharacterStyle)) *render.Renderer {
	t.Helper()
	return exposedTitle(t, what, 0, 0, change)
}

// exposedTitle is a title that a shutter of angle degrees exposes from phase degrees on.
func exposedTitle(t testing.TB, what string, angle, phase float64, change func(l *aep.Layer, st *aep.CharacterStyle)) *render.Renderer {
	t.Helper()
	fonts, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	b := build(t)
	comp := b.exposing(200, 100, angle, phase)
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Kind, l.MotionBlur = aep.LayerText, true
		transform(l, value("ADBE Position", 20, 60))
		st := aep.CharacterStyle{Font: "Go-Regular", Size: 20, HScale: 100, VScale: 100, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}}
		if change == nil {
			children(l, group("ADBE Text Properties", words()))
		} else {
			change(l, &st)
		}
		doc := l.Props.Find("ADBE Text Properties", "ADBE Text Document").Value.(*aep.TextDocument)
		doc.Text, doc.Runs = what, []aep.TextRun{{Length: len(what) + 1, Style: st}}
	})
	return b.renderer(comp, render.Options{Fonts: fonts, Expressions: func(e *eval.Evaluator) eval.Expressions {
		return expression.New(expression.Host{Project: b.p, Eval: e})
	}})
}

// ink is where a picture is not transparent, and how much of it there is, in pixels.
func ink(img *raster.Image) (box image.Rectangle, amount float64) {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			if a := img.RGBAAt(x, y).A; a > 8 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
				amount += float64(a) / 255
			}
		}
	}
	return box, amount
}

func TestGlyphsApartLookLikeTheText(t *testing.T) {
	plain := oneFrame(t, title(t, "Bold type", nil), 0)
	apart := oneFrame(t, title(t, "Bold type", func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, nil, value("ADBE Text Position 3D", 0, 0, 0))
	}), 0)
	if d := likeness.Difference(apart, plain); d > 0.01 {
		t.Errorf("they differ by %g of 255", d)
	}
}

func TestAnimatorsMoveCharacters(t *testing.T) {
	box, amount := ink(oneFrame(t, title(t, "iii", nil), 0))
	moved, same := ink(oneFrame(t, title(t, "iii", func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, nil, value("ADBE Text Position 3D", 30, -20, 0))
	}), 0))
	if moved != box.Add(image.Pt(30, -20)) || math.Abs(same-amount) > 0.5 {
		t.Errorf("the text is at %v with %.1f pixels, was at %v with %.1f", moved, same, box, amount)
	}
}

func TestATypewriterWritesItsTextCharacterByCharacter(t *testing.T) {
	r := title(t, "iiii", func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, []*aep.Property{group("ADBE Text Selector", linear(value("ADBE Text Percent Start", 0), 0, 4, aep.Numbers{0}, aep.Numbers{100}))},
			value("ADBE Text Opacity", 0))
	})
	_, whole := ink(oneFrame(t, r, 40))
	for n := range 5 {
		if _, part := ink(oneFrame(t, r, 10*n)); math.Abs(part-whole*float64(n)/4) > 0.5 {
			t.Errorf("after %d s there are %.1f of %.1f pixels", n, part, whole)
		}
	}
}

func TestACharacterFadesAsAWhole(t *testing.T) {
	img := oneFrame(t, title(t, "I", func(l *aep.Layer, st *aep.CharacterStyle) {
		st.Size, st.ApplyStroke, st.StrokeWidth, st.Stroke, st.StrokeOverFill = 60, true, 6, [4]float64{1, 0, 0, 1}, true
		animated(l, nil, value("ADBE Text Opacity", 50))
	}), 0)
	most := uint8(0)
	for i := 3; i < len(img.Pix); i += 4 {
		most = max(most, img.Pix[i])
	}
	if most < 126 || most > 129 {
		t.Errorf("the most opaque pixel has %d", most)
	}
}

func TestBlurSpreadsCharacters(t *testing.T) {
	sharp, amount := ink(oneFrame(t, title(t, "i", nil), 0))
	blurred, same := ink(oneFrame(t, title(t, "i", func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, nil, value("ADBE Text Blur", 8, 0))
	}), 0))
	if blurred.Dx() < sharp.Dx()+4 || blurred.Dy() != sharp.Dy() || same < 0.7*amount || same > 1.05*amount {
		t.Errorf("%v with %.1f pixels becomes %v with %.1f", sharp, amount, blurred, same)
	}
}

func TestManyDifferentBlursAreDrawnInLevels(t *testing.T) {
	r := title(t, string(bytes.Repeat([]byte("i"), 3000)), func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, []*aep.Property{group("ADBE Text Selector", group("ADBE Text Range Advanced", value("ADBE Text Range Shape", 2)))},
			value("ADBE Text Blur", 1000, 3000))
	})
	if box, _ := ink(oneFrame(t, r, 0)); box.Empty() {
		t.Error("nothing is drawn")
	}
}

func TestWigglingTextChangesAndStaticTextIsRepeated(t *testing.T) {
	look := func(selector string) [2][]byte {
		r := title(t, "type", func(l *aep.Layer, _ *aep.CharacterStyle) {
			animated(l, []*aep.Property{group(selector)}, value("ADBE Text Position 3D", 10, 10, 0))
		})
		return [2][]byte{bytes.Clone(oneFrame(t, r, 0).Pix), bytes.Clone(oneFrame(t, r, 7).Pix)}
	}
	if f := look("ADBE Text Wiggly Selector"); bytes.Equal(f[0], f[1]) {
		t.Error("the text does not wiggle")
	}
	if f := look("ADBE Text Selector"); !bytes.Equal(f[0], f[1]) {
		t.Error("a text that does not move changes")
	}
}

func TestAnExpressionSelectsCharacters(t *testing.T) {
	_, all := ink(oneFrame(t, title(t, "iiii", nil), 0))
	_, part := ink(oneFrame(t, title(t, "iiii", func(l *aep.Layer, _ *aep.CharacterStyle) {
		amount := value("ADBE Text Expressible Amount", 100, 100, 100)
		amount.Expression, amount.ExpressionOn = "textIndex % 2 == 0 ? selectorValue : 0", true
		animated(l, []*aep.Property{group("ADBE Text Expressible Selector", amount)}, value("ADBE Text Opacity", 0))
	}), 0))
	if math.Abs(part-all/2) > 0.5 {
		t.Errorf("%.1f of %.1f pixels are left", part, all)
	}
}

func TestTextFollowsAMask(t *testing.T) {
	down := &aep.Path{Vertices: []aep.Vertex{{X: 50, Y: -50}, {X: 50, Y: 40}}}
	box, _ := ink(oneFrame(t, title(t, "iiiiiii", func(l *aep.Layer, _ *aep.CharacterStyle) {
		children(l, group("ADBE Text Properties", words(), group("ADBE Text Path Options", value("ADBE Text Path", 1))))
		masked(l, aep.MaskInfo{Mode: aep.MaskNone}, down)
	}), 0))
	// The line is at x = 70, and what is above its characters is to the right of it.
	if box.Min.X < 69 || box.Max.X > 90 || box.Dy() < 25 || box.Min.Y < 9 {
		t.Errorf("the text is at %v", box)
	}
}

func BenchmarkAnimatedText(b *testing.B) {
	r := title(b, string(bytes.Repeat([]byte("type "), 400)), func(l *aep.Layer, _ *aep.CharacterStyle) {
		animated(l, []*aep.Property{group("ADBE Text Wiggly Selector")}, value("ADBE Text Position 3D", 10, 10, 0),
			value("ADBE Text Scale 3D", 3, 100, 100), value("ADBE Text Rotation", 45))
	})
	n := 0
	for b.Loop() {
		oneFrame(b, r, n%90)
		n++
	}
}

// Two white characters that overlap are black there by their difference.
func TestCharactersAreMixedWithEachOther(t *testing.T) {
	mixed := func(mode float64) (black, white int) {
		img := oneFrame(t, title(t, "OO", func(l *aep.Layer, st *aep.CharacterStyle) {
			st.Size, st.Tracking = 60, -300
			children(l, group("ADBE Text Properties", words(), group("ADBE Text More Options", value("ADBE Text Character Blend Mode", mode))))
		}), 0)
		for i := 0; i < len(img.Pix); i += 4 {
			switch [2]uint8{img.Pix[i], img.Pix[i+3]} {
			case [2]uint8{0, 255}:
				black++
			case [2]uint8{255, 255}:
				white++
			}
		}
		return black, white
	}
	plainBlack, plain := mixed(1)
	black, white := mixed(23)
	if plainBlack != 0 || black < 10 || white == 0 || white+black > plain {
		t.Errorf("%d black and %d white pixels; without a blend mode %d and %d", black, white, plainBlack, plain)
	}
}
