package render_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/eval"
	expressions "overcrank/engine/expression"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// shelf keeps every frame that was drawn, in memory.
type shelf struct {
	mu     sync.Mutex
	frames map[[sha256.Size]byte][]byte
	lower  map[[sha256.Size]byte][]byte // of frames, only their lower layers
	below  int                          // how many of these were read
}

func (s *shelf) Read(at [sha256.Size]byte, pix []byte, _ int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lower, ok := s.lower[at]; ok {
		s.below++
		return copy(pix, lower) > 0
	}
	return copy(pix, s.frames[at]) > 0
}

func (s *shelf) Lower(at [sha256.Size]byte, pix []byte, _ time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lower == nil {
		s.lower = make(map[[sha256.Size]byte][]byte)
	}
	s.lower[at] = bytes.Clone(pix)
}

func (s *shelf) Drawn(at [sha256.Size]byte, pix []byte, _ int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frames == nil {
		s.frames = make(map[[sha256.Size]byte][]byte)
	}
	s.frames[at] = bytes.Clone(pix)
}

// card is a composition of twenty frames with a moving solid, a picture, and a square that shows from 0.5 to 1 s.
func card(t *testing.T, change func(b *builder, comp *aep.Item, square *aep.Layer)) (*builder, *aep.Item) {
	b := build(t)
	comp := b.comp("main", 60, 60)
	inner := b.comp("inner", 40, 40)
	square := b.layer(inner, b.solid("square", 20, 20, rgb(red)), func(l *aep.Layer) { l.In, l.Out = 0.5, 1 })
	b.layer(comp, inner, nil)
	b.layer(comp, b.picture("quarters.png", quarters(90, 90)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Position"), 0, 2, aep.Numbers{0, 0}, aep.Numbers{50, 0}))
		transform(l, value("ADBE Opacity", 70))
	})
	b.layer(comp, b.solid("back", 60, 60, rgb(blue)), nil)
	if change != nil {
		change(b, comp, square)
	}
	aep.Complete(b.p)
	return b, comp
}

// drawnWith draws the twenty frames of a composition with what is kept, and checks that they are those of a render that keeps nothing.
func drawnWith(t *testing.T, kept *shelf, b *builder, comp *aep.Item, opt render.Options) (reused int) {
	t.Helper()
	opt.Workers, opt.Footage = 3, openFile
	opt.Expressions = func(e *eval.Evaluator) eval.Expressions {
		return expressions.New(expressions.Host{Project: b.p, Eval: e})
	}
	var want [][]byte
	err := b.renderer(comp, opt).Frames(t.Context(), 0, 19, 1, func(_ int, img *raster.Image) error {
		want = append(want, bytes.Clone(img.Pix))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	opt.Kept = kept
	r := b.renderer(comp, opt)
	err = r.Frames(t.Context(), 0, 19, 1, func(n int, img *raster.Image) error {
		if !bytes.Equal(img.Pix, want[n]) {
			return fmt.Errorf("frame %d has other pixels than without the kept frames", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Reused()
}

func TestFramesThatAnotherRenderDrewAreUsedAgain(t *testing.T) {
	named := func(match string, expression string) *aep.Property {
		p := value(match, 50)
		p.Expression, p.ExpressionOn = expression, true
		return p
	}
	const all = 20
	for name, test := range map[string]struct {
		change func(b *builder, comp *aep.Item, square *aep.Layer)
		opt    render.Options
		reused int
	}{
		"the same":                 {nil, render.Options{}, all},
		"another colour in a part": {func(_ *builder, _ *aep.Item, l *aep.Layer) { transform(l, value("ADBE Opacity", 40)) }, render.Options{}, all - 5},
		"hidden at last":           {func(_ *builder, _ *aep.Item, l *aep.Layer) { l.Out = 0.7 }, render.Options{}, all - 5},
		"an expression from outside": {func(_ *builder, _ *aep.Item, l *aep.Layer) {
			transform(l, named("ADBE Opacity", `comp("main").layer(1).index * 30`))
		}, render.Options{}, all - 5},
		"its folder":      {func(b *builder, _ *aep.Item, _ *aep.Layer) { move(t, b) }, render.Options{}, all},
		"another picture": {func(b *builder, _ *aep.Item, _ *aep.Layer) { repaint(t, b) }, render.Options{}, 0},
		"a layer that nobody sees": {func(b *builder, c *aep.Item, _ *aep.Layer) {
			b.layer(c, b.solid("none", 9, 9, rgb(red)), func(l *aep.Layer) { l.Enabled = false })
		}, render.Options{}, all},
		"a comment": {func(b *builder, c *aep.Item, _ *aep.Layer) { c.Comp.Layers[0].Comment = "changed" }, render.Options{}, all},
		"a transparent layer": {func(b *builder, c *aep.Item, l *aep.Layer) {
			transform(b.layer(c, b.solid("none", 9, 9, rgb(red)), nil), value("ADBE Opacity", 0))
		}, render.Options{}, 0},
		"half the size":       {nil, render.Options{Scale: 0.5}, 0},
		"over the background": {nil, render.Options{Background: true}, 0},
		"draft":               {nil, render.Options{Draft: true}, 0},
		"another engine":      {nil, render.Options{Engine: "2"}, 0},
		"another background":  {func(_ *builder, c *aep.Item, _ *aep.Layer) { c.Comp.Background = rgb(green) }, render.Options{}, 0},
		"by chance": {func(_ *builder, c *aep.Item, _ *aep.Layer) {
			l := c.Comp.Layers[2]
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Noise2", value("ADBE Noise2-0001", 50))))
		}, render.Options{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			kept := &shelf{}
			b, comp := card(t, nil)
			if got := drawnWith(t, kept, b, comp, render.Options{}); got != 0 {
				t.Fatalf("%d frames of the first render were there", got)
			}
			b, comp = card(t, test.change)
			if got := drawnWith(t, kept, b, comp, test.opt); got != test.reused {
				t.Errorf("%d frames were used again, want %d", got, test.reused)
			}
			if got := drawnWith(t, kept, b, comp, test.opt); got != all && name != "by chance" {
				t.Errorf("%d frames were used a third time", got)
			}
		})
	}
}

// TestAFrameKnowsWhatItsLayersFollow has a layer whose place comes from a parent, and one whose opacity comes from another layer.
func TestAFrameKnowsWhatItsLayersFollow(t *testing.T) {
	follow := func(by float64) func(b *builder, comp *aep.Item, square *aep.Layer) {
		return func(b *builder, comp *aep.Item, square *aep.Layer) {
			null := b.layer(comp, b.solid("null", 10, 10, rgb(red)), func(l *aep.Layer) {
				l.Null, l.Name = true, "null"
				transform(l, value("ADBE Position", by, 10))
				transform(l, value("ADBE Rotate Z", by))
			})
			comp.Comp.Layers[1].Parent = null.ID
			opacity := value("ADBE Opacity", 100)
			opacity.Expression, opacity.ExpressionOn = `comp("main").layer("null").rotation + 20`, true
			transform(square, opacity)
		}
	}
	kept := &shelf{}
	b, comp := card(t, follow(10))
	drawnWith(t, kept, b, comp, render.Options{})
	b, comp = card(t, follow(10))
	if got := drawnWith(t, kept, b, comp, render.Options{}); got != 20 {
		t.Errorf("%d frames of the same were used again", got)
	}
	b, comp = card(t, follow(15))
	if got := drawnWith(t, kept, b, comp, render.Options{}); got != 0 {
		t.Errorf("%d frames were used again although what its layers follow moved", got)
	}
}

func TestWhatCouldNotBeDrawnIsNotForOthers(t *testing.T) {
	kept := &shelf{}
	spoil := func(b *builder, _ *aep.Item, _ *aep.Layer) {
		i := slices.IndexFunc(b.p.Items, func(it *aep.Item) bool { return it.Name == "quarters.png" })
		if err := os.WriteFile(b.p.Items[i].Footage.File.Resolved, []byte("no picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, comp := card(t, spoil)
	drawnWith(t, kept, b, comp, render.Options{})
	if len(kept.frames) != 0 {
		t.Errorf("%d frames without their footage were kept", len(kept.frames))
	}
}

func pictureOf(b *builder) *string {
	i := slices.IndexFunc(b.p.Items, func(it *aep.Item) bool { return it.Name == "quarters.png" })
	return &b.p.Items[i].Footage.File.Resolved
}

// move puts the picture into another folder.
func move(t *testing.T, b *builder) {
	t.Helper()
	to := t.TempDir() + "/elsewhere.png"
	if err := os.Rename(*pictureOf(b), to); err != nil {
		t.Fatal(err)
	}
	*pictureOf(b) = to
}

// repaint changes the picture.
func repaint(t *testing.T, b *builder) {
	t.Helper()
	other := b.picture("other.png", quarters(88, 90))
	if err := os.Rename(other.Footage.File.Resolved, *pictureOf(b)); err != nil {
		t.Fatal(err)
	}
	b.p.Items = b.p.Items[:len(b.p.Items)-1]
}
