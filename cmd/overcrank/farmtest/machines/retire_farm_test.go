//go:build linux

package machines_test

import (
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
	retire := []string{"agent", "retire", "--data-dir", dir, "--coordinator", f.Server, "--config", filepath.Join(t.TempDir(), "none.yaml")}
	if code, _, said := farmtest.Run(t, retire...); code != 0 {
		t.Fatalf("retiring: %d: %s", code, said)
	}
	if list, err := f.Agents(t.Context(), "", ""); err != nil || len(list.Items) != 0 {
		t.Errorf("the machines are %+v, %v", list.Items, err)
	}
	f.Await("the farm to say so", func() bool { return strings.Contains(f.Said.String(), "a machine was retired") })
	f.Await("the agent to be turned away", func() bool { return strings.Contains(w.Said.String(), "the farm refuses this machine") })
	if code, _, said := farmtest.Run(t, retire...); code != 0 {
		t.Errorf("retiring once more: %d: %s", code, said)
	}
}
