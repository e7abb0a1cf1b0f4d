package render_test

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/render"
)

// Effects on the sound of a layer have their values over time, those of a layer around it come after, and a layer may sound without a source.
func TestEffectsOnSoundGoWithTheirLayers(t *testing.T) {
	b := build(t)
	sound := b.item("a.wav", aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Duration: 4, HasAudio: true, File: aep.FileReference{Resolved: "/a.wav"},
	}})
	inner := b.comp("inner", 10, 10)
	b.layer(inner, sound, func(l *aep.Layer) {
		l.Start, l.In, l.Out = 1, 1, 3
		children(l, group("ADBE Effect Parade", group("ADBE Aud BT", linear(value("ADBE Aud BT-0001", 0), 0, 1, aep.Numbers{0}, aep.Numbers{50}))))
	})
	comp := b.comp("main", 10, 10)
	b.layer(comp, inner, func(l *aep.Layer) {
		l.Start, l.In, l.Out = 0.5, 0.5, 4
		children(l, group("ADBE Effect Parade", group("ADBE Aud Reverse"), group("ADBE Aud Delay", value("ADBE Aud Delay-0001", 250))))
	})
	b.layer(comp, b.solid("red", 10, 10, rgb(red)), func(l *aep.Layer) {
		l.In, l.Out = 1, 2
		children(l, group("ADBE Effect Parade", group("ADBE Aud Tone", value("ADBE Aud Tone-0002", 300))))
	})
	clips := b.sounds(b.renderer(comp, render.Options{}))
	if len(clips) != 2 {
		t.Fatalf("%d sounds: %+v", len(clips), clips)
	}
	outer, tone := clips[0], clips[1]
	if len(tone.Moments) == 0 {
		outer, tone = tone, outer
	}
	if outer.Of == nil {
		outer, tone = tone, outer
	}
	if tone.Path != "" || len(tone.Effects) != 1 || tone.Effects[0].Values[0][1] != 300 || tone.Moments[0].Time != 1 || tone.Moments[1].Time != 2 {
		t.Errorf("the tone is %+v", tone)
	}
	// The layer is heard from 0.5 s to 4 s, backwards: at its beginning 3.5 s of the inner composition.
	if m := outer.Moments; len(m) != 2 || m[0] != (audio.Moment{Time: 0.5, Source: 3.5}) || m[1] != (audio.Moment{Time: 4, Source: 0}) {
		t.Errorf("the places in the inner composition are %+v", m)
	}
	if len(outer.Effects) != 2 || outer.Effects[1].Values[0][0] != 250 || outer.Effects[1].Values[0][1] != 50 {
		t.Errorf("the effects around are %+v", outer.Effects)
	}
	in := outer.Of
	if in == nil || in.Path != "/a.wav" || in.Moments[0] != (audio.Moment{Time: 1, Source: 0}) || len(in.Effects) != 1 {
		t.Fatalf("the inner sound is %+v", in)
	}
	bass := in.Effects[0]
	if half := bass.Values[int(math.Round(0.5/bass.Step))][0]; math.Abs(half-25) > 1 {
		t.Errorf("half a second into the layer the bass is at %g, want 25", half)
	}
}
