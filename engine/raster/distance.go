package raster

import (
	"image"
	"math"
)

// far is the distance to a shape that there is not.
const far = float32(1e6)

// Distance is how far each pixel of a mask lies outside of what it covers, in pixels, row by row: below 0.5 where the pixel is covered in part,
// not above -0.5 where it is covered wholly. Beyond its bounds a mask covers nothing.
//
// It is the exact Euclidean distance to the pixels that are covered by more than a half (Felzenszwalb and Huttenlocher, Distance Transforms of
// Sampled Functions, 2012), made finer than a pixel by how much those nearest are covered (Gustavson and Strand, Anti-aliased Euclidean distance
// transform, 2011).
func Distance(m *image.Alpha) []float32 {
	w := m.Rect.Dx()
	out := make([]float32, w*m.Rect.Dy())
	for i := range out {
		out[i] = far
	}
	NearestCovered(m, func(x, y, nx, ny int) { out[y*w+x] = finer(m, x, y, nx, ny) })
	return out
}

// NearestCovered calls each with the place of every pixel of a mask and that of the nearest one that is covered by more than a half, if there is one; both count from the
// mask's corner.
func NearestCovered(m *image.Alpha, each func(x, y, nx, ny int)) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if w == 0 || h == 0 {
		return
	}
	rows := nearestInColumns(m, w, h)
	e := envelope{at: make([]int32, w), from: make([]float32, w+1)}
	for y := range h {
		e.build(rows[y*w:][:w], y)
		k := 0
		for x := range w {
			for k+1 < e.n && e.from[k+1] <= float32(x) {
				k++
			}
			if e.n > 0 {
				nx := int(e.at[k])
				each(x, y, nx, int(rows[y*w+nx]))
			}
		}
	}
}

// none is the row of a column that has no covered pixel.
const none = int32(math.MaxInt32)

// nearestInColumns is, for each pixel, the row of the nearest pixel of its column that is covered by more than a half.
func nearestInColumns(m *image.Alpha, w, h int) []int32 {
	rows := make([]int32, w*h)
	for y := range h {
		for x, k := range m.Pix[y*m.Stride:][:w] {
			switch {
			case k > 127:
				rows[y*w+x] = int32(y)
			case y > 0:
				rows[y*w+x] = rows[(y-1)*w+x]
			default:
				rows[x] = none
			}
		}
	}
	for y := h - 2; y >= 0; y-- {
		for x := range w {
			here, below := rows[y*w+x], rows[(y+1)*w+x]
			if below != none && (here == none || int(below)-y < y-int(here)) {
				rows[y*w+x] = below
			}
		}
	}
	return rows
}

// envelope is the lower envelope of parabolas over a row: which column is the nearest to each of its pixels.
type envelope struct {
	n    int
	at   []int32   // columns
	from []float32 // where each begins to be the nearest
}

func (e *envelope) build(rows []int32, y int) {
	e.n = 0
	height := func(x int32) float64 { d := float64(rows[x]) - float64(y); return d*d + float64(x)*float64(x) }
	for x := range int32(len(rows)) {
		if rows[x] == none {
			continue
		}
		begins := float32(math.Inf(-1))
		for e.n > 0 {
			last := e.at[e.n-1]
			begins = float32((height(x) - height(last)) / (2 * float64(x-last)))
			if begins > e.from[e.n-1] {
				break
			}
			e.n--
			begins = float32(math.Inf(-1))
		}
		e.at[e.n], e.from[e.n] = x, begins
		e.n++
	}
}

// finer is the distance from pixel (x, y) to the edge that runs through the pixels around its nearest one.
func finer(m *image.Alpha, x, y, nx, ny int) float32 {
	best := far
	for j := max(0, ny-1); j <= min(m.Rect.Dy()-1, ny+1); j++ {
		row := m.Pix[j*m.Stride:]
		for i := max(0, nx-1); i <= min(m.Rect.Dx()-1, nx+1); i++ {
			if k := row[i]; k != 0 {
				dx, dy := float64(i-x), float64(j-y)
				best = min(best, float32(math.Sqrt(dx*dx+dy*dy))+0.5-float32(k)/255)
			}
		}
	}
	return best
}

// Grow makes what a mask covers larger by some pixels on all sides, with round corners, within its bounds.
func Grow(m *image.Alpha, by float64) {
	if !(by > 0) {
		return
	}
	for i, d := range Distance(m) {
		at := i/m.Rect.Dx()*m.Stride + i%m.Rect.Dx()
		k := min(1, max(0, float32(by)+0.5-d))
		m.Pix[at] = max(m.Pix[at], uint8(k*255+0.5))
	}
}
