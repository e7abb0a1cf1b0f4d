package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"

	"overcrank/engine/footage/vector"
)

// bitmap reads a picture. A stencil has the colour of the fill.
func (c *content) bitmap(s *stream, resources dict) (img *image.RGBA, err error) {
	f := c.file
	w, h := int(f.number(f.either(s.dict, "Width", "W"), 0)), int(f.number(f.either(s.dict, "Height", "H"), 0))
	if err := c.out.Affords(w, h); err != nil {
		return nil, err
	}
	data, kind, err := f.unfiltered(s)
	if err != nil {
		return nil, err
	}
	stencil, _ := f.get(f.either(s.dict, "ImageMask", "IM")).(bool)
	switch {
	case kind == "DCTDecode" || kind == "DCT":
		img, err = c.jpeg(data, w, h)
	case kind != "":
		return nil, fmt.Errorf("pictures packed by '%.40s'", kind)
	case stencil:
		return c.stencil(s, data, w, h), nil
	default:
		img, err = c.samples(s, data, w, h, resources)
	}
	if err != nil {
		return nil, err
	}
	if mask, ok := f.get(s.dict["SMask"]).(*stream); ok {
		err = c.soften(img, mask)
	} else if s.dict["Mask"] != nil {
		c.out.Lack("hard masks of pictures")
	}
	return img, err
}

// either is the value of a key or of its short form in inline pictures.
func (f *file) either(d dict, long, short name) any {
	if v, ok := d[long]; ok {
		return v
	}
	return d[short]
}

func (c *content) jpeg(data []byte, w, h int) (*image.RGBA, error) {
	cfg, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || cfg.Width != w || cfg.Height != h {
		return nil, errors.New("a broken JPEG picture")
	}
	src, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("a broken JPEG picture")
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	b := src.Bounds()
	for y := range h {
		for x := range w {
			r, g, bl, _ := src.At(b.Min.X+x, b.Min.Y+y).RGBA()
			copy(out.Pix[out.PixOffset(x, y):], []byte{byte(r >> 8), byte(g >> 8), byte(bl >> 8), 255})
		}
	}
	return out, nil
}

// sample is a number of bits of a row.
func sample(row []byte, i, bits int) int {
	switch bits {
	case 16:
		return int(row[2*i])
	case 8:
		return int(row[i])
	}
	at := i * bits
	return int(row[at/8]) >> (8 - bits - at%8) & (1<<bits - 1)
}

func (c *content) samples(s *stream, data []byte, w, h int, resources dict) (*image.RGBA, error) {
	f := c.file
	bits := int(f.number(f.either(s.dict, "BitsPerComponent", "BPC"), 8))
	space := f.space(f.either(s.dict, "ColorSpace", "CS"), resources, 0)
	if space == nil || space.pattern {
		return nil, errors.New("pictures with colours that are not read")
	}
	if bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 {
		return nil, errors.New("a broken picture")
	}
	row := (w*space.n*bits + 7) / 8
	most := float64(int(1)<<min(bits, 8) - 1)
	decode := f.numbers(f.either(s.dict, "Decode", "D"))
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	known := map[uint32][3]float64{}
	v := make([]float64, space.n)
	for y := 0; y < h && len(data) >= row; y, data = y+1, data[row:] {
		for x := range w {
			var key uint32
			for i := range v {
				n := sample(data, x*space.n+i, bits)
				key = key<<8 | uint32(n)
				switch {
				case len(decode) >= 2*space.n:
					v[i] = decode[2*i] + float64(n)/most*(decode[2*i+1]-decode[2*i])
				case space.palette > 0:
					v[i] = float64(n)
				default:
					v[i] = float64(n) / most
				}
			}
			rgb, ok := known[key]
			if !ok || space.n > 4 {
				rgb = space.colour(v)
				if len(known) < 1<<16 {
					known[key] = rgb
				}
			}
			p := out.Pix[out.PixOffset(x, y):]
			for i := range 3 {
				p[i] = uint8(rgb[i]*255 + 0.5)
			}
			p[3] = 255
		}
	}
	return out, nil
}

// stencil paints the colour of the fill where its samples are 0.
func (c *content) stencil(s *stream, data []byte, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	decode := c.file.numbers(c.file.either(s.dict, "Decode", "D"))
	if of := c.state.fill.space; of != nil && of.pattern {
		c.out.Lack("stencils that are painted with a pattern")
	}
	painted := 0
	if len(decode) > 0 && decode[0] == 1 {
		painted = 1
	}
	row := (w + 7) / 8
	for y := 0; y < h && len(data) >= row; y, data = y+1, data[row:] {
		for x := range w {
			if sample(data, x, 1) == painted {
				p := out.Pix[out.PixOffset(x, y):]
				for i := range 3 {
					p[i] = uint8(c.state.fill.rgb[i]*255 + 0.5)
				}
				p[3] = 255
			}
		}
	}
	return out
}

// soften makes a picture as transparent as another one says, of any size.
func (c *content) soften(img *image.RGBA, mask *stream) error {
	f := c.file
	w, h := int(f.number(mask.dict["Width"], 0)), int(f.number(mask.dict["Height"], 0))
	if err := c.out.Affords(w, h); err != nil {
		return err
	}
	data, kind, err := f.unfiltered(mask)
	var m *image.RGBA
	switch {
	case err != nil:
		return err
	case kind == "DCTDecode":
		m, err = c.jpeg(data, w, h)
	case kind != "":
		return fmt.Errorf("pictures packed by '%.40s'", kind)
	default:
		m, err = c.samples(mask, data, w, h, nil)
	}
	if err != nil {
		return err
	}
	size := img.Rect
	for y := range size.Dy() {
		for x := range size.Dx() {
			a := uint32(m.Pix[m.PixOffset(x*w/size.Dx(), y*h/size.Dy())])
			p := img.Pix[img.PixOffset(x, y):][:4]
			for i := range p {
				p[i] = uint8((uint32(p[i])*a + 127) / 255)
			}
		}
	}
	return nil
}

// tooMuch tells whether an error is one of bounds, which ends reading, and not one of a part that is left out.
func tooMuch(err error) bool { return errors.Is(err, vector.ErrTooMuch) }
