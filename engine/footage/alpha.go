package footage

import (
	"image"

	"overcrank/engine/raster"
)

// straight says whether the alpha channel is used as it is stored.
func (in Interpretation) straight() bool {
	return !in.Premultiplied && !in.InvertAlpha && !in.IgnoreAlpha
}

// interpret converts RGBA as stored in files to a picture. It takes ownership of pix.
func interpret(pix []byte, w, h int, alpha bool, in Interpretation) *raster.Image {
	img := &raster.Image{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	switch {
	case !alpha:
		return img
	case in.IgnoreAlpha:
		for i := 3; i < len(pix); i += 4 {
			pix[i] = 255
		}
		return img
	case in.InvertAlpha:
		for i := 3; i < len(pix); i += 4 {
			pix[i] = 255 - pix[i]
		}
	}
	if in.Premultiplied {
		takeOff(pix, in.Matte)
	} else {
		premultiply(pix)
	}
	return img
}

func premultiply(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		a := uint32(p[3])
		if a == 255 {
			continue
		}
		p[0] = uint8((uint32(p[0])*a + 127) / 255)
		p[1] = uint8((uint32(p[1])*a + 127) / 255)
		p[2] = uint8((uint32(p[2])*a + 127) / 255)
	}
}

// takeOff takes the colour off that premultiplied pictures lie on. What is left is limited to the alpha, as image.RGBA requires.
func takeOff(pix []byte, matte [3]uint8) {
	for i := 0; i+3 < len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		a := int(p[3])
		if a == 255 {
			continue
		}
		for c := range 3 {
			under := ((255-a)*int(matte[c]) + 127) / 255
			p[c] = uint8(min(max(int(p[c])-under, 0), a))
		}
	}
}
