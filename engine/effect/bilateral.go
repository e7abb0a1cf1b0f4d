package effect

import (
	"image"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// bilateral is Bilateral Blur: each pixel is mixed with those around it that are about as bright.
type bilateral struct{ radius, threshold, colorize eval.Number }

func newBilateral(p Params) Effect {
	p.Lack("the exact weights")
	return &bilateral{p.Number("0001", 5), p.Number("0002", 10), p.Number("0003", 1)}
}

func (e *bilateral) Draw(f *Frame, img *raster.Image) error {
	s := f.Number(&e.radius) * BlurSigma * f.Scale()
	share := max(0, min(1, f.Number(&e.threshold)/100))
	if f.Choice(&e.colorize) == 0 {
		recolor(img, func(c [3]float64) [3]float64 { v := luma(c); return [3]float64{v, v, v} })
	}
	blurAlike(f, img, raster.Gaussian(s, s), share, func(distance float64) float64 { return math.Exp(-distance * distance / 2) })
	return nil
}

// The brightnesses by which blurAlike tells pixels apart at most, and how far these may lie apart for what lies between them, in spreads.
const (
	mostShades  = 17
	shadeSpread = 3.0
)

// blurAlike mixes each pixel with those around it by how alike they are: weight is that of a difference in brightness, which is told in spreads, where 1 is from
// black to white. Transparency stays. It blurs what is about as bright as each of several shades, and mixes the two results that are nearest to each pixel
// (Yang, Tan, Ahuja: Real-Time O(1) Bilateral Filtering, 2009).
func blurAlike(f *Frame, img *raster.Image, b raster.Blurring, spread float64, weight func(distance float64) float64) {
	if b.Reach() == 0 || spread <= 0 || img.Rect.Empty() {
		return
	}
	shades := max(2, min(mostShades, int(math.Ceil(1/spread))+1))
	step := 1 / float64(shades-1)
	spread = max(spread, step/shadeSpread)
	lights := lightsOf(img)
	before, release := f.Host.Surface(img.Rect)
	defer release()
	copy(before.Pix, img.Pix)
	below, release := f.Host.Surface(img.Rect)
	defer release()
	at, release := f.Host.Surface(img.Rect)
	defer release()
	for k := range shades {
		var weights [256]uint32
		for i := range weights {
			weights[i] = uint32(255*weight((float64(i)/255-float64(k)*step)/spread) + 0.5)
		}
		for i, light := range lights {
			w := weights[light]
			for c, v := range before.Pix[4*i : 4*i+4] {
				at.Pix[4*i+c] = uint8((uint32(v)*w + 127) / 255)
			}
		}
		b.Image(at)
		if k > 0 {
			between(img, below, at, lights, float64(k-1)*step, step)
		}
		below, at = at, below
	}
}

// between gives the pixels whose brightness lies in a step their colours: of a and b, by how near they are to its ends.
func between(img, a, b *raster.Image, lights []uint8, from, step float64) {
	for i, light := range lights {
		share := (float64(light)/255 - from) / step
		if share < 0 || share > 1 {
			continue
		}
		var sum [4]float64
		for c := range sum {
			sum[c] = float64(a.Pix[4*i+c])*(1-share) + float64(b.Pix[4*i+c])*share
		}
		if sum[3] < 1 { // nothing around is alike
			continue
		}
		px := img.Pix[4*i : 4*i+4 : 4*i+4]
		alpha := float64(px[3])
		for c := range 3 {
			px[c] = channel(sum[c]/sum[3]*alpha, alpha)
		}
	}
}

// lightsOf is the brightness of each pixel, row by row, without regard to its transparency.
func lightsOf(img *raster.Image) []uint8 {
	out := make([]uint8, 0, len(img.Pix)/4)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px, v := img.Pix[i:i+4:i+4], 0.0
		if a := float64(px[3]); a > 0 {
			v = luma([3]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a})
		}
		out = append(out, uint8(unit(v)*255+0.5))
	}
	return out
}

// edges is where the brightness of neighbours differs by more than a share of that from black to white.
func edges(lights []uint8, r image.Rectangle, share float64) *image.Alpha {
	out := image.NewAlpha(r)
	w, h := r.Dx(), r.Dy()
	differs := func(i, j int) bool { return math.Abs(float64(lights[i])-float64(lights[j])) > share*255 }
	for y := range h {
		for x := range w {
			i := y*w + x
			if x+1 < w && differs(i, i+1) || y+1 < h && differs(i, i+w) {
				out.Pix[y*out.Stride+x] = 255
			}
		}
	}
	return out
}
