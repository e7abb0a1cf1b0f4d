//go:build linux

package main

import (
	"maps"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/release/releasetest"
)

// TestAReleaseThatFailsOnAFifthOfTheMachinesStopsInTheCanaryRing has 200 simulated agents, 20 of them canaries; on every fifth the release is rolled back.
func TestAReleaseThatFailsOnAFifthOfTheMachinesStopsInTheCanaryRing(t *testing.T) {
	t.Parallel()
	const machines, canaries, fails = 200, 20, 5
	house := releasetest.New(t)
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir(), "--release-roots", house.Roots)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	c := gather(t, f, machines, func(i int) farm.Inventory {
		inv := farm.Inventory{OS: "linux", Arch: "amd64", CPUs: 8, Version: "1.0.0", Slots: 1, Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: "1.0"}}}
		if i < canaries {
			inv.Tags = []string{"canary"}
		}
		return inv
	})
	place := map[*simulated]int{}
	for i, a := range c.agents {
		place[a] = i
	}
	var mu sync.Mutex
	asked := map[int]bool{}
	told := func(a *simulated, u wire.Update) {
		if u.Release == "" {
			return
		}
		mu.Lock()
		asked[place[a]] = true
		mu.Unlock()
		says := wire.Updating{Version: u.Release, Mode: farm.UpdatedByFarm, Release: u.Release, State: farm.UpdateDone, Rendered: true}
		if place[a]%fails == fails-1 {
			says.Version, says.State, says.Reason = "1.0.0", farm.UpdateRolledBack, "it ended with exit status 1"
		}
		_ = a.write(wire.Message{Updating: &says}) // one that has gone says nothing
	}
	c.updated.Store(&told)
	for _, a := range c.agents {
		if err := a.write(wire.Message{Updating: &wire.Updating{Version: "1.0.0", Mode: farm.UpdatedByFarm}}); err != nil {
			t.Fatal(err)
		}
	}

	command := func(args ...string) string {
		t.Helper()
		code, out, said := f.Command(args...)
		if code != 0 {
			t.Fatalf("%v: %d: %s", args, code, said)
		}
		return out
	}
	command("releases", "add", house.Release(t, "2.0.0", 2, []byte("a program")))
	command("updates", "set", "--ring", "canary=tag:canary", "--soak", "0")
	api := &client.Client{Server: f.Server, Token: f.AdminToken()}
	var u client.Updates
	look := func() (runs map[string]int) {
		t.Helper()
		var err error
		if u, err = api.Updates(t.Context()); err != nil {
			t.Fatal(err)
		}
		runs = map[string]int{}
		for _, m := range u.Machines {
			if m.Mode != nil {
				runs[m.Version]++
			}
		}
		return runs
	}
	f.Await("all machines to say what they run", func() bool { return look()["1.0.0"] == machines })
	command("updates", "set", "--release", "2.0.0")
	f.Await("the release to be stopped", func() bool { look(); return u.Stopped != nil })
	f.Await("all canaries to say what became of it", func() bool {
		return maps.Equal(look(), map[string]int{"1.0.0": machines - canaries + canaries/fails, "2.0.0": canaries - canaries/fails})
	})
	if *u.Ring != string(farm.RingCanary) || len(u.Machines) != machines {
		t.Errorf("stopped in the ring %s of %d machines: %+v", *u.Ring, len(u.Machines), u.Stopped)
	}
	mu.Lock()
	defer mu.Unlock()
	for i := range asked {
		if i >= canaries {
			t.Errorf("agent %d is no canary, and was told to run the release", i)
		}
	}
}
