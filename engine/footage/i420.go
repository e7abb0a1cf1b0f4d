package footage

import (
	"math"

	"overcrank/engine/raster"
)

// Films mostly have a colour for four pixels (I420). Their frames come from ffmpeg as they are, and are converted here: that is 1.5 instead of 4 bytes
// a pixel through a pipe. The arithmetic is that of libswscale's fast way for x86, to the last bit, so that a film has the same pixels whichever of
// the two converts it.

// matrix is what the chromas of a pixel add to its channels, in 1/8192 for a step of U (blue) or V (red).
type matrix struct{ red, blue, greenBlue, greenRed int16 }

// What luma and chroma come to in television range, where luma has 219 steps and chroma 224.
const (
	lumaStep   = 9539 // 255/219, in 1/8192
	chromaStep = 255.0 / 224 * 8192
	lumaBlack  = 16
	chromaGrey = 128
)

// matrixFor is the matrix of a standard by the shares of red and blue in its luma.
func matrixFor(red, blue float64) *matrix {
	step := func(v float64) int16 { return int16(math.Round(v * chromaStep)) }
	toRed, toBlue, green := 2*(1-red), 2*(1-blue), 1-red-blue
	return &matrix{red: step(toRed), blue: step(toBlue), greenBlue: step(-toBlue * blue / green), greenRed: step(-toRed * red / green)}
}

// matrixOf is the matrix that ffmpeg calls so; nil when it is none of these.
func matrixOf(name string) *matrix {
	switch name {
	case "bt709":
		return matrixFor(0.2126, 0.0722)
	case "", "unknown", "smpte170m", "bt470bg": // what ffmpeg takes films for that do not say it
		return matrixFor(0.299, 0.114)
	case "smpte240m":
		return matrixFor(0.212, 0.087)
	case "bt2020nc":
		return matrixFor(0.2627, 0.0593)
	}
	return nil
}

// i420Size is the size in bytes of a frame of w by h pixels, both even: all luma, then a quarter as much of U, and of V.
func i420Size(w, h int) int { return w * h * 3 / 2 }

// draw draws a frame of the size of img: in I420, where that is even and four pixels have the same chroma, or with a chroma for each pixel.
func (m *matrix) draw(img *raster.Image, frame []byte) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	luma, u, v := frame[:w*h], frame[w*h:(len(frame)+w*h)/2], frame[(len(frame)+w*h)/2:]
	shared := 1
	if len(u) < len(luma) {
		shared = 2
	}
	for y := range h {
		at := y / shared * (w / shared)
		m.row(img.Pix[y*img.Stride:][:4*w], luma[y*w:][:w], u[at:][:w/shared], v[at:][:w/shared])
	}
}

// row converts a row of pixels: of an even number with half as many chromas, or with one for each.
func (m *matrix) row(row, luma, u, v []byte) {
	done := 0
	if wide && len(luma) >= 16 {
		done = len(luma) &^ 15
		if len(u) < len(luma) {
			i420Wide(&row[0], &luma[0], &u[0], &v[0], done, m)
		} else {
			i444Wide(&row[0], &luma[0], &u[0], &v[0], done, m)
		}
	}
	shared := 0
	if len(u) < len(luma) {
		shared = 1
	}
	m.rowInGo(row[4*done:], luma[done:], u[done>>shared:], v[done>>shared:], shared)
}

// rowInGo converts a row of which 1<<shared pixels have the same chroma.
func (m *matrix) rowInGo(row, luma, u, v []byte, shared int) {
	for i, y := range luma {
		light := high(y, lumaBlack, lumaStep)
		p := row[4*i:][:4:4]
		blue, red := u[i>>shared], v[i>>shared]
		p[0] = limited(light + high(red, chromaGrey, m.red))
		p[1] = limited(light + high(blue, chromaGrey, m.greenBlue) + high(red, chromaGrey, m.greenRed))
		p[2] = limited(light + high(blue, chromaGrey, m.blue))
		p[3] = 255
	}
}

// high is how far a value lies from its zero, in eighths, times a step: the upper half of 32 bits.
func high(value byte, zero int32, step int16) int32 {
	return (int32(value) - zero) * 8 * int32(step) >> 16
}

func limited(v int32) byte { return byte(max(0, min(255, v))) }
