package raster

import (
	"image"
	"math"
	"testing"
)

// TestABoxIsTheMeanOfItsWindow compares boxes of all kinds with the definition.
func TestABoxIsTheMeanOfItsWindow(t *testing.T) {
	const w, h = 70, 9
	value := func(x, y, c int) float64 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return float64((x*31 + y*57 + c*83 + x*y) % 256)
	}
	fill := func(img *Image) {
		for y := range h {
			for x := range w {
				for c := range 4 {
					img.Pix[img.PixOffset(img.Rect.Min.X+x, img.Rect.Min.Y+y)+c] = uint8(value(x, y, c))
				}
			}
		}
	}
	for _, radius := range []float64{0.5, 1, 2.25, 4, 100} {
		for _, repeat := range []bool{false, true} {
			for _, down := range []bool{false, true} {
				whole := image.NewRGBA(image.Rect(-3, -2, w+5, h+4))
				img, _ := whole.SubImage(image.Rect(0, 0, w, h)).(*Image)
				fill(img)
				b := Boxes(radius, 0, 1)
				if down {
					b = Boxes(0, radius, 1)
				}
				b.Repeat = repeat
				b.Image(img)
				for y := range h {
					for x := range w {
						for c := range 4 {
							sum, weights := 0.0, 0.0
							reach := int(math.Ceil(radius))
							for i := -reach; i <= reach; i++ {
								share := math.Min(1, radius+1-math.Abs(float64(i)))
								at := [2]int{x + i, y}
								if down {
									at = [2]int{x, y + i}
								}
								if repeat {
									at = [2]int{max(0, min(w-1, at[0])), max(0, min(h-1, at[1]))}
								}
								sum, weights = sum+share*value(at[0], at[1], c), weights+share
							}
							if got := float64(img.Pix[img.PixOffset(x, y)+c]); math.Abs(got-sum/weights) > 0.501 {
								t.Fatalf("radius %v, repeat %v, down %v: (%d, %d) channel %d is %v, want %v", radius, repeat, down, x, y, c, got, sum/weights)
							}
						}
					}
				}
				if whole.Pix[0] != 0 || whole.Pix[whole.PixOffset(w, 0)] != 0 {
					t.Errorf("radius %v: pixels beyond the picture changed", radius)
				}
			}
		}
	}
}

func TestABlurOfARepeatedBorderKeepsAFlatPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	b := Gaussian(300, math.Inf(1))
	b.Repeat = true
	b.Image(img)
	for i, v := range img.Pix {
		if v != 200 {
			t.Fatalf("byte %d is %d", i, v)
		}
	}
}

func BenchmarkBlur(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	for _, sigma := range []float64{2, 20} {
		b.Run(map[float64]string{2: "2px", 20: "20px"}[sigma], func(b *testing.B) {
			for b.Loop() {
				Blur(img, sigma, sigma)
			}
		})
	}
}
