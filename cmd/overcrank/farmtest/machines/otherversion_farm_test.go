//go:build linux

package machines_test

import (
	"net/http"
	"strings"
	"testing"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/porttest"
	"overcrank/release/releasetest"
)

// TestAFarmOfANewProtocolUpdatesItsMachines puts coordinators of a release to come, which speaks another version of the agents' protocol, in the place of
// those that a machine works for. The machine gives its work up, says so to everybody, and takes the farm's next release all the same: first one that does
// not start, then one that does.
func TestAFarmOfANewProtocolUpdatesItsMachines(t *testing.T) {
	t.Parallel()
	next := farmtest.Speaking(t, wire.Version+1)
	house, dir := releasetest.New(t), t.TempDir()
	house.Protocol = wire.Version + 1
	flags := []string{"--release-roots", house.Roots, "--listen", porttest.Address(t)}
	f := farmtest.LaunchAs(t, "coordinator", dir, flags...)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	command := func(args ...string) string {
		t.Helper()
		code, out, said := f.Command(args...)
		if code != 0 {
			t.Fatalf("%v: %d: %s", args, code, said)
		}
		return out
	}
	desk := farmtest.StartLauncher(t, f, "desk", strings.TrimSpace(command("agents", "invite")), house.Roots)
	status := func() control.Status {
		s, err := control.Ask(t.Context(), desk)
		if err != nil {
			return control.Status{}
		}
		return s
	}
	f.Await("the desk to be linked", func() bool { return status().Linked })
	job := f.SubmitEndless(f.Card())
	f.Await("the desk to render", func() bool { return len(status().Working) == 1 })
	if code, _, said := f.Command("releases", "add", house.Release(t, "1.9.0", 9, farmtest.AgentProgramOf(next))); code == 0 || !strings.Contains(said, "update the coordinators first") {
		t.Errorf("a release that this farm could not work with: %d: %s", code, said)
	}

	f.Stop()
	f = farmtest.LaunchProgram(t, next, "coordinator", dir, flags...)
	f.Await("the new coordinator to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	f.Await("the desk to hear that it is too old, and to give up its work", func() bool {
		s := status()
		return !s.Linked && s.UpdatesOnly && len(s.Working) == 0 && strings.Contains(s.Trouble, "this agent is too old for the farm (protocol 3, the farm's is 4)")
	})
	f.Await("the farm to say why the desk gets no work", func() bool {
		list := string(f.FarmAPI(http.MethodGet, "/agents", ""))
		return strings.Contains(list, `"state":"not_ready"`) && strings.Contains(list, "its agent is too old for the farm (protocol 3, the farm's is 4)") && strings.Contains(list, `"running":[]`)
	})
	command("jobs", "cancel", job)

	await := func(what, version string, state farm.UpdateState) {
		t.Helper()
		f.Await(what, func() bool {
			u, err := f.Updates(t.Context())
			return err == nil && len(u.Machines) == 1 && u.Machines[0].Version == version && u.Machines[0].State != nil && *u.Machines[0].State == string(state)
		})
	}
	command("releases", "add", house.Release(t, "2.0.0", 20, []byte("#!/bin/sh\nexit 3\n")))
	command("releases", "add", house.Release(t, "2.0.1", 21, farmtest.AgentProgramOf(next)))
	command("updates", "set", "--ring", "canary=desk", "--soak", "0", "--release", "2.0.0")
	await("the release that does not start to be rolled back", "1.0.0", farm.UpdateRolledBack)
	command("updates", "set", "--release", "2.0.1")
	await("the release that works to run", "2.0.1", farm.UpdateDone)
	f.Await("the desk to be linked again", func() bool { return status().Linked })
	f.GoesOn(f.Card())
}
