package render_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/likeness"
	"overcrank/engine/render"
)

// exposing is a composition of 10 frames a second whose shutter is open for angle degrees from phase degrees on.
func (b *builder) exposing(w, h int, angle, phase float64) *aep.Item {
	comp := b.comp("main", w, h)
	comp.Comp.ShutterAngle, comp.Comp.ShutterPhase = angle, phase
	return comp
}

// crossing is a position that moves to the right by speed pixels a second, through 0 at the time 0.
func crossing(y, speed float64) *aep.Property {
	p := linear(value("ADBE Position"), 0, 10, aep.Numbers{0, y, 0}, aep.Numbers{10 * speed, y, 0})
	p.Dimensions = 3
	return p
}

// passed is how much of the pixel x lies to the right of an edge that moves from start by way at a constant speed: the mean over the way.
func passed(x int, start, way float64) float64 {
	area := func(to float64) float64 {
		switch d := to - start; {
		case d <= 0:
			return 0
		case d < way:
			return d * d / (2 * way)
		default:
			return d - way/2
		}
	}
	return area(float64(x)+1) - area(float64(x))
}

// ramps checks that a white bar, 40 pixels wide, has moved by way with its left edge from left on.
func ramps(t *testing.T, img *image.RGBA, y int, left, way float64) {
	t.Helper()
	const rounding = 3
	for x := range img.Rect.Dx() {
		want := 255 * (passed(x, left, way) - passed(x, left+40, way))
		if got := float64(img.RGBAAt(x, y).R); math.Abs(got-want) > rounding {
			t.Errorf("at %d: %v, want %.1f", x, got, want)
		}
	}
}

func bar(l *aep.Layer, more ...*aep.Property) {
	l.Kind = aep.LayerShape
	children(l, group("ADBE Root Vectors Group",
		group("ADBE Vector Shape - Rect", append(more, value("ADBE Vector Rect Size", 40, 20))...),
		group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 1, 1, 1, 1))))
}

// Each case lets a white bar of 40 by 20 pixels pass at 100 pixels a second; whatever moves it, and whatever it is made of, its edges are
// ramps as wide as the way that it moves while the shutter is open.
func TestAMovingLayerIsSmearedOverItsWay(t *testing.T) {
	pass := func(l *aep.Layer) { l.MotionBlur = true; transform(l, crossing(20, 100)) }
	for name, set := range map[string]func(b *builder, comp *aep.Item){
		"solid": func(b *builder, comp *aep.Item) { b.layer(comp, b.solid("bar", 40, 20, rgb(white)), pass) },
		"picture": func(b *builder, comp *aep.Item) {
			img := image.NewNRGBA(image.Rect(0, 0, 40, 20))
			for i := range img.Pix {
				img.Pix[i] = 255
			}
			b.layer(comp, b.picture("bar.png", img), pass)
		},
		"composition": func(b *builder, comp *aep.Item) {
			inner := b.comp("inner", 40, 20)
			b.layer(inner, b.solid("bar", 40, 20, rgb(white)), nil)
			b.layer(comp, inner, pass)
		},
		"collapsed composition": func(b *builder, comp *aep.Item) {
			inner := b.comp("inner", 40, 20)
			b.layer(inner, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) { l.MotionBlur = true })
			b.layer(comp, inner, func(l *aep.Layer) { l.Collapse = true; transform(l, crossing(20, 100)) })
		},
		"parent": func(b *builder, comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) { l.Null = true; transform(l, crossing(0, 100)) })
			b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) {
				l.MotionBlur, l.Parent = true, 1
				transform(l, value("ADBE Position", 0, 20, 0))
			})
		},
		"shape": func(b *builder, comp *aep.Item) { b.layer(comp, nil, func(l *aep.Layer) { bar(l); pass(l) }) },
		"contents of a shape": func(b *builder, comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) {
				l.MotionBlur = true
				bar(l, linear(value("ADBE Vector Rect Position"), 0, 10, aep.Numbers{0, 0}, aep.Numbers{1000, 0}))
				transform(l, value("ADBE Position", 0, 20, 0))
			})
		},
		"layer in space": func(b *builder, comp *aep.Item) {
			b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) { l.ThreeD = true; pass(l) })
		},
		"camera": func(b *builder, comp *aep.Item) {
			b.camera(comp, linear(value("ADBE Position"), 0, 10, aep.Numbers{100, 20, -300}, aep.Numbers{-900, 20, -300}), nil, 300)
			b.deep(comp, b.solid("bar", 40, 20, rgb(white)), 0, 20, 0).MotionBlur = true
		},
		"masked and filtered": func(b *builder, comp *aep.Item) {
			b.layer(comp, b.solid("black bar", 80, 40, rgb(black)), func(l *aep.Layer) {
				pass(l)
				masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(20, 10, 60, 30))
				children(l, group("ADBE Effect Parade", group("ADBE Invert")))
			})
		},
		"masked shape": func(b *builder, comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) {
				l.Kind = aep.LayerShape
				children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 90, 90)),
					group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 0, 0, 0, 1))))
				children(l, group("ADBE Effect Parade", group("ADBE Invert")))
				masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(-20, -10, 20, 10))
				pass(l)
			})
		},
		"track matte": func(b *builder, comp *aep.Item) {
			b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) { l.Enabled = false; pass(l) })
			b.layer(comp, b.solid("white", 200, 40, rgb(white)), func(l *aep.Layer) { l.Matte = aep.MatteAlpha })
		},
		"adjustment layer": func(b *builder, comp *aep.Item) {
			b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) {
				pass(l)
				l.Adjustment = true
				children(l, group("ADBE Effect Parade", group("ADBE Invert")))
			})
			b.layer(comp, b.solid("black", 200, 40, rgb(black)), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.exposing(200, 40, 360, 0)
			set(b, comp)
			ramps(t, oneFrame(t, b.renderer(comp, render.Options{}), 6), 20, 40, 10)
		})
	}
}

// What a text's animator moves is smeared like what its layer moves.
func TestCharactersThatMoveAreSmeared(t *testing.T) {
	text := func(angle float64, animate bool) *image.RGBA {
		return oneFrame(t, exposedTitle(t, "Bold", angle, 0, func(l *aep.Layer, _ *aep.CharacterStyle) {
			to, way := aep.Numbers{1000, 0, 0}, value("ADBE Text Position 3D", 0, 0, 0)
			if animate {
				animated(l, nil, linear(way, 0, 10, aep.Numbers{0, 0, 0}, to))
				return
			}
			children(l, group("ADBE Text Properties", words()))
			transform(l, linear(value("ADBE Anchor Point", 0, 0, 0), 0, 10, aep.Numbers{0, 0, 0}, aep.Numbers{-to[0], 0, 0}))
		}), 5)
	}
	if d := likeness.Difference(text(360, true), text(360, false)); d > 0.1 {
		t.Errorf("an animator and a layer blur differently, by %g of 255", d)
	}
	if d := likeness.Difference(text(0, true), text(360, true)); d < 1 {
		t.Errorf("the characters are not blurred: %g", d)
	}
}

func TestATextThatIsReplacedIsSeenInOneVersion(t *testing.T) {
	draw := func(angle float64) []uint8 {
		return oneFrame(t, exposedTitle(t, "one", angle, -180, func(l *aep.Layer, st *aep.CharacterStyle) {
			animated(l, nil, linear(value("ADBE Text Opacity", 100), 0, 10, aep.Numbers{100}, aep.Numbers{0}))
			p := l.Props.Find("ADBE Text Properties", "ADBE Text Document")
			for i, what := range []string{"one", "two"} {
				doc := &aep.TextDocument{Text: what, Runs: []aep.TextRun{{Length: len(what) + 1, Style: *st}}}
				p.Keys = append(p.Keys, aep.Keyframe{Time: float64(i), Value: doc, In: aep.Hold, Out: aep.Hold})
			}
		}), 10).Pix
	}
	if !bytes.Equal(draw(360), draw(0)) {
		t.Error("the shutter, which opens before the second text begins, shows the first")
	}
}

// A mask moves over a layer that stays where it is; its own switch decides.
func TestAMovingMaskIsSmearedIfItsSwitchSaysSo(t *testing.T) {
	for _, c := range []struct {
		layer bool
		mask  aep.MaskMotionBlur
		way   float64
	}{
		{true, aep.MaskBlurOfLayer, 10}, {false, aep.MaskBlurOfLayer, 0}, {true, aep.MaskBlurOff, 0}, {false, aep.MaskBlurOn, 10},
	} {
		b := build(t)
		comp := b.exposing(200, 40, 360, 0)
		b.layer(comp, b.solid("white", 200, 40, rgb(white)), func(l *aep.Layer) {
			l.MotionBlur = c.layer
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd, MotionBlur: c.mask}, nil)
			path := l.Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Shape")
			path.Keys = []aep.Keyframe{
				{Time: 0, Value: square(-20, 10, 20, 30), In: aep.Linear, Out: aep.Linear}, {Time: 10, Value: square(980, 10, 1020, 30), In: aep.Linear, Out: aep.Linear},
			}
		})
		ramps(t, oneFrame(t, b.renderer(comp, render.Options{}), 6), 20, 40, c.way)
	}
}

func TestTheShutterSaysWhenAndForHowLong(t *testing.T) {
	for _, c := range []struct{ angle, phase, left, way float64 }{
		{360, 0, 80, 20}, {180, 0, 80, 10}, {180, -90, 75, 10}, {720, -360, 60, 40}, {90, 180, 90, 5}, {9, 0, 80, 0.5}, {1e9, -1e9, 60, 40},
	} {
		b := build(t)
		comp := b.exposing(200, 40, c.angle, c.phase)
		b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) { l.MotionBlur = true; transform(l, crossing(20, 200)) })
		ramps(t, oneFrame(t, b.renderer(comp, render.Options{}), 5), 20, c.left, c.way)
	}
}

func TestFastLayersAreSampledAsOftenAsTheLimitAllows(t *testing.T) {
	levels := func(limit int, threeD bool) map[uint8]bool {
		b := build(t)
		comp := b.exposing(200, 40, 360, 0)
		comp.Comp.ShutterLimit = limit
		b.layer(comp, b.solid("bar", 100, 20, rgb(white)), func(l *aep.Layer) {
			l.MotionBlur, l.ThreeD = true, threeD
			transform(l, crossing(20, 1000))
		})
		out := make(map[uint8]bool)
		img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
		for x := range 200 {
			out[img.RGBAAt(x, 20).R] = true
		}
		return out
	}
	if n := len(levels(0, false)); n < 90 {
		t.Errorf("a way of 100 pixels has %d levels", n)
	}
	for name, n := range map[string]int{"limit of 20": len(levels(20, false)), "layer in space": len(levels(0, true))} {
		if n > 60 {
			t.Errorf("%s: %d levels", name, n)
		}
	}
}

func TestRotationLeavesTheAnchorAsItIs(t *testing.T) {
	b := build(t)
	comp := b.exposing(100, 100, 360, -180)
	b.layer(comp, b.solid("square", 60, 60, rgb(red)), func(l *aep.Layer) {
		l.MotionBlur = true
		transform(l, linear(value("ADBE Rotate Z"), 0, 10, aep.Numbers{0}, aep.Numbers{9000}))
	})
	img := oneFrame(t, b.renderer(comp, render.Options{}), 10)
	for y := range 100 {
		for x := range 100 {
			r := math.Hypot(float64(x)+0.5-50, float64(y)+0.5-50)
			got := img.RGBAAt(x, y)
			switch {
			case r < 28:
				check(t, img, spot{x, y, red})
			case r > 30*math.Sqrt2+2 && got != clear:
				t.Errorf("at %d, %d: %v", x, y, got)
			case r > 33 && r < 40 && (got.A == 0 || got.A == 255): // a turn by 90°: each point of the ring is covered for a part of the time
				t.Errorf("at %d, %d: %v is not blurred", x, y, got)
			}
		}
	}
}

func TestALayerAtRestHasThePixelsThatItHasWithoutMotionBlur(t *testing.T) {
	still := func(p *aep.Property, from, to aep.Numbers) *aep.Property {
		ease := []aep.Ease{{Influence: 1.0 / 3}}
		p.Keys = []aep.Keyframe{
			{Time: 0, Value: from, In: aep.Linear, Out: aep.Linear},
			{Time: 1, Value: to, In: aep.Bezier, Out: aep.Bezier, InEase: ease, OutEase: ease},
			{Time: 5, Value: to, In: aep.Bezier, Out: aep.Bezier, InEase: ease, OutEase: ease},
		}
		p.Value = from
		return p
	}
	for name, change := range map[string]func(b *builder, l *aep.Layer){
		"solid": func(b *builder, l *aep.Layer) {
			transform(l, still(value("ADBE Position"), aep.Numbers{0, 0}, aep.Numbers{20.3, 31.7}))
			transform(l, value("ADBE Rotate Z", 7))
			transform(l, value("ADBE Opacity", 60))
		},
		"shape": func(b *builder, l *aep.Layer) {
			l.Source = 0
			bar(l, still(value("ADBE Vector Rect Position"), aep.Numbers{0, 0}, aep.Numbers{7.1, 3.3}))
		},
		"layer in space": func(b *builder, l *aep.Layer) {
			l.ThreeD = true
			transform(l, still(value("ADBE Rotate Y"), aep.Numbers{0}, aep.Numbers{40}))
		},
		"effects": func(b *builder, l *aep.Layer) {
			transform(l, still(value("ADBE Rotate Z"), aep.Numbers{0}, aep.Numbers{40}))
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(5, 5, 20, 20))
			children(l, group("ADBE Effect Parade", group("ADBE Invert")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			draw := func(blurred bool, n int) []uint8 {
				b := build(t)
				comp := b.exposing(60, 60, 180, -90)
				b.layer(comp, b.solid("card", 30, 30, rgb(red)), func(l *aep.Layer) { l.MotionBlur = blurred; change(b, l) })
				b.layer(comp, b.picture("back.png", quarters(60, 60)), nil)
				return oneFrame(t, b.renderer(comp, render.Options{}), n).Pix
			}
			if !bytes.Equal(draw(true, 30), draw(false, 30)) {
				t.Error("at rest it is drawn differently")
			}
			if bytes.Equal(draw(true, 5), draw(false, 5)) {
				t.Error("the test shows nothing: it is not blurred when it moves")
			}
		})
	}
}

func TestRenderSettingsSayWhichLayersAreBlurred(t *testing.T) {
	draw := func(how render.MotionBlur, enabled, marked bool) []uint8 {
		b := build(t)
		comp := b.exposing(100, 40, 180, 0)
		comp.Comp.MotionBlur = enabled
		b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) { l.MotionBlur = marked; transform(l, crossing(20, 100)) })
		return oneFrame(t, b.renderer(comp, render.Options{MotionBlur: how}), 5).Pix
	}
	sharp := draw(render.BlurMarked, true, false)
	for _, c := range []struct {
		how     render.MotionBlur
		enabled bool
		blurred bool
	}{
		{render.BlurMarked, false, true}, {render.BlurMarked, true, true}, {render.BlurEnabled, false, false}, {render.BlurEnabled, true, true},
		{render.BlurNone, true, false},
	} {
		if got := !bytes.Equal(draw(c.how, c.enabled, true), sharp); got != c.blurred {
			t.Errorf("setting %d with the composition's switch %v: blurred is %v", c.how, c.enabled, got)
		}
	}
}

// The frame at a cut between two cameras shows nothing of what the first one saw, although the shutter opens before the cut.
func TestACutBetweenCamerasIsNotBlurred(t *testing.T) {
	b := build(t)
	comp := b.exposing(100, 100, 360, -180)
	far := linear(value("ADBE Position"), 0, 10, aep.Numbers{1000, 50, -200}, aep.Numbers{900, 50, -200})
	b.camera(comp, far, nil, 200)
	comp.Comp.Layers[0].Out = 1
	b.camera(comp, value("ADBE Position", 50, 50, -200), nil, 200)
	b.deep(comp, b.solid("red", 40, 40, rgb(red)), 50, 50, 0).MotionBlur = true
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 10), spot{50, 50, red}, spot{35, 35, red}, spot{25, 50, clear})
}

// along moves a layer by an expression's time.
type along struct{}

func (along) Evaluate(_ eval.Ref, _ aep.Value, t float64) (aep.Value, error) {
	return aep.Numbers{100 * t, 20, 0}, nil
}

func TestExpressionsAreAskedAtEachMoment(t *testing.T) {
	b := build(t)
	comp := b.exposing(200, 40, 360, 0)
	b.layer(comp, b.solid("bar", 40, 20, rgb(white)), func(l *aep.Layer) {
		p := value("ADBE Position", 0, 0, 0)
		p.Expression, p.ExpressionOn = "x", true
		l.MotionBlur = true
		transform(l, p)
	})
	r := b.renderer(comp, render.Options{Expressions: func(*eval.Evaluator) eval.Expressions { return along{} }})
	ramps(t, oneFrame(t, r, 6), 20, 40, 10)
}

func TestBlurredColoursStayThose(t *testing.T) {
	b := build(t)
	comp := b.exposing(200, 40, 360, 0)
	b.layer(comp, b.solid("bar", 40, 20, [3]float64{1, 0.5, 0.25}), func(l *aep.Layer) { l.MotionBlur = true; transform(l, crossing(20, 300)) })
	img := oneFrame(t, b.renderer(comp, render.Options{}), 3)
	for x := range 200 {
		c := img.RGBAAt(x, 20)
		want := color.RGBA{c.A, uint8(math.Round(float64(c.A) * 128 / 255)), uint8(math.Round(float64(c.A) * 64 / 255)), c.A}
		check(t, img, spot{x, 20, want})
	}
}

func TestBlurredFramesAreThoseOfAnyMachine(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 60, 60)
	b.layer(inner, b.picture("quarters.png", quarters(60, 60)), nil)
	comp := b.exposing(100, 100, 180, -90)
	b.layer(comp, inner, func(l *aep.Layer) {
		l.MotionBlur = true
		transform(l, linear(value("ADBE Rotate Z"), 0.5, 1, aep.Numbers{0}, aep.Numbers{90}))
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(10, 10, 60, 60), value("ADBE Mask Feather", 5, 5))
	})
	b.layer(comp, nil, func(l *aep.Layer) {
		l.MotionBlur = true
		bar(l)
		transform(l, linear(value("ADBE Position"), 0.3, 0.8, aep.Numbers{10, 10}, aep.Numbers{90, 90}))
	})
	b.layer(comp, b.solid("behind a mask", 100, 100, rgb(green)), func(l *aep.Layer) {
		l.MotionBlur = true
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, nil)
		path := l.Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Shape")
		for i, x := range []float64{0, 50, 50, 0} { // to the right, a rest, and back
			path.Keys = append(path.Keys, aep.Keyframe{Time: float64(i) * 0.4, Value: square(x, 0, x+20, 30), In: aep.Linear, Out: aep.Linear})
		}
	})
	b.layer(comp, b.picture("back.png", quarters(100, 100)), nil)
	for _, workers := range []int{1, 3} {
		if err := sameAlone(b.p, comp, render.Options{Footage: openFile, Background: true, Workers: workers}, 15, 1); err != nil {
			t.Error(err)
		}
	}
}

// What a file asks for costs no more than the limits allow, and draws something.
func TestAnyMotionCanBeDrawn(t *testing.T) {
	scale := func(from, to float64) *aep.Property {
		return linear(value("ADBE Scale"), 0, 0.2, aep.Numbers{from, from, 100}, aep.Numbers{to, to, 100})
	}
	for name, change := range map[string]func(l *aep.Layer){
		"from nothing":       func(l *aep.Layer) { transform(l, scale(0, 100)) },
		"to a million times": func(l *aep.Layer) { transform(l, scale(0, 1e8)) },
		"through a mirror":   func(l *aep.Layer) { transform(l, scale(-100, 100)) },
		"beyond numbers":     func(l *aep.Layer) { transform(l, crossing(20, 1e300)) },
		"past the viewer": func(l *aep.Layer) {
			l.ThreeD = true
			transform(l, linear(value("ADBE Position"), 0, 0.2, aep.Numbers{50, 50, 1000}, aep.Numbers{50, 50, -1000}))
		},
	} {
		for _, vector := range []bool{false, true} {
			b := build(t)
			comp := b.exposing(100, 100, math.Inf(1), math.NaN())
			comp.Comp.ShutterSamples, comp.Comp.ShutterLimit = math.MaxInt32, math.MaxInt32
			b.layer(comp, b.solid("card", 50, 50, rgb(red)), func(l *aep.Layer) {
				l.MotionBlur = true
				if vector {
					l.Source = 0
					bar(l)
				}
				change(l)
			})
			r := b.renderer(comp, render.Options{})
			for n := range 3 {
				if img := oneFrame(t, r, n); img.Rect.Dx() != 100 {
					t.Errorf("%s: %v", name, img.Rect)
				}
			}
		}
	}
}
