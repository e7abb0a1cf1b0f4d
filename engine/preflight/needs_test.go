package preflight_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/preflight"
)

// rich is a project whose composition "main" shows "inner" twice, and uses a feature of each kind that our own files may hold.
func rich() *aep.Project {
	layer := func(id uint32, l aep.Layer, groups ...*aep.Property) *aep.Layer {
		l.ID, l.Out, l.Stretch, l.Enabled, l.EffectsEnabled, l.Quality, l.Blend = id, 4, 100, true, true, 2, max(l.Blend, aep.BlendNormal)
		l.Props = group("ADBE AV Layer", append(groups, group("ADBE Transform Group"))...)
		return &l
	}
	mask := group("ADBE Mask Atom", &aep.Property{Match: "ADBE Mask Shape", Enabled: true, Value: &aep.Path{Closed: true, Vertices: []aep.Vertex{{}, {X: 9}, {X: 9, Y: 9}}}})
	mask.Mask = &aep.MaskInfo{Mode: aep.MaskAdd}
	words := &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: &aep.TextDocument{Text: "A",
		Runs: []aep.TextRun{{Length: 2, Style: aep.CharacterStyle{Font: "Go", Size: 10}}}, Paragraphs: []aep.ParagraphRun{{Length: 2}}}}
	animator := group("ADBE Text Animators", group("ADBE Text Animator", group("ADBE Text Selectors", group("ADBE Text Selector"), group("ADBE Text Wiggly Selector")),
		group("ADBE Text Animator Properties", number("ADBE Text Opacity", 50))))
	driven := number("ADBE Opacity", 100)
	driven.Expression, driven.ExpressionOn = "50", true
	remap := number("ADBE Time Remapping", 0)
	remap.Keys = []aep.Keyframe{{Time: 0, Value: aep.Numbers{0}, In: aep.Linear, Out: aep.Linear, InEase: []aep.Ease{{}}, OutEase: []aep.Ease{{}}},
		{Time: 4, Value: aep.Numbers{2}, In: aep.Linear, Out: aep.Linear, InEase: []aep.Ease{{}}, OutEase: []aep.Ease{{}}}}
	inner := &aep.Item{ID: 2, Name: "inner", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 10, Height: 10, PixelAspect: 1, FrameRate: 10, Duration: 4, Layers: []*aep.Layer{
		layer(1, aep.Layer{Kind: aep.LayerText}, group("ADBE Text Properties", words, animator)),
		layer(2, aep.Layer{Kind: aep.LayerShape, MotionBlur: true}, group("ADBE Root Vectors Group", group("ADBE Vector Group", group("ADBE Vectors Group",
			group("ADBE Vector Filter - Twist"), group("ADBE Vector Filter - Repeater"), group("ADBE Vector Filter - Twist"))))),
	}}}
	main := &aep.Item{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 10, Height: 10, PixelAspect: 1, FrameRate: 10, Duration: 4, Layers: []*aep.Layer{
		layer(1, aep.Layer{Kind: aep.LayerCamera}),
		layer(2, aep.Layer{Kind: aep.LayerLight, LightKind: 3}),
		layer(3, aep.Layer{Source: 3, Blend: aep.BlendScreen}, group("ADBE Mask Parade", mask)),
		layer(4, aep.Layer{Source: 3, ThreeD: true, Matte: aep.MatteLumaInverted, MatteLayer: 3}),
		layer(5, aep.Layer{Source: 3, Adjustment: true, Blend: aep.BlendScreen}),
		layer(6, aep.Layer{Source: 2, Collapse: true}),
		layer(7, aep.Layer{Source: 2, FrameBlend: true, PixelMotion: true}, remap),
		layer(8, aep.Layer{Source: 4, AudioEnabled: true}),
		layer(9, aep.Layer{Source: 5}),
		layer(10, aep.Layer{Source: 6}),
	}}}
	main.Comp.Layers[2].Props.Child("ADBE Transform Group").Children = []*aep.Property{driven}
	film := aep.Footage{Kind: aep.FootageFile, Width: 8, Height: 8, PixelAspect: 1, HasVideo: true}
	music, still, vector := film, film, film
	music.Width, music.Height, music.HasVideo, music.HasAudio, music.Duration = 0, 0, false, true, 4
	music.File.FullPath, still.File.FullPath, vector.File.FullPath = "/art/song.wav", "/art/logo.png", "/art/mark.eps"
	return &aep.Project{BitsPerChannel: 16, Color: aep.Color{Gamma: 2.2, LinearBlending: true, WorkingSpace: aep.ColorProfile{Name: "A space of nobody"}}, Items: []*aep.Item{
		main, inner,
		{ID: 3, Name: "white", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 10, Height: 10}},
		{ID: 4, Name: "song.wav", Kind: aep.ItemFootage, Footage: &music},
		{ID: 5, Name: "logo.png", Kind: aep.ItemFootage, Footage: &still},
		{ID: 6, Name: "mark.eps", Kind: aep.ItemFootage, Footage: &vector},
	}}
}

// throughAFile is a project as it is read from the file that is written of it.
func throughAFile(t *testing.T, p *aep.Project) *aep.Project {
	t.Helper()
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	got, err := aep.Read(t.Context(), bytes.NewReader(b.Bytes()), int64(b.Len()), aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	aep.Complete(got)
	return got
}

// told are needs in one word each, in their order.
func told(needs []aep.Need) (list []string) {
	for _, n := range needs {
		list = append(list, fmt.Sprintf("%s × %d: %s", n.Subject(), n.Count, n.Drawn))
	}
	return list
}

func TestWhatACompositionUsesIsListed(t *testing.T) {
	t.Parallel()
	p := throughAFile(t, rich())
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), p.Composition("main"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"files of type 'EPS' × 1: not",
		"shape layers with Repeater, Twist × 1: nearly", "text animators and paths: Opacity, Wiggly Selector × 1: nearly",
		"pixel motion × 1: nearly", "16 bits per channel × 0: nearly", "working space 'A space of nobody' × 0: nearly",
		"3D layers × 1: exact", "adjustment layers × 1: exact", "cameras × 1: exact", "collapsed transformations × 1: exact", "compositions × 2: exact",
		"lights × 1: exact", "solids × 3: exact", "text layers × 1: exact",
		"masks × 1: exact", "track matte 'Luma Inverted' × 1: exact", "blend mode 'Screen' × 2: exact", "motion blur × 1: exact", "time remapping × 1: exact",
		"expressions × 1: exact", "sound × 1: exact", "files of type 'PNG' × 1: exact", "files of type 'WAV' × 1: exact",
		"linear blending × 0: exact",
	}
	if list := told(got.Needs); !slices.Equal(list, want) {
		t.Errorf("it uses\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
	inner, err := preflight.New(p, options(t, p)).Look(t.Context(), p.Composition("inner"))
	if list := told(inner.Needs); err != nil || !slices.Contains(list, "text layers × 1: exact") || slices.Contains(list, "cameras × 1: exact") {
		t.Errorf("the one within uses %q, %v", list, err)
	}
}

func TestEffectsAndStylesAreListedByTheirMatchNames(t *testing.T) {
	t.Parallel()
	p, comp := project(func(p *aep.Project, l *aep.Layer) {
		blur, renamed, noise, slider, off := group("ADBE Box Blur2"), group("ADBE Box Blur2"), group("ADBE Noise2"), group("ADBE Slider Control"), group("ADBE Fill")
		renamed.Name, off.Enabled = "Blur of the title", false
		delay := group("ADBE Aud Delay")
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", blur, renamed, noise, group("Unheard Of"), slider, off, delay),
			group("ADBE Layer Styles", group("solidFill/enabled")))
		more := *l
		more.ID, more.Props = 2, group("layer", group("ADBE Effect Parade", renamed, group("Unheard Of")))
		hidden := *l
		hidden.ID, hidden.Enabled, hidden.Props = 3, false, group("layer", group("ADBE Effect Parade", group("ADBE Glo2")))
		p.Items[1].Comp.Layers = append(p.Items[1].Comp.Layers, &more, &hidden)
	})
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	want := []aep.Need{
		{Kind: aep.NeedEffect, Name: "Unheard Of", Match: "Unheard Of", Count: 2, Drawn: aep.DrawsNot},
		{Kind: aep.NeedEffect, Name: "ADBE Noise2", Match: "ADBE Noise2", Count: 1, Drawn: aep.DrawsNearly},
		{Kind: aep.NeedEffect, Name: "ADBE Aud Delay", Match: "ADBE Aud Delay", Count: 1, Drawn: aep.DrawsExactly},
		{Kind: aep.NeedEffect, Name: "ADBE Box Blur2", Match: "ADBE Box Blur2", Count: 2, Drawn: aep.DrawsExactly},
		{Kind: aep.NeedLayer, Name: "solids", Count: 2, Drawn: aep.DrawsExactly},
		{Kind: aep.NeedStyle, Name: "solidFill/enabled", Match: "solidFill/enabled", Count: 1, Drawn: aep.DrawsExactly},
		{Kind: aep.NeedExpression, Name: "expression controls", Count: 1, Drawn: aep.DrawsExactly},
	}
	if err != nil || !slices.Equal(got.Needs, want) {
		t.Errorf("it uses %+v, %v", got.Needs, err)
	}
}

func TestExpressionsThatFailAreNeedsThatAreNotDrawn(t *testing.T) {
	t.Parallel()
	p, comp := project(func(_ *aep.Project, l *aep.Layer) {
		for _, expression := range []string{"50", "noSuchThing"} {
			opacity := number("ADBE Opacity", 100)
			opacity.Expression, opacity.ExpressionOn = expression, true
			l.Props.Children[0].Children = append(l.Props.Children[0].Children, opacity)
		}
	})
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	if list := told(got.Needs); err != nil || !slices.Contains(list, "expressions × 2: not") {
		t.Errorf("it uses %q, %v", list, err)
	}
}

func TestACompositionThatIsSwitchedOffIsNotUsed(t *testing.T) {
	t.Parallel()
	p := nested(2, 1)
	p.Composition("outer").Comp.Layers[0].Enabled = false
	got, err := preflight.New(p, preflight.Options{}).Look(t.Context(), p.Composition("outer"))
	if err != nil || len(got.Findings) != 1 || got.Findings[0].Composition != "inner 1" || !slices.Contains(told(got.Needs), "compositions × 1: exact") ||
		!slices.Contains(told(got.Needs), "effect 'ADBE Unheard Of 0' × 1: not") {
		t.Errorf("found %+v, uses %q, %v", got.Findings, told(got.Needs), err)
	}
}

func TestWhatIsUsedIsBounded(t *testing.T) {
	t.Parallel()
	// Each composition within has three effects and a solid; the one that shows them has compositions too.
	got := preflight.New(nested(4, 3), preflight.Options{Each: 4, Needs: 10}).All(t.Context())
	for i, c := range got.Compositions {
		want := [][2]int{{4, 0}, {2, 2}, {0, 4}, {0, 4}, {4, 1}}[i] // the last is looked at first
		if len(c.Needs) != want[0] || c.MoreNeeds != want[1] {
			t.Errorf("%s: %d features and %d more", c.Composition, len(c.Needs), c.MoreNeeds)
		}
	}
	p, comp := project(func(_ *aep.Project, l *aep.Layer) {
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group(strings.Repeat("ä", 1<<20))))
	})
	long, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	if cut := strings.Repeat("ä", 200) + "…"; err != nil || long.Needs[0].Name != cut || long.Needs[0].Match != cut {
		t.Errorf("got %.300v, %v", long, err)
	}
}

// TestWhatIsOnlyHeardIsListed has a layer that is not seen, with an effect on its sound that is drawn nearly, in a composition that is not seen either, and the
// same where it is not heard.
func TestWhatIsOnlyHeardIsListed(t *testing.T) {
	t.Parallel()
	for _, heard := range []bool{true, false} {
		p := nested(1, 0)
		outer, inner := p.Composition("outer").Comp, p.Composition("inner 0").Comp
		song := &aep.Item{ID: 99, Name: "song.wav", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, HasAudio: true, Duration: 4}}
		p.Items = append(p.Items, song)
		outer.Layers[0].Enabled, outer.Layers[0].AudioEnabled = false, heard
		music := *outer.Layers[0]
		music.ID, music.Source, music.AudioEnabled, music.EffectsEnabled = 50, 99, true, true
		music.Props = group("layer", group("ADBE Effect Parade", group("ADBE Aud Reverb")))
		inner.Layers = append(inner.Layers, &music)
		got, err := preflight.New(p, preflight.Options{}).Look(t.Context(), p.Composition("outer"))
		list := told(got.Needs)
		lacks := slices.ContainsFunc(got.Findings, func(f aep.Finding) bool { return strings.Contains(f.What, "ADBE Aud Reverb") })
		if err != nil || slices.Contains(list, "sound × 1: exact") != heard || slices.Contains(list, "effect 'ADBE Aud Reverb' × 1: nearly") != heard || lacks != heard {
			t.Errorf("heard: %t; found %+v, uses %q, %v", heard, got.Findings, list, err)
		}
	}
}

func TestACompositionThatOnlyAnEffectReadsIsUsed(t *testing.T) {
	t.Parallel()
	p := nested(2, 1)
	outer := p.Composition("outer").Comp
	outer.Layers[0].Enabled, outer.Layers[1].EffectsEnabled = false, true
	matte := number("ADBE Set Matte3-0001", 0)
	matte.LayerRef, matte.LayerPart = 1, aep.LayerSource
	outer.Layers[1].Props.Children = []*aep.Property{group("ADBE Effect Parade", group("ADBE Set Matte3", matte))}
	got, err := preflight.New(p, preflight.Options{}).Look(t.Context(), p.Composition("outer"))
	if list := told(got.Needs); err != nil || len(got.Findings) != 2 || !slices.Contains(list, "effect 'ADBE Unheard Of 0' × 2: not") {
		t.Errorf("found %+v, uses %q, %v", got.Findings, list, err)
	}
}
