package effect

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// transformFourier replaces v, whose length is a power of two, by its discrete Fourier transform. Cooley and Tukey, 1965.
func transformFourier(v []complex128) {
	n := len(v)
	if n < 2 {
		return
	}
	shift := 64 - bits.Len(uint(n-1))
	for i := range v {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			v[i], v[j] = v[j], v[i]
		}
	}
	for size := 2; size <= n; size *= 2 {
		step := cmplx.Rect(1, -2*math.Pi/float64(size))
		for from := 0; from < n; from += size {
			w := complex(1, 0)
			for i := from; i < from+size/2; i++ {
				a, b := v[i], v[i+size/2]*w
				v[i], v[i+size/2] = a+b, a-b
				w *= step
			}
		}
	}
}

// spectrum is how loud a sound is at each of the frequencies k·rate/(2·len): a sine of amplitude 1 is 1. The sound is seen through a Hann
// window.
func spectrum(samples []float32) []float64 {
	if len(samples) < 2 {
		return nil
	}
	n := 1 << bits.Len(uint(len(samples)-1))
	v := make([]complex128, n)
	sum := 0.0
	for i, s := range samples {
		w := 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/float64(len(samples)))
		sum += w
		v[i] = complex(float64(s)*w, 0)
	}
	transformFourier(v)
	out := make([]float64, n/2)
	for i := range out {
		out[i] = 2 * cmplx.Abs(v[i]) / sum
	}
	return out
}
