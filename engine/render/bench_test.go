package render_test

import (
	"context"
	"fmt"
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
			r := fiveLayers(b, n.pictures, render.Options{Background: true})
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

// fiveLayers is a renderer of a moving shape with a stroke over moving full-HD pictures, and a still background.
func fiveLayers(b *testing.B, pictures int, opt render.Options) *render.Renderer {
	return fiveLayersOf(b, 8, pictures, opt)
}

func fiveLayersOf(b *testing.B, bits, pictures int, opt render.Options) *render.Renderer {
	p := build(b)
	p.p.BitsPerChannel = bits
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
	for i := range pictures {
		p.layer(comp, pic, func(l *aep.Layer) {
			transform(l, linear(value("ADBE Scale"), 0, 100, aep.Numbers{60, 60}, aep.Numbers{90, 90}))
			transform(l, linear(value("ADBE Rotate Z"), 0, 100, aep.Numbers{0}, aep.Numbers{float64(10 * i)}))
			transform(l, value("ADBE Opacity", 70))
		})
	}
	p.layer(comp, p.picture("background.png", quarters(1280, 720)), nil)
	return p.renderer(comp, opt)
}

// One frame of five layers, as a preview draws it: each another time, with the renderer warm. One operation is one frame.
func BenchmarkPreview720p(b *testing.B) {
	for name, scale := range map[string]float64{"full": 1, "half": 0.5} {
		b.Run(name, func(b *testing.B) {
			r := fiveLayers(b, 3, render.Options{Background: true, Scale: scale})
			one := func(n int) {
				if err := r.Frames(context.Background(), n, n, 1, func(int, *raster.Image) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			one(0)
			b.ResetTimer()
			for i := range b.N {
				one(37 * (i + 1) % 997) // while all of it moves
			}
		})
	}
}

// Frames of five layers at 1280x720 in 8, 16 and 32 bits per channel. One operation is one frame.
func BenchmarkDeep720p(b *testing.B) {
	for _, bits := range []int{8, 16, 32} {
		b.Run(fmt.Sprint(bits, " bits"), func(b *testing.B) {
			r := fiveLayersOf(b, bits, 3, render.Options{Background: true})
			b.ResetTimer()
			if err := r.Frames(context.Background(), 0, b.N-1, 1, func(int, *raster.Image) error { return nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// Frames of 1280x720 of three photos of 1920x1080 that slowly grow, one over the other, as in a slide show: with what the first hides drawn
// below it, since it is hardly transparent, and without. One operation is one frame.
func BenchmarkHidden720p(b *testing.B) {
	for _, n := range []struct {
		name    string
		opacity float64
	}{{"drawn", 99.99999}, {"culled", 100}} {
		b.Run(n.name, func(b *testing.B) {
			p := build(b)
			comp := p.comp("main", 1280, 720)
			comp.Comp.Duration = 1e6
			for i := range 3 {
				p.layer(comp, p.photo(fmt.Sprint(i, ".jpg"), 1920, 1080), func(l *aep.Layer) {
					transform(l, linear(value("ADBE Scale"), 0, 1000, aep.Numbers{70, 70}, aep.Numbers{99, 99}))
					transform(l, value("ADBE Opacity", n.opacity))
				})
			}
			r := p.renderer(comp, render.Options{Background: true})
			b.ResetTimer()
			if err := r.Frames(context.Background(), 0, b.N-1, 1, func(int, *raster.Image) error { return nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
}
