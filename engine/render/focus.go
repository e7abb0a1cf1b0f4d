package render

import (
	"image"
	"math"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// focus is how unsharp a 3D layer is seen.
type focus struct {
	even float64 // the width of the blur, in pixels of the target, where it is the same everywhere; 0 elsewhere
	// What it is made of where it differs: the distance at a pixel is zoom divided by how near the plane is there.
	near  geom.Nearness
	zoom  float64
	width func(distance float64) float64 // in pixels of the target
	most  float64                        // the largest width within the layer
}

// sharp is the width of a blur that no pixel shows, and widest the width of the largest one that is drawn.
const (
	sharp  = 1.01
	widest = 1000
)

// focus is how unsharp a layer is seen; nil when it is sharp.
func (w *worker) focus(v view) *focus {
	if !v.spatial() || v.own || v.layer.Adjustment {
		return nil
	}
	camera := w.camera(&v.stage)
	if !(camera.Aperture > 0) {
		return nil
	}
	scale := v.world().m.MeanScale()
	width := func(distance float64) float64 {
		return min(scale*camera.Confusion(distance), widest)
	}
	if v.h == nil {
		if even := width(v.depth); even > sharp {
			return &focus{even: even, most: even}
		}
		return nil
	}
	f := &focus{zoom: camera.Zoom, width: width}
	var ok bool
	if f.near, ok = v.h.Nearness(); !ok {
		return nil
	}
	for _, p := range v.h.Seen(w.reaches(v)) {
		f.most = max(f.most, f.at(p))
	}
	if !(f.most > sharp) {
		return nil
	}
	return f
}

// at is the width of the blur at a pixel.
func (f *focus) at(p geom.Point) float64 {
	if f.even > 0 {
		return f.even
	}
	near := f.near.At(p)
	if !(near > 0) { // the plane is not seen there; what is blurred into it comes from where it is nearest
		return f.most
	}
	return f.width(f.zoom / near)
}

// reach is how far the blur reaches, in pixels.
func (f *focus) reach() int { return int(math.Ceil(f.most/2)) + 1 }

// boxes is the blur where it is the same everywhere: of an iris that is the fast rectangle of After Effects.
func (f *focus) boxes() raster.Blurring { return raster.Boxes((f.even-1)/2, (f.even-1)/2, 1) }

// seen is a layer as it is seen within clip: its picture, in the light that falls on it, and in the camera's focus.
func (w *worker) seen(clip image.Rectangle, v view, d *drawing, x *exposure, masks []mask) (picture, error) {
	f := w.focus(v)
	if f != nil {
		clip = clip.Inset(-f.reach())
	}
	p, err := w.picture(clip, v, d, x, masks)
	if p.img == nil || err != nil {
		return picture{}, err
	}
	if p, err = w.shade(v, p); f == nil || err != nil {
		return p, err
	}
	defer p.release()
	area := p.bounds(clip)
	if area.Empty() {
		return picture{}, nil
	}
	own := w.r.surfaces.get(area.Inset(-f.reach()))
	p.over(own, 1, raster.Normal)
	f.blur(own)
	return picture{img: own, m: geom.Identity, release: func() { w.r.surfaces.put(own) }}, nil
}

// blur blurs a picture by the focus.
func (f *focus) blur(img *raster.Image) {
	if f.even > 0 {
		f.boxes().Image(img)
		return
	}
	sums := raster.SumsOf(img, true)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for x := range img.Rect.Dx() {
			for c, v := range f.mean(sums, img.Rect.Min.X+x, y) {
				row[4*x+c] = uint8(255*max(0, min(1, v)) + 0.5)
			}
		}
	}
}

// mean is a pixel where the blur is not the same everywhere.
func (f *focus) mean(sums *raster.Sums, x, y int) [4]float64 {
	p := geom.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}
	half := max(f.at(p), 1) / 2
	return sums.Mean(geom.Rect{MinX: p.X - half, MinY: p.Y - half, MaxX: p.X + half, MaxY: p.Y + half})
}

// deepSeen is seen in more than bytes.
func (w *worker) deepSeen(clip image.Rectangle, v view, d *drawing, x *exposure, masks []mask) (deepPicture, error) {
	f := w.focus(v)
	if f != nil {
		clip = clip.Inset(-f.reach())
	}
	p, err := w.deepPicture(clip, v, d, x, masks)
	if p.img == nil || err != nil {
		return deepPicture{}, err
	}
	if p, err = w.deepShade(v, p); f == nil || err != nil {
		return p, err
	}
	defer p.release()
	area := p.bounds(clip)
	if area.Empty() {
		return deepPicture{}, nil
	}
	own := w.r.deepSurfaces.get(area.Inset(-f.reach()))
	p.over(own, 1, deep.Normal)
	f.deepBlur(own)
	return deepPicture{img: own, m: geom.Identity, release: func() { w.r.deepSurfaces.put(own) }}, nil
}

// deepBlur is blur in more than bytes.
func (f *focus) deepBlur(img *deep.Image) {
	if f.even > 0 {
		deep.Blur(img, f.boxes())
		return
	}
	sums := raster.SumsOfNumbers(img.Pix, img.Stride, img.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Row(img.Rect.Min.X, img.Rect.Max.X, y)
		for x := range img.Rect.Dx() {
			for c, v := range f.mean(sums, img.Rect.Min.X+x, y) {
				row[4*x+c] = float32(v)
			}
		}
	}
}

// plainInSpace tells whether neither lights nor the focus change how a layer is seen.
func (w *worker) plainInSpace(v view) bool { return w.focus(v) == nil && !w.shaded(v) }
