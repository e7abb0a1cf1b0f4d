package render

import (
	"testing"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

func TestOnlyPlacesOfLateAreKept(t *testing.T) {
	p, of := &places{}, &eval.Transform{}
	for i := range 3 * maxPlaces {
		p.Put(of, float64(i), geom.Translate(float64(i), 0))
		if m, ok := p.Find(of, float64(max(0, i-maxPlaces))); !ok || m.E != float64(max(0, i-maxPlaces)) {
			t.Fatalf("%d: %v, %v", i, m, ok)
		}
	}
	if _, ok := p.Find(of, 0); ok || len(p.late)+len(p.before) > 2*maxPlaces {
		t.Errorf("%d places are kept", len(p.late)+len(p.before))
	}
	if _, ok := p.Find(&eval.Transform{}, 3*maxPlaces-1); ok {
		t.Error("a layer has the place of another")
	}
}
