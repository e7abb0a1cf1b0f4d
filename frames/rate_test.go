package frames

import "testing"

func TestExactRates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate     float64
		num, den int64
	}{{25, 25, 1}, {29.97, 30000, 1001}, {23.976, 24000, 1001}, {59.94, 60000, 1001}, {30, 30, 1}, {12.5, 25, 2}, {15, 15, 1}} {
		if n, d := Rate(c.rate, 0, 0); n != c.num || d != c.den {
			t.Errorf("%g is %d/%d", c.rate, n, d)
		}
	}
	if n, d := Rate(25, 25600, 1024); n != 25 || d != 1 {
		t.Errorf("25 in ticks is %d/%d", n, d)
	}
}
