package render_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
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
		opt := render.Options{Footage: openFile, Background: true, Workers: workers}
		if err := sameAlone(b.p, comp, opt, 20, 1); err != nil {
			t.Errorf("%d workers: %v", workers, err)
		}
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
