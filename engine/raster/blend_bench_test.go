package raster_test

import (
	"image"
	"testing"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// A picture of 1920x1080 turned and shrunk into 1280x720; one operation is one picture.
func BenchmarkDrawFullHD(b *testing.B) {
	src, dst := image.NewRGBA(image.Rect(0, 0, 1920, 1080)), image.NewRGBA(image.Rect(0, 0, 1280, 720))
	for i := range src.Pix {
		src.Pix[i] = 255
	}
	m := geom.Translate(640, 360).Mul(geom.Rotate(7)).Mul(geom.Scale(0.7, 0.7)).Mul(geom.Translate(-960, -540))
	for b.Loop() {
		raster.Draw(dst, src, m, dst.Rect, 0.8, raster.Normal, raster.Bilinear)
	}
}

func BenchmarkComposite720p(b *testing.B) {
	src, dst := image.NewRGBA(image.Rect(0, 0, 1280, 720)), image.NewRGBA(image.Rect(0, 0, 1280, 720))
	for i := range src.Pix {
		src.Pix[i] = 255
	}
	for name, opacity := range map[string]float64{"opaque": 1, "half": 0.5} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				raster.Composite(dst, src, opacity, raster.Normal)
			}
		})
	}
}
