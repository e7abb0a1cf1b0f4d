package effect

import (
	"math"
	"testing"
)

func TestWhatLiesBeyondTheBorder(t *testing.T) {
	cases := []struct {
		how       edge
		at, wants float64
	}{
		{edgeNothing, -3, -3}, {edgeNothing, 13, 13},
		{edgeRepeat, -3, 0.5}, {edgeRepeat, 13, 9.5}, {edgeRepeat, 4, 4},
		{edgeTile, -3, 7}, {edgeTile, 13, 3}, {edgeTile, 23, 3},
		{edgeMirror, -3, 3}, {edgeMirror, 13, 7}, {edgeMirror, 23, 3},
	}
	for _, c := range cases {
		if got := c.how.fold(c.at, 10); math.Abs(got-c.wants) > 1e-12 {
			t.Errorf("%v of kind %d lies at %v, want %v", c.at, c.how, got, c.wants)
		}
	}
}
