package render_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// gallery is a composition of pictures in compositions of their own, with a blur on each: work that several can share.
func gallery(b *builder, pictures int) *aep.Item {
	comp := b.comp("gallery", 320, 180)
	comp.Comp.Duration = 100
	b.layer(comp, nil, func(l *aep.Layer) {
		l.Adjustment = true
		effects(l, group("ADBE Gaussian Blur 2", value("ADBE Gaussian Blur 2-0001", 3)))
	})
	for i := range pictures {
		inner := b.comp(fmt.Sprint("frame ", i), 160, 90)
		inner.Comp.Duration = 100
		b.layer(inner, b.picture(fmt.Sprint(i, ".png"), quarters(160+i, 90)), func(l *aep.Layer) {
			transform(l, linear(value("ADBE Rotate Z"), 0, 100, aep.Numbers{0}, aep.Numbers{float64(40 * i)}))
			effects(l, group("ADBE Gaussian Blur 2", value("ADBE Gaussian Blur 2-0001", float64(2+i)), value("ADBE Gaussian Blur 2-0003", 1)))
		})
		b.layer(comp, inner, func(l *aep.Layer) {
			transform(l, linear(value("ADBE Position"), 0, 100, aep.Numbers{float64(50 + 25*i), 50}, aep.Numbers{float64(250 - 15*i), 125}))
			transform(l, value("ADBE Opacity", 80))
			if i%3 == 1 {
				effects(l, group("ADBE Gaussian Blur 2", value("ADBE Gaussian Blur 2-0001", 6)))
			}
			if i%3 == 2 {
				l.PreserveTransparency = true
			}
		})
	}
	b.layer(comp, b.picture("ground.png", quarters(320, 180)), nil)
	return comp
}

func TestAFrameThatSeveralDrawIsTheSame(t *testing.T) {
	b := build(t)
	comp := gallery(b, 7)
	var machines atomic.Int32
	opt := render.Options{Background: true, Expressions: func(*eval.Evaluator) eval.Expressions {
		machines.Add(1)
		return ramp{}
	}}
	opt.Workers = 1
	single := b.renderer(comp, opt)
	machines.Store(0)
	opt.Workers = 4
	several := b.renderer(comp, opt)
	for _, n := range []int{0, 1, 40} {
		want, got := oneFrame(t, single, n), oneFrame(t, several, n)
		if !bytes.Equal(want.Pix, got.Pix) {
			t.Errorf("frame %d differs", n)
		}
	}
	if n := machines.Load(); n < 3+3+1 {
		t.Errorf("%d workers drew: nobody helped", n)
	}
}

func TestAFaultOfAHelperEndsTheFrame(t *testing.T) {
	b := build(t)
	comp := gallery(b, 7)
	fault := errors.New("the disk is gone")
	for _, ends := range []bool{false, true} {
		r := b.renderer(comp, render.Options{Workers: 4, Footage: func(context.Context, *aep.Item) (*footage.Source, error) {
			if ends {
				return nil, context.Canceled
			}
			panic(fault)
		}})
		err := r.Frames(t.Context(), 3, 3, 1, func(int, *raster.Image) error { return nil })
		if ends {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the end of the render gives %v", err)
			}
			continue
		}
		if f, ok := errors.AsType[*render.Fault](err); !ok || f.Cause != any(fault) {
			t.Errorf("a fault gives %v", err)
		}
	}
}

// One frame of nine pictures in compositions of their own, each blurred, by one worker and by as many as there are processors. One operation is
// one frame, each another time.
func BenchmarkAlone(b *testing.B) {
	for name, workers := range map[string]int{"one worker": 1, "all": 0} {
		b.Run(name, func(b *testing.B) {
			p := build(b)
			comp := gallery(p, 9)
			r := p.renderer(comp, render.Options{Background: true, Scale: 4, Workers: workers})
			oneFrame(b, r, 0)
			b.ResetTimer()
			for i := range b.N {
				oneFrame(b, r, 37*(i+1)%997)
			}
		})
	}
}
