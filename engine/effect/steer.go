package effect

import (
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// placement is how another layer that steers an effect lies over the layer.
type placement int

// The placements. Effects number them each in their own way.
const (
	placeCenter placement = iota
	placeStretch
	placeTile
)

// steering is another layer that steers an effect.
type steering struct {
	reader      raster.Reader
	size, layer geom.Point // of the other layer in its picture, and of the layer
	scale       float64
	how         placement
}

// steer draws the layer from, to be read while the effect is drawn. Without such a layer, or where it shows nothing, s is nil; release must be
// called in any case.
func steer(f *Frame, from Chosen, how placement) (s *steering, release func(), err error) {
	scale := f.Scale()
	img, release, err := f.Host.Layer(from, scale)
	if img == nil || err != nil {
		return nil, func() {}, err
	}
	size := geom.Point{X: float64(img.Rect.Dx()), Y: float64(img.Rect.Dy())}
	return &steering{raster.NewReader(img), size, f.Size, scale, how}, release, nil
}

// at is the colour of the other layer over a position of the layer.
func (s *steering) at(p geom.Point) raster.Color {
	switch s.how {
	case placeStretch:
		p = geom.Point{X: p.X * s.size.X / s.layer.X, Y: p.Y * s.size.Y / s.layer.Y}
	case placeTile:
		p = geom.Point{X: edgeTile.fold(p.X*s.scale, s.size.X, 0.5), Y: edgeTile.fold(p.Y*s.scale, s.size.Y, 0.5)}
	default:
		p = p.Sub(s.layer.Scale(0.5)).Scale(s.scale).Add(s.size.Scale(0.5))
	}
	return s.reader.At(p)
}

// grey is the luminance of a premultiplied colour, from 0 to 1; transparent is black.
func grey(c raster.Color) float64 {
	return luma([3]float64{float64(c[0]), float64(c[1]), float64(c[2])}) / 255
}
