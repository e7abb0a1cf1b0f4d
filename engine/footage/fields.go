package footage

import (
	"context"
	"image"

	"overcrank/engine/raster"
)

// Fields is the order of the fields of an interlaced film.
type Fields int

// The orders of fields.
const (
	NoFields   Fields = iota
	UpperFirst        // the field with the topmost line was taken first
	LowerFirst
)

// fieldReader shows each field of an interlaced film for its own half of a frame, with the lines between those of the field made of their
// neighbours.
type fieldReader struct {
	reader
	lib   *Library
	order Fields
}

// fielded is a film with its fields separated: twice as many pictures.
func fielded(l *Library, info Info, film reader, order Fields) *Source {
	info.FrameRate *= 2
	return &Source{Info: info, reader: &fieldReader{reader: film, lib: l, order: order}}
}

func (f *fieldReader) frame(ctx context.Context, n, halvings, _ int) (*raster.Image, error) {
	key := picture{f, n, halvings}
	if img := f.lib.get(key); img != nil {
		return img, nil
	}
	whole, err := f.reader.frame(ctx, n/2, 0, 0)
	if err != nil {
		return nil, err
	}
	first := 0 // the first line of the field
	if (n%2 == 1) == (f.order == UpperFirst) {
		first = 1
	}
	img := halve(field(whole, first), halvings)
	f.lib.put(key, img)
	return img, nil
}

func (f *fieldReader) rest() bool {
	f.lib.dropAll(f)
	return f.reader.rest()
}

func (f *fieldReader) close() error {
	f.lib.dropAll(f)
	return f.reader.close()
}

// field is the picture of every second line from first on. The lines between them are the mean of their neighbours.
func field(whole *raster.Image, first int) *raster.Image {
	w, h := whole.Rect.Dx(), whole.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	line := func(y int) []uint8 {
		switch { // beyond the edges there is only the nearest line of the field
		case y < first:
			y = min(first, h-1)
		case y >= h:
			y -= 2
		}
		return whole.Pix[max(y, 0)*whole.Stride:][:4*w]
	}
	for y := range h {
		to := out.Pix[y*out.Stride:][:4*w]
		if y%2 == first {
			copy(to, line(y))
			continue
		}
		above, below := line(y-1), line(y+1)
		for i := range to {
			to[i] = uint8((uint(above[i]) + uint(below[i]) + 1) / 2)
		}
	}
	return out
}
