package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// What stands in the files deep_*.go draws as the other files do, in 32 bits per channel. It does so for projects that need it, and what it has
// no way of its own for it has drawn in bytes.

// deepFrame draws frame n.
func (w *worker) deepFrame(n int) (*raster.Image, error) {
	r := w.r
	out := r.surfaces.get(frameRect(r.width, r.height))
	own := r.deepSurfaces.get(out.Rect)
	defer r.deepSurfaces.put(own)
	if err := w.deepComposition(own, r.stageAt(n)); err != nil {
		return out, err
	}
	if r.opt.Background {
		bg := r.comp.Comp.Background
		c := r.tones.ink([4]float64{bg[0], bg[1], bg[2], 1})
		if r.tones.converts {
			c = all(c, r.tones.light)
		}
		deep.FillBehind(own, [3]float64(c[:3]))
	}
	r.tones.written(own)
	deep.ToBytes(out, own)
	return out, nil
}

// deepComposition draws the layers of s over dst, from the bottom, in the colours in which layers are laid over each other.
func (w *worker) deepComposition(dst *deep.Image, s stage) error {
	outer := w.at
	shown := w.shown(s)
	for i := range shown {
		if err := w.deepLayer(dst, &shown[i]); err != nil {
			return err
		}
	}
	w.at = outer
	return nil
}

// deepLayer draws one layer over dst.
func (w *worker) deepLayer(dst *deep.Image, l *shownLayer) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	v := l.view
	w.at = v.layer
	var err error
	switch {
	case l.among != nil:
		return w.deepCrossed(dst, l)
	case v.layer.Styles != nil && !v.layer.Adjustment:
		err = w.inBytes(dst, l)
	case v.layer.Adjustment:
		err = w.deepAdjustment(dst, v)
	case v.layer.Stencil():
		own := w.r.deepSurfaces.get(dst.Rect)
		defer w.r.deepSurfaces.put(own)
		if err = w.deepOver(own, l, deep.Normal); err == nil {
			deep.Composite(dst, own, 1, w.deepBlend(v))
		}
	default:
		err = w.deepOver(dst, l, w.deepBlend(v))
	}
	if v.layer.Blend > aep.BlendNormal || v.layer.Adjustment {
		w.r.tones.limit(dst) // of colours that are laid over each other normally none leaves their range
	}
	return err
}

// deepBlend is how a layer is laid over those below it.
func (w *worker) deepBlend(v view) deep.Blend {
	if isNormal(v.layer.Blend) {
		return deep.Normal
	}
	name, pattern := v.layer.Blend.String(), v.layer.Pattern(v.t)
	if v.layer.ThreeD && (v.layer.Blend == aep.BlendDissolve || v.layer.Blend == aep.BlendDancingDissolve) {
		return deep.Normal
	}
	if blend, ok := deep.Mode(name, pattern, w.r.tones.Bits > 16); ok {
		return blend
	}
	return deep.Normal
}

// deepOver draws a layer over dst by a blend mode.
func (w *worker) deepOver(dst *deep.Image, l *shownLayer, blend deep.Blend) error {
	v := l.view
	opacity := w.opacity(v)
	if opacity <= 0 {
		return nil
	}
	if err := w.ready(l); l.d == nil || err != nil {
		return err
	}
	preserves := v.layer.PreserveTransparency && !v.layer.Stencil() && !l.apart
	lone := v.layer.Matted == nil && !preserves
	masks := w.masks(v)
	if l.d.through != nil && lone && opacity == 1 && isNormal(v.layer.Blend) && len(masks)+len(v.layer.Effects) == 0 {
		return l.d.through(dst)
	}
	pic, err := w.deepSeen(dst.Rect, v, l.d, l.exposure(w), masks)
	if pic.img == nil || err != nil {
		return err
	}
	defer pic.release()
	if w.r.tones.converts {
		pic = w.forBlending(pic)
		defer pic.release()
	}
	if lone {
		pic.over(dst, opacity, blend)
		return nil
	}
	own := w.r.deepSurfaces.get(pic.bounds(dst.Rect))
	defer w.r.deepSurfaces.put(own)
	pic.over(own, 1, deep.Normal)
	cov, err := w.deepMatte(own.Rect, v)
	if err != nil {
		return err
	}
	if cov != nil {
		deep.MultiplyAlpha(own, cov)
	}
	if preserves {
		deep.MultiplyAlpha(own, deep.AlphaOf(dst, own.Rect))
	}
	deep.Composite(dst, own, opacity, blend)
	return nil
}

// forBlending is a copy of a picture in the colours in which layers are laid over each other.
func (w *worker) forBlending(p deepPicture) deepPicture {
	own := w.r.deepSurfaces.get(p.img.Rect)
	deep.Copy(own, p.img)
	w.r.tones.toBlend(own)
	p.img, p.release = own, func() { w.r.deepSurfaces.put(own) }
	return p
}

// deepAdjustment applies the effects of an adjustment layer to everything below it.
func (w *worker) deepAdjustment(dst *deep.Image, v view) error {
	opacity := w.opacity(v)
	if len(v.layer.Effects) == 0 || opacity <= 0 {
		return nil
	}
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	changed := w.r.deepSurfaces.get(dst.Rect)
	defer w.r.deepSurfaces.put(changed)
	deep.Copy(changed, dst)
	w.r.tones.fromBlend(changed)
	if err := w.deepApply(v, v.layer.Effects, w.moment(v, v.m), changed); err != nil {
		return err
	}
	w.r.tones.toBlend(changed)
	where, err := w.where(dst.Rect, v, d)
	if where == nil || err != nil {
		return err
	}
	cov := deep.MaskOf(where)
	if isNormal(v.layer.Blend) {
		deep.Mix(dst, changed, cov, opacity)
		return nil
	}
	deep.MultiplyAlpha(changed, cov)
	deep.Composite(dst, changed, opacity, w.deepBlend(v))
	return nil
}

// deepMatte is what the track matte of v's layer lets through at the pixels of r; nil without a matte.
func (w *worker) deepMatte(r image.Rectangle, v view) (*deep.Mask, error) {
	source := v.layer.Matted
	if v.layer.Matte == aep.MatteNone || source == nil {
		return nil, nil
	}
	cov := deep.NewMask(r)
	if active(source.Layer, v.t) {
		var err error
		if cov, err = w.deepMatteOf(r, w.view(v.stage, source), v.layer.Matte); err != nil {
			return nil, err
		}
	}
	if v.layer.Matte == aep.MatteAlphaInverted || v.layer.Matte == aep.MatteLumaInverted {
		cov.Invert()
	}
	return cov, nil
}

// deepMatteOf draws a matte layer and keeps its alpha or its brightness. One with styles is drawn in bytes.
func (w *worker) deepMatteOf(r image.Rectangle, v view, how aep.MatteKind) (*deep.Mask, error) {
	if v.layer.Styles != nil {
		bytes := image.NewAlpha(r)
		if err := w.matteCoverage(bytes, v, how); err != nil {
			return nil, err
		}
		return deep.MaskOf(bytes), nil
	}
	nothing := deep.NewMask(r)
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return nothing, err
	}
	pic, err := w.deepSeen(r, v, d, w.exposure(v), w.masks(v))
	if pic.img == nil || err != nil {
		return nothing, err
	}
	defer pic.release()
	own := w.r.deepSurfaces.get(pic.bounds(r))
	defer w.r.deepSurfaces.put(own)
	pic.over(own, 1, deep.Normal)
	of := deep.AlphaOf
	if how == aep.MatteLuma || how == aep.MatteLumaInverted {
		of = deep.LumaOf
	}
	cov := of(own, r)
	cov.Scale(w.opacity(v))
	outer, err := w.deepMatte(r, v)
	if outer != nil && err == nil {
		cov.Multiply(outer)
	}
	return cov, err
}

// inBytes draws a layer over what lies below it in bytes, and keeps those pixels of dst that this does not change.
func (w *worker) inBytes(dst *deep.Image, l *shownLayer) error {
	t := w.r.tones
	below := w.r.deepSurfaces.get(dst.Rect)
	defer w.r.deepSurfaces.put(below)
	deep.Copy(below, dst)
	t.fromBlend(below)
	t.fromLayer(below)
	before, after := w.r.surfaces.get(dst.Rect), w.r.surfaces.get(dst.Rect)
	defer w.r.surfaces.put(before)
	defer w.r.surfaces.put(after)
	deep.ToBytes(before, below)
	copy(after.Pix, before.Pix)
	if err := w.layer(after, l); err != nil {
		return err
	}
	deep.FromBytes(below, after)
	t.toLayer(below)
	t.toBlend(below)
	keepChanges(dst, below, before, after)
	return nil
}

// keepChanges takes those pixels of drawn whose bytes have changed.
func keepChanges(dst, drawn *deep.Image, before, after *raster.Image) {
	for i := 0; i+3 < len(after.Pix); i += 4 {
		if [4]uint8(after.Pix[i:i+4]) != [4]uint8(before.Pix[i:i+4]) {
			copy(dst.Pix[i:i+4], drawn.Pix[i:i+4])
		}
	}
}

// deepPicture is a layer with its masks and effects, before opacity, matte and blend mode, in the colours of layers. It may belong to the
// cache, so it must not be written to. A picture without an image shows nothing.
type deepPicture struct {
	img     *deep.Image
	m       geom.Matrix
	h       *geom.Homography
	release func()
	how     raster.Sampling
}

// bounds is the part of clip that the picture may touch.
func (p *deepPicture) bounds(clip image.Rectangle) image.Rectangle {
	return (&picture{img: &raster.Image{Rect: p.img.Rect}, m: p.m, h: p.h}).bounds(clip)
}

// over draws the picture over dst.
func (p *deepPicture) over(dst *deep.Image, opacity float64, blend deep.Blend) {
	if p.h != nil {
		deep.Project(dst, p.img, *p.h, dst.Rect, opacity, blend)
		return
	}
	deep.Draw(dst, p.img, p.m, dst.Rect, opacity, blend, p.how)
}

// deepPicture draws a layer with its masks and effects on a surface of its own, for the pixels of clip, as picture does.
func (w *worker) deepPicture(clip image.Rectangle, v view, d *drawing, x *exposure, masks []mask) (deepPicture, error) {
	if x != nil {
		return w.deepBlurred(clip, v, x, masks)
	}
	if v.inPerspective() {
		local, d, fit, err := w.unprojected(v)
		if d == nil || err != nil {
			return deepPicture{}, err
		}
		area, ok := w.projectedArea(local, d, fit, clip)
		if !ok {
			return deepPicture{}, nil
		}
		s, release, err := w.deepBuilt(area, local, d, masks, v.layer.Effects)
		return deepPicture{img: s, m: geom.Identity, h: &fit, release: release}, err
	}
	if v.layer.Vector() || v.layer.Collapse && v.layer.Kind == scene.Nested || len(masks)+len(v.layer.Effects) == 0 {
		s, release, err := w.deepBuilt(clip, v, d, masks, v.layer.Effects)
		return deepPicture{img: s, m: geom.Identity, release: release}, err
	}
	scale := localScale(v.m)
	local := v
	local.m = geom.Scale(scale, scale)
	d, err := w.prepare(local)
	if d == nil || err != nil {
		return deepPicture{}, err
	}
	fit := v.m.Mul(geom.Scale(1/scale, 1/scale))
	area, ok := w.localArea(local, d, fit, clip)
	if !ok {
		return deepPicture{}, nil
	}
	s, release, err := w.deepBuilt(area, local, d, masks, v.layer.Effects)
	return deepPicture{img: s, m: fit, release: release, how: w.sampling()}, err
}

// sampling is how pixels are read between their centres.
func (w *worker) sampling() raster.Sampling {
	if w.r.opt.Draft {
		return raster.Nearest
	}
	return raster.Bilinear
}

// deepBuilt is a layer with masks and effects, in the pixels to which v.m maps it, within clip.
func (w *worker) deepBuilt(clip image.Rectangle, v view, d *drawing, masks []mask, effects []scene.Effect) (*deep.Image, func(), error) {
	nothing := func() {}
	f := w.moment(v, v.m)
	if v.layer.Vector() {
		f.Matrix = v.stage.m
	}
	box := w.surfaceFor(w.extent(effects, f, d.box), clip)
	if box.Empty() {
		return nil, nothing, nil
	}
	s := w.r.deepSurfaces.get(box)
	release := func() { w.r.deepSurfaces.put(s) }
	if err := w.deepDraw(s, d); err != nil {
		release()
		return nil, nothing, err
	}
	if len(masks) > 0 {
		deep.MultiplyAlpha(s, deep.MaskOf(w.masked(v, masks, s.Rect)))
	}
	if err := w.deepApply(v, effects, f, s); err != nil {
		release()
		return nil, nothing, err
	}
	return s, release, nil
}

// deepDraw draws the content of a layer on a transparent surface: what has no way of its own, in bytes.
func (w *worker) deepDraw(dst *deep.Image, d *drawing) error {
	if d.deep != nil {
		return d.deep(dst)
	}
	r := raster.PixelRect(d.box).Intersect(dst.Rect)
	if r.Empty() {
		return nil
	}
	own := w.r.surfaces.get(r)
	defer w.r.surfaces.put(own)
	if err := d.draw(own, 1, raster.Normal); err != nil {
		return err
	}
	part := dst.Part(r)
	deep.FromBytes(part, own)
	w.r.tones.toLayer(part)
	return nil
}

// deepShade lights the picture of a 3D layer. It releases the picture when it fails.
func (w *worker) deepShade(v view, p deepPicture) (deepPicture, error) {
	if p.img == nil {
		return p, nil
	}
	s, to, err := w.shadeOf(v, p.m, p.h)
	if err != nil {
		p.release()
		return deepPicture{}, err
	}
	if s == nil {
		return p, nil
	}
	out := w.r.deepSurfaces.get(p.img.Rect)
	s.lightDeep(out, p.img, &to)
	w.r.tones.limit(out)
	p.release()
	p.img, p.release = out, func() { w.r.deepSurfaces.put(out) }
	return p, nil
}

// lightDeep is light in more than bytes: what is brighter than white stays so.
func (s *surface) lightDeep(dst, src *deep.Image, to *geom.Homography) {
	r := src.Rect
	for y := r.Min.Y; y < r.Max.Y; y++ {
		in, out := src.Row(r.Min.X, r.Max.X, y), dst.Row(r.Min.X, r.Max.X, y)
		for i := range r.Dx() {
			px, lit := in[4*i:4*i+4:4*i+4], out[4*i:4*i+4:4*i+4]
			if px[3] == 0 {
				continue
			}
			body, shine, reaches := s.seen(to, r.Min.X+i, y)
			a := float64(px[3])
			if s.shadowOnly {
				lit[3] = float32(a * (1 - reaches))
				continue
			}
			for c := range 3 {
				v := float64(px[c])
				lit[c] = float32(v*body[c] + shine[c]*(v*s.metal+a*(1-s.metal)))
			}
			lit[3] = px[3]
		}
	}
}
