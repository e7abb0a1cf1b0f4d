package dom

import (
	"context"
	"testing"

	"overcrank/aep"
)

// The panel of card drives a text in the composition within it, which card shows twice and main once.
func TestPanelsThatDriveCompositionsWithinAreOfOneLayer(t *testing.T) {
	p := set(t)
	nested := p.Composition("nested")
	card := &aep.Item{ID: 50, Name: "card", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 640, Height: 360, PixelAspect: 1,
		FrameRate: 25, FrameTicks: 1, TicksPerSecond: 25, Duration: 8, WorkAreaDuration: 8}}
	for id := range uint32(2) {
		l := &aep.Layer{ID: 200 + id, Name: "part", Kind: aep.LayerAV, Source: nested.ID, Stretch: 100, Out: 8, Enabled: true, Blend: aep.BlendNormal,
			Quality: 2, Props: &aep.Property{Group: true, Enabled: true}}
		card.Comp.Layers = append(card.Comp.Layers, l)
		aep.CompleteLayer(p, card.Comp, l)
	}
	card.Comp.Controllers = nested.Comp.Controllers
	p.Items = append(p.Items, card)
	script := prelude + `var card = app.project.itemByID(50), a = main.layers.add(card), b = main.layers.add(card);
		function words(l, part) { return l.source.layer(part).source.layer(1).sourceText.value.text }
		a.essentialProperty.property("Caption").setValue("One"); b.essentialProperty.property("Caption").setValue("Two"); a.essentialProperty.property("Caption").setValue("First");
		is(words(a, 1), "First"); is(words(a, 2), "First"); is(words(b, 1), "Two"); is(words(b, 2), "Two");
		is(main.layer("inner").source.layer(1).sourceText.value.text, "Below");
		var items = app.project.numItems; a.essentialProperty.property("Caption").setValue("Last"); is(app.project.numItems, items); is(words(a, 2), "Last")`
	if err := Run(context.Background(), p, "job.jsx", script, Options{Folder: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
}
