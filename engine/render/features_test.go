package render_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// said draws some frames by several workers, lists the sounds, and gives the warnings.
func (b *builder) said(comp *aep.Item) []string {
	b.t.Helper()
	var said []string
	r := b.renderer(comp, render.Options{Warn: func(m string) { said = append(said, m) }, Workers: 4})
	if err := r.Frames(context.Background(), 0, 20, 1, func(int, *raster.Image) error { return nil }); err != nil {
		b.t.Fatal(err)
	}
	b.sounds(r)
	return said
}

func children(l *aep.Layer, groups ...*aep.Property) {
	l.Props.Children = append(l.Props.Children, groups...)
}

func moving(match string) *aep.Property {
	return linear(value(match, 0, 0), 0, 1, aep.Numbers{0, 0}, aep.Numbers{9, 9})
}

func stroked(l *aep.Layer, more ...*aep.Property) {
	l.Kind = aep.LayerShape
	children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect"), group("ADBE Vector Graphic - Stroke", more...)))
}

// Each case is a layer with one thing that is not drawn, and what is said of it.
func TestEachThingThatIsNotDrawnIsSaidOnce(t *testing.T) {
	cases := map[string]struct {
		change func(l *aep.Layer)
		want   string
	}{
		"effect":         {func(l *aep.Layer) { children(l, group("ADBE Effect Parade", group("VIDEOCOPILOT Saber"))) }, "effect 'VIDEOCOPILOT Saber'"},
		"dissolve":       {func(l *aep.Layer) { l.Blend = aep.BlendDissolve }, "After Effects' own pattern of blend mode 'Dissolve'"},
		"classic mode":   {func(l *aep.Layer) { l.Blend = aep.BlendClassicColorBurn }, "the exact formula of blend mode 'Classic Color Burn'"},
		"luminescence":   {func(l *aep.Layer) { l.Blend = aep.BlendLuminescentPremul }, "the light of transparent pixels in blend mode 'Luminescent Premul'"},
		"unknown blend":  {func(l *aep.Layer) { l.Blend = 77 }, "blend mode 'number 77'"},
		"model":          {func(l *aep.Layer) { l.Kind = aep.LayerModel }, "a layer of this kind"},
		"pixel motion":   {func(l *aep.Layer) { l.FrameBlend, l.PixelMotion, l.Stretch = true, true, 200 }, "the movement between frames of pixel motion, which are mixed,"},
		"frame blending": {func(l *aep.Layer) { l.FrameBlend, l.Stretch = true, 50 }, "After Effects' own mixture of the frames that pass in one"},
		"layer style": {func(l *aep.Layer) {
			children(l, group("ADBE Layer Styles", group("patternFill/enabled", value("patternFill/opacity", 50))))
		}, "layer style 'patternFill/enabled'"},
		"part of a layer style": {func(l *aep.Layer) {
			children(l, group("ADBE Layer Styles", group("bevelEmboss/enabled")))
		}, "the exact relief of layer style 'bevelEmboss/enabled'"},
		"essential property": {func(l *aep.Layer) {
			children(l, group("ADBE Layer Overrides", value("ADBE Layer Overrides", 3)))
		}, "a value of its own for an essential property"},
		"masked effect": {func(l *aep.Layer) {
			children(l, group("ADBE Effect Parade", group("ADBE Tint", group("ADBE Effect Built In Params", group("ADBE Effect Mask Parade", group("mask"))))))
		}, "a mask of effect 'ADBE Tint'"},
		"extrusion": {func(l *aep.Layer) {
			l.ThreeD = true
			children(l, group("ADBE Extrsn Options Group", value("ADBE Extrsn Depth", 9)))
		}, "the depth of a 3D layer that is extruded"},
		"sound of a composition": {func(l *aep.Layer) {
			children(l, group("ADBE Effect Parade", group("ADBE AudWave", refersTo("ADBE AudWave-0001", l.ID), value("ADBE AudWave-0010", 0))))
		}, "the sound of composition 'inner' in an effect"},
		"motion blur within a shape in space": {func(l *aep.Layer) {
			stroked(l, linear(value("ADBE Vector Stroke Width", 1), 0, 1, aep.Numbers{1}, aep.Numbers{9}))
			transform(l, value("ADBE Rotate X", 10))
			l.ThreeD, l.MotionBlur = true, true
		}, "the motion blur of what changes within a text or a shape in space"},
		"curvature": {func(l *aep.Layer) {
			l.ThreeD = true
			children(l, group("ADBE Plane Options Group", value("ADBE Plane Curvature", 9)))
		}, "the curvature of a 3D layer"},
		"parameter of an effect": {func(l *aep.Layer) {
			usual, set := value("ADBE Tint-0008", 3), value("ADBE Tint-0009", 3)
			usual.Usual, set.Usual, set.Name = aep.Numbers{3}, aep.Numbers{1}, "Spin"
			children(l, group("ADBE Effect Parade", group("ADBE Tint", usual, set)))
		}, "the parameter 'Spin' of effect 'ADBE Tint'"},
		"feather points": {func(l *aep.Layer) {
			path := square(-10, -10, 30, 30)
			path.Feather = []aep.FeatherPoint{{Radius: 5}}
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, path)
		}, "After Effects' own curve between the feather points of mask 'ADBE Mask Atom'"},
		"feather points in a later keyframe": {func(l *aep.Layer) {
			first, later := square(-10, -10, 30, 30), square(-10, -10, 40, 30)
			later.Feather = []aep.FeatherPoint{{Radius: 5}}
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, first)
			l.Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Shape").Keys = []aep.Keyframe{{Value: first}, {Time: 1, Value: later}}
		}, "After Effects' own curve between the feather points of mask 'ADBE Mask Atom'"},
		"taper": {func(l *aep.Layer) {
			stroked(l, group("ADBE Vector Stroke Taper", value("ADBE Vector Taper End Length", 40)))
		}, "After Effects' own curve of the taper of 'ADBE Vector Graphic - Stroke'"},
		"wave": {func(l *aep.Layer) {
			stroked(l, group("ADBE Vector Stroke Wave", value("ADBE Vector Taper Wave Amount", 4)))
		}, "After Effects' own curve of the wave of 'ADBE Vector Graphic - Stroke'"},
		"shape operator": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Filter - Fold")))
		}, "shape operator 'ADBE Vector Filter - Fold'"},
		"twist": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Filter - Twist")))
		}, "After Effects' own curve of 'ADBE Vector Filter - Twist'"},
		"group's blend mode": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Group", value("ADBE Vector Blend Mode", 99))))
		}, "the blend mode of shape group 'ADBE Vector Group'"},
		"text selector": {func(l *aep.Layer) {
			animated(l, []*aep.Property{group("ADBE Text Magic Selector")}, value("ADBE Text Opacity", 50))
		}, "text selector 'ADBE Text Magic Selector'"},
		"random order": {func(l *aep.Layer) {
			animated(l, []*aep.Property{group("ADBE Text Wiggly Selector")}, value("ADBE Text Opacity", 50))
		}, "After Effects' own randomness in the selector 'ADBE Text Wiggly Selector'"},
		"a path in depth": {func(l *aep.Layer) {
			transform(l, linear(value("ADBE Position", 0, 0, 0), 0, 1, aep.Numbers{0, 0, 0}, aep.Numbers{9, 0, 9}))
			l.ThreeD, l.AutoOrient = true, true
		}, "the way along a path in depth of what is oriented along it"},
		"replaced media": {func(l *aep.Layer) { l.OtherSize = true }, "the fitting of media of another size in the place of others"},
		"a measured text": {func(l *aep.Layer) {
			animated(l, nil, value("ADBE Text Tracking Amount", 50))
			width := value("ADBE Opacity", 50)
			width.Expression, width.ExpressionOn = "Math.min(50, sourceRectAtTime().width)", true
			transform(l, width)
		}, "what animators and paths change of the size that an expression asks for"},
		"bicubic sampling": {func(l *aep.Layer) { l.Bicubic, l.Quality = true, 2 }, "bicubic sampling"},
		"a style of large reach": {func(l *aep.Layer) {
			children(l, group("ADBE Layer Styles", group("dropShadow/enabled", value("dropShadow/distance", 2001), value("dropShadow/size", 5))))
		}, "what lies farther than 2000 pixels away of layer style 'dropShadow/enabled'"},
		"too many copies": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect"), group("ADBE Vector Filter - Repeater", value("ADBE Vector Repeater Copies", 1001))))
		}, "what shape operators make beyond their limits"},
		"copies that become too many": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			copies := linear(value("ADBE Vector Repeater Copies", 1), 0, 0.1, aep.Numbers{1}, aep.Numbers{1200})
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect"), group("ADBE Vector Filter - Repeater", copies)))
		}, "what shape operators make beyond their limits"},
		"groups within groups": {func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			inner := group("ADBE Vector Shape - Rect")
			for range 130 {
				inner = group("ADBE Vector Group", group("ADBE Vectors Group", inner))
			}
			children(l, group("ADBE Root Vectors Group", inner))
		}, "what shape operators make beyond their limits"},
		"optical kerning": {func(l *aep.Layer) {
			l.Kind = aep.LayerText
			first, later := words(), words()
			later.Value.(*aep.TextDocument).Options = aep.OpticalKerning | aep.EveryLine // of text in a box
			first.Keys = []aep.Keyframe{{Value: first.Value}, {Time: 1, Value: later.Value}}
			children(l, group("ADBE Text Properties", first))
		}, "optical kerning"},
		"Every-Line Composer": {func(l *aep.Layer) {
			l.Kind = aep.LayerText
			boxed := words()
			doc := boxed.Value.(*aep.TextDocument)
			doc.Options, doc.Box, doc.BoxSize = aep.EveryLine, true, [2]float64{20, 20}
			children(l, group("ADBE Text Properties", boxed))
		}, "the Every-Line Composer"},
		"blending of characters": {func(l *aep.Layer) {
			l.Kind = aep.LayerText
			children(l, group("ADBE Text Properties", words(), group("ADBE Text More Options", value("ADBE Text Character Blend Mode", 99))))
		}, "the blending of characters with each other"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			inner := b.comp("inner", 20, 20)
			b.layer(inner, b.solid("red", 20, 20, rgb(red)), nil)
			comp := b.comp("main", 20, 20)
			comp.Comp.Renderer, comp.Comp.ShutterAngle = "ADBE Picasso", 180
			b.layer(comp, inner, func(l *aep.Layer) { l.Name = "card"; c.change(l) })
			said := b.said(comp)
			said = slices.DeleteFunc(said, func(m string) bool {
				return strings.Contains(m, "there are no fonts") || strings.Contains(m, "another renderer than Classic 3D")
			})
			if want := "layer 'card' in composition 'main': " + c.want + " is not drawn by the embedded engine"; !slices.Equal(said, []string{want}) {
				t.Errorf("said %q, want %q", said, want)
			}
		})
	}
}

// TestEveryPartOfAFilmSaysTheSame draws frames before, while and after a layer is seen that lacks something.
func TestEveryPartOfAFilmSaysTheSame(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
		l.In, l.Out = 1, 2
		children(l, group("ADBE Effect Parade", group("ADBE Lightning"), group("ADBE Fractal Noise")))
	})
	var first []string
	for _, n := range []int{0, 15, 30} {
		for _, last := range []int{n, n + 3} { // one frame is drawn in a way of its own
			var said []string
			r := b.renderer(comp, render.Options{Warn: func(m string) { said = append(said, m) }})
			if err := r.Frames(t.Context(), n, last, 1, func(int, *raster.Image) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = said
			}
			if len(said) < 2 || !slices.Equal(said, first) {
				t.Errorf("frames %d to %d: %q, and those before: %q", n, last, said, first)
			}
		}
	}
}

// A way in the plane, and colours of a text that is measured, are drawn as they are.
func TestWhatIsNotInDepthOrNoLargerIsNotSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Position", 0, 0, 5), 0, 1, aep.Numbers{0, 0, 5}, aep.Numbers{9, 0, 5}))
		l.ThreeD, l.AutoOrient = true, true
	})
	b.layer(comp, nil, func(l *aep.Layer) {
		animated(l, nil, value("ADBE Text Fill Opacity", 50), value("ADBE Text Blur", 1, 1))
		width := value("ADBE Opacity", 50)
		width.Expression, width.ExpressionOn = "Math.min(50, sourceRectAtTime().width)", true
		transform(l, width)
	})
	said := slices.DeleteFunc(b.said(comp), func(m string) bool { return strings.Contains(m, "there are no fonts") })
	if len(said) > 0 {
		t.Errorf("said %q", said)
	}
}

func TestWhatAnEffectSeesOfAHiddenLayerIsSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	for part, name := range map[aep.LayerPart]string{aep.LayerWithEffects: "by", aep.LayerSource: "bare"} {
		b.layer(comp, b.solid(name, 20, 20, rgb(red)), func(l *aep.Layer) {
			l.Enabled = false
			effects(l, group("VIDEOCOPILOT Saber"))
		})
		b.layer(comp, b.solid("cut", 20, 20, rgb(red)), func(l *aep.Layer) {
			by := refersTo("ADBE Set Matte3-0001", l.ID-1)
			by.LayerPart = part
			effects(l, group("ADBE Set Matte3", by))
		})
	}
	want := []string{"layer 'by' in composition 'main': effect 'VIDEOCOPILOT Saber' is not drawn by the embedded engine"}
	if said := b.said(comp); !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

func words() *aep.Property {
	return &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: &aep.TextDocument{Text: "words"}}
}

func TestSwitchesThatChangeNothingAreNotWarnedOf(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 20, 20)
	b.layer(inner, b.solid("red", 20, 20, rgb(red)), nil)
	comp := b.comp("main", 20, 20)
	b.layer(comp, inner, func(l *aep.Layer) {
		l.MotionBlur, l.FrameBlend = true, true
		transform(l, moving("ADBE Position"))
		children(l, group("ADBE Layer Overrides"), group("ADBE Effect Parade", group("ADBE Slider Control")))
	})
	if said := b.said(comp); len(said) != 0 {
		t.Errorf("said %q", said)
	}
}

func TestPixelsThatAreNotSquareAreSaid(t *testing.T) {
	b := build(t)
	wide := b.solid("wide", 20, 20, rgb(red))
	wide.Footage.PixelAspect = 1.4587
	inner := b.comp("inner", 20, 20)
	b.layer(inner, wide, func(l *aep.Layer) { l.Name = "card" })
	comp := b.comp("main", 20, 20)
	comp.Comp.PixelAspect = 10.0 / 11
	inner.Comp.PixelAspect = comp.Comp.PixelAspect
	b.layer(comp, inner, nil)
	want := []string{
		"composition 'main': its pixels of 0.909:1 are written as square ones by the embedded engine",
		"layer 'card' in composition 'inner': a source with pixels of 1.46:1 among pixels of 0.909:1 is not drawn by the embedded engine",
	}
	if said := b.said(comp); !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
}

func TestEffectsOnSoundAreSaid(t *testing.T) {
	for effect, want := range map[string]string{
		"ADBE Aud Reverb":       "After Effects' own room in the sound of effect 'ADBE Aud Reverb'",
		"ADBE Aud Karaoke":      "effect 'ADBE Aud Karaoke'",
		"ADBE Aud Stereo Mixer": "",
	} {
		b := build(t)
		sound := b.item("a.wav", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
			Kind: aep.FootageFile, Duration: 4, HasAudio: true, File: aep.FileReference{Resolved: "/a.wav"},
		}})
		comp := b.comp("main", 10, 10)
		b.layer(comp, sound, func(l *aep.Layer) { children(l, group("ADBE Effect Parade", group(effect))) })
		said := b.said(comp)
		if want == "" && len(said) == 0 {
			continue
		}
		if want = "layer 'a.wav' in composition 'main': " + want + " is not drawn by the embedded engine"; !slices.Equal(said, []string{want}) {
			t.Errorf("%s: said %q", effect, said)
		}
	}
}

// broken is an expression engine with a mistake.
type broken struct{}

func (broken) Evaluate(eval.Ref, aep.Value, float64) (aep.Value, error) { panic("a mistake") }

func TestAPanicWhileDrawingIsAnErrorThatNamesLayerAndFrame(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 10, 10)
	b.layer(inner, b.solid("red", 10, 10, rgb(red)), func(l *aep.Layer) {
		o := value("ADBE Opacity", 100)
		o.Expression, o.ExpressionOn = "x", true
		l.Name = "card"
		transform(l, o)
	})
	comp := b.comp("main", 10, 10)
	b.layer(comp, inner, nil)
	b.layer(comp, b.solid("green", 10, 10, rgb(green)), nil)
	r := b.renderer(comp, render.Options{Workers: 3, Expressions: func(*eval.Evaluator) eval.Expressions { return broken{} }})
	err := r.Frames(context.Background(), 2, 40, 1, func(int, *raster.Image) error { return nil })
	var fault *render.Fault
	if !errors.As(err, &fault) || len(fault.Stack) == 0 {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"frame 2 ", "layer 'card' in composition 'inner'"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not tell %q", err, part)
		}
	}
}

// TestMotionBlurIsMissedWhereTheShutterOpens has a shape in space whose stroke grows, or one that wiggles while all its values stay.
func TestMotionBlurIsMissedWhereTheShutterOpens(t *testing.T) {
	const what = "motion blur of what changes within"
	growing := func(l *aep.Layer) {
		stroked(l, linear(value("ADBE Vector Stroke Width", 1), 0, 1, aep.Numbers{1}, aep.Numbers{9}))
	}
	for _, c := range []struct {
		name            string
		how             render.MotionBlur
		enabled, marked bool
		angle           float64
		change          func(l *aep.Layer)
		said            bool
	}{
		{"on for checked layers", render.BlurMarked, false, true, 180, growing, true},
		{"of a layer that is not checked", render.BlurMarked, true, false, 180, growing, false},
		{"as the composition says, which is on", render.BlurEnabled, true, true, 180, growing, true},
		{"as the composition says, which is off", render.BlurEnabled, false, true, 180, growing, false},
		{"off for all layers", render.BlurNone, true, true, 180, growing, false},
		{"with a shutter that never opens", render.BlurMarked, true, true, 0, growing, false},
		{"of what stays", render.BlurMarked, true, true, 180, func(l *aep.Layer) { stroked(l) }, false},
		{"of what wiggles", render.BlurMarked, true, true, 180, func(l *aep.Layer) {
			l.Kind = aep.LayerShape
			children(l, group("ADBE Root Vectors Group", group("ADBE Vector Shape - Rect"), group("ADBE Vector Filter - Roughen"), group("ADBE Vector Graphic - Fill")))
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build(t)
			comp := b.exposing(40, 40, c.angle, 0)
			comp.Comp.MotionBlur = c.enabled
			b.layer(comp, nil, func(l *aep.Layer) {
				c.change(l)
				transform(l, value("ADBE Rotate X", 10))
				l.ThreeD, l.MotionBlur = true, c.marked
			})
			var said []string
			r := b.renderer(comp, render.Options{MotionBlur: c.how, Warn: func(m string) { said = append(said, m) }})
			oneFrame(t, r, 3)
			if got := strings.Contains(strings.Join(said, "\n"), what); got != c.said {
				t.Errorf("warned: %t, of %q", got, said)
			}
		})
	}
}
