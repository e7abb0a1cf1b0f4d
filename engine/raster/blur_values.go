package raster

// BlurValues blurs numbers, in rows of w, by a standard deviation in pixels: as Blur does, without rounding. Beyond its border lies its border again.
func BlurValues(v []float32, w int, sigma float64) {
	if w <= 0 {
		return
	}
	h := len(v) / w
	line := make([]float32, max(w, h))
	sums := make([]float64, max(w, h)+1)
	for _, radius := range boxRadii(sigma) {
		for y := range h {
			meanOf(v[y*w:], 1, w, int(radius), line, sums)
		}
		for x := range w {
			meanOf(v[x:], w, h, int(radius), line, sums)
		}
	}
}

// meanOf replaces n values, step apart, by the means of those up to r around them.
func meanOf(v []float32, step, n, r int, line []float32, sums []float64) {
	for i := range n {
		line[i] = v[i*step]
		sums[i+1] = sums[i] + float64(line[i])
	}
	first, last := float64(line[0]), float64(line[n-1])
	for i := range n {
		from, to := i-r, i+r+1
		sum := sums[min(n, to)] - sums[max(0, from)] + first*float64(max(0, -from)) + last*float64(max(0, to-n))
		v[i*step] = float32(sum / float64(2*r+1))
	}
}
