package effect

import (
	"math"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// What stands here draws effects in more than bytes. The formulas are those of their files.

// onColors is a function of colours as one that leaves the transparency.
func onColors(of func(c [3]float64) [3]float64) func(c [4]float64) [4]float64 {
	return func(c [4]float64) [4]float64 {
		v := of([3]float64{c[0], c[1], c[2]})
		return [4]float64{v[0], v[1], v[2], c[3]}
	}
}

// onEach is a function of channels as one that leaves the transparency.
func onEach(of func(v float64) float64) func(c [4]float64) [4]float64 {
	return func(c [4]float64) [4]float64 { return [4]float64{of(c[0]), of(c[1]), of(c[2]), c[3]} }
}

// beyond is the level of a value that may lie beyond black and white, where the line and its power go on.
func (l level) beyond(v float64) float64 {
	span := l.white - l.black
	if span <= 0 {
		return l.at(v)
	}
	v = (v - l.black) / span
	return l.outBlack + (l.outWhite-l.outBlack)*math.Copysign(math.Pow(math.Abs(v), 1/max(l.gamma, 0.01)), v)
}

func (c *levelChannels) tone() func(c [4]float64) [4]float64 {
	all := *c
	return func(v [4]float64) [4]float64 {
		for i := range 3 {
			v[i] = all[0].beyond(all[1+i].beyond(v[i]))
		}
		v[3] = unit(all[4].at(v[3]))
		return v
	}
}

// Tone implements Tone.
func (e *levels) Tone(f *Frame) func(c [4]float64) [4]float64 {
	c := e.channels(f)
	return c.tone()
}

// Tone implements Tone.
func (e *proLevels) Tone(f *Frame) func(c [4]float64) [4]float64 {
	c := e.channels(f)
	return c.tone()
}

// between is the value of a mapping for any value: between its entries it goes straight on, and beyond white by as much as it is exceeded.
func (m *mapping) between(v float64) float64 {
	if !(v > 0) {
		return float64(m[0])/255 + min(v, 0)
	}
	if v >= 1 {
		return float64(m[255])/255 + v - 1
	}
	i := int(v * 255)
	a, b := float64(m[i]), float64(m[min(i+1, 255)])
	return (a + (b-a)*(v*255-float64(i))) / 255
}

// Tone implements Tone.
func (e *curves) Tone(f *Frame) func(c [4]float64) [4]float64 {
	from, to, share := f.Data(&e.data)
	before, ok := curvesOf(from)
	if !ok {
		return nil
	}
	after, ok := curvesOf(to)
	if !ok {
		after, share = before, 0
	}
	value := func(i int, v float64) float64 {
		a := before[i].between(v)
		return a + (after[i].between(v)-a)*share
	}
	return func(c [4]float64) [4]float64 {
		for i := range 3 {
			c[i] = value(0, value(1+i, c[i]))
		}
		c[3] = unit(value(4, c[3]))
		return c
	}
}

// Tone implements Tone.
func (e *exposure) Tone(f *Frame) func(c [4]float64) [4]float64 {
	bypass := f.Choice(&e.bypass) != 0
	var of [3]func(v float64) float64
	for i := range of {
		s := &e.stops[0]
		if f.Choice(&e.channels) == exposureEach {
			s = &e.stops[1+i]
		}
		gain, offset, gamma := math.Exp2(f.Number(&s[0])), f.Number(&s[1]), max(f.Number(&s[2]), 0.01)
		of[i] = func(v float64) float64 {
			if bypass {
				return math.Pow(max(v*gain+offset, 0), 1/gamma)
			}
			return encoded(math.Pow(max(linear(v)*gain+offset, 0), 1/gamma))
		}
	}
	return func(c [4]float64) [4]float64 { return [4]float64{of[0](c[0]), of[1](c[1]), of[2](c[2]), c[3]} }
}

// Tone implements Tone.
func (e *gammaPedestalGain) Tone(f *Frame) func(c [4]float64) [4]float64 {
	var of [3]level
	for i := range of {
		of[i] = level{0, 1, f.Number(&e[i][0]), f.Number(&e[i][1]), f.Number(&e[i][2])}
	}
	return func(c [4]float64) [4]float64 {
		return [4]float64{of[0].beyond(c[0]), of[1].beyond(c[1]), of[2].beyond(c[2]), c[3]}
	}
}

// Tone implements Tone. The curves are made for colours from black to white.
func (e *brightnessContrast) Tone(f *Frame) func(c [4]float64) [4]float64 {
	b, c := f.Number(&e.brightness), f.Number(&e.contrast)
	if e.first || f.Choice(&e.legacy) != 0 {
		return onEach(contrastLine(b, c))
	}
	of := contrastCurve(b, c)
	return onEach(func(v float64) float64 {
		inside := unit(v)
		return of(inside) + v - inside
	})
}

// Tone implements Tone.
func (e *invert) Tone(f *Frame) func(c [4]float64) [4]float64 {
	which, keep := f.Choice(&e.channel), f.Share(&e.keep)
	inverse := func(v float64) float64 { return 1 - v + (2*v-1)*keep }
	switch {
	case which >= invertRGB && which <= invertBlue:
		return func(c [4]float64) [4]float64 {
			for i := range 3 {
				if which == invertRGB || which == invertRed+i {
					c[i] = inverse(c[i])
				}
			}
			return c
		}
	case which >= invertHLS && which <= invertSaturation:
		return onColors(func(c [3]float64) [3]float64 { return towards(inverseHLS(c, which), c, keep) })
	case which >= invertYIQ && which <= invertQuadrature:
		return onColors(func(c [3]float64) [3]float64 { return towards(inverseYIQ(c, which), c, keep) })
	case which == invertAlpha:
		return func(c [4]float64) [4]float64 {
			c[3] = inverse(c[3])
			return c
		}
	}
	return nil
}

// Tone implements Tone.
func (e *tint) Tone(f *Frame) func(c [4]float64) [4]float64 {
	black, white, amount := rgb(f.Color(&e.black)), rgb(f.Color(&e.white)), unit(f.Number(&e.amount)/100)
	return onColors(func(c [3]float64) [3]float64 { return towards(c, towards(black, white, luma(c)), amount) })
}

// Tone implements Tone.
func (e *toner) Tone(f *Frame) func(c [4]float64) [4]float64 {
	tones := e.tones(f)
	m := make(toneMap, len(tones))
	for i, tone := range tones {
		m[i] = rgb(f.Color(tone))
	}
	keep := f.Share(&e.keep)
	return onColors(func(c [3]float64) [3]float64 { return towards(m.at(luma(c)), c, keep) })
}

// Tone implements Tone.
func (e *blackWhite) Tone(f *Frame) func(c [4]float64) [4]float64 { return onColors(e.of(f)) }

// Tone implements Tone.
func (e *channelMixer) Tone(f *Frame) func(c [4]float64) [4]float64 { return onColors(e.of(f)) }

// Tone implements Tone.
func (e *photoFilter) Tone(f *Frame) func(c [4]float64) [4]float64 { return onColors(e.of(f)) }

// Tone implements Tone.
func (e *vibrance) Tone(f *Frame) func(c [4]float64) [4]float64 {
	v, s := f.Number(&e.vibrance)/100, f.Number(&e.saturation)/100
	return onColors(func(c [3]float64) [3]float64 { return vivid(c, v, s) })
}

// Tone implements Tone. Hues are those of colours from black to white; what is brighter keeps its brightness.
func (e *hueSaturation) Tone(f *Frame) func(c [4]float64) [4]float64 {
	return onColors(scaled(e.of(f)))
}

// Tone implements Tone.
func (e *colorBalanceHLS) Tone(f *Frame) func(c [4]float64) [4]float64 {
	by := hueChange{all: hueShift{f.Number(&e.hue) / 360, f.Number(&e.saturation) / 100, f.Number(&e.lightness) / 100}}
	return onColors(scaled(by.of))
}

// scaled is a function of colours from black to white for those that are brighter: they are made darker for it.
func scaled(of func(c [3]float64) [3]float64) func(c [3]float64) [3]float64 {
	return func(c [3]float64) [3]float64 {
		most := max(c[0], c[1], c[2])
		if most <= 1 {
			return of(c)
		}
		out := of([3]float64{c[0] / most, c[1] / most, c[2] / most})
		return [3]float64{out[0] * most, out[1] * most, out[2] * most}
	}
}

// DrawDeep implements Deep.
func (e *fill) DrawDeep(f *Frame, img *deep.Image) error {
	within, release := e.within(f, img.Rect)
	defer release()
	color, k := f.Color(&e.color), f.Share(&e.opacity)
	out := deep.New(img.Rect)
	deep.Copy(out, img)
	deep.Recolor(out, onColors(func(c [3]float64) [3]float64 { return towards(c, rgb(color), k) }))
	if within == nil {
		deep.Copy(img, out)
		return nil
	}
	deep.Mix(img, out, deep.MaskOf(within), 1)
	return nil
}

// DrawDeep implements Deep.
func (e *blur) DrawDeep(f *Frame, img *deep.Image) error {
	b := e.of(f)
	if b.Repeat = f.Choice(&e.repeat) != 0; b.Repeat {
		img = img.Part(f.layerRect(img.Rect))
	}
	deep.Blur(img, b)
	return nil
}

// DrawDeep implements Deep.
func (d *dropShadow) DrawDeep(f *Frame, img *deep.Image) error {
	c, opacity := f.Color(&d.color), f.Number(&d.opacity)/255
	sin, cos := math.Sincos(f.Number(&d.direction) * math.Pi / 180)
	far := f.Number(&d.distance) * f.Scale()
	dark := deep.New(img.Rect)
	deep.Copy(dark, img)
	deep.Blur(dark, raster.Gaussian(d.sigma(f), d.sigma(f)))
	deep.Recolor(dark, func(px [4]float64) [4]float64 { return [4]float64{c[0], c[1], c[2], unit(px[3] * opacity)} })
	under := deep.New(img.Rect)
	if by := geom.Translate(far*sin, -far*cos); by.Finite() {
		deep.Draw(under, dark, by, under.Rect, 1, deep.Normal, raster.Bilinear)
	}
	if f.Choice(&d.only) == 0 {
		deep.Composite(under, img, 1, deep.Normal)
	}
	deep.Copy(img, under)
	return nil
}

// DrawDeep implements Deep.
func (e *gradientRamp) DrawDeep(f *Frame, img *deep.Image) error {
	r, inv, ok := e.at(f)
	if !ok {
		return nil
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Row(img.Rect.Min.X, img.Rect.Max.X, y)
		for i := 0; i < len(row); i += 4 {
			px := row[i : i+4 : i+4]
			if px[3] == 0 {
				continue
			}
			k := r.share(inv.Apply(geom.Point{X: float64(img.Rect.Min.X+i/4) + 0.5, Y: float64(y) + 0.5}))
			for c := range 3 {
				v := float32(r.from[c]+(r.to[c]-r.from[c])*k) * px[3]
				px[c] = v + (px[c]-v)*float32(r.keep)
			}
		}
	}
	return nil
}

// DrawDeep implements Deep. Light has no limit at white.
func (e *glow) DrawDeep(f *Frame, img *deep.Image) error {
	light := deep.New(img.Rect)
	deep.Copy(light, img)
	e.shine(f, light)
	blend, ok := deep.Mode(e.mode(f.Choice(&e.operation)), 0, true)
	if !ok {
		blend, _ = deep.Mode("Add", 0, true)
	}
	switch original := f.Choice(&e.original); {
	case f.Choice(&e.operation) == glowNone || original > glowBehind:
		deep.Copy(img, light)
	case original == glowOnTop:
		deep.Composite(light, img, 1, blend)
		deep.Copy(img, light)
	default:
		deep.Composite(img, light, 1, blend)
	}
	return nil
}

// shine makes of a picture the light around what is brighter than the threshold.
func (e *glow) shine(f *Frame, light *deep.Image) {
	threshold := unit(f.Number(&e.threshold) / 255)
	ofAlpha := f.Choice(&e.basis) == glowOfAlpha
	above := func(v float32) float32 { return max(0, (v-float32(threshold))/float32(max(1-threshold, 1.0/255))) }
	eachPixel(light, func(px []float32) {
		if ofAlpha {
			a := above(px[3])
			if px[3] > 0 {
				k := a / px[3]
				px[0], px[1], px[2] = px[0]*k, px[1]*k, px[2]*k
			}
			px[3] = a
			return
		}
		px[0], px[1], px[2] = above(px[0]), above(px[1]), above(px[2])
		px[3] = min(px[3], max(px[0], px[1], px[2]))
	})
	deep.Blur(light, e.blurring(f))
	k := float32(max(0, min(255, f.Number(&e.intensity))))
	two, a, b := f.Choice(&e.colors) == glowTwoColors, rgb(f.Color(&e.a)), rgb(f.Color(&e.b))
	eachPixel(light, func(px []float32) {
		for i := range px {
			px[i] *= k
		}
		px[3] = min(px[3], 1)
		if two {
			c := towards(b, a, float64(px[3]))
			px[0], px[1], px[2] = float32(c[0])*px[3], float32(c[1])*px[3], float32(c[2])*px[3]
		}
	})
}

// eachPixel passes each pixel of a picture to change.
func eachPixel(img *deep.Image, change func(px []float32)) {
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Row(img.Rect.Min.X, img.Rect.Max.X, y)
		for i := 0; i+3 < len(row); i += 4 {
			change(row[i : i+4 : i+4])
		}
	}
}

// DrawDeep implements Deep.
func (e *transform) DrawDeep(f *Frame, img *deep.Image) error {
	m := e.matrix(f)
	src := deep.New(img.Rect)
	deep.Copy(src, img)
	eachPixel(img, func(px []float32) { clear(px) })
	x, y := m.AxisScale()
	for max(x, y) <= 0.5 && min(src.Rect.Dx(), src.Rect.Dy()) > 1 {
		at := geom.Translate(float64(src.Rect.Min.X), float64(src.Rect.Min.Y))
		src = deep.Halve(src)
		m = m.Mul(at).Mul(geom.Scale(2, 2))
		x, y = 2*x, 2*y
	}
	deep.Draw(img, src, m, img.Rect, completion(f, &e.opacity), deep.Normal, raster.Bilinear)
	return nil
}
