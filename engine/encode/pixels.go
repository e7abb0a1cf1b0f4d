package encode

import "overcrank/engine/raster"

// fill copies img into the rows of buf, which is w by h pixels: up to one pixel larger than img, in which case the last
// column and row are repeated. With alpha the colours are converted to straight ones, as files store them.
func fill(buf []byte, w, h int, img *raster.Image, alpha bool) {
	iw, ih := img.Rect.Dx(), img.Rect.Dy()
	for y := range ih {
		row := img.Pix[y*img.Stride : y*img.Stride+4*iw]
		out := buf[y*4*w : (y+1)*4*w]
		copy(out, row)
		if alpha {
			straighten(out[:4*iw])
		}
		if w > iw {
			copy(out[4*iw:], out[4*(iw-1):4*iw])
		}
	}
	if h > ih {
		copy(buf[ih*4*w:], buf[(ih-1)*4*w:ih*4*w])
	}
}

// straighten converts premultiplied colours to straight ones.
func straighten(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		a := uint32(p[3])
		if a == 255 || a == 0 {
			continue
		}
		p[0] = uint8(min(255, (uint32(p[0])*255+a/2)/a))
		p[1] = uint8(min(255, (uint32(p[1])*255+a/2)/a))
		p[2] = uint8(min(255, (uint32(p[2])*255+a/2)/a))
	}
}
