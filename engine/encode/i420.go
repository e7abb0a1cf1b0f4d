package encode

import (
	"image"

	"overcrank/engine/raster"
)

// i420Name identifies this form of frames, and how they are converted: another conversion needs another name.
const i420Name = "I420, BT.709, 1"

// What each channel adds to luma (Y) and to both chromas (U, of blue, and V, of red): BT.709 in television range, where luma is 16 to 235 and chroma
// 16 to 240. In 1/32768; those of a chroma have the sum 0, so that grey has no colour.
const (
	yRed, yGreen, yBlue = 5983, 20127, 2032
	uRed, uGreen, uBlue = -3298, -11094, 14392
	vRed, vGreen, vBlue = 14392, -13072, -1320

	lumaBase   = 16<<15 + 1<<14  // with what rounds
	chromaBase = 128<<17 + 1<<16 // of the sum of four pixels
)

// i420Size is the size in bytes of a frame of w by h pixels, both even, in I420: all luma, then a quarter as much of U, and of V.
func i420Size(w, h int) int { return w * h * 3 / 2 }

// fillI420 converts img into buf, a frame of w by h pixels in I420: up to one pixel larger than img, in which case the last column and row are
// repeated. Four pixels share their mean chroma. Transparency is ignored.
func fillI420(buf []byte, w, h int, img *raster.Image) {
	iw, ih := img.Rect.Dx(), img.Rect.Dy()
	luma, u, v := buf[:w*h], buf[w*h:w*h*5/4], buf[w*h*5/4:i420Size(w, h)]
	var wider [2][]byte
	if w > iw {
		wider = [2][]byte{make([]byte, 4*w), make([]byte, 4*w)}
	}
	row := func(y int) []byte {
		from := img.Pix[min(y, ih-1)*img.Stride:][:4*iw]
		if w == iw {
			return from
		}
		to := wider[y%2]
		copy(to, from)
		copy(to[4*iw:], from[4*(iw-1):])
		return to
	}
	for y := 0; y < h; y += 2 {
		at := y / 2 * (w / 2)
		i420Pair(luma[y*w:][:w], luma[(y+1)*w:][:w], u[at:][:w/2], v[at:][:w/2], row(y), row(y+1))
	}
}

// i420Pair converts two rows of pixels.
func i420Pair(y0, y1, u, v, top, bottom []byte) {
	done := 0
	if wide && len(y0) >= 16 {
		done = len(y0) &^ 15
		i420Wide(&y0[0], &y1[0], &u[0], &v[0], &top[0], &bottom[0], done)
	}
	i420Rows(y0[done:], y1[done:], u[done/2:], v[done/2:], top[4*done:], bottom[4*done:])
}

// i420Rows converts two rows of pixels, an even number each.
func i420Rows(y0, y1, u, v, top, bottom []byte) {
	for i := range u {
		t, b := top[8*i:][:8:8], bottom[8*i:][:8:8]
		y0[2*i], y0[2*i+1] = lumaOf(t[0], t[1], t[2]), lumaOf(t[4], t[5], t[6])
		y1[2*i], y1[2*i+1] = lumaOf(b[0], b[1], b[2]), lumaOf(b[4], b[5], b[6])
		red := int32(t[0]) + int32(t[4]) + int32(b[0]) + int32(b[4])
		green := int32(t[1]) + int32(t[5]) + int32(b[1]) + int32(b[5])
		blue := int32(t[2]) + int32(t[6]) + int32(b[2]) + int32(b[6])
		u[i] = uint8((uRed*red + uGreen*green + uBlue*blue + chromaBase) >> 17)
		v[i] = uint8((vRed*red + vGreen*green + vBlue*blue + chromaBase) >> 17)
	}
}

func lumaOf(red, green, blue byte) byte {
	return uint8((yRed*uint32(red) + yGreen*uint32(green) + yBlue*uint32(blue) + lumaBase) >> 15)
}

// i420Picture is a frame of w by h pixels in I420 as a picture, which has its first width by height pixels.
func i420Picture(buf []byte, w, h, width, height int) *raster.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	luma, u, v := buf[:w*h], buf[w*h:w*h*5/4], buf[w*h*5/4:i420Size(w, h)]
	for y := range height {
		row := img.Pix[y*img.Stride:][:4*width]
		for x := range width {
			at := y/2*(w/2) + x/2
			light, blue, red := int32(luma[y*w+x])-16, int32(u[at])-128, int32(v[at])-128
			p := row[4*x:][:4:4]
			p[0] = channel(pictureLight*light + pictureRed*red)
			p[1] = channel(pictureLight*light - pictureGreenBlue*blue - pictureGreenRed*red)
			p[2] = channel(pictureLight*light + pictureBlue*blue)
			p[3] = 255
		}
	}
	return img
}

// What luma and the chromas add to the channels of a picture, in 1/65536.
const (
	pictureLight     = 76309  // 255/219
	pictureRed       = 117489 // 1.5748 * 255/224
	pictureBlue      = 138438 // 1.8556 * 255/224
	pictureGreenBlue = 13975  // 0.0722*1.8556/0.7152 * 255/224
	pictureGreenRed  = 34925  // 0.2126*1.5748/0.7152 * 255/224
)

func channel(v int32) uint8 { return uint8(max(0, min(255, (v+1<<15)>>16))) }
