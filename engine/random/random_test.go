package random_test

import (
	"math"
	"testing"

	"overcrank/engine/random"
)

// Each tenth of the range has a tenth of the numbers, and neighbours tell nothing of each other.
func TestNumbersAreSpreadEvenly(t *testing.T) {
	const side = 300
	var tenths [10]int
	var product, mean float64
	for y := range side {
		for x := range side {
			v := random.At(7, x, y, 0)
			tenths[int(v*10)]++
			mean += v
			product += (v - 0.5) * (random.At(7, x+1, y, 0) - 0.5)
		}
	}
	const n = side * side
	for i, k := range tenths {
		if math.Abs(float64(k)-n/10) > 0.05*n/10 {
			t.Errorf("tenth %d has %d numbers of %d", i, k, n)
		}
	}
	if math.Abs(mean/n-0.5) > 0.005 || math.Abs(product/n) > 0.002 {
		t.Errorf("the mean is %v, neighbours correlate by %v", mean/n, product/n)
	}
}
