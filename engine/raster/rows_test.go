package raster

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"
)

// noise are pixels of every kind: transparent, opaque and between, some with more colour than alpha, as effects may leave them.
func noise(r *rand.Rand, n int) []uint8 {
	pix := make([]uint8, 4*n)
	for i := range n {
		p := pix[4*i : 4*i+4]
		alpha := [...]int{0, 255, r.IntN(256), r.IntN(256)}[r.IntN(4)]
		for c := range 3 {
			p[c] = uint8(r.IntN(alpha + 1))
		}
		if r.IntN(50) == 0 {
			p[r.IntN(3)] = 255
		}
		p[3] = uint8(alpha)
	}
	return pix
}

// twins runs both functions on the same pixels, which they change, and compares them.
func twins(t *testing.T, name string, pix []uint8, inGo, here func(pix []uint8)) {
	t.Helper()
	want, got := bytes.Clone(pix), bytes.Clone(pix)
	inGo(want)
	here(got)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: pixel %d of %d is %v, want %v", name, i/4, len(pix)/4, got[i&^3:i&^3+4], want[i&^3:i&^3+4])
		}
	}
}

func TestRowsAreTheSameOnEveryProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := r.IntN(70)
		src, color, k := noise(r, n), r.Uint32(), uint32(r.IntN(256))
		cov := make([]uint8, n)
		for i := range cov {
			cov[i] = [...]uint8{0, 255, uint8(r.Uint32())}[r.IntN(3)]
		}
		pix := noise(r, n)
		twins(t, "normal", pix, func(p []uint8) { normalRow(p, src) }, func(p []uint8) { Normal(p, src, Span{}) })
		onto := noise(r, n)
		for i := range r.IntN(n + 1) { // the first lie on something opaque
			onto[4*i+3] = 255
		}
		twins(t, "multiply", onto, func(p []uint8) { multiplyRow(p, src) }, func(p []uint8) { Multiply(p, src, Span{}) })
		twins(t, "fade", pix, func(p []uint8) { scaleRow(p, src, k) }, func(p []uint8) { fade(p, src, k) })
		twins(t, "behind", pix, func(p []uint8) { behindRow(p, color|0xff000000) }, func(p []uint8) { behind(p, color|0xff000000) })
		twins(t, "cover", pix, func(p []uint8) { coverRow(p, cov, color) }, func(p []uint8) { cover(p, cov, color) })
	}
}

func TestPicturesAreReadTheSameOnEveryProcessor(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		w, h := 1+r.IntN(60), 1+r.IntN(60)
		whole := &Image{Pix: noise(r, (w+3)*(h+2)), Stride: 4 * (w + 3), Rect: image.Rect(0, 0, w+3, h+2)}
		src, _ := whole.SubImage(image.Rect(2, 1, 2+w, 1+h)).(*Image)
		s := sampler{src: src, k: [...]uint32{256, uint32(r.IntN(257))}[r.IntN(2)], w: w, h: h}
		n := r.IntN(80)
		at := func(size int) int64 { return r.Int64N(int64(size+4)<<fixed) - 2<<fixed }
		u, v := at(w), at(h)
		du, dv := r.Int64N(4<<fixed)-2<<fixed, r.Int64N(4<<fixed)-2<<fixed
		twins(t, "bilinear", make([]uint8, 4*n), func(p []uint8) { s.edge(p, 0, n, u, v, du, dv) }, func(p []uint8) { s.bilinear(p, n, u, v, du, dv) })
	}
}

func TestAPictureThatIsTooLargeForTheFastWayIsRead(t *testing.T) {
	const w = 1 << 15
	src := image.NewRGBA(image.Rect(0, 0, w, 2))
	for i := range src.Pix {
		src.Pix[i] = uint8(i >> 8)
	}
	s := sampler{src: src, k: 256, w: w, h: 2}
	u := int64(w-40) << fixed
	twins(t, "far", make([]uint8, 4*30), func(p []uint8) { s.edge(p, 0, 30, u, 0, 1<<fixed, 0) }, func(p []uint8) { s.bilinear(p, 30, u, 0, 1<<fixed, 0) })
}
