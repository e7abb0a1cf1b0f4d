package vector

import (
	"image"
	"math"
	"slices"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/profile"
	"overcrank/engine/raster"
)

// Filter changes what a group shows as a whole, before it is cut, masked and faded: by primitives, one after another, the last of which is seen.
type Filter struct {
	Region     geom.Rect // in the space of the group's nodes; outside of it nothing is
	Primitives []Primitive
}

// Input is what a primitive takes: the result of one before it, by its number, or what the group shows.
type Input int

// The inputs that are no results.
const (
	SourceGraphic Input = -1 - iota
	SourceAlpha         // black where the group shows something
)

// Primitive makes a picture of others.
type Primitive struct {
	Operation Operation
	In        []Input
	Region    geom.Rect // as that of the filter
	Linear    bool      // it reckons with light, and not with the values of sRGB
}

// Operation is what a primitive does.
type Operation interface {
	// apply draws what it makes of in on dst, which is transparent. All have the same bounds. A unit of the filter has scale pixels.
	apply(dst *deep.Image, in []*deep.Image, scale geom.Point)
	// reach is how far it carries what is in a picture, in pixels.
	reach(scale geom.Point) float64
}

// The cost of filters: a pixel of their pictures counts for deepPixel of a surface, and a primitive touches each filterWork times. The room for a filter
// is shared by liveImages of them, as many as a shadow needs at once.
const (
	deepPixel  = 2
	filterWork = 8
	liveImages = 7
)

// filtering is the drawing of a filter.
type filtering struct {
	p            *painter
	of           *Filter
	area         image.Rectangle // of its pictures, in pixels
	to           geom.Matrix     // from the space of the group to these, which scales and moves
	source       *raster.Image
	results      []*deep.Image // nil for those that are no longer needed
	frees        []func()
	light, value func(v float64) float64
}

// filtered is what a group shows, mapped by m, after its filter, on the area of p.
func (p *painter) filtered(g *Group, m geom.Matrix) (*raster.Image, error) {
	out := image.NewRGBA(p.area)
	to, rest := upright(m)
	back, ok := rest.Invert()
	if !ok || !back.Finite() || !to.Finite() {
		return out, nil
	}
	f := filtering{p: p, of: g.Filter, to: to}
	seen := p.area
	if rest != geom.Identity {
		seen = raster.PixelRect(rectOf(p.area).Transform(back).Grow(1))
	}
	if f.area = f.reached(seen); f.area.Empty() {
		return out, nil
	}
	img, err := f.run(g)
	if err != nil {
		return nil, err
	}
	raster.Draw(out, img, rest, out.Rect, 1, raster.Normal, raster.Bilinear)
	return out, nil
}

// upright splits m into a part that scales, and moves where that is all, and what is done after it.
func upright(m geom.Matrix) (first, rest geom.Matrix) {
	const none = 1e-9
	if math.Abs(m.B) < none && math.Abs(m.C) < none && m.A > 0 && m.D > 0 {
		return m, geom.Identity
	}
	x, y := m.AxisScale()
	return geom.Scale(x, y), m.Mul(geom.Scale(1/x, 1/y))
}

func rectOf(r image.Rectangle) geom.Rect {
	return geom.Rect{MinX: float64(r.Min.X), MinY: float64(r.Min.Y), MaxX: float64(r.Max.X), MaxY: float64(r.Max.Y)}
}

func (f *filtering) scale() geom.Point { return geom.Point{X: f.to.A, Y: f.to.D} }

// reached is what of the filter's region shows in some pixels: with what primitives carry there, as far as there is room for it.
func (f *filtering) reached(seen image.Rectangle) image.Rectangle {
	reach := 0.0
	for i := range f.of.Primitives {
		reach += f.of.Primitives[i].Operation.reach(f.scale())
	}
	region := raster.PixelRect(f.of.Region.Transform(f.to))
	room := (f.p.work.most - f.p.work.held) / (deepPixel * liveImages)
	for {
		area := raster.PixelRect(rectOf(seen).Grow(math.Ceil(reach))).Intersect(region)
		if reach < 1 || int64(area.Dx())*int64(area.Dy()) <= room {
			return area
		}
		reach /= 2
	}
}

// run draws the source and lets each primitive do its part.
func (f *filtering) run(g *Group) (*raster.Image, error) {
	defer f.free()
	for range surfaceWork {
		if err := f.p.spend(f.area); err != nil {
			return nil, err
		}
	}
	release, err := f.p.hold(f.area)
	if err != nil {
		return nil, err
	}
	defer release()
	own := *f.p
	own.area = f.area
	if f.source, err = own.alone(g, f.to); err != nil {
		return nil, err
	}
	f.light, f.value = profile.Lookup(profile.SRGB.Light), profile.Lookup(profile.SRGB.Value)
	f.results, f.frees = make([]*deep.Image, len(f.of.Primitives)), make([]func(), len(f.of.Primitives))
	last := len(f.of.Primitives) - 1
	for i := range f.of.Primitives {
		if err := f.step(i); err != nil {
			return nil, err
		}
		f.forget(i)
	}
	if f.of.Primitives[last].Linear {
		f.encode(f.results[last], false)
	}
	deep.ToBytes(f.source, f.results[last])
	return f.source, nil
}

// image is a new picture, and what gives its memory back.
func (f *filtering) image() (*deep.Image, func(), error) {
	free, err := f.p.hold(image.Rect(0, 0, deepPixel*f.area.Dx(), f.area.Dy()))
	if err != nil {
		return nil, nil, err
	}
	return deep.New(f.area), free, nil
}

// step does a primitive.
func (f *filtering) step(i int) error {
	one := &f.of.Primitives[i]
	for range filterWork + 2*len(one.In) {
		if err := f.p.spend(f.area); err != nil {
			return err
		}
	}
	in := make([]*deep.Image, len(one.In))
	for k, from := range one.In {
		if known := slices.Index(one.In[:k], from); known >= 0 {
			in[k] = in[known]
			continue
		}
		img, free, err := f.input(from, one.Linear)
		if err != nil {
			return err
		}
		defer free()
		in[k] = img
	}
	dst, free, err := f.image()
	if err != nil {
		return err
	}
	f.results[i], f.frees[i] = dst, free
	one.Operation.apply(dst, in, f.scale())
	deep.Limit(dst)
	keep(dst, raster.PixelRect(one.Region.Transform(f.to)))
	return nil
}

// input is what a primitive takes, in light or in the values of sRGB; free gives back what was made for it.
func (f *filtering) input(from Input, linear bool) (img *deep.Image, free func(), err error) {
	if from >= 0 && f.of.Primitives[from].Linear == linear {
		return f.results[from], func() {}, nil
	}
	if img, free, err = f.image(); err != nil {
		return nil, nil, err
	}
	if from >= 0 {
		deep.Copy(img, f.results[from])
	} else {
		deep.FromBytes(img, f.source)
	}
	switch {
	case from == SourceAlpha:
		for i := 0; i+3 < len(img.Pix); i += 4 {
			img.Pix[i], img.Pix[i+1], img.Pix[i+2] = 0, 0, 0
		}
	case from >= 0 || linear:
		f.encode(img, linear)
	}
	return img, free, nil
}

// encode makes light of the values of sRGB, or these of light.
func (f *filtering) encode(img *deep.Image, linear bool) {
	of := f.value
	if linear {
		of = f.light
	}
	deep.Recolor(img, func(c [4]float64) [4]float64 { return [4]float64{of(c[0]), of(c[1]), of(c[2]), c[3]} })
}

// forget gives back what no primitive after i takes.
func (f *filtering) forget(i int) {
	last := len(f.of.Primitives) - 1
	for k := range i {
		needed := false
		for _, later := range f.of.Primitives[i+1:] {
			for _, from := range later.In {
				needed = needed || from == Input(k)
			}
		}
		if !needed && k != last && f.frees[k] != nil {
			f.frees[k]()
			f.results[k], f.frees[k] = nil, nil
		}
	}
}

func (f *filtering) free() {
	for _, free := range f.frees {
		if free != nil {
			free()
		}
	}
}

// keep makes transparent what of a picture lies outside of some pixels.
func keep(img *deep.Image, r image.Rectangle) {
	if img.Rect.In(r) {
		return
	}
	r = r.Intersect(img.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Row(img.Rect.Min.X, img.Rect.Max.X, y)
		if r.Empty() || y < r.Min.Y || y >= r.Max.Y {
			clear(row)
			continue
		}
		clear(row[:4*(r.Min.X-img.Rect.Min.X)])
		clear(row[4*(r.Max.X-img.Rect.Min.X):])
	}
}
