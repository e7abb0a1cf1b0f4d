package effect

import (
	"image"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// mosaic is Mosaic: blocks of the mean of their pixels, or of the colour in their middle.
type mosaic struct{ across, down, sharp eval.Number }

func newMosaic(p Params) Effect {
	return &mosaic{p.Number("0001", 10), p.Number("0002", 10), p.Number("0003", 0)}
}

func (e *mosaic) Draw(f *Frame, img *raster.Image) error {
	// Blocks divide the layer, also the part of it that lies beyond the picture.
	layer := raster.PixelRect(geom.Rect{MaxX: f.Size.X, MaxY: f.Size.Y}.Transform(f.Matrix))
	part := layer.Intersect(img.Rect)
	if part.Empty() {
		return nil
	}
	nx := max(1, min(layer.Dx(), whole(f.Number(&e.across))))
	ny := max(1, min(layer.Dy(), whole(f.Number(&e.down))))
	sharp := f.Choice(&e.sharp) != 0
	starts := func(i, n, from, size int) int { return from + i*size/n }
	for j := range ny {
		y0, y1 := max(part.Min.Y, starts(j, ny, layer.Min.Y, layer.Dy())), min(part.Max.Y, starts(j+1, ny, layer.Min.Y, layer.Dy()))
		if y0 >= y1 {
			continue
		}
		for i := range nx {
			x0, x1 := max(part.Min.X, starts(i, nx, layer.Min.X, layer.Dx())), min(part.Max.X, starts(i+1, nx, layer.Min.X, layer.Dx()))
			if x0 < x1 {
				block, _ := img.SubImage(image.Rect(x0, y0, x1, y1)).(*raster.Image)
				even(block, sharp)
			}
		}
	}
	return nil
}

// even gives all pixels of img the mean of all, or the colour of the one in the middle.
func even(img *raster.Image, middle bool) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var c raster.Color
	if middle {
		c = raster.Color(img.Pix[h/2*img.Stride+4*(w/2):])
	} else {
		var sums [4]uint64
		for y := range h {
			row := img.Pix[y*img.Stride:][:4*w]
			for i := 0; i+3 < len(row); i += 4 {
				sums[0] += uint64(row[i])
				sums[1] += uint64(row[i+1])
				sums[2] += uint64(row[i+2])
				sums[3] += uint64(row[i+3])
			}
		}
		n := uint64(w * h)
		for i := range c {
			c[i] = uint8((sums[i] + n/2) / n)
		}
	}
	raster.FillRect(img, img.Rect, c)
}
