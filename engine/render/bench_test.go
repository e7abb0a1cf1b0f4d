package render_test

import (
	"context"
	"testing"

	"overcrank/aep"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// Frames of 1280x720 with moving full-HD pictures, a moving shape with a stroke, and a still background: what a title
// template comes to. One operation is one frame.
func BenchmarkFrames720p(b *testing.B) {
	for _, n := range []struct {
		name     string
		pictures int
	}{{"3 layers", 1}, {"5 layers", 3}} {
		b.Run(n.name, func(b *testing.B) {
			p := build(b)
			comp := p.comp("main", 1280, 720)
			comp.Comp.Duration = 1e6
			p.layer(comp, nil, func(l *aep.Layer) {
				l.Kind = aep.LayerShape
				l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group",
					group("ADBE Vector Shape - Ellipse", value("ADBE Vector Ellipse Size", 400, 400)),
					group("ADBE Vector Graphic - Stroke", value("ADBE Vector Stroke Width", 20)),
					group("ADBE Vector Graphic - Fill", value("ADBE Vector Fill Color", 0, 0.5, 1, 1)),
				))
				transform(l, linear(value("ADBE Position"), 0, 100, aep.Numbers{200, 300}, aep.Numbers{1000, 400}))
				transform(l, value("ADBE Opacity", 80))
			})
			pic := p.picture("picture.png", quarters(1920, 1080))
			for i := range n.pictures {
				p.layer(comp, pic, func(l *aep.Layer) {
					transform(l, linear(value("ADBE Scale"), 0, 100, aep.Numbers{60, 60}, aep.Numbers{90, 90}))
					transform(l, linear(value("ADBE Rotate Z"), 0, 100, aep.Numbers{0}, aep.Numbers{float64(10 * i)}))
					transform(l, value("ADBE Opacity", 70))
				})
			}
			p.layer(comp, p.picture("background.png", quarters(1280, 720)), nil)
			r := p.renderer(comp, render.Options{Background: true})
			b.ResetTimer()
			err := r.Frames(context.Background(), 0, b.N-1, 1, func(int, *raster.Image) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// Frames of 1280x720 with one marked layer that moves by ten pixels a frame, and with the same at rest. One operation is one frame.
func BenchmarkMotionBlur720p(b *testing.B) {
	for name, moves := range map[string]float64{"moving": 300, "at rest": 0} {
		b.Run(name, func(b *testing.B) {
			p := build(b)
			comp := p.exposing(1280, 720, 180, -90)
			comp.Comp.Duration, comp.Comp.FrameRate = 1e6, 30
			p.layer(comp, p.picture("card.png", quarters(640, 360)), func(l *aep.Layer) {
				l.MotionBlur = true
				position := value("ADBE Position")
				for i := range 1000 {
					position.Keys = append(position.Keys, aep.Keyframe{
						Time: float64(2 * i), Value: aep.Numbers{400 + moves*float64(2*(i%2)), 360}, In: aep.Linear, Out: aep.Linear,
					})
				}
				transform(l, position)
			})
			p.layer(comp, p.picture("background.png", quarters(1280, 720)), nil)
			r := p.renderer(comp, render.Options{Background: true})
			b.ResetTimer()
			if err := r.Frames(context.Background(), 0, b.N-1, 1, func(int, *raster.Image) error { return nil }); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
