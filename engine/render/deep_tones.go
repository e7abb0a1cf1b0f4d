package render

import (
	"math/bits"
	"sync"

	"image"

	"overcrank/engine/deep"
	"overcrank/engine/profile"
	"overcrank/engine/scene"
)

// tones are how the colours of a render in more than bytes are understood. Layers have the project's colours, or light where the project's
// working space is linear; they are laid over each other in the same, or in light.
type tones struct {
	scene.Color
	light, value func(v float64) float64 // of the project's colours, and back
	converts     bool                    // layers are converted to light where they are laid over each other
}

func newTones(c scene.Color) *tones {
	curve := c.Curve
	return &tones{
		Color: c, light: profile.Lookup(curve.Light), value: profile.Lookup(curve.Value), converts: c.LinearBlending && !c.LinearLayers,
	}
}

// all applies a function to each colour.
func all(c [4]float64, of func(v float64) float64) [4]float64 {
	return [4]float64{of(c[0]), of(c[1]), of(c[2]), c[3]}
}

// ink is a colour of the project, not premultiplied, as layers have it.
func (t *tones) ink(c [4]float64) [4]float64 {
	if t.LinearLayers {
		return all(c, t.light)
	}
	return c
}

// toLayer makes of colours of the project those of layers, fromLayer the opposite.
func (t *tones) toLayer(p *deep.Image) {
	if t.LinearLayers {
		deep.Recolor(p, func(c [4]float64) [4]float64 { return all(c, t.light) })
	}
}

func (t *tones) fromLayer(p *deep.Image) {
	if t.LinearLayers {
		deep.Recolor(p, func(c [4]float64) [4]float64 { return all(c, t.value) })
	}
}

// toBlend makes of colours of layers those in which they are laid over each other, fromBlend the opposite.
func (t *tones) toBlend(p *deep.Image) {
	if t.converts {
		deep.Recolor(p, func(c [4]float64) [4]float64 { return all(c, t.light) })
	}
}

func (t *tones) fromBlend(p *deep.Image) {
	if t.converts {
		deep.Recolor(p, func(c [4]float64) [4]float64 { return all(c, t.value) })
	}
}

// limit cuts off what the project's bits do not hold.
func (t *tones) limit(p *deep.Image) {
	if t.Bits > 16 {
		deep.Finite(p)
		return
	}
	deep.Limit(p)
}

// written makes of a finished frame the colours that films and pictures are written in: those of the project, unless its primaries are not
// those of video.
func (t *tones) written(p *deep.Image) {
	t.fromBlend(p)
	t.fromLayer(p)
	video := profile.Video()
	if t.Working == nil || t.Working.SamePrimaries(video) {
		return
	}
	to, curve := t.Working.To(video), profile.Lookup(video.Curve.Value)
	deep.Recolor(p, func(c [4]float64) [4]float64 {
		light := to([3]float64{t.light(c[0]), t.light(c[1]), t.light(c[2])})
		return [4]float64{curve(light[0]), curve(light[1]), curve(light[2]), c[3]}
	})
}

// deepSurfaces is a pool of pictures for each power of two.
type deepSurfaces struct{ pools [64]sync.Pool }

// get is a transparent picture with the bounds r.
func (s *deepSurfaces) get(r image.Rectangle) *deep.Image {
	n := 4 * r.Dx() * r.Dy()
	class := bits.Len(uint(max(n, 1) - 1))
	img, ok := s.pools[class].Get().(*deep.Image)
	if !ok {
		img = &deep.Image{Pix: make([]float32, 1<<class)}
	}
	img.Pix = img.Pix[:n]
	clear(img.Pix)
	img.Stride, img.Rect = 4*r.Dx(), r
	return img
}

// put returns a picture to the pool; nobody may use it any more.
func (s *deepSurfaces) put(img *deep.Image) { s.pools[bits.Len(uint(cap(img.Pix)))-1].Put(img) }
