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
	const costs = "It gives back 2 renders, up to 91 % done. A film that is not split starts over on another machine. Drain lets it finish first."
	if !strings.Contains(shown(farm.RunningTask{Progress: 12}, farm.RunningTask{Progress: 91.2}), costs) {
		t.Error("a machine that renders is paused without a word of what that costs")
	}
	if strings.Contains(shown(), "data-confirm") {
		t.Error("who pauses an idle machine is asked")
	}
}
