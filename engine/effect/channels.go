package effect

import (
	"image"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// source is what a channel can be taken from. Popups number the first four differently.
type source int

// The sources.
const (
	fromRed source = iota + 1
	fromGreen
	fromBlue
	fromAlpha
	fromLuminance
	fromHue
	fromLightness
	fromSaturation
	fromFull
	fromNothing
)

// of is the source's value of a straight colour.
func (s source) of(c [4]float64) float64 {
	switch s {
	case fromRed, fromGreen, fromBlue, fromAlpha:
		return c[s-fromRed]
	case fromLuminance:
		return luma(rgb(c))
	case fromHue:
		return toHLS(c).h
	case fromLightness:
		return toHLS(c).l
	case fromSaturation:
		return toHLS(c).s
	case fromFull:
		return 1
	}
	return 0
}

// shiftChannels is Shift Channels.
type shiftChannels [4]eval.Number // red, green, blue, alpha

func newShiftChannels(p Params) Effect {
	return &shiftChannels{p.Number("0002", 2), p.Number("0003", 3), p.Number("0004", 4), p.Number("0001", 1)}
}

func (e *shiftChannels) Draw(f *Frame, img *raster.Image) error {
	var from [4]source
	for i := range from {
		from[i] = source(f.Choice(&e[i]))
		switch from[i] { // the popup begins with alpha
		case 1:
			from[i] = fromAlpha
		case 2, 3, 4:
			from[i]--
		}
	}
	shade(img, func(c [4]float64) (out [4]float64) {
		for i := range out {
			out[i] = from[i].of(c)
		}
		return out
	})
	return nil
}

// fitStretch is the value of the popup "If Layer Sizes Differ" for a layer that is stretched, rather than centred.
const fitStretch = 1

// other draws another layer of the composition for the picture bounds: over the effect's layer, stretched to its size or in its middle. Its
// picture is transparent if there is no such layer or it shows nothing.
func (f *Frame) other(from Chosen, stretch bool, bounds image.Rectangle) (*raster.Image, func(), error) {
	out, release := f.Host.Surface(bounds)
	if from.ID == 0 {
		return out, release, nil
	}
	scale := f.Scale()
	if !(scale > 0) {
		return out, release, nil
	}
	layer, done, err := f.Host.Layer(from, scale)
	if err != nil {
		release()
		return nil, nil, err
	}
	if layer == nil {
		return out, release, nil
	}
	defer done()
	w, h := float64(layer.Rect.Dx())/scale, float64(layer.Rect.Dy())/scale
	place := geom.Translate((f.Size.X-w)/2, (f.Size.Y-h)/2)
	if stretch && w > 0 && h > 0 {
		place = geom.Scale(f.Size.X/w, f.Size.Y/h)
	}
	m := f.Matrix.Mul(place).Mul(geom.Scale(1/scale, 1/scale))
	raster.Draw(out, layer, m, bounds, 1, raster.Normal, raster.Bilinear)
	return out, release, nil
}

// setMatte is Set Matte: the layer becomes as transparent as another layer's channel says.
type setMatte struct {
	layer                       Chosen
	chosen                      bool
	use, invert, fit, composite eval.Number
}

func newSetMatte(p Params) Effect {
	e := &setMatte{use: p.Number("0002", float64(fromAlpha)), invert: p.Number("0003", 0), fit: p.Number("0004", 1), composite: p.Number("0005", 1)}
	e.layer, e.chosen = p.Layer("0001")
	return e
}

// Timed implements Timed: the matte is another layer.
func (e *setMatte) Timed() bool { return e.layer.ID != 0 }

func (e *setMatte) Draw(f *Frame, img *raster.Image) error {
	matte, release := img, func() {}
	if e.layer.ID != 0 {
		var err error
		if matte, release, err = f.other(e.layer, f.Choice(&e.fit) == fitStretch, img.Rect); err != nil {
			return err
		}
	} else if !e.chosen {
		return nil
	}
	defer release()
	use, inverse, composite := source(f.Choice(&e.use)), f.Choice(&e.invert) != 0, f.Choice(&e.composite) != 0
	share := newShares(func(c [4]float64) float64 {
		if inverse {
			return 1 - use.of(c)
		}
		return use.of(c)
	})
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		c, a := straight([4]uint8(px)), share.of([4]uint8(matte.Pix[i:i+4]))
		if composite {
			a *= c[3]
		}
		now := raster.Premultiply([4]float64{c[0], c[1], c[2], a})
		copy(px, now[:])
	}
	return nil
}

// shares remembers what a function makes of the colour before.
type shares struct {
	before [4]uint8
	value  float64
	from   func(c [4]float64) float64
}

func newShares(from func(c [4]float64) float64) *shares {
	return &shares{value: from([4]float64{}), from: from}
}

func (s *shares) of(px [4]uint8) float64 {
	if px != s.before {
		s.before, s.value = px, s.from(straight(px))
	}
	return s.value
}

// setChannels is Set Channels: each channel from another layer.
type setChannels struct {
	layers [4]Chosen
	use    [4]eval.Number
	fit    eval.Number
}

func newSetChannels(p Params) Effect {
	e := &setChannels{fit: p.Number("0009", 1)}
	for i, numbers := range [4][2]string{{"0001", "0002"}, {"0003", "0004"}, {"0005", "0006"}, {"0007", "0008"}} {
		e.layers[i], _ = p.Layer(numbers[0])
		e.use[i] = p.Number(numbers[1], float64(i+1))
	}
	return e
}

// Timed implements Timed: the sources are other layers.
func (e *setChannels) Timed() bool { return e.layers != [4]Chosen{} }

func (e *setChannels) Draw(f *Frame, img *raster.Image) error {
	var from [4]*shares
	var pictures [4]*raster.Image
	before, done := f.Host.Surface(img.Rect)
	defer done()
	copy(before.Pix, img.Pix)
	for i, layer := range e.layers {
		use := source(f.Choice(&e.use[i]))
		from[i], pictures[i] = newShares(use.of), before
		if layer.ID == 0 {
			continue
		}
		picture, release, err := f.other(layer, f.Choice(&e.fit) == fitStretch, img.Rect)
		if err != nil {
			return err
		}
		defer release()
		pictures[i] = picture
	}
	for i := 0; i+3 < len(img.Pix); i += 4 {
		var c [4]float64
		for j := range c {
			c[j] = from[j].of([4]uint8(pictures[j].Pix[i : i+4]))
		}
		now := raster.Premultiply(c)
		copy(img.Pix[i:i+4], now[:])
	}
	return nil
}
