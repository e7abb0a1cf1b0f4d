package geom_test

import (
	"reflect"
	"testing"

	"overcrank/engine/geom"
)

func TestAnOutlineIsMadeOfItsContoursAgain(t *testing.T) {
	var open, mixed geom.Outline
	open.Move(1, 2)
	open.Line(3, 4)
	open.Cubic(5, 6, 7, 8, 9, 10)
	mixed.Append(geom.EllipseOutline(0, 0, 10, 20))
	mixed.Append(open)
	mixed.Append(geom.RectOutline(0, 0, 10, 20, 3))
	for name, o := range map[string]geom.Outline{
		"open": open, "rectangle": geom.RectOutline(1, 2, 10, 20, 0), "rounded": geom.RectOutline(1, 2, 10, 20, 4),
		"ellipse": geom.EllipseOutline(1, 2, 10, 20), "several": mixed,
	} {
		var again geom.Outline
		for _, c := range o.Contours() {
			again.Add(c)
		}
		if !reflect.DeepEqual(again, o) {
			t.Errorf("%s: got %+v, want %+v", name, again, o)
		}
	}
}

func TestAContourDoesNotHaveItsBeginningTwice(t *testing.T) {
	var o geom.Outline
	o.Move(0, 0)
	o.Line(10, 0)
	o.Line(10, 10)
	o.Line(0, 0)
	o.Close()
	cs := o.Contours()
	if len(cs) != 1 || !cs[0].Closed || len(cs[0].Knots) != 3 || cs[0].Segments() != 3 {
		t.Fatalf("got %+v", cs)
	}
	if last := cs[0].Segment(2); last != (geom.Curve{{X: 10, Y: 10}, {X: 10, Y: 10}, {}, {}}) {
		t.Errorf("it closes by %v", last)
	}
}
