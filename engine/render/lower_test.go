package render_test

import (
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

// TestWhatLiesBelowAChangedLayerIsDrawnOnce renders cards that differ in their highest layer, before lower ones that move. All pixels are those of a render
// that shares nothing.
func TestWhatLiesBelowAChangedLayerIsDrawnOnce(t *testing.T) {
	const all = 20
	blend := func(c *aep.Item, mode aep.BlendMode) { c.Comp.Layers[1].Blend = mode }
	for name, test := range map[string]struct {
		first, second func(b *builder, c *aep.Item) // of what lies below
		word          func(l *aep.Layer)
		below         int
	}{
		"as it was":             {nil, nil, nil, all},
		"in a part of the time": {nil, nil, func(l *aep.Layer) { l.In, l.Out = 0.5, 1.5 }, 10},
		"before all":            {nil, nil, func(l *aep.Layer) { transform(l, value("ADBE Scale", 900, 900)) }, 0}, // hides them
		"mixed": {func(_ *builder, c *aep.Item) { blend(c, aep.BlendScreen) }, func(_ *builder, c *aep.Item) { blend(c, aep.BlendScreen) },
			func(l *aep.Layer) { l.Blend = aep.BlendMultiply }, all},
		"mixed in another way":    {func(_ *builder, c *aep.Item) { blend(c, aep.BlendScreen) }, nil, nil, 0},
		"adjusting":               {nil, nil, func(l *aep.Layer) { l.Adjustment = true }, all},
		"one of them at a corner": {nil, func(_ *builder, c *aep.Item) { transform(c.Comp.Layers[2], value("ADBE Position", 1, 1)) }, nil, 0},
		"one of them in space": {
			func(_ *builder, c *aep.Item) { c.Comp.Layers[1].ThreeD = true }, func(_ *builder, c *aep.Item) { c.Comp.Layers[1].ThreeD = true }, nil, 0,
		},
		"following what changed": {
			func(_ *builder, c *aep.Item) { follow(c, `thisComp.layer("word").rotation + 60`) },
			func(_ *builder, c *aep.Item) { follow(c, `thisComp.layer("word").rotation + 60`) }, nil, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			kept := &shelf{}
			draw := func(lay func(b *builder, c *aep.Item), opacity float64) {
				t.Helper()
				var word *aep.Layer
				b, comp := card(t, func(b *builder, c *aep.Item, _ *aep.Layer) {
					word = b.layer(c, b.solid("word", 20, 20, rgb(green)), func(l *aep.Layer) {
						l.Name = "word"
						transform(l, value("ADBE Opacity", opacity))
						transform(l, value("ADBE Rotate Z", opacity-100))
						if test.word != nil {
							test.word(l)
						}
					})
					c.Comp.Layers = append([]*aep.Layer{word}, c.Comp.Layers[:len(c.Comp.Layers)-1]...)
					if lay != nil {
						lay(b, c)
					}
				})
				if got := drawnWith(t, kept, b, comp, render.Options{Varies: render.Varies(map[uint32]bool{word.ID: true})}); got == all {
					t.Fatal("all frames were there")
				}
			}
			draw(test.first, 90)
			if kept.below != 0 {
				t.Errorf("%d pictures of lower layers were there at first", kept.below)
			}
			draw(test.second, 100)
			if kept.below != test.below {
				t.Errorf("of %d frames the lower layers were taken, want %d", kept.below, test.below)
			}
		})
	}
}

// follow has the opacity of the picture of a card come from an expression.
func follow(c *aep.Item, expression string) {
	opacity := value("ADBE Opacity", 70)
	opacity.Expression, opacity.ExpressionOn = expression, true
	l := c.Comp.Layers[2]
	for i, p := range l.Props.Children {
		if p.Match == "ADBE Transform Group" {
			l.Props.Children[i].Children = append(l.Props.Children[i].Children[:1:1], opacity)
		}
	}
}
