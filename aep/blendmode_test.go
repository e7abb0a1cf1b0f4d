package aep_test

import (
	"strings"
	"testing"

	"overcrank/aep"
)

// The flag beside the mode shares its byte with the switch that preserves transparency.
func TestDissolveDancesByAFlagOfItsOwn(t *testing.T) {
	for _, mode := range []aep.BlendMode{aep.BlendDissolve, aep.BlendDancingDissolve, aep.BlendMultiply} {
		for _, preserve := range []bool{false, true} {
			p := written()
			l := p.Items[0].Comp.Layers[0]
			l.Blend, l.PreserveTransparency = mode, preserve
			if got := rewritten(t, p).Items[0].Comp.Layers[0]; got.Blend != mode || got.PreserveTransparency != preserve {
				t.Errorf("%s, preserving %v: got %s, preserving %v", mode, preserve, got.Blend, got.PreserveTransparency)
			}
		}
	}
}

func TestEveryBlendModeHasAName(t *testing.T) {
	seen := make(map[string]bool)
	for _, mode := range aep.BlendModes() {
		name := mode.String()
		if seen[name] || strings.HasPrefix(name, "number") {
			t.Errorf("mode %d is called %q", int(mode), name)
		}
		seen[name] = true
	}
	for mode, want := range map[aep.BlendMode]string{0: "Normal", 1: "number 1", -1: "number -1", 39: "number 39", 999: "number 999"} {
		if got := mode.String(); got != want {
			t.Errorf("mode %d is called %q, want %q", int(mode), got, want)
		}
	}
}
