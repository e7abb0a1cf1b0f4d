package render_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

func TestFilmsAreGivenBackAfterTheirLayersEnd(t *testing.T) {
	b := build(t)
	film := b.film()
	comp := b.comp("main", 40, 40)
	b.layer(comp, film, func(l *aep.Layer) { l.Out = 1 })
	library := footage.NewLibrary(footage.DefaultBudget)
	r := b.renderer(comp, render.Options{Workers: 2, Footage: func(ctx context.Context, it *aep.Item) (*footage.Source, error) {
		return library.OpenAs(ctx, it.Footage.File.Resolved, footage.Interpretation{})
	}})
	most := 0
	err := r.Frames(t.Context(), 0, 99, 1, func(int, *raster.Image) error {
		_, decoders := library.Holds()
		most = max(most, decoders)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if held, decoders := library.Holds(); held != 0 || decoders != 0 || most == 0 {
		t.Errorf("at the end %d bytes and %d decoders are kept, of at most %d", held, decoders, most)
	}
}

// counted counts evaluations.
type counted struct {
	of    eval.Expressions
	calls *atomic.Int64
}

func (c counted) Evaluate(ref eval.Ref, before aep.Value, t float64) (aep.Value, error) {
	c.calls.Add(1)
	return c.of.Evaluate(ref, before, t)
}

func TestAnExpressionThatNeverEndsIsSwitchedOff(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 20, 20)
	endless := value("ADBE Rotate Z", 0)
	endless.Name, endless.Expression, endless.ExpressionOn = "Rotation", "while (true) {}", true
	asks := value("ADBE Opacity", 100)
	asks.Expression, asks.ExpressionOn = "thisLayer.transform.rotation + 100", true
	l := b.layer(comp, b.solid("red", 20, 20, [3]float64{1, 0, 0}), func(l *aep.Layer) { transform(l, endless); transform(l, asks) })
	l.Name = "spinner"
	aep.Complete(b.p)
	var said []string
	var calls atomic.Int64
	var timeouts atomic.Int64
	r := b.renderer(comp, render.Options{Workers: 1, Warn: func(m string) { said = append(said, m) }, Expressions: func(e *eval.Evaluator) eval.Expressions {
		e.OnError = func(next func(eval.Ref, float64, error)) func(eval.Ref, float64, error) {
			return func(ref eval.Ref, at float64, err error) {
				var endless *eval.TimeoutError
				if errors.As(err, &endless) {
					timeouts.Add(1)
				}
				next(ref, at, err)
			}
		}(e.OnError)
		return counted{expression.New(expression.Host{Project: b.p, Eval: e, TimeLimit: 2 * time.Second}), &calls}
	}})
	if err := r.Frames(t.Context(), 0, 20, 1, func(int, *raster.Image) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if timeouts.Load() != 1 || calls.Load() < 10 {
		t.Errorf("%d evaluations took too long, of %d", timeouts.Load(), calls.Load())
	}
	if len(said) != 1 || !strings.Contains(said[0], "layer 'spinner' in composition 'main': the expression of 'Rotation' took longer than 2s") ||
		!strings.Contains(said[0], "switched off") {
		t.Errorf("said %q", said)
	}
}
