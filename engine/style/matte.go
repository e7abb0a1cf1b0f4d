package style

import (
	"image"
	"math"

	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// softening is how a style makes an edge soft: by a size, a share of which widens the edge before the rest blurs it.
type softening struct{ wide, sigma float64 }

// softened is the softening of a size in pixels of the picture. Photoshop's guide calls the share spread or choke.
func softened(size, share float64) softening {
	return softening{wide: size * share, sigma: size * (1 - share) * effect.BlurSigma}
}

func (s softening) reach() int { return int(math.Ceil(s.wide)) + raster.BlurReach(s.sigma) }

// apply widens and blurs a mask. What lies beyond its bounds is like its border.
func (s softening) apply(m *image.Alpha) {
	raster.Grow(m, s.wide)
	b := raster.Gaussian(s.sigma, s.sigma)
	b.Repeat = true
	b.Alpha(m)
}

// inverted is what a mask does not cover.
func inverted(m *image.Alpha) *image.Alpha {
	out := image.NewAlpha(m.Rect)
	for i, k := range m.Pix {
		out.Pix[i] = 255 - k
	}
	return out
}

// moved is a mask moved by a part of its bounds, between pixels too. What comes in from beyond them is covered as beyond says.
func moved(m *image.Alpha, by geom.Point, beyond uint8) *image.Alpha {
	out := image.NewAlpha(m.Rect)
	w, h := m.Rect.Dx(), m.Rect.Dy()
	fx, fy := math.Floor(by.X), math.Floor(by.Y)
	x0, y0 := int(fx), int(fy)
	u, v := uint32((by.X-fx)*256+0.5), uint32((by.Y-fy)*256+0.5)
	at := func(x, y int) uint32 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return uint32(beyond)
		}
		return uint32(m.Pix[y*m.Stride+x])
	}
	for y := range h {
		for x := range w {
			sx, sy := x-x0, y-y0
			now := at(sx, sy)*(256-u) + at(sx-1, sy)*u
			before := at(sx, sy-1)*(256-u) + at(sx-1, sy-1)*u
			out.Pix[y*out.Stride+x] = uint8((now*(256-v) + before*v + 1<<15) >> 16)
		}
	}
	return out
}

// copied is a mask of its own with the same pixels.
func copied(m *image.Alpha) *image.Alpha {
	out := image.NewAlpha(m.Rect)
	copy(out.Pix, m.Pix)
	return out
}

// amplify multiplies a mask.
func amplify(m *image.Alpha, by float64) {
	var table [256]uint8
	for k := range table {
		table[k] = uint8(min(255, float64(k)*by+0.5))
	}
	for i, k := range m.Pix {
		m.Pix[i] = table[k]
	}
}

// full is a mask that covers everything.
func full(r image.Rectangle) *image.Alpha {
	out := image.NewAlpha(r)
	for i := range out.Pix {
		out.Pix[i] = 255
	}
	return out
}
