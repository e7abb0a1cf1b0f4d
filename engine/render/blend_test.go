package render_test

import (
	"bytes"
	"context"
	"image/color"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

func TestEveryBlendModeIsDrawn(t *testing.T) {
	for _, mode := range append(aep.BlendModes(), 0) {
		b := build(t)
		comp := b.comp("main", 4, 4)
		b.layer(comp, b.solid("red", 4, 4, rgb(red)), func(l *aep.Layer) { l.Blend = mode })
		for _, said := range b.said(comp) {
			if strings.Contains(said, ": blend mode '") {
				t.Error(said)
			}
		}
	}
}

func TestStencilsAndSilhouettesCutWhatLiesBelow(t *testing.T) {
	for _, c := range []struct {
		name            string
		mode            aep.BlendMode
		color           color.RGBA
		inside, outside color.RGBA
	}{
		{"stencil", aep.BlendStencilAlpha, black, green, clear},
		{"stencil of white", aep.BlendStencilLuma, white, green, clear},
		{"stencil of black", aep.BlendStencilLuma, black, clear, clear},
		{"silhouette", aep.BlendSilhouetteAlpha, black, clear, green},
		{"silhouette of white", aep.BlendSilhouetteLuma, white, clear, green},
		{"silhouette of black", aep.BlendSilhouetteLuma, black, green, green},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 20, 20)
			b.layer(comp, b.solid("above", 2, 2, rgb(blue)), nil)
			b.layer(comp, b.solid("cut", 10, 20, rgb(c.color)), func(l *aep.Layer) { l.Blend = c.mode })
			b.layer(comp, b.solid("green", 20, 20, rgb(green)), nil)
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{10, 10, blue}, spot{7, 5, c.inside}, spot{2, 10, c.outside})
		})
	}
}

func TestAStencilThatShowsNothingLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(l *aep.Layer)
		want   color.RGBA
	}{
		"with an opacity of 0":      {func(l *aep.Layer) { transform(l, value("ADBE Opacity", 0)) }, clear},
		"with an opacity of a half": {func(l *aep.Layer) { transform(l, value("ADBE Opacity", 50)) }, color.RGBA{0, 128, 0, 128}},
		"outside of the frame":      {func(l *aep.Layer) { transform(l, value("ADBE Position", -90, 0)) }, clear},
		"after its end":             {func(l *aep.Layer) { l.Out = 0 }, green},
		"which keeps transparency":  {func(l *aep.Layer) { l.PreserveTransparency = true }, green},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			comp := b.comp("main", 20, 20)
			b.layer(comp, b.solid("cut", 20, 20, rgb(black)), func(l *aep.Layer) { l.Blend = aep.BlendStencilAlpha; c.change(l) })
			b.layer(comp, b.solid("green", 20, 20, rgb(green)), nil)
			check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{10, 10, c.want})
		})
	}
}

func TestAStencilCutsOnlyItsOwnComposition(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 20, 20)
	b.layer(inner, b.solid("cut", 10, 20, rgb(black)), func(l *aep.Layer) { l.Blend = aep.BlendStencilAlpha })
	b.layer(inner, b.solid("green", 20, 20, rgb(green)), nil)
	comp := b.comp("main", 20, 20)
	b.layer(comp, inner, nil)
	b.layer(comp, b.solid("blue", 20, 20, rgb(blue)), nil)
	check(t, oneFrame(t, b.renderer(comp, render.Options{}), 0), spot{10, 10, green}, spot{2, 10, blue})
}

// The background of a composition is no layer.
func TestBlendModesDoNotSeeTheBackground(t *testing.T) {
	for mode, want := range map[aep.BlendMode]color.RGBA{
		aep.BlendMultiply: red, aep.BlendAdd: red, aep.BlendDifference: red, aep.BlendStencilAlpha: blue, aep.BlendSilhouetteAlpha: blue,
	} {
		b := build(t)
		comp := b.comp("main", 20, 20)
		comp.Comp.Background = rgb(blue)
		b.layer(comp, b.solid("red", 10, 20, rgb(red)), func(l *aep.Layer) { l.Blend = mode })
		check(t, oneFrame(t, b.renderer(comp, render.Options{Background: true}), 0), spot{10, 10, want}, spot{2, 10, blue})
	}
}

// dissolving are the frames 0 to 3 of a layer at half its opacity.
func dissolving(t *testing.T, mode aep.BlendMode, first int, change func(l *aep.Layer)) [][]byte {
	t.Helper()
	b := build(t)
	comp := b.comp("main", 20, 20)
	b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
		l.Blend = mode
		transform(l, value("ADBE Opacity", 50))
		change(l)
	})
	b.layer(comp, b.solid("green", 20, 20, rgb(green)), nil)
	b.layer(comp, b.solid("blue", 20, 20, rgb(blue)), nil)
	var out [][]byte
	r := b.renderer(comp, render.Options{Workers: 2})
	if err := r.Frames(context.Background(), first, 3, 1, func(_ int, img *raster.Image) error {
		out = append(out, bytes.Clone(img.Pix))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDissolveStandsStillAndDancingDissolveDoesNot(t *testing.T) {
	same := func(*aep.Layer) {}
	still, dancing := dissolving(t, aep.BlendDissolve, 0, same), dissolving(t, aep.BlendDancingDissolve, 0, same)
	for n := 1; n < 4; n++ {
		if !bytes.Equal(still[n], still[0]) {
			t.Errorf("frame %d dissolves otherwise than frame 0", n)
		}
		if bytes.Equal(dancing[n], dancing[n-1]) {
			t.Errorf("frame %d dances like frame %d", n, n-1)
		}
	}
	for n, pix := range dissolving(t, aep.BlendDancingDissolve, 2, same) {
		if !bytes.Equal(pix, dancing[2+n]) {
			t.Errorf("frame %d depends on where a render begins", 2+n)
		}
	}
}

func TestDissolveDoesNotWorkOnLayersInSpace(t *testing.T) {
	for _, mode := range []aep.BlendMode{aep.BlendDissolve, aep.BlendDancingDissolve} {
		frames := dissolving(t, mode, 0, func(l *aep.Layer) { l.ThreeD = true })
		first := frames[0][:4]
		if first[0] < 126 || first[0] > 129 || !slices.Equal(frames[3][400:404], first) {
			t.Errorf("%s: %v", mode, first)
		}
	}
}
