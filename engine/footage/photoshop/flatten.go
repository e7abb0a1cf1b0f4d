package photoshop

import (
	"image"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// blends are the blend modes by Photoshop's keys.
var blends = map[string]string{
	"norm": "Normal", "diss": "Dissolve", "dark": "Darken", "mul ": "Multiply", "idiv": "Color Burn", "lbrn": "Linear Burn", "dkCl": "Darker Color",
	"lite": "Lighten", "scrn": "Screen", "div ": "Color Dodge", "lddg": "Linear Dodge", "lgCl": "Lighter Color", "over": "Overlay", "sLit": "Soft Light",
	"hLit": "Hard Light", "vLit": "Vivid Light", "lLit": "Linear Light", "pLit": "Pin Light", "hMix": "Hard Mix", "diff": "Difference",
	"smud": "Exclusion", "fsub": "Subtract", "fdiv": "Divide", "hue ": "Hue", "sat ": "Saturation", "colr": "Color", "lum ": "Luminosity",
}

// passThrough is the blend mode of a group whose layers mix with what lies below the group.
const passThrough = "pass"

// maxGroups is how deep groups may lie within each other.
const maxGroups = 32

// flattened makes the merged picture of the layers. Styles and adjustment layers are not drawn.
func (f *File) flattened() (*raster.Image, error) {
	out := image.NewRGBA(image.Rect(0, 0, f.Width, f.Height))
	return out, f.flatten(out, f.Layers, 0)
}

// flatten lays layers, from the bottom to the top, on a picture.
func (f *File) flatten(dst *raster.Image, layers []Layer, depth int) error {
	for i := 0; i < len(layers); i++ {
		l := &layers[i]
		if l.section == sectionEnd {
			last := groupEnd(layers, i)
			if last <= i { // a group without an end
				return nil
			}
			if err := f.group(dst, &layers[last], layers[i+1:last], depth); err != nil {
				return err
			}
			i = last
			continue
		}
		clipped := i + 1
		for clipped < len(layers) && layers[clipped].clipping && layers[clipped].section == sectionNone {
			clipped++
		}
		if err := f.lay(dst, l, layers[i+1:clipped]); err != nil {
			return err
		}
		i = clipped - 1
	}
	return nil
}

// groupEnd is the number of the layer that stands for a group whose end is layer i.
func groupEnd(layers []Layer, i int) int {
	deep := 0
	for k := i; k < len(layers); k++ {
		switch layers[k].section {
		case sectionEnd:
			deep++
		case sectionOpen, sectionClosed:
			if deep--; deep == 0 {
				return k
			}
		}
	}
	return len(layers) - 1
}

func (f *File) group(dst *raster.Image, l *Layer, inner []Layer, depth int) error {
	if l.Hidden || depth >= maxGroups {
		return nil
	}
	if l.blend == passThrough && l.opacity == 255 && len(l.channels) == 0 {
		return f.flatten(dst, inner, depth+1)
	}
	own := image.NewRGBA(dst.Rect)
	if err := f.flatten(own, inner, depth+1); err != nil {
		return err
	}
	if err := f.cover(l, own); err != nil {
		return err
	}
	over(dst, own, l)
	return nil
}

// lay lays a layer on a picture, with those that are clipped to it.
func (f *File) lay(dst *raster.Image, l *Layer, clipped []Layer) error {
	if l.Hidden {
		return nil
	}
	img, err := f.Picture(l)
	if err != nil || img.Rect.Empty() {
		return err
	}
	if len(clipped) > 0 {
		if img, err = f.clip(img, clipped); err != nil {
			return err
		}
	}
	over(dst, img, l)
	return nil
}

// clip lays layers on a picture where that is, and keeps its alpha.
func (f *File) clip(base *raster.Image, clipped []Layer) (*raster.Image, error) {
	opaque := image.NewRGBA(base.Rect)
	copy(opaque.Pix, base.Pix)
	for i := 0; i < len(opaque.Pix); i += 4 { // colours without their alpha, so that it is applied once
		if a := uint32(opaque.Pix[i+3]); a > 0 && a < 255 {
			for c := range 3 {
				opaque.Pix[i+c] = uint8(min(255, (uint32(opaque.Pix[i+c])*255+a/2)/a))
			}
		}
		opaque.Pix[i+3] = 255
	}
	for i := range clipped {
		if err := f.lay(opaque, &clipped[i], nil); err != nil {
			return nil, err
		}
	}
	alpha := make([]uint8, len(base.Pix)/4)
	for i := range alpha {
		alpha[i] = base.Pix[4*i+3]
	}
	applyAlpha(opaque, alpha, false)
	return opaque, nil
}

// over lays a picture on another with a layer's blend mode and opacity.
func over(dst, img *raster.Image, l *Layer) {
	blend, ok := raster.Mode(blends[l.blend])
	if !ok {
		blend = raster.Normal
	}
	at := img.Rect.Min
	flat := &raster.Image{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect.Sub(at)}
	raster.Draw(dst, flat, geom.Translate(float64(at.X), float64(at.Y)), dst.Rect, float64(l.opacity)/255, blend, raster.Nearest)
}
