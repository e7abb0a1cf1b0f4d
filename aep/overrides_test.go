package aep

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// Fields of the panel of the card that the tests show several times.
const (
	fieldOfWords  = "11111111-0000-4000-8000-000000000001"
	fieldOfFading = "11111111-0000-4000-8000-000000000002"
	fieldOfPhoto  = "11111111-0000-4000-8000-000000000003"
	fieldOfInner  = "11111111-0000-4000-8000-000000000004"
)

func props(children ...*Property) *Property {
	return &Property{Group: true, Enabled: true, Children: children}
}

func within(match string, children ...*Property) *Property {
	return &Property{Match: match, Group: true, Enabled: true, Children: children}
}

func figure(match string, v ...float64) *Property {
	return &Property{Match: match, Enabled: true, Dimensions: len(v), Value: Numbers(v)}
}

func said(words string) *Property {
	st := CharacterStyle{Font: "AvenirNext-Bold", Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true}
	return &Property{Match: "ADBE Text Document", Enabled: true, Value: &TextDocument{Text: words, Runs: []TextRun{{Length: len(words) + 1, Style: st}},
		Paragraphs: []ParagraphRun{{Length: len(words) + 1, Style: ParagraphStyle{AutoLeadingFactor: 1.2}}}}}
}

func picture(id uint32, name string, w, h int) *Item {
	return &Item{ID: id, Name: name, Kind: ItemFootage, Footage: &Footage{Kind: FootageSolid, Width: w, Height: h, PixelAspect: 1, HasVideo: true, Still: true}}
}

func timeline(id uint32, name string, layers ...*Layer) *Item {
	return &Item{ID: id, Name: name, Kind: ItemComposition, Comp: &Composition{Width: 100, Height: 50, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024,
		TicksPerSecond: 25600, Duration: 4, WorkAreaDuration: 4, Layers: layers}}
}

func shown(id, source uint32, name string, groups ...*Property) *Layer {
	return &Layer{ID: id, Name: name, Kind: LayerAV, Source: source, Out: 4, Stretch: 100, Blend: BlendNormal, Enabled: true, Quality: 2, Props: props(groups...)}
}

// set is a value that a layer sets for a field.
func set(field string, p *Property) *Property {
	p.Field = field
	return p
}

// cards is a composition that shows a card three times: as it is, with values of its own, and within another composition.
func cards() *Project {
	title := shown(11, 0, "title", within(matchText, said("Below")), within(matchTransform, figure("ADBE Opacity", 100)))
	title.Kind, title.Start, title.Stretch = LayerText, 0.5, 50
	card := timeline(1, "card", title, shown(12, 5, "photo"), shown(13, 2, "inner"))
	card.Comp.Controllers = []Controller{
		{ID: fieldOfWords, Name: "Words", Type: fieldText, Value: "Below", Comp: 1, Layer: 11, Path: []string{matchText, "ADBE Text Document"}},
		{ID: fieldOfFading, Name: "Fading", Type: fieldSlider, Value: 100.0, Max: 100, Comp: 1, Layer: 11, Path: []string{matchTransform, "ADBE Opacity"}},
		{ID: fieldOfPhoto, Name: "Photo", Type: fieldMedia, Comp: 1, Layer: 12, Path: []string{"ADBE Source Options Group", matchAlternate}},
		{ID: fieldOfInner, Name: "Inner", Type: fieldDropdown, Value: 1.0, Options: []string{"a", "b"}, Comp: 2, Layer: 21, Path: []string{matchTransform, "ADBE Opacity"}},
	}
	fade := set(fieldOfFading, figure("ADBE Opacity", 40))
	fade.Keys = []Keyframe{{Time: 2, Value: Numbers{40}, InEase: []Ease{{Influence: 100.0 / 6}}, OutEase: []Ease{{Influence: 100.0 / 6}}},
		{Time: 3, Value: Numbers{80}, InEase: []Ease{{Influence: 100.0 / 6}}, OutEase: []Ease{{Influence: 100.0 / 6}}}}
	second := shown(32, 1, "second", within(matchOverrides, set(fieldOfWords, said("Own")), fade,
		set(fieldOfPhoto, &Property{Match: matchAlternate, Enabled: true, SourceRef: 6}), set(fieldOfInner, figure("ADBE Opacity", 7))))
	second.Start, second.In, second.Out = 1, 1, 4
	return &Project{Version: Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*Item{
		timeline(3, "main", shown(31, 1, "first"), second, shown(33, 1, "third", within(matchOverrides, set(fieldOfWords, said("Third"))))),
		card,
		timeline(2, "inner", shown(21, 5, "dot", within(matchTransform, figure("ADBE Opacity", 90)))),
		picture(5, "old", 100, 50), picture(6, "new", 40, 40),
	}}
}

func (p *Project) layersOf(t *testing.T, it *Item, number int) (*Layer, *Item) {
	t.Helper()
	l := it.Comp.Layers[number-1]
	return l, p.Item(l.Source)
}

func wordsOf(it *Item) string {
	return it.Comp.Layers[0].Props.Find(matchText, "ADBE Text Document").Value.(*TextDocument).Text
}

func TestLayersShowTheirOwnValuesOfEssentialProperties(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, cards()); err != nil {
		t.Fatal(err)
	}
	read, err := Read(t.Context(), bytes.NewReader(file.Bytes()), int64(file.Len()), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	Complete(read)
	before := slices.Clone(read.Items)
	p := read.Instances()
	main := p.Composition("main")
	_, first := p.layersOf(t, main, 1)
	layer, second := p.layersOf(t, main, 2)
	_, third := p.layersOf(t, main, 3)
	if got := []string{wordsOf(first), wordsOf(second), wordsOf(third)}; !slices.Equal(got, []string{"Below", "Own", "Third"}) {
		t.Errorf("the three cards say %q", got)
	}
	fading := second.Comp.Layers[0].Props.Find(matchTransform, "ADBE Opacity")
	if len(fading.Keys) != 2 || fading.Keys[0].Time != 3 || fading.Keys[1].Time != 5 || fading.Keys[1].Value.(Numbers)[0] != 80 {
		t.Errorf("two seconds into the card and three, it fades from 40 to 80, in the time of the title; its keyframes are %+v", fading.Keys)
	}
	if second.Comp.Layers[1].Source != 6 || first.Comp.Layers[1].Source != 5 {
		t.Errorf("the second card shows item %d in the place of its photo, the first %d", second.Comp.Layers[1].Source, first.Comp.Layers[1].Source)
	}
	if !second.Comp.Layers[1].OtherSize || first.Comp.Layers[1].OtherSize {
		t.Error("the second card's photo is of another size than the one in its place, and the first card's is not")
	}
	opacity := func(card *Item) float64 {
		inner := p.Item(card.Comp.Layers[2].Source)
		return inner.Comp.Layers[0].Props.Find(matchTransform, "ADBE Opacity").Value.(Numbers)[0]
	}
	if a, b := opacity(first), opacity(second); math.Abs(a-90)+math.Abs(b-7) > 1e-9 {
		t.Errorf("the composition within is seen at %g in the first card, at %g in the second", a, b)
	}
	if left := layer.Props.Child(matchOverrides); len(left.Children) > 0 {
		t.Errorf("%d values are still to be put somewhere", len(left.Children))
	}
	if !slices.Equal(before, read.Items) || len(read.Composition("main").Comp.Layers[1].Props.Child(matchOverrides).Children) != 4 {
		t.Error("the project that was read has changed")
	}
	if again := p.Instances(); again != p {
		t.Error("a project whose layers set nothing is copied")
	}
}

// What cannot be put anywhere stays, so that it is warned of.
func TestValuesThatNothingTakesStayWithTheirLayers(t *testing.T) {
	cases := map[string]*Property{
		"no such field":       set("unknown", figure("ADBE Opacity", 3)),
		"another kind":        set(fieldOfWords, figure("ADBE Opacity", 3)),
		"an expression":       set(fieldOfFading, &Property{Match: "ADBE Opacity", Value: Numbers{3}, Expression: "time", ExpressionOn: true}),
		"no such source":      set(fieldOfPhoto, &Property{Match: matchAlternate, SourceRef: 99}),
		"a source around it":  set(fieldOfPhoto, &Property{Match: matchAlternate, SourceRef: 3}),
		"words for an effect": set(fieldOfInner, said("x")),
	}
	for name, value := range cases {
		t.Run(name, func(t *testing.T) {
			p := cards()
			p.Composition("main").Comp.Layers[1].Props = props(within(matchOverrides, value))
			p = p.Instances()
			if left := p.Composition("main").Comp.Layers[1].Props.Child(matchOverrides); len(left.Children) != 1 {
				t.Errorf("%d values are left", len(left.Children))
			}
		})
	}
}

// Copies of compositions within others are not copied again, and there are no more of them than there is room for.
func TestCopiesForOwnValuesAreBounded(t *testing.T) {
	p := &Project{Items: []*Item{picture(1, "dot", 9, 9)}}
	level := func(n uint32, layers uint32) {
		it := timeline(2+n, "level")
		for i := range layers {
			it.Comp.Layers = append(it.Comp.Layers, shown(1000*(n+1)+i, 1+n, "part", within(matchTransform, figure("ADBE Opacity", 50)),
				within(matchOverrides, set("f", figure("ADBE Opacity", 10)))))
		}
		it.Comp.Controllers = []Controller{{ID: "f", Name: "f", Type: fieldSlider, Comp: 2 + n, Layer: 1000 * (n + 1), Path: []string{matchTransform, "ADBE Opacity"}}}
		p.Items = slices.Insert(p.Items, 0, it)
	}
	const deep = 20
	for n := range uint32(deep) {
		level(n, 2)
	}
	if all := p.Instances(); len(all.Items) != 1+deep+2*(deep-1) {
		t.Errorf("%d items", len(all.Items))
	}
	level(deep, 2*mostInstances)
	if all := p.Instances(); len(all.Items) != len(p.Items)+mostInstances {
		t.Errorf("%d items", len(all.Items))
	}
}

func fuzzedCards(f *testing.F) []byte {
	var file bytes.Buffer
	if err := Write(&file, cards()); err != nil {
		f.Fatal(err)
	}
	return file.Bytes()
}

// Whatever a file says of the values that layers set, the copies end, and the project that was read stays as it is.
func FuzzInstances(f *testing.F) {
	f.Add(fuzzedCards(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Read(t.Context(), bytes.NewReader(data), int64(len(data)), Limits{Chunks: 20_000, Depth: 100})
		if err != nil {
			return
		}
		Complete(p)
		items := len(p.Items)
		p.Instances()
		if len(p.Items) != items {
			t.Errorf("the project had %d items, and has %d", items, len(p.Items))
		}
	})
}
