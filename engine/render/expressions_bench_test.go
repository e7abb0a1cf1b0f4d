package render_test

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// expressive gives a property an expression.
func expressive(p *aep.Property, text string) *aep.Property {
	p.Expression, p.ExpressionOn = text, true
	return p
}

// expressiveShape makes of a layer a rectangle and an ellipse with a fill and a stroke, in whose drawing 25 expressions count.
func expressiveShape(l *aep.Layer, i int) {
	const speed = `thisComp.layer("ctrl").effect("Speed")("Slider")`
	at := aep.Numbers{float64(40 + i%50*37), float64(30 + i/50*52)}
	l.Name, l.Kind = fmt.Sprint("shape ", i), aep.LayerShape
	for _, p := range []*aep.Property{
		expressive(value("ADBE Anchor Point", 0, 0), `value`),
		expressive(value("ADBE Position", at...), `value + [0, Math.sin(time * 2 + index) * 10]`),
		expressive(value("ADBE Scale", 100, 100), `s = 80 + `+speed+` / 4; [s, s]`),
		expressive(value("ADBE Rotate Z", 0), speed+` * 2 + index`),
		expressive(value("ADBE Opacity", 100), `ease(time, inPoint, inPoint + 1, 20, 100)`),
	} {
		transform(l, p)
	}
	l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group", group("ADBE Vector Group",
		group("ADBE Vectors Group",
			group("ADBE Vector Shape - Rect",
				expressive(value("ADBE Vector Rect Size", 20, 20), `[20 + `+speed+` / 10, 24]`),
				expressive(value("ADBE Vector Rect Position", 0, 0), `value + [1, -1]`),
				expressive(value("ADBE Vector Rect Roundness", 0), `linear(time, 0, 100, 0, 10)`)),
			group("ADBE Vector Shape - Ellipse",
				expressive(value("ADBE Vector Ellipse Size", 12, 12), `[12, 12] + [index % 5, 0]`),
				expressive(value("ADBE Vector Ellipse Position", 0, 0), `[Math.cos(time) * 8, 0]`)),
			group("ADBE Vector Filter - Trim",
				expressive(value("ADBE Vector Trim Start", 0), `linear(time, 0, 1000, 0, 40)`),
				expressive(value("ADBE Vector Trim End", 100), `clamp(value - time / 100, 50, 100)`),
				expressive(value("ADBE Vector Trim Offset", 0), speed)),
			group("ADBE Vector Graphic - Stroke",
				expressive(value("ADBE Vector Stroke Color", 1, 1, 1, 1), `[1, `+speed+` / 100, 0, 1]`),
				expressive(value("ADBE Vector Stroke Opacity", 100), `time > 2 ? 90 : 80`),
				expressive(value("ADBE Vector Stroke Width", 2), `1 + index % 3`)),
			group("ADBE Vector Graphic - Fill",
				expressive(value("ADBE Vector Fill Color", 1, 0, 0, 1), `[`+speed+` / 100, 0.5, 1, 1]`),
				expressive(value("ADBE Vector Fill Opacity", 100), `Math.round(`+speed+` / 3) + 50`))),
		group("ADBE Vector Transform Group",
			expressive(value("ADBE Vector Anchor", 0, 0), `[0, 0]`),
			expressive(value("ADBE Vector Position", 0, 0), `[index % 3, 0]`),
			expressive(value("ADBE Vector Scale", 100, 100), `[100, 90 + Math.sin(time) * 5]`),
			expressive(value("ADBE Vector Skew", 0), `value + 1`),
			expressive(value("ADBE Vector Skew Axis", 0), `value`),
			expressive(value("ADBE Vector Rotation", 0), `thisComp.layer("ctrl").transform.rotation`),
			expressive(value("ADBE Vector Group Opacity", 100), `f = timeToFrames(time) - index; f > 0 ? 100 : 80`)))))
}

// BenchmarkExpressions1080p draws frames of 1920x1080 of 1,000 shapes, each with 25 expressions that its drawing asks for: mostly links to a
// controller, as in rigs and templates. One operation is one frame, expressions and drawing.
func BenchmarkExpressions1080p(b *testing.B) {
	p := build(b)
	comp := p.comp("main", 1920, 1080)
	comp.Comp.Duration = 1e6
	speed := linear(value("ADBE Slider Control-0001"), 0, 10, aep.Numbers{0}, aep.Numbers{90})
	speed.Name = "Slider"
	slider := group("ADBE Slider Control", speed)
	slider.Name = "Speed"
	for i := range 1000 {
		if i == 500 { // among the others, as in real projects
			p.layer(comp, nil, func(l *aep.Layer) {
				l.Name, l.Kind = "ctrl", aep.LayerShape
				l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", slider))
			})
		}
		p.layer(comp, nil, func(l *aep.Layer) { expressiveShape(l, i) })
	}
	for _, l := range comp.Comp.Layers {
		aep.CompleteLayer(p.p, comp.Comp, l)
	}
	var calls atomic.Int64
	r := p.renderer(comp, render.Options{
		Background: true, Warn: func(s string) { b.Error(s) },
		Expressions: func(e *eval.Evaluator) eval.Expressions {
			return counted{expression.New(expression.Host{Project: p.p, Eval: e, Together: runtime.GOMAXPROCS(0)}), &calls}
		},
	})
	b.ResetTimer()
	if err := r.Frames(context.Background(), 0, b.N-1, 1, func(int, *raster.Image) error { return nil }); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(calls.Load())/float64(b.N), "expressions/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}
