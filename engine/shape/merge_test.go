package shape_test

import (
	"math"
	"testing"
)

func TestMergePathsCombineWhatIsAboveThem(t *testing.T) {
	// From the top: a square of 40 that lies half on the square of 100 below it.
	small := group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 40, 40), value("ADBE Vector Rect Position", 50, 0))
	for mode, want := range map[float64]float64{1: 10000 + 1600, 2: 10000 + 800, 3: 10000 - 800, 4: 800, 5: 10000, 9: 10000 + 1600} {
		o := outline(t, small, square(), group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", mode)))
		if got := o.Area(); math.Abs(got-want) > 1 {
			t.Errorf("mode %g: the area is %g, want %g", mode, got, want)
		}
	}
	with := outline(t, line(), square(), group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", 2)))
	if cs := with.Contours(); len(cs) != 2 || cs[0].Closed {
		t.Errorf("with a line: %+v", cs)
	}
}

func TestPathsOfTooManyLinesAreNotMerged(t *testing.T) {
	many := group("ADBE Vector Filter - Zigzag", value("ADBE Vector Zigzag Size", 2), value("ADBE Vector Zigzag Detail", 900))
	o := limited(t, square(), square(), many, group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", 4)))
	if n := len(o.Contours()); n != 2 {
		t.Errorf("%d contours, want those of both squares", n)
	}
}

func TestMergedPathsMoveWithTheirGroups(t *testing.T) {
	moved := group("ADBE Vector Group", group("ADBE Vectors Group", square()),
		group("ADBE Vector Transform Group", value("ADBE Vector Position", 50, 0)))
	o := outline(t, moved, square(), group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", 4)))
	if got := o.Bounds(); math.Abs(o.Area()-5000) > 1 || math.Abs(got.MinX) > 0.01 {
		t.Errorf("an area of %g within %+v", o.Area(), got)
	}
}
