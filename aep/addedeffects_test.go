package aep_test

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

func TestEffectsOfPluginsAreToldFromAfterEffectsOwn(t *testing.T) {
	for match, own := range map[string]bool{
		"ADBE Gaussian Blur 2": true, "CC Particle World": true, "CS Vignette": true, "CSRainfall": true, "Keylight 906": true,
		"APC Shatter": true, "Pseudo/@@q0K6lq9ERhm699WQBqPLVw": true, "mochaAECC": true,
		"S_Glow": false, "tc Particular": false, "VIDEOCOPILOT 3DArray": false, "CCx": false, "": false,
	} {
		if aep.OwnEffect(match) != own {
			t.Errorf("%q: own is %t", match, !own)
		}
	}
}

func TestSummaryNamesTheEffectsOfPlugins(t *testing.T) {
	data, err := os.ReadFile(aeptest.Samples(t, "boltframe+aftereffects-aep-parser/data/Property-01.aep"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := introspect(t, data, "aep")
	if err != nil || len(s.Effects) != 0 {
		t.Fatalf("effects %q, %v", s.Effects, err)
	}
	const own, added = "ADBE Slider Control", "tc Something Nicer!"
	if !bytes.Contains(data, []byte(own+"\x00")) {
		t.Fatal("the sample has lost its slider")
	}
	s, err = introspect(t, bytes.ReplaceAll(data, []byte(own), []byte(added)), "aep")
	if err != nil || !slices.Equal(s.Effects, []string{added}) {
		t.Fatalf("effects %q, %v", s.Effects, err)
	}
}
