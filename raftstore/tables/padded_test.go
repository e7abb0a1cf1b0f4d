package tables

import (
	"fmt"
	"math"
	"testing"
)

// TestNumbersInKeysStayAsTheyWere: a key that is written otherwise than by earlier releases finds none of their rows.
func TestNumbersInKeysStayAsTheyWere(t *testing.T) {
	for _, digits := range []int{7, 10} {
		for _, n := range []int64{0, 1, 9, 10, 20_785, 999_999, 1_000_000, 9_999_999, 10_000_000, 9_999_999_999, 10_000_000_000, math.MaxInt64, -1, -12_345_678, math.MinInt64} {
			if got, want := padded(n, digits), fmt.Sprintf("%0*d", digits, n); got != want {
				t.Errorf("%d in %d digits is %q, and was %q", n, digits, got, want)
			}
		}
	}
}
