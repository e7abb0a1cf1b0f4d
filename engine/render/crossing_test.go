package render_test

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/render"
)

// board is a solid in space, for truth that is found by following rays from the viewer.
type board struct {
	back          geom.Space // to pixels about its middle
	width, height float64
	color         color.RGBA
}

// hit is where a ray meets the board, at which multiple of its direction; false when it misses it.
func (b *board) hit(from, way geom.Vec) (at float64, ok bool) {
	o := b.back.Apply(from)
	tip := b.back.Apply(geom.Vec{X: from.X + way.X, Y: from.Y + way.Y, Z: from.Z + way.Z})
	d := tip.Sub(o)
	at = -o.Z / d.Z
	x, y := o.X+at*d.X, o.Y+at*d.Y
	return at, at > 0 && math.Abs(x) <= b.width/2 && math.Abs(y) <= b.height/2
}

// traced is what is seen of boards in a frame of 100 by 100 pixels: of each pixel the mean of many rays.
func traced(boards []board) *image.RGBA {
	const rays = 12
	img := image.NewRGBA(image.Rect(0, 0, 100, 100))
	viewer := geom.Vec{X: 50, Y: 50, Z: -zoom100}
	for y := range 100 {
		for x := range 100 {
			var sum [4]float64
			for i := range rays * rays {
				way := geom.Vec{X: float64(x) + (float64(i%rays)+0.5)/rays - 50, Y: float64(y) + (float64(i/rays)+0.5)/rays - 50, Z: zoom100}
				near, c := math.Inf(1), color.RGBA{}
				for j := range boards {
					if at, ok := boards[j].hit(viewer, way); ok && at < near {
						near, c = at, boards[j].color
					}
				}
				for k, v := range [4]uint8{c.R, c.G, c.B, c.A} {
					sum[k] += float64(v)
				}
			}
			for k, v := range sum {
				img.Pix[img.PixOffset(x, y)+k] = uint8(v/(rays*rays) + 0.5)
			}
		}
	}
	return img
}

// edges are the pixels that are near an edge of a board.
func edges(boards []board) func(x, y int) bool {
	viewer := geom.Vec{X: 50, Y: 50, Z: -zoom100}
	within := func(b *board, x, y int) bool {
		_, ok := b.hit(viewer, geom.Vec{X: float64(x) + 0.5 - 50, Y: float64(y) + 0.5 - 50, Z: zoom100})
		return ok
	}
	return func(x, y int) bool {
		for i := range boards {
			inside := within(&boards[i], x, y)
			for n := range 25 {
				if within(&boards[i], x+n%5-2, y+n/5-2) != inside {
					return true
				}
			}
		}
		return false
	}
}

// alike compares what was drawn with the truth: within the boards to a few steps, at their edges, which fade over a pixel of theirs, more roughly.
func alike(t *testing.T, got *raster.Image, boards []board) {
	t.Helper()
	want, outer := traced(boards), edges(boards)
	bad, seen := 0, 0
	most := 6
	if len(boards) > 2 {
		most = 24 // where three meet in a pixel
	}
	for y := 3; y < 97; y++ {
		for x := 3; x < 97; x++ {
			tolerance := most
			if outer(x, y) {
				tolerance = 140
			} else {
				seen++
			}
			for c := range 4 {
				d := int(got.Pix[got.PixOffset(x, y)+c]) - int(want.Pix[want.PixOffset(x, y)+c])
				if d > tolerance || d < -tolerance {
					if bad++; bad < 6 {
						t.Errorf("at %d, %d: %v, want %v", x, y, got.RGBAAt(x, y), want.RGBAAt(x, y))
					}
					break
				}
			}
		}
	}
	if bad > 0 || seen < 200 {
		t.Errorf("%d pixels are wrong, %d are within the boards", bad, seen)
	}
}

// crossedBoards draws boards as solids, each turned as its place says by rotations about x, y and z, and finds the truth.
func crossedBoards(t *testing.T, bits int, turns ...[7]float64) (*raster.Image, []board) {
	t.Helper()
	b := build(t)
	b.p.BitsPerChannel = bits
	comp := b.comp("main", 100, 100)
	colors := []color.RGBA{red, green, blue, white}
	boards := make([]board, len(turns))
	for i, turn := range turns {
		c := colors[i]
		b.deep(comp, b.solid(string(rune('a'+i)), int(turn[6]), int(turn[6]), rgb(c)), turn[0], turn[1], turn[2],
			value("ADBE Rotate X", turn[3]), value("ADBE Rotate Y", turn[4]), value("ADBE Rotate Z", turn[5]))
		place := geom.MoveBy(geom.Vec{X: turn[0], Y: turn[1], Z: turn[2]}).Mul(geom.TurnX(turn[3])).Mul(geom.TurnY(turn[4])).Mul(geom.TurnZ(turn[5]))
		back, _ := place.Invert()
		boards[i] = board{back, turn[6], turn[6], c}
	}
	return oneFrame(t, b.renderer(comp, render.Options{}), 0), boards
}

func TestLayersThatPassThroughEachOtherAreSeenInFrontWhereTheyAreNearer(t *testing.T) {
	for name, turns := range map[string][][7]float64{
		"two":                    {{50, 50, 0, 0, 0, 0, 70}, {50, 50, 0, 0, 40, 0, 70}},
		"two, the seam slanted":  {{50, 50, 3, 0, 15, 10, 70}, {48, 53, 0, 33, 20, 17, 70}},
		"three":                  {{50, 50, 0, 0, 0, 0, 80}, {50, 50, 0, 30, 35, 0, 80}, {50, 50, 0, -30, 35, 20, 80}},
		"four":                   {{50, 50, 0, 0, 5, 0, 80}, {50, 50, 0, 30, 35, 0, 80}, {50, 50, 0, -30, 35, 20, 80}, {50, 50, -2, 20, -15, 45, 80}},
		"a floor and what is on": {{50, 65, 0, 85, 0, 0, 90}, {50, 50, 25, 0, 0, 0, 28}, {50, 52, -30, 0, 0, 0, 20}},
	} {
		for _, bits := range []int{8, 32} {
			got, want := crossedBoards(t, bits, turns...)
			t.Log(name, bits)
			alike(t, got, want)
		}
	}
}

// A layer whose middle is farther, but which is nearer wherever both are seen, hides the other.
func TestTheOrderIsThatOfWhatIsSeenAndNotOfMiddles(t *testing.T) {
	got, want := crossedBoards(t, 8, [7]float64{60, 50, 30, 0, 60, 0, 90}, [7]float64{80, 50, 20, 0, 0, 0, 30})
	alike(t, got, want)
}

// Layers in one plane lie over each other as their composition has them, however they are turned.
func TestLayersInOnePlaneKeepTheirOrder(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	sin, cos := math.Sincos(40 * math.Pi / 180)
	at := func(along float64) (x, z float64) { return 50 + along*cos, -along * sin }
	for _, one := range []struct {
		name  string
		along float64
		c     color.RGBA
	}{{"top", -10, red}, {"middle", 10, green}, {"bottom", 0, blue}} {
		x, z := at(one.along)
		b.deep(comp, b.solid(one.name, 30, 30, rgb(one.c)), x, 50, z, value("ADBE Rotate Y", 40))
	}
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	x0, _ := at(0)
	check(t, img, spot{int(x0), 50, red}, spot{int(x0 + 13), 50, green})
}

func TestWhatCrossesKeepsItsOpacityMatteAndBlendMode(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 100)
	flat := b.deep(comp, b.solid("flat", 70, 70, rgb(red)), 50, 50, 0)
	transform(flat, value("ADBE Opacity", 50))
	tilted := b.deep(comp, b.solid("tilted", 70, 70, rgb(green)), 50, 50, 0, value("ADBE Rotate Y", 40))
	tilted.Blend = aep.BlendAdd
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	// Left of the middle the flat layer is in front, right of it the other, which adds.
	check(t, img, spot{40, 50, color.RGBA{128, 127, 0, 255}}, spot{60, 50, color.RGBA{128, 255, 0, 255}})
	if said := b.said(comp); len(said) > 0 {
		t.Errorf("%q", said)
	}
}

func TestTooManyLayersThatCrossAreSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	for i := range 60 {
		b.deep(comp, b.solid("a", 30, 30, rgb(red)), 20, 20, 0, value("ADBE Rotate Y", float64(i)))
	}
	var said []string
	oneFrame(t, b.renderer(comp, render.Options{Warn: func(s string) { said = append(said, s) }}), 0)
	if len(said) != 1 || !strings.Contains(said[0], "so many 3D layers pass through each other") {
		t.Errorf("%q", said)
	}
}
