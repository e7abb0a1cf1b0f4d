package render_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
	expressions "overcrank/engine/expression"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// sameAlone draws frames one after the other, and each again with a renderer that knows nothing yet.
func sameAlone(p *aep.Project, comp *aep.Item, opt render.Options, frames, step int) (err error) {
	r, err := render.New(p, comp, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Frames(context.Background(), 0, (frames-1)*step, step, func(n int, img *raster.Image) error {
		alone, err := render.New(p, comp, opt)
		if err != nil {
			return err
		}
		err = alone.Frames(context.Background(), n, n, 1, func(_ int, want *raster.Image) error {
			for i, v := range img.Pix {
				if v != want.Pix[i] {
					return fmt.Errorf("frame %d of %q: %d at byte %d, %d when it is drawn alone", n, comp.Name, v, i, want.Pix[i])
				}
			}
			return nil
		})
		return errors.Join(err, alone.Close())
	})
}

func TestWhatIsKeptBetweenFramesShowsInNone(t *testing.T) {
	b := build(t)
	inner := b.comp("inner", 60, 60)
	b.layer(inner, b.solid("flash", 60, 60, rgb(white)), func(l *aep.Layer) { l.In, l.Out = 0.4, 0.7 })
	b.layer(inner, b.solid("green", 30, 30, rgb(green)), nil)
	b.layer(inner, b.picture("quarters.png", quarters(90, 90)), nil)
	comp := b.comp("main", 100, 100)
	b.layer(comp, b.solid("mover", 20, 20, rgb(blue)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Position"), 0, 1, aep.Numbers{0, 0}, aep.Numbers{100, 100}))
	})
	b.layer(comp, inner, func(l *aep.Layer) { transform(l, value("ADBE Rotate Z", 10)) })
	b.layer(comp, b.solid("fading", 80, 80, rgb(red)), func(l *aep.Layer) {
		transform(l, linear(value("ADBE Opacity"), 0.5, 0.8, aep.Numbers{100}, aep.Numbers{0}))
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(10, 10, 60, 60), value("ADBE Mask Feather", 5, 5))
	})
	b.layer(comp, b.solid("cut", 50, 100, rgb(green)), func(l *aep.Layer) { l.Out = 1.2 })
	b.layer(comp, b.picture("back.png", quarters(100, 100)), nil)
	for _, workers := range []int{1, 3} {
		for _, most := range []int64{0, 60_000, 1 << 30} {
			room := &rented{most: most}
			opt := render.Options{Footage: openFile, Background: true, Workers: workers, Room: room}
			if err := sameAlone(b.p, comp, opt, 20, 1); err != nil {
				t.Errorf("%d workers, room for %d bytes: %v", workers, most, err)
			}
			if lent := room.lent.Load(); lent != 0 {
				t.Errorf("%d workers: %d bytes were not given back", workers, lent)
			}
			if most > 0 && room.taken.Load() == 0 {
				t.Errorf("%d workers: nothing was kept in %d bytes", workers, most)
			}
		}
	}
}

// rented is a room that says what was taken of it.
type rented struct {
	most        int64
	lent, taken atomic.Int64
}

func (r *rented) Lend(bytes int64) bool {
	if r.lent.Add(bytes) > r.most {
		r.lent.Add(-bytes)
		return false
	}
	r.taken.Add(bytes)
	return true
}

func (r *rented) Return(bytes int64) { r.lent.Add(-bytes) }

// TestASurfaceIsKeptWhileItsLayerMoves has a blurred solid that moves, turns and grows in every frame: its surface is in its own pixels, so it is made once.
func TestASurfaceIsKeptWhileItsLayerMoves(t *testing.T) {
	taken := func(change func(l *aep.Layer)) int64 {
		b := build(t)
		comp := b.comp("main", 100, 100)
		b.layer(comp, b.solid("red", 20, 20, rgb(red)), func(l *aep.Layer) {
			transform(l, linear(value("ADBE Position"), 0, 2, aep.Numbers{20, 20}, aep.Numbers{80, 70}))
			transform(l, linear(value("ADBE Rotate Z"), 0, 2, aep.Numbers{0}, aep.Numbers{90}))
			transform(l, linear(value("ADBE Scale"), 0, 2, aep.Numbers{60, 60}, aep.Numbers{150, 150}))
			blur := value("ADBE Gaussian Blur-0001", 5)
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Gaussian Blur", blur)))
			change(l)
		})
		room := &rented{most: 1 << 30}
		r := b.renderer(comp, render.Options{Workers: 1, Room: room})
		if err := r.Frames(t.Context(), 0, 19, 1, func(int, *raster.Image) error { return nil }); err != nil {
			t.Fatal(err)
		}
		return room.taken.Load()
	}
	once := taken(func(*aep.Layer) {})
	if once == 0 {
		t.Error("no surface is kept of a layer that moves")
	}
	changing := taken(func(l *aep.Layer) {
		blur := l.Props.Child("ADBE Effect Parade").Children[0].Children[0]
		linear(blur, 0, 2, aep.Numbers{5}, aep.Numbers{9})
	})
	if changing != 0 {
		t.Errorf("%d bytes are kept of surfaces of which each is another one", changing)
	}
}

// TestFramesThatLookLikeTheOneBeforeAreNotDrawnAgain has compositions that change at some of twenty frames.
func TestFramesThatLookLikeTheOneBeforeAreNotDrawnAgain(t *testing.T) {
	expression := value("ADBE Opacity", 50)
	expression.Expression, expression.ExpressionOn = "Math.floor(time) * 20 + 20", true
	for name, test := range map[string]struct {
		change func(l *aep.Layer)
		drawn  int
	}{
		"nothing moves": {func(*aep.Layer) {}, 1},
		"moves for a second": {func(l *aep.Layer) {
			transform(l, linear(value("ADBE Position"), 0, 1, aep.Numbers{0, 0}, aep.Numbers{50, 0}))
		}, 11},
		"is cut":              {func(l *aep.Layer) { l.In, l.Out = 0.5, 1.5 }, 3},
		"an expression steps": {func(l *aep.Layer) { transform(l, expression) }, 2},
		"an effect changes": {func(l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade",
				group("ADBE Tint", linear(value("ADBE Tint-0003", 0), 0, 0.5, aep.Numbers{0}, aep.Numbers{100}))))
		}, 6},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			inner := b.comp("inner", 50, 50)
			b.layer(inner, b.solid("red", 20, 20, rgb(red)), test.change)
			comp := b.comp("main", 50, 50)
			b.layer(comp, inner, nil)
			aep.Complete(b.p)
			opt := render.Options{Workers: 3, Expressions: func(e *eval.Evaluator) eval.Expressions {
				return expressions.New(expressions.Host{Project: b.p, Eval: e})
			}}
			if err := sameAlone(b.p, comp, opt, 20, 1); err != nil {
				t.Fatal(err)
			}
			r := b.renderer(comp, opt)
			frames := 0
			if err := r.Frames(t.Context(), 0, 19, 1, func(int, *raster.Image) error { frames++; return nil }); err != nil {
				t.Fatal(err)
			}
			if drawn := 20 - r.Repeated(); frames != 20 || drawn != test.drawn {
				t.Errorf("%d of %d frames were drawn, want %d", drawn, frames, test.drawn)
			}
		})
	}
}

func TestFramesOfTheSamplesAreTheSameAlone(t *testing.T) {
	folder := aeptest.Samples(t)
	compared := 0
	for _, path := range projects(t, folder) {
		p, err := aep.Open(context.Background(), path, aep.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		aep.Complete(p)
		for _, it := range p.Items {
			if it.Comp == nil {
				continue
			}
			opt := render.Options{Scale: 64 / float64(max(64, it.Comp.Width, it.Comp.Height)), Workers: 2}
			if err := sameAlone(p, it, opt, 6, 7); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			compared++
		}
	}
	if compared == 0 {
		t.Fatal("no composition was drawn")
	}
	t.Logf("%d compositions compared", compared)
}
