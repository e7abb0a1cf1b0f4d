package aerender

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestFailuresThatOneRemedyHelpsHaveOneCause(t *testing.T) {
	for said, want := range map[string]farm.Cause{
		"Could not read from source: missing footage 'nm.png', in layer 3 'Logo' of composition 'main'.": {Kind: farm.CauseFootage, Subject: "nm.png"},
		`After Effects error: file "C:\Work\art\nm.png" not found`:                                       {Kind: farm.CauseFootage, Subject: "nm.png"},
		"After Effects error: Could not read from source /Volumes/art/nm.png, it was moved":              {Kind: farm.CauseFootage, Subject: "nm.png"},
		"missing effect “Deep Glow” in composition":                                                      {Kind: farm.CauseEffect, Subject: "Deep Glow"},
		"Unable to obtain a license":                                                                     {Kind: farm.CauseLicence},
		"out of memory while drawing 4096x4096":                                                          {Kind: farm.CauseMemory},
		"Layer 'Title' in composition 'main' has no property 'Effects.Glow' (asset 2)":                   {Kind: farm.CauseAsset, Subject: "Layer 'Title' in composition 'main' has no property 'Effects.Glow'"},
		"Layer 'Title' not found in composition 'main' (asset 2)":                                        {Kind: farm.CauseLayer, Subject: "Title"},
		"Composition 'It's us' not found (asset 0)":                                                      {Kind: farm.CauseComposition, Subject: "It's us"},
		"the value 12 is no colour (asset 4)":                                                            {Kind: farm.CauseAsset, Subject: "the value ## is no colour"},
		"something new at 0x12":                                                                          {Kind: farm.CauseOther, Subject: "something new at #x##"},
	} {
		if f := outcome("After Effects", "main", 1, []string{said}, true); f == nil || f.Cause != want {
			t.Errorf("%q has the cause %+v, want %+v", said, f.Cause, want)
		}
	}
	// macOS has a number of its own for a program that gives no answer: nobody has to allow anything then.
	for said, allow := range map[string]bool{
		"aerender ERROR -1712: AESend failed to send apple event": false, "aerender ERROR -1743: not authorized to send Apple events": true, "aerender ERROR -1701: AEGetParamPtr failed": true,
	} {
		f := outcome("After Effects", "main", 1, []string{said}, true)
		if f.Class != farm.FailureWorker || strings.Contains(f.Message, "has not allowed") != allow || strings.Contains(f.Message, "did not answer") == allow {
			t.Errorf("%q is told as %+v", said, f)
		}
	}
	if f := outcome("After Effects", "main", 139, nil, true); f.Cause != (farm.Cause{Kind: farm.CauseEngine, Subject: "After Effects exited with code 139"}) {
		t.Errorf("a crash has the cause %+v", f.Cause)
	}
}
