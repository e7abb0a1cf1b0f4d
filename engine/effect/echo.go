package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of Echo's popup "Echo Operator".
const (
	echoAdd = iota + 1
	echoMaximum
	echoMinimum
	echoScreen
	echoBack  // echoes behind
	echoFront // echoes in front
	echoBlend
)

// maxEchoes limits the moments of which one picture is made.
const maxEchoes = 100

// echo shows the layer at several moments at once.
type echo struct{ step, count, intensity, decay, operator eval.Number }

func newEcho(p Params) Effect {
	return &echo{p.Number("0001", -1.0/30), p.Number("0002", 1), p.Number("0003", 1), p.Number("0004", 1), p.Number("0005", echoAdd)}
}

// Timed implements Timed.
func (e *echo) Timed() bool { return true }

// blend is how an echo is laid over those before it; nil for a mean of all.
func (e *echo) blend(operator int) raster.Blend {
	switch operator {
	case echoMaximum:
		return raster.Lighten
	case echoMinimum:
		return raster.Darken
	case echoScreen:
		return raster.Screen
	case echoBack, echoFront:
		return raster.Normal
	case echoBlend:
		return nil
	}
	return raster.Add
}

func (e *echo) Draw(f *Frame, img *raster.Image) error {
	count := int(max(0, min(maxEchoes, f.Number(&e.count))))
	step, operator := f.Number(&e.step), f.Choice(&e.operator)
	intensity, decay := unit(f.Number(&e.intensity)), unit(f.Number(&e.decay))
	if count == 0 || step == 0 && intensity == 1 {
		return nil
	}
	sum := newSuperposition(f, img, e.blend(operator))
	defer sum.release()
	// Echoes behind are laid first, the furthest at the bottom.
	for n := range count + 1 {
		if operator == echoBack {
			n = count - n
		}
		k := intensity
		for range n {
			k *= decay
		}
		if err := sum.add(f, img, f.Time+float64(n)*step, k); err != nil {
			return err
		}
	}
	sum.to(img)
	return nil
}

// superposition collects a picture of several moments.
type superposition struct {
	blend   raster.Blend
	over    *raster.Image
	sums    []float32 // for a mean
	weight  float32
	release func()
}

// newSuperposition begins with nothing. Without a blend the moments are averaged.
func newSuperposition(f *Frame, img *raster.Image, blend raster.Blend) *superposition {
	s := &superposition{blend: blend, release: func() {}}
	if blend == nil {
		s.sums = make([]float32, len(img.Pix))
	} else {
		s.over, s.release = f.Host.Surface(img.Rect)
	}
	return s
}

// add adds what the effect is given at a moment, now is img, with an intensity.
func (s *superposition) add(f *Frame, now *raster.Image, at, intensity float64) error {
	img := now
	if at != f.Time {
		other, release, err := f.Host.At(at, now.Rect)
		if err != nil {
			return err
		}
		if other == nil {
			return nil
		}
		defer release()
		img = other
	}
	if s.blend != nil {
		raster.Composite(s.over, img, intensity, s.blend)
		return nil
	}
	k := float32(intensity)
	s.weight += k
	for i, v := range img.Pix[:len(s.sums)] {
		s.sums[i] += float32(v) * k
	}
	return nil
}

// to gives the picture to img.
func (s *superposition) to(img *raster.Image) {
	if s.blend != nil {
		copy(img.Pix, s.over.Pix)
		return
	}
	if s.weight < 1e-6 {
		return
	}
	k := 1 / s.weight
	for i, v := range s.sums {
		img.Pix[i] = uint8(v*k + 0.5)
	}
}

// wideTime is CC Wide Time: the mean of the frames around each.
type wideTime struct{ forward, backward eval.Number }

func newWideTime(p Params) Effect { return &wideTime{p.Number("0001", 1), p.Number("0002", 1)} }

// Timed implements Timed.
func (e *wideTime) Timed() bool { return true }

func (e *wideTime) Draw(f *Frame, img *raster.Image) error {
	steps := func(n *eval.Number) int { return int(max(0, min(maxEchoes/2, f.Number(n)))) }
	forward, backward := steps(&e.forward), steps(&e.backward)
	if f.Rate <= 0 {
		return nil
	}
	sum := newSuperposition(f, img, nil)
	for n := -backward; n <= forward; n++ {
		if err := sum.add(f, img, f.Time+float64(n)/f.Rate, 1); err != nil {
			return err
		}
	}
	sum.to(img)
	return nil
}
