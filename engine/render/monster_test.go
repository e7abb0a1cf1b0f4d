package render_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// A project file can hold any number anywhere. Whatever it holds, a frame is drawn.
func TestMonstrousValuesDoNotStopARender(t *testing.T) {
	b := build(t)
	pic := b.picture("quarters.png", quarters(20, 20))
	solid := b.solid("red", 30, 30, rgb(red))
	sound := b.item("a.wav", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, HasAudio: true, Duration: math.Inf(1), File: aep.FileReference{Resolved: "/a.wav"},
	}})
	inner := b.comp("inner", 30000, 30000)
	b.layer(inner, solid, nil)
	items := len(b.p.Items)
	for seed := range uint64(12) {
		b.p.Items = b.p.Items[:items]
		dice := rand.New(rand.NewPCG(seed, 0))
		number := func() float64 {
			switch dice.IntN(4) {
			case 0:
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.MaxFloat64}[dice.IntN(5)]
			case 1:
				return math.Float64frombits(dice.Uint64())
			}
			return dice.Float64()*600 - 300
		}
		coin := func() bool { return dice.IntN(2) == 0 }
		n := func(match string) *aep.Property { return value(match, number(), number(), number()) }
		moving := func(match string) *aep.Property {
			p := n(match)
			if coin() {
				linear(p, 0, 0.3, aep.Numbers{number(), number(), number()}, aep.Numbers{number(), number(), number()})
			}
			return p
		}
		comp := b.exposing(32, 24, 720, -360)
		for _, source := range []*aep.Item{nil, pic, solid, sound, inner} {
			b.layer(comp, source, func(l *aep.Layer) {
				if coin() {
					l.Stretch = number()
				}
				l.Collapse = coin()
				l.Matte = aep.MatteKind(dice.IntN(5))
				l.Blend = aep.BlendMode(dice.IntN(42) - 1)
				l.Adjustment = coin()
				l.ThreeD, l.MotionBlur = dice.IntN(4) == 0, coin()
				for _, match := range []string{"ADBE Position", "ADBE Scale", "ADBE Rotate Z", "ADBE Anchor Point"} {
					if coin() {
						transform(l, moving(match))
					}
				}
				masked(l, aep.MaskInfo{Mode: aep.MaskMode(dice.IntN(8))}, square(1, 2, number(), 20),
					n("ADBE Mask Feather"), n("ADBE Mask Offset"), n("ADBE Mask Opacity"))
				l.Props.Child("ADBE Mask Parade").Children[0].Enabled = coin()
				l.Props.Children = append(l.Props.Children,
					group("ADBE Audio Group", linear(n("ADBE Audio Levels"), 0, 1, aep.Numbers{0, 0}, aep.Numbers{1, 1})),
					group("ADBE Effect Parade",
						group("ADBE Drop Shadow", n("ADBE Drop Shadow-0003"), n("ADBE Drop Shadow-0004"), n("ADBE Drop Shadow-0005")),
						group("ADBE Gaussian Blur", n("ADBE Gaussian Blur-0001")),
						group("ADBE Ramp", n("ADBE Ramp-0001"), n("ADBE Ramp-0002"), n("ADBE Ramp-0003"), n("ADBE Ramp-0005"), n("ADBE Ramp-0007")),
						group("ADBE Invert", n("ADBE Invert-0001"), n("ADBE Invert-0002")),
						group("ADBE Tint", n("ADBE Tint-0001"), n("ADBE Tint-0002"), n("ADBE Tint-0003")),
						group("ADBE Fill", n("ADBE Fill-0002"), n("ADBE Fill-0005")),
						group("ADBE AudSpect", n("ADBE AudSpect-0002"), n("ADBE AudSpect-0003"), n("ADBE AudSpect-0008"), n("ADBE AudSpect-0012"))))
				if source != nil {
					return
				}
				l.Kind = aep.LayerShape
				l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group",
					group("ADBE Vector Shape - Star", n("ADBE Vector Star Points"), n("ADBE Vector Star Outer Radius"), n("ADBE Vector Star Outer Roundess")),
					group("ADBE Vector Shape - Rect", n("ADBE Vector Rect Size"), n("ADBE Vector Rect Roundness")),
					group("ADBE Vector Filter - RC", n("ADBE Vector RoundCorner Radius")),
					group("ADBE Vector Filter - Zigzag", n("ADBE Vector Zigzag Size"), n("ADBE Vector Zigzag Detail"), n("ADBE Vector Zigzag Points")),
					group("ADBE Vector Filter - PB", n("ADBE Vector PuckerBloat Amount")),
					group("ADBE Vector Filter - Offset", n("ADBE Vector Offset Amount"), n("ADBE Vector Offset Line Join"), n("ADBE Vector Offset Miter Limit")),
					group("ADBE Vector Filter - Trim", n("ADBE Vector Trim Start"), n("ADBE Vector Trim End"), n("ADBE Vector Trim Offset")),
					group("ADBE Vector Filter - Repeater", n("ADBE Vector Repeater Copies"), n("ADBE Vector Repeater Offset"),
						group("ADBE Vector Repeater Transform", n("ADBE Vector Repeater Position"), n("ADBE Vector Repeater Scale"))),
					group("ADBE Vector Graphic - Stroke", n("ADBE Vector Blend Mode"), n("ADBE Vector Stroke Width"), n("ADBE Vector Stroke Miter Limit"),
						group("ADBE Vector Stroke Dashes", n("ADBE Vector Stroke Dash 1"), n("ADBE Vector Stroke Offset")))))
			})
		}
		r, err := render.New(b.p, comp, render.Options{Footage: openFile, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		drawn := 0
		err = r.Frames(context.Background(), 0, 2, 1, func(_ int, img *raster.Image) error {
			drawn++
			return premultiplied(img)
		})
		if err != nil || drawn != 3 {
			t.Errorf("seed %d: %d frames drawn: %v", seed, drawn, err)
		}
		b.sounds(r)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
