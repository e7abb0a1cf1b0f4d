package windows

import (
	"image"
	"image/color"
	"math"
)

// iconSizes are those that Windows shows, in pixels: lists, the desktop, Add or remove programs, large tiles.
var iconSizes = []int{256, 64, 48, 32, 24, 16}

// amber is the colour of the brand's mark, as in web/static/icon.svg.
var amber = color.NRGBA{R: 0xd9, G: 0x77, B: 0x06, A: 0xff}

// The mark of web/static/icon.svg, in its units: a frame of film of 24 by 24, drawn with a pen two wide.
const (
	markSize   = 24.0
	penHalf    = 1.0
	frameLeft  = 2.0
	frameTop   = 4.0
	frameRight = 22.0
	frameBelow = 20.0
	corner     = 3.0
)

// strokes are the lines of the mark within its frame, each from x1, y1 to x2, y2.
var strokes = [][4]float64{
	{2, 9, 22, 9}, {2, 15, 22, 15},
	{7, 4, 7, 9}, {12, 4, 12, 9}, {17, 4, 17, 9},
	{7, 15, 7, 20}, {12, 15, 12, 20}, {17, 15, 17, 20},
}

// drawIcon draws the mark in a square of size pixels. Each pixel is as opaque as much of it the pen covers.
func drawIcon(size int) image.Image {
	const samples = 8
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			covered := 0
			for i := range samples * samples {
				at := func(pixel, sample int) float64 {
					return (float64(pixel) + (float64(sample)+0.5)/samples) * markSize / float64(size)
				}
				if inked(at(x, i%samples), at(y, i/samples)) {
					covered++
				}
			}
			c := amber
			c.A = uint8(covered * 0xff / (samples * samples))
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// inked tells whether the pen covers a point of the mark.
func inked(x, y float64) bool {
	if math.Abs(outline(x, y)) <= penHalf {
		return true
	}
	for _, s := range strokes {
		nearestX, nearestY := min(max(x, s[0]), s[2]), min(max(y, s[1]), s[3]) // all lines are upright or level
		if math.Hypot(x-nearestX, y-nearestY) <= penHalf && outline(x, y) < 0 {
			return true
		}
	}
	return false
}

// outline is the distance of a point to the frame's outline, negative within it.
func outline(x, y float64) float64 {
	dx := math.Abs(x-(frameLeft+frameRight)/2) - (frameRight-frameLeft)/2 + corner
	dy := math.Abs(y-(frameTop+frameBelow)/2) - (frameBelow-frameTop)/2 + corner
	return math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - corner
}
