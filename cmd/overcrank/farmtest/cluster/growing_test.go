//go:build linux

package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/raftstore/porttest"
)

// TestAFarmThatHasGrownOutlivesItsFirstCoordinator follows "From one to three" of docs/operations/coordinators.md with machines that are linked all the
// while and know of nothing but the first coordinator, without gossip, and kills that one. They render on, with no one's help.
func TestAFarmThatHasGrownOutlivesItsFirstCoordinator(t *testing.T) {
	t.Parallel()
	path, storage, port := filepath.Join(t.TempDir(), "coordinator.yaml"), t.TempDir(), porttest.Address(t)
	if err := os.WriteFile(path, []byte("min-free: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir(), "--config", path, "--lease", "15s") // long enough for an agent that a busy machine keeps waiting
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	template := f.Card()
	_, token, _ := f.Command("agents", "invite", "--uses", "2")
	desks := [2]string{filepath.Join(t.TempDir(), "desk-one"), filepath.Join(t.TempDir(), "desk-two")}
	for _, desk := range desks {
		w := farmtest.StartAgent(t, f, desk, strings.TrimSpace(token))
		f.Await(filepath.Base(desk)+" to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	}

	reloads(f, path, "min-free: 1\npromote-after: 500ms\nstorage: "+storage+"\ncluster-listen: "+port+"\n", "new settings are in force")
	one := &memberNode{t: t, dir: f.Dir, api: strings.TrimPrefix(f.Server, "http://")}
	if said, err := one.cli(f.Token, "storage", "status", "--wait"); err != nil {
		t.Fatalf("%s, %v", said, err)
	}
	two := newMember(t, storage).joinBy(f.Token, one)
	three := newMember(t, storage).joinBy(f.Token, one)
	agree(t, f.Token, 3, one, two, three)
	for _, desk := range desks {
		f.Await("the machines to have heard of the others", func() bool {
			text, err := os.ReadFile(filepath.Join(desk, "farm.json"))
			return err == nil && strings.Contains(string(text), two.api) && strings.Contains(string(text), three.api)
		})
	}

	f.Kill()
	f.Server = "http://" + two.api
	f.Await("both machines to be back", func() bool {
		machines, err := f.Agents(t.Context(), "free", "")
		return err == nil && len(machines.Items) == 2
	})
	f.Finished(f.SubmitCard(template, nil))
}
