package titlecard

import (
	"image"
	"image/color"
	"math"
)

// Palette is the colours of a landscape: the sky from top to horizon, its sun, and the ridges from far to near.
type Palette struct {
	Sky    [3][3]float64
	Sun    [3]float64
	SunAt  [2]float64 // fractions of width and height
	Ridges [5][3]float64
}

// Dusk is the picture that the card comes with.
var Dusk = Palette{
	Sky:   [3][3]float64{{24, 28, 66}, {168, 74, 88}, {252, 176, 98}},
	Sun:   [3]float64{255, 226, 170},
	SunAt: [2]float64{0.70, 0.45},
	Ridges: [5][3]float64{
		{196, 104, 92}, {140, 68, 84}, {88, 46, 72}, {46, 28, 54}, {18, 14, 30},
	},
}

// Night is a picture to put in its place.
var Night = Palette{
	Sky:   [3][3]float64{{4, 10, 32}, {10, 60, 92}, {62, 172, 164}},
	Sun:   [3]float64{226, 250, 244},
	SunAt: [2]float64{0.74, 0.30},
	Ridges: [5][3]float64{
		{44, 132, 140}, {26, 92, 112}, {14, 58, 84}, {8, 32, 56}, {3, 12, 26},
	},
}

// Picture paints a landscape in the given colours, Width by Height pixels.
func Picture(p Palette) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	ridges := horizons(len(p.Ridges))
	for y := range Height {
		for x := range Width {
			c := sky(p, x, y)
			for i, ridge := range ridges {
				if d := float64(y) - ridge[x]; d > -1 {
					near := p.Ridges[i]
					// Haze lies at the foot of every ridge but the nearest.
					haze := math.Min(0.35, math.Max(0, d)/500) * float64(len(ridges)-1-i) / 4
					c = mix(c, mix(near, p.Sky[2], haze), math.Min(1, d+1))
				}
			}
			grain := 1.6 * (noise(x, y) - 0.5) // hides the steps of a smooth sky
			img.SetRGBA(x, y, color.RGBA{channel(c[0] + grain), channel(c[1] + grain), channel(c[2] + grain), 255})
		}
	}
	return img
}

// sky is the colour of the air at a pixel, sun included.
func sky(p Palette, x, y int) [3]float64 {
	f := float64(y) / (0.62 * Height)
	c := mix(p.Sky[0], p.Sky[1], smooth(f*1.6))
	c = mix(c, p.Sky[2], smooth(f*1.7-0.7))
	dx, dy := float64(x)-p.SunAt[0]*Width, float64(y)-p.SunAt[1]*Height
	d := math.Hypot(dx, dy)
	c = mix(c, p.Sun, 0.55*math.Exp(-d/190))
	return mix(c, p.Sun, smooth((58-d)/3))
}

// horizons is the height of each ridge at every column, the far one first.
func horizons(n int) [][Width]float64 {
	out := make([][Width]float64, n)
	for i := range out {
		base := Height * (0.52 + 0.105*float64(i))
		rough := 26 + 13*float64(i)
		for x := range Width {
			u := float64(x) / Width
			wave := 0.0
			for octave, size := 1.0, 1.0; octave <= 5; octave, size = octave+1, size*0.52 {
				turns := math.Pow(1.9, octave) * (1.4 + 0.23*float64(i))
				wave += size * math.Sin(2*math.Pi*turns*u+float64(i*i)*1.7+octave*2.3)
			}
			out[i][x] = base - rough*wave
		}
	}
	return out
}

func mix(a, b [3]float64, t float64) [3]float64 {
	for i := range a {
		a[i] += (b[i] - a[i]) * t
	}
	return a
}

func smooth(t float64) float64 {
	t = math.Min(1, math.Max(0, t))
	return t * t * (3 - 2*t)
}

// noise is a fixed number 0–1 for every pixel.
func noise(x, y int) float64 {
	h := uint32(x)*374761393 + uint32(y)*668265263
	h = (h ^ h>>13) * 1274126177
	return float64(h^h>>16) / math.MaxUint32
}

func channel(v float64) uint8 { return uint8(math.Round(math.Min(255, math.Max(0, v)))) }
