package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"

	"overcrank/engine/raster"
)

// Each case is one pixel, premultiplied, and what its mode makes of it.
func TestModesThatChangeAlpha(t *testing.T) {
	for _, c := range []struct {
		name, mode     string
		dst, src, want [4]uint8
	}{
		{"inside of a stencil", "Stencil Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{0, 0, 255, 255}, [4]uint8{200, 100, 0, 255}},
		{"edge of a stencil", "Stencil Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{0, 0, 0, 51}, [4]uint8{40, 20, 0, 51}},
		{"outside of a stencil", "Stencil Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{}, [4]uint8{}},
		{"stencil over half", "Stencil Alpha", [4]uint8{100, 0, 0, 128}, [4]uint8{0, 0, 0, 128}, [4]uint8{50, 0, 0, 64}},
		{"stencil of white", "Stencil Luma", [4]uint8{200, 100, 0, 255}, [4]uint8{255, 255, 255, 255}, [4]uint8{200, 100, 0, 255}},
		{"stencil of green", "Stencil Luma", [4]uint8{200, 0, 0, 255}, [4]uint8{0, 255, 0, 255}, [4]uint8{143, 0, 0, 182}}, // 0.7152
		{"stencil of black", "Stencil Luma", [4]uint8{200, 100, 0, 255}, [4]uint8{0, 0, 0, 255}, [4]uint8{}},
		{"inside of a silhouette", "Silhouette Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{0, 0, 255, 255}, [4]uint8{}},
		{"outside of a silhouette", "Silhouette Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{}, [4]uint8{200, 100, 0, 255}},
		{"edge of a silhouette", "Silhouette Alpha", [4]uint8{200, 100, 0, 255}, [4]uint8{0, 0, 0, 204}, [4]uint8{40, 20, 0, 51}},
		{"silhouette of blue", "Silhouette Luma", [4]uint8{0, 0, 0, 255}, [4]uint8{0, 0, 255, 255}, [4]uint8{0, 0, 0, 237}}, // 1 - 0.0722
		{"complementary alphas", "Alpha Add", [4]uint8{100, 0, 0, 100}, [4]uint8{0, 155, 0, 155}, [4]uint8{100, 155, 0, 255}},
		{"alphas below the whole", "Alpha Add", [4]uint8{50, 0, 0, 50}, [4]uint8{0, 60, 0, 60}, [4]uint8{50, 60, 0, 110}},
		{"alphas above the whole", "Alpha Add", [4]uint8{200, 0, 0, 200}, [4]uint8{0, 155, 0, 155}, [4]uint8{100, 155, 0, 255}},
		{"an opaque layer", "Alpha Add", [4]uint8{200, 0, 0, 255}, [4]uint8{0, 90, 0, 255}, [4]uint8{0, 90, 0, 255}},
		{"light above its alpha", "Luminescent Premul", [4]uint8{0, 0, 100, 255}, [4]uint8{100, 0, 0, 128}, [4]uint8{199, 0, 50, 255}},
		{"light of an opaque layer", "Luminescent Premul", [4]uint8{0, 0, 100, 255}, [4]uint8{100, 20, 0, 255}, [4]uint8{100, 20, 0, 255}},
		{"light over nothing", "Luminescent Premul", [4]uint8{}, [4]uint8{100, 0, 0, 128}, [4]uint8{128, 0, 0, 128}},
	} {
		t.Run(c.name, func(t *testing.T) {
			blend, ok := raster.Mode(c.mode)
			if !ok {
				t.Fatalf("there is no %s", c.mode)
			}
			dst := c.dst
			blend(dst[:], c.src[:], raster.Span{Opacity: 1})
			for i := range dst {
				if d := int(dst[i]) - int(c.want[i]); d < -1 || d > 1 {
					t.Fatalf("%s of %v over %v is %v, want %v", c.mode, c.src, c.dst, dst, c.want)
				}
			}
		})
	}
}

// A layer of 200 at an opacity of a half, seen through its own alpha of a half: 100 of light, over what a quarter of alpha leaves.
func TestLightKeepsItsOpacity(t *testing.T) {
	src, dst := plain(1, 1, rgba(100, 0, 0, 128)), plain(1, 1, rgba(0, 0, 200, 255))
	raster.Composite(dst, src, 0.5, raster.LuminescentPremul)
	if got := dst.RGBAAt(0, 0); !near(got.R, 100) || !near(got.B, 150) || got.A != 255 {
		t.Errorf("got %v", got)
	}
}

// near allows for the rounding of alpha and colour, one after the other.
func near(got, want uint8) bool { return math.Abs(float64(got)-float64(want)) <= 2 }

func TestDissolveShowsAsManyPixelsAsTheOpacityTells(t *testing.T) {
	const size = 200
	red, blue := rgba(255, 0, 0, 255), rgba(0, 0, 255, 255)
	for _, opacity := range []float64{0, 0.25, 0.5, 0.9, 1} {
		dst := plain(size, size, blue)
		raster.Composite(dst, plain(size, size, red), opacity, raster.Dissolve(7))
		shown := 0
		for y := range size {
			for x := range size {
				switch dst.RGBAAt(x, y) {
				case red:
					shown++
				case blue:
				default:
					t.Fatalf("pixel %d, %d is %v", x, y, dst.RGBAAt(x, y))
				}
			}
		}
		// Four standard deviations of as many coins.
		want, off := opacity*size*size, 4*math.Sqrt(opacity*(1-opacity))*size
		if math.Abs(float64(shown)-want) > off+size*size/255 {
			t.Errorf("an opacity of %g shows %d pixels, want %g", opacity, shown, want)
		}
	}
}

func TestAPatternLiesStillInThePicture(t *testing.T) {
	whole, parts, other := plain(40, 1, rgba(0, 0, 0, 255)), plain(40, 1, rgba(0, 0, 0, 255)), plain(40, 1, rgba(0, 0, 0, 255))
	src := plain(40, 1, rgba(255, 255, 255, 255))
	raster.Composite(whole, src, 0.5, raster.Dissolve(1))
	raster.Composite(other, src, 0.5, raster.Dissolve(2))
	left, right := src.SubImage(image.Rect(0, 0, 13, 1)).(*raster.Image), src.SubImage(image.Rect(13, 0, 40, 1)).(*raster.Image)
	raster.Composite(parts, left, 0.5, raster.Dissolve(1))
	raster.Composite(parts, right, 0.5, raster.Dissolve(1))
	if !bytes.Equal(whole.Pix, parts.Pix) {
		t.Error("a pattern depends on where a row begins")
	}
	if bytes.Equal(whole.Pix, other.Pix) {
		t.Error("two patterns are one")
	}
}

func TestABackgroundLiesBehind(t *testing.T) {
	img := image.NewRGBA(image.Rect(2, 3, 5, 4))
	img.SetRGBA(2, 3, rgba(9, 8, 7, 255))
	img.SetRGBA(3, 3, rgba(51, 0, 0, 51))
	raster.FillBehind(img, raster.Color{0, 0, 100, 255})
	for x, want := range map[int]color.RGBA{2: rgba(9, 8, 7, 255), 3: rgba(51, 0, 80, 255), 4: rgba(0, 0, 100, 255)} {
		if got := img.RGBAAt(x, 3); got != want {
			t.Errorf("pixel %d is %v, want %v", x, got, want)
		}
	}
}

func rgba(r, g, b, a uint8) color.RGBA { return color.RGBA{R: r, G: g, B: b, A: a} }
