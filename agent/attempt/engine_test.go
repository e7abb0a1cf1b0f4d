package attempt

import (
	"testing"

	"overcrank/farm"
)

func TestEngineIsChosenAsTheJobNeedsIt(t *testing.T) {
	t.Parallel()
	embedded := farm.EngineInfo{Kind: farm.EngineEmbedded}
	ae26, ae25 := farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2"}, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "25.6"}
	studio, plain := farm.Inventory{Engines: []farm.EngineInfo{embedded, ae26, ae25}}, farm.Inventory{Engines: []farm.EngineInfo{embedded}}
	cases := []struct {
		inv     farm.Inventory
		wanted  string
		kind    string
		preview bool
		want    farm.EngineInfo
		ok      bool
	}{
		{studio, "", "", false, ae26, true}, {studio, "ae2025", "", false, ae25, true}, {studio, "", "", true, embedded, true},
		{plain, "", "", false, embedded, true}, {plain, "ae2026", "", false, farm.EngineInfo{}, false}, {studio, "ae2024", "", false, farm.EngineInfo{}, false},
		{studio, "", farm.EngineEmbedded, false, embedded, true}, {studio, "ae2025", farm.EngineAfterEffects, false, ae25, true},
		{plain, "ae2026", farm.EngineEmbedded, false, embedded, true}, {plain, "", farm.EngineAfterEffects, false, farm.EngineInfo{}, false},
	}
	for _, c := range cases {
		if got, ok := chooseEngine(c.inv, c.wanted, c.kind, c.preview); got != c.want || ok != c.ok {
			t.Errorf("%q, preview %t: %+v", c.wanted, c.preview, got)
		}
	}
}
