package shape_test

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
)

// TestTheBoxOfAShapeFollowsItsOperators has boxes that can be reckoned by hand.
func TestTheBoxOfAShapeFollowsItsOperators(t *testing.T) {
	t.Parallel()
	stroke := group("ADBE Vector Graphic - Stroke", value("ADBE Vector Stroke Width", 10))
	half := group("ADBE Vector Filter - Trim", value("ADBE Vector Trim End", 50))
	three := group("ADBE Vector Filter - Repeater", value("ADBE Vector Repeater Copies", 3),
		group("ADBE Vector Repeater Transform", value("ADBE Vector Repeater Position", 40, 0)))
	moved := group("ADBE Vector Group", group("ADBE Vectors Group", square(), stroke),
		group("ADBE Vector Transform Group", value("ADBE Vector Position", 100, 0), value("ADBE Vector Scale", 200, 100)))
	for name, c := range map[string]struct {
		contents []*aep.Property
		strokes  bool
		want     geom.Rect
	}{
		"nothing":                 {nil, true, geom.Rect{}},
		"a square":                {[]*aep.Property{square()}, true, geom.Rect{MinX: -50, MinY: -50, MaxX: 50, MaxY: 50}},
		"a circle":                {[]*aep.Property{group("ADBE Vector Shape - Ellipse")}, false, geom.Rect{MinX: -50, MinY: -50, MaxX: 50, MaxY: 50}},
		"without its stroke":      {[]*aep.Property{square(), stroke}, false, geom.Rect{MinX: -50, MinY: -50, MaxX: 50, MaxY: 50}},
		"with its stroke":         {[]*aep.Property{square(), stroke}, true, geom.Rect{MinX: -55, MinY: -55, MaxX: 55, MaxY: 55}},
		"a line":                  {[]*aep.Property{line()}, false, geom.Rect{MaxX: 30}},
		"a line that is trimmed":  {[]*aep.Property{line(), half}, false, geom.Rect{MaxX: 15}},
		"a line that is repeated": {[]*aep.Property{line(), three}, false, geom.Rect{MaxX: 110}},
		"within a group":          {[]*aep.Property{moved}, false, geom.Rect{MinY: -50, MaxX: 200, MaxY: 50}},
		"with the group's stroke": {[]*aep.Property{moved}, true, geom.Rect{MinX: -10, MinY: -55, MaxX: 210, MaxY: 55}},
	} {
		got := filled(c.contents...).Rect(nil, 0, c.strokes)
		if d := math.Abs(got.MinX-c.want.MinX) + math.Abs(got.MaxX-c.want.MaxX) + math.Abs(got.MinY-c.want.MinY) + math.Abs(got.MaxY-c.want.MaxY); !(d < 0.05) {
			t.Errorf("%s lies in %+v, want %+v", name, got, c.want)
		}
	}
}
