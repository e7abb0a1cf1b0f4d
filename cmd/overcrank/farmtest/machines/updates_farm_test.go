//go:build linux

package machines_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"overcrank/agent/control"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
	"overcrank/raftstore/porttest"
	"overcrank/release"
	"overcrank/release/releasetest"
)

// TestAnAgentIsUpdatedAndRolledBack goes through what a machine meets: releases that the farm refuses, a good one with a coordinator that restarts in between,
// one that does not start, and an old one once more.
func TestAnAgentIsUpdatedAndRolledBack(t *testing.T) {
	t.Parallel()
	house, dir := releasetest.New(t), t.TempDir()
	listen := porttest.Address(t)
	flags := []string{"--release-roots", house.Roots, "--listen", listen}
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
	f.Await("the desk to be linked", func() bool {
		status, err := control.Ask(t.Context(), desk)
		return err == nil && status.Linked
	})
	const pauses = 7 * time.Minute // of an agent that failed to fetch a release three times, while the coordinator was away or stood still
	await := func(what string, is func(u client.Updates, m client.MachineUpdate) bool) client.Updates {
		t.Helper()
		var u client.Updates
		f.AwaitWithin(pauses+farmtest.Patience, what, func() bool {
			var err error
			u, err = f.Updates(t.Context())
			return err == nil && len(u.Machines) == 1 && is(u, u.Machines[0])
		})
		return u
	}
	state := func(m client.MachineUpdate, want farm.UpdateState) bool {
		return m.State != nil && *m.State == string(want)
	}
	await("the desk to say what it runs", func(_ client.Updates, m client.MachineUpdate) bool {
		return m.Version == "1.0.0" && m.Mode != nil && *m.Mode == string(farm.UpdatedByFarm)
	})

	// What the farm refuses, no machine sees.
	forged := releasetest.New(t).Release(t, "6.6.6", 66, []byte("a program of somebody else"))
	if code, _, said := f.Command("releases", "add", forged); code == 0 || !strings.Contains(said, release.ErrSignature.Error()) {
		t.Errorf("a release of somebody else: %d: %s", code, said)
	}
	short := house.Release(t, "1.1.1", 20, farmtest.AgentProgram(t))
	truncate(t, short)
	if code, _, said := f.Command("releases", "add", short); code == 0 || !strings.Contains(said, release.ErrTruncated.Error()) {
		t.Errorf("a release that is not whole: %d: %s", code, said)
	}
	other := house.Release(t, "1.1.2", 21, farmtest.AgentProgram(t))
	relabel(t, other, house)
	if code, _, said := f.Command("releases", "add", other); code == 0 || !strings.Contains(said, release.ErrProduct.Error()) {
		t.Errorf("a release of another product, signed by the studio: %d: %s", code, said)
	}

	command("releases", "add", house.Release(t, "1.0.9", 9, farmtest.AgentProgram(t)))
	command("releases", "add", house.Release(t, "1.1.0", 10, farmtest.AgentProgram(t)))
	command("releases", "add", house.Release(t, "1.2.0", 11, []byte("#!/bin/sh\nexit 3\n")))
	command("updates", "set", "--ring", "canary=desk", "--soak", "0", "--release", "1.1.0")
	f.Stop() // while the desk is told, fetches or restarts
	f = farmtest.LaunchAs(t, "coordinator", dir, flags...)
	f.Await("the farm to be ready again", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	await("the good release to run", func(_ client.Updates, m client.MachineUpdate) bool {
		return m.Version == "1.1.0" && state(m, farm.UpdateDone)
	})

	command("updates", "set", "--release", "1.2.0")
	u := await("the release that does not start to be rolled back", func(u client.Updates, m client.MachineUpdate) bool {
		return u.Stopped != nil && m.Version == "1.1.0" && state(m, farm.UpdateRolledBack)
	})
	if !strings.Contains(u.Stopped.Reason, "desk rolled 1.2.0 back") || !strings.Contains(u.Machines[0].Reason, "exit status 3") {
		t.Errorf("stopped: %+v; the machine says %q", u.Stopped, u.Machines[0].Reason)
	}
	if out := command("updates"); !strings.Contains(out, "overcrank updates resume") || !strings.Contains(out, "rolled back 1.2.0") {
		t.Errorf("people read\n%s", out)
	}

	command("updates", "set", "--release", "1.0.9")
	u = await("the old release to be refused", func(_ client.Updates, m client.MachineUpdate) bool { return state(m, farm.UpdateRefused) })
	if m := u.Machines[0]; m.Version != "1.1.0" || !strings.Contains(m.Reason, release.ErrOlder.Error()) {
		t.Errorf("asked to go back, the machine says %+v", m)
	}
	f.GoesOn(f.Card())
}

// truncate cuts the program of a release.
func truncate(t *testing.T, folder string) {
	t.Helper()
	programs, err := filepath.Glob(filepath.Join(folder, release.Agent+"-*"))
	if err != nil || len(programs) != 1 {
		t.Fatalf("programs: %v, %v", programs, err)
	}
	if err := os.Truncate(programs[0], 5); err != nil {
		t.Fatal(err)
	}
}

// relabel makes a release one of another product, with a signature that holds.
func relabel(t *testing.T, folder string, house *releasetest.House) {
	t.Helper()
	path := filepath.Join(folder, release.ManifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(release.Agent), []byte("overcrank"), 1)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, release.ManifestSignatureName), minisign.Sign(house.Signer.Key, text), 0o644); err != nil {
		t.Fatal(err)
	}
}
