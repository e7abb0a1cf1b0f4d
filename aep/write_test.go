package aep_test

import (
	"bytes"
	"context"
	"math"
	"reflect"
	"testing"

	"overcrank/aep"
)

// written is a project with one of everything that Write can write.
func written() *aep.Project {
	number := func(match string, v ...float64) *aep.Property {
		return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
	}
	group := func(match string, children ...*aep.Property) *aep.Property {
		return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
	}
	ease := []aep.Ease{{Speed: 12.5, Influence: 0.25}}
	scale := number("ADBE Scale", 100, 100, 100)
	scale.Keys = []aep.Keyframe{
		{Time: 0, Value: aep.Numbers{100, 100, 100}, In: aep.Linear, Out: aep.Bezier, InEase: []aep.Ease{{}, {}, {}}, OutEase: []aep.Ease{ease[0], ease[0], ease[0]}},
		{Time: 1.5, Value: aep.Numbers{250, 50, 100}, In: aep.Bezier, Out: aep.Hold, InEase: []aep.Ease{ease[0], ease[0], ease[0]}, OutEase: []aep.Ease{{}, {}, {}}},
	}
	position := number("ADBE Position", 10, 20, 0)
	position.Spatial = true
	position.Keys = []aep.Keyframe{
		{Time: 0, Value: aep.Numbers{10, 20, 0}, In: aep.Linear, Out: aep.Linear, InEase: ease, OutEase: ease, TangentIn: []float64{0, 0, 0}, TangentOut: []float64{30, -40, 0}},
		{Time: 2, Value: aep.Numbers{400, 300, 0}, In: aep.Linear, Out: aep.Linear, InEase: ease, OutEase: ease, TangentIn: []float64{-5, 6, 0}, TangentOut: []float64{0, 0, 0}},
	}
	opacity := number("ADBE Opacity", 42)
	opacity.Expression, opacity.ExpressionOn = "50 + time", true
	color := number("ADBE Vector Fill Color", 1, 0.2, 0.4, 1)
	color.Color = true
	square := &aep.Path{Closed: true, Vertices: []aep.Vertex{
		{X: 16, Y: 16}, {X: 48, Y: 16, InX: -8, InY: -4, OutX: 8, OutY: 4}, {X: 48, Y: 48}, {X: 16, Y: 48},
	}, Feather: []aep.FeatherPoint{{Segment: 1, At: 0.25, Radius: 12}, {Segment: 3, Radius: -4, Hold: true, Corner: 50, Tension: 0.5}}}
	open := &aep.Path{Vertices: []aep.Vertex{{X: -10, Y: 0, OutX: 5, OutY: 5}, {X: 10, Y: 20, InX: -5, InY: 5}}}
	mask := group("ADBE Mask Atom", &aep.Property{Match: "ADBE Mask Shape", Enabled: true, Value: square}, number("ADBE Mask Opacity", 80))
	mask.Mask = &aep.MaskInfo{Mode: aep.MaskSubtract, Inverted: true}
	style := aep.CharacterStyle{
		Font: "Inter-Bold", Size: 64, HScale: 90, VScale: 125, Tracking: 25, Leading: 70, BaselineShift: 3, AllCaps: true,
		Fill: [4]float64{1, 0.5, 0.25, 1}, Stroke: [4]float64{0, 0, 1, 1}, ApplyFill: true, ApplyStroke: true, StrokeOverFill: true, StrokeWidth: 2,
	}
	light := style
	light.Font, light.AllCaps, light.AutoLeading = "Inter-Light", false, true
	doc := &aep.TextDocument{
		Text: "Größe (a\\b)\rzwei", Runs: []aep.TextRun{{Length: 7, Style: style}, {Length: 9, Style: light}},
		Paragraphs: []aep.ParagraphRun{{Length: 16, Style: aep.ParagraphStyle{Justification: aep.JustifyCenter, StartIndent: 4, AutoLeadingFactor: 1.2}}},
	}
	box := *doc
	box.Box, box.BoxPos, box.BoxSize, box.Lines = true, [2]float64{-100, -50}, [2]float64{200, 100}, aep.VerticalLeftToRight
	text := &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc, Keys: []aep.Keyframe{
		{Time: 0, Value: doc, In: aep.Hold, Out: aep.Hold, InEase: []aep.Ease{{}}, OutEase: []aep.Ease{{}}},
		{Time: 1, Value: &box, In: aep.Hold, Out: aep.Hold, InEase: []aep.Ease{{}}, OutEase: []aep.Ease{{}}},
	}}
	root := func(match string, groups ...*aep.Property) *aep.Property {
		return &aep.Property{Match: match, Group: true, Enabled: true, Children: groups}
	}
	comp := &aep.Composition{
		Width: 320, Height: 180, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 4,
		WorkAreaStart: 1, WorkAreaDuration: 2, Background: [3]float64{1, 0, 0.2}, KeepsFrameRate: true, ShutterAngle: 180, ShutterPhase: -90, ShutterSamples: 24, ShutterLimit: 96,
		Layers: []*aep.Layer{
			{ID: 1, Name: "words", Kind: aep.LayerText, Stretch: 100, Out: 4, Enabled: true, Blend: aep.BlendScreen, Quality: 2,
				Props: root("ADBE Text Layer", group("ADBE Text Properties", text), group("ADBE Transform Group", position))},
			{ID: 2, Name: "shapes", Kind: aep.LayerShape, Stretch: 50, Start: 1, In: 1.5, Out: 3, Enabled: true, Blend: aep.BlendAdd, Parent: 1, Collapse: true,
				Props: root("ADBE Vector Layer", group("ADBE Root Vectors Group", group("ADBE Vector Group", group("ADBE Vectors Group",
					group("ADBE Vector Shape - Group", &aep.Property{Match: "ADBE Vector Shape", Enabled: true, Value: open}),
					group("ADBE Vector Graphic - Fill", color)))))},
			{ID: 3, Kind: aep.LayerAV, Source: 3, Stretch: 100, Out: 4, Enabled: true, Blend: aep.BlendMultiply, Matte: aep.MatteAlpha, MatteLayer: 2, Guide: true,
				Props: root("ADBE AV Layer", group("ADBE Mask Parade", mask), group("ADBE Transform Group", number("ADBE Anchor Point", 8, 16, 0), scale, opacity))},
		},
	}
	folder := &aep.Item{ID: 2, Name: "Footage", Kind: aep.ItemFolder}
	p := &aep.Project{Version: aep.Version{Major: 24, Minor: 1, Patch: 2, Build: 3, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 16, ActiveItem: 1,
		Color: aep.Color{WorkingSpace: aep.ColorProfile{Name: "Display P3", ICC: "\x00profile"}, Gamma: 2.4, LinearBlending: true, LinearWorkSpace: true, OCIO: true}}
	p.Items = []*aep.Item{
		{ID: 1, Name: "main", Comment: "the one", Label: 5, Kind: aep.ItemComposition, Comp: comp},
		folder,
		{ID: 3, Name: "Red", Kind: aep.ItemFootage, Parent: folder, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 64, Height: 64, Color: [3]float64{1, 0, 0}}},
		{ID: 4, Name: "music.wav", Kind: aep.ItemFootage, Parent: folder, Footage: &aep.Footage{Kind: aep.FootageFile, Duration: 4, HasAudio: true, Format: "WAVE",
			File: aep.FileReference{FullPath: `C:\job\(Footage)\music.wav`, Platform: "windows", AscendBase: 1, AscendTarget: 2}}},
		{ID: 5, Name: "Logo", Kind: aep.ItemFootage, Parent: folder, Footage: &aep.Footage{Kind: aep.FootageFile, Width: 8, Height: 6, Format: "8BPS", HasVideo: true,
			Premultiplied: true, Matte: [3]uint8{255, 128, 1}, Fields: aep.LowerFirst, Pulldown: true,
			Layer: "Größe", LayerNumber: 3, Profile: aep.ColorProfile{Name: "Adobe RGB (1998)"}, File: aep.FileReference{FullPath: "/job/poster.psd", Platform: "macos", AscendBase: 1, AscendTarget: 1}}},
	}
	return p
}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	p := written()
	got := rewritten(t, p)
	if got.Version != p.Version || got.BitsPerChannel != p.BitsPerChannel || got.ExpressionEngine != p.ExpressionEngine || got.ActiveItem != p.ActiveItem ||
		got.Color != p.Color {
		t.Errorf("project: got %+v", got)
	}
	if len(got.Items) != len(p.Items) {
		t.Fatalf("%d items, want %d", len(got.Items), len(p.Items))
	}
	for i, it := range p.Items {
		g := got.Items[i]
		if g.ID != it.ID || g.Name != it.Name || g.Kind != it.Kind || g.Comment != it.Comment || g.Label != it.Label || (g.Parent == nil) != (it.Parent == nil) {
			t.Errorf("item %d: got %+v, want %+v", i, g, it)
		}
	}
	solid, sound := got.Items[2].Footage, got.Items[3].Footage
	if solid.Kind != aep.FootageSolid || solid.Width != 64 || solid.Color != [3]float64{1, 0, 0} {
		t.Errorf("solid: %+v", solid)
	}
	if sound.File != p.Items[3].Footage.File || !sound.HasAudio || sound.HasVideo || sound.Duration != 4 {
		t.Errorf("sound: %+v", sound)
	}
	if layer := got.Items[4].Footage; layer.Layer != "Größe" || layer.Profile != p.Items[4].Footage.Profile || layer.LayerNumber != 3 ||
		!layer.Premultiplied || layer.Matte != [3]uint8{255, 128, 1} || layer.Fields != aep.LowerFirst || !layer.Pulldown {
		t.Errorf("layer of a Photoshop file: %+v", layer)
	}
	want, have := p.Items[0].Comp, got.Items[0].Comp
	for i, l := range want.Layers {
		g := have.Layers[i]
		compareTree(t, l.Name, l.Props, g.Props)
		a, b := *l, *g
		a.Props, b.Props = nil, nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("layer %d:\n got %+v\nwant %+v", i, b, a)
		}
	}
	a, b := *want, *have
	a.Layers, b.Layers = nil, nil
	if !reflect.DeepEqual(a, b) {
		t.Errorf("composition:\n got %+v\nwant %+v", b, a)
	}
	mask := func(c *aep.Composition) *aep.Path {
		return c.Layers[2].Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Shape").Value.(*aep.Path)
	}
	if a, b := mask(want).Feather, mask(have).Feather; !reflect.DeepEqual(a, b) {
		t.Errorf("feather points: got %+v, want %+v", b, a)
	}
	if again := rewritten(t, got); !reflect.DeepEqual(again, got) {
		t.Error("what was read does not survive being written and read once more")
	}
}

func TestEffectsAreRefusedRatherThanLost(t *testing.T) {
	p := written()
	l := p.Items[0].Comp.Layers[2]
	l.Props.Children = append(l.Props.Children, &aep.Property{Match: "ADBE Effect Parade", Group: true, Children: []*aep.Property{{Match: "ADBE Fill", Group: true}}})
	if err := aep.Write(&bytes.Buffer{}, p); err == nil {
		t.Fatal("a project with an effect was written without a word")
	}
}

func rewritten(t *testing.T, p *aep.Project) *aep.Project {
	t.Helper()
	var buf bytes.Buffer
	if err := aep.Write(&buf, p); err != nil {
		t.Fatal(err)
	}
	got, err := aep.Read(context.Background(), bytes.NewReader(buf.Bytes()), int64(buf.Len()), aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// compareTree compares what Write was given with what Read gave; display names are Read's own.
func compareTree(t *testing.T, at string, want, got *aep.Property) {
	t.Helper()
	at += "/" + want.Match
	if got == nil {
		t.Errorf("%s is gone", at)
		return
	}
	if want.Match != got.Match || want.Group != got.Group || want.Expression != got.Expression || want.ExpressionOn != got.ExpressionOn ||
		want.Spatial != got.Spatial || want.Color != got.Color || !reflect.DeepEqual(want.Mask, got.Mask) {
		t.Errorf("%s:\n got %+v\nwant %+v", at, got, want)
	}
	if len(want.Keys) == 0 {
		compareValue(t, at, want.Value, got.Value)
	}
	if len(want.Keys) != len(got.Keys) || len(want.Children) != len(got.Children) {
		t.Errorf("%s: %d keys and %d children, want %d and %d", at, len(got.Keys), len(got.Children), len(want.Keys), len(want.Children))
		return
	}
	for i, k := range want.Keys {
		g := got.Keys[i]
		compareValue(t, at, k.Value, g.Value)
		if math.Abs(k.Time-g.Time) > 1e-6 || k.In != g.In || k.Out != g.Out || !reflect.DeepEqual(k.InEase, g.InEase) || !reflect.DeepEqual(k.OutEase, g.OutEase) ||
			!reflect.DeepEqual(k.TangentIn, g.TangentIn) || !reflect.DeepEqual(k.TangentOut, g.TangentOut) {
			t.Errorf("%s, key %d:\n got %+v\nwant %+v", at, i, g, k)
		}
	}
	for i, c := range want.Children {
		compareTree(t, at, c, got.Children[i])
	}
}

func compareValue(t *testing.T, at string, want, got aep.Value) {
	t.Helper()
	switch w := want.(type) {
	case aep.Numbers:
		g, _ := got.(aep.Numbers)
		if len(g) != len(w) {
			t.Errorf("%s: got %v, want %v", at, got, want)
			return
		}
		for i := range w {
			if math.Abs(w[i]-g[i]) > 1e-6 {
				t.Errorf("%s: got %v, want %v", at, g, w)
				return
			}
		}
	case *aep.Path:
		g, ok := got.(*aep.Path)
		if !ok || g.Closed != w.Closed || len(g.Vertices) != len(w.Vertices) {
			t.Errorf("%s: got %+v, want %+v", at, got, want)
			return
		}
		for i, v := range w.Vertices {
			a, b := reflect.ValueOf(v), reflect.ValueOf(g.Vertices[i])
			for f := range a.NumField() {
				if math.Abs(a.Field(f).Float()-b.Field(f).Float()) > 1e-4 { // 32-bit fractions of the box
					t.Errorf("%s, vertex %d: got %+v, want %+v", at, i, g.Vertices[i], v)
				}
			}
		}
	default:
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s:\n got %+v\nwant %+v", at, got, want)
		}
	}
}
