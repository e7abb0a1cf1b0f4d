//go:build linux

package machines_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
)

// TestAMachineThatIsUninstalledLeavesTheFarm does what uninstallers do, while the agent runs and again when it has been stopped.
func TestAMachineThatIsUninstalledLeavesTheFarm(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	_, token, _ := f.Command("agents", "invite")
	dir := filepath.Join(t.TempDir(), "suite-4")
	w := farmtest.StartAgent(t, f, dir, strings.TrimSpace(token))
	f.Await("the machine to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	none := filepath.Join(t.TempDir(), "none.yaml")
	retire := func() {
		t.Helper()
		var code int
		var said string
		f.Await("an answer to a machine that leaves", func() bool { // for which it waits three seconds
			code, _, said = farmtest.Run(t, "agent", "retire", "--data-dir", dir, "--coordinator", f.Server, "--config", none)
			return code == 0 || !strings.Contains(said, context.DeadlineExceeded.Error())
		})
		if code != 0 {
			t.Fatalf("retiring: %d: %s", code, said)
		}
	}
	retire()
	if list, err := f.Agents(t.Context(), "", ""); err != nil || len(list.Items) != 0 {
		t.Errorf("the machines are %+v, %v", list.Items, err)
	}
	f.Await("the farm to say so", func() bool { return strings.Contains(f.Said.String(), "a machine was retired") })
	f.Await("the agent to be turned away", func() bool { return strings.Contains(w.Said.String(), "the farm refuses this machine") })
	retire() // once more
}
