package page

import (
	"bytes"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestPausingAMachineSaysWhatItCostsFirst(t *testing.T) {
	shown := func(running ...farm.RunningTask) string {
		var page bytes.Buffer
		m := Machine{Machine: farm.Machine{Agent: farm.Agent{ID: "m1", Name: "suite 4"}, Online: true, Running: running}}
		if err := MachineHead(Shell{Reader: farm.Principal{Role: farm.RoleAdmin, FirstTeam: true}}, m).Render(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		return page.String()
	}
	const given = " Frames that it has not handed over are rendered again; a film that is encoded while it is drawn starts over. Drain lets it finish first."
	const costs = "It gives back 2 renders, up to 91\u00a0% done." + given
	if !strings.Contains(shown(farm.RunningTask{Progress: 12}, farm.RunningTask{Progress: 91.2}), costs) {
		t.Error("a machine that renders is paused without a word of what that costs")
	}
	if !strings.Contains(shown(farm.RunningTask{Progress: 91}), "It gives back 1 render, up to 91\u00a0% done."+given) {
		t.Error("one render is given back without a word of what that costs")
	}
	if !strings.Contains(shown(), "other machines take over its work."+given) {
		t.Error("the button does not say what it does")
	}
	if strings.Contains(shown(), "data-confirm") {
		t.Error("who pauses an idle machine is asked")
	}
}
