//go:build linux

package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
)

// agentProcess is an `overcrank agent` under test.
type agentProcess struct {
	said *lockedBuffer
	done chan struct{}
	code int
}

// startAgent starts an agent of a folder; it is stopped when the test ends.
func startAgent(t *testing.T, f *runningFarm, dir, joinToken string, flags ...string) *agentProcess {
	t.Helper()
	return startAgentOf(t, binary, f, dir, joinToken, flags...)
}

// startAgentOf is startAgent by another build of the program.
func startAgentOf(t *testing.T, program string, f *runningFarm, dir, joinToken string, flags ...string) *agentProcess {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &agentProcess{said: &lockedBuffer{}, done: make(chan struct{})}
	usual := []string{"agent", "--data-dir", dir, "--coordinator", f.Server, "--gossip-listen", "", "--log-level", "debug", "--name", filepath.Base(dir)}
	if !slices.Contains(flags, "--config") { // none of the machine that the tests run on, at which somebody may be working
		usual = append(usual, "--config", os.DevNull, "--idle-after", "0")
	}
	cmd := exec.CommandContext(ctx, program, append(usual, flags...)...)
	cmd.Env = append(os.Environ(), "OVERCRANK_JOIN_TOKEN="+joinToken)
	cmd.Stdout, cmd.Stderr = w.said, w.said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.done)
		_ = cmd.Wait() // its exit code tells
		w.code = cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		cancel()
		<-w.done
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(dir), w.said)
		}
	})
	return w
}

func TestAnInvitedMachineJoinsAndNoOtherWithItsToken(t *testing.T) {
	f := launchAs(t, "coordinator", t.TempDir())
	f.await("the farm to be ready", func() bool { return ready(t.Context(), f.Server) == nil })
	code, token, said := f.command("agents", "invite", "--for", "Suite 4", "--tags", "gpu,big", "--expires", "2h")
	token = strings.TrimSpace(token)
	if code != 0 || !strings.HasPrefix(token, "ocj_") || !strings.Contains(said, "for one machine") {
		t.Fatalf("%d: %s %s", code, token, said)
	}
	first := startAgent(t, f, filepath.Join(t.TempDir(), "suite-4"), token)
	f.await("the machine to be linked", func() bool { return strings.Contains(first.said.String(), "linked to the farm") })
	second := startAgent(t, f, filepath.Join(t.TempDir(), "thief"), token)
	<-second.done
	if text := second.said.String(); second.code == 0 || !strings.Contains(text, "has been used") {
		t.Errorf("the second machine with the token ended with %d: %s", second.code, text)
	}
	if _, table, _ := f.command("agents", "invitations"); !strings.Contains(table, "Suite 4") || !strings.Contains(table, "0 of 1") || !strings.Contains(table, "gpu, big") {
		t.Errorf("the invitations are\n%s", table)
	}
	_, spare, _ := f.command("agents", "invite", "--for", "spare", "--uses", "3")
	if code, _, said := f.command("agents", "uninvite", "spare"); code != 0 {
		t.Errorf("%d: %s", code, said)
	}
	third := startAgent(t, f, filepath.Join(t.TempDir(), "late"), strings.TrimSpace(spare))
	<-third.done
	if text := third.said.String(); !strings.Contains(text, "taken back") {
		t.Errorf("the machine whose token was taken back said: %s", text)
	}
	secret, _, _ := strings.Cut(token, ".")
	for _, text := range []string{f.said.String(), first.said.String(), second.said.String()} {
		if strings.Contains(text, secret) {
			t.Errorf("a log holds the join token:\n%s", text)
		}
	}
}

// TestTheAgentOfUpJoinsByItself looks for what a farm of one machine leaves open: nothing.
func TestTheAgentOfUpJoinsByItself(t *testing.T) {
	dir := t.TempDir()
	f := startUp(t, dir)
	left := func() (names []string) {
		list, err := f.Invitations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range list.Items {
			if i.Left > 0 {
				names = append(names, i.Name)
			}
		}
		return names
	}
	f.await("the agent to come", func() bool { return strings.Contains(f.said.String(), "an agent is here") })
	if open := left(); len(open) != 0 {
		t.Errorf("machines may still come with %v", open)
	}
	f.stop()
	f = startUp(t, dir)
	f.finished(f.submitCard(f.card(), map[string]any{"type": "image", "frames": 1}))
	if list, err := f.Invitations(t.Context()); err != nil || len(list.Items) != 1 {
		t.Errorf("an agent that has enrolled was invited again: %+v, %v", list.Items, err)
	}
	if _, err := (&client.Client{Server: f.Server, Token: "ocj_x"}).Invitations(t.Context()); !client.IsStatus(err, 401) {
		t.Errorf("a stranger sees the invitations: %v", err)
	}
}

func TestCommandsSpeakTLSWithTheFarmsOwnAuthority(t *testing.T) {
	dir := t.TempDir()
	f := launchAs(t, "coordinator", dir, "--require-tls")
	if !strings.HasPrefix(f.Server, "https://127.0.0.1:") {
		t.Fatalf("a farm that refuses plain HTTP says that it is at %s", f.Server)
	}
	f.Server = strings.Replace(f.Server, "https", "http", 1) // this machine may
	f.await("the farm to be ready", func() bool { return ready(t.Context(), f.Server) == nil })
	address := strings.Replace(f.Server, "http://127.0.0.1", "https://localhost", 1)
	ask := func(flags ...string) (int, string) {
		args := append([]string{"teams", "--server", address, "--token-file", filepath.Join(dir, "admin.token")}, flags...)
		var said lockedBuffer
		code := run(t.Context(), args, &said, &said)
		return code, said.String()
	}
	if code, said := ask("--ca-file", filepath.Join(dir, "ca.crt")); code != 0 || !strings.Contains(said, "default") {
		t.Errorf("%d: %s", code, said)
	}
	if code, said := ask(); code == 0 || !strings.Contains(said, "certificate") {
		t.Errorf("without the authority: %d: %s", code, said)
	}
	if code, said := ask("--ca-file", filepath.Join(dir, "farm.key")); code == 0 || !strings.Contains(said, "holds no certificate") {
		t.Errorf("with something else: %d: %s", code, said)
	}
	var said lockedBuffer
	code := run(t.Context(), []string{"templates", "add", titleCardZip(t), "--server", address, "--token-file", filepath.Join(dir, "admin.token"),
		"--ca-file", filepath.Join(dir, "ca.crt")}, &said, &said)
	if code != 0 {
		t.Errorf("a template cannot be uploaded where plain HTTP is refused: %d: %s", code, said.String())
	}
	var list []struct{ ID string }
	if err := json.Unmarshal(f.answer("/api/v2/templates"), &list); err != nil || len(list) != 1 {
		t.Fatalf("the templates are %v, %v", list, err)
	}
	if download := f.answer("/api/v2/templates/" + list[0].ID + "/download"); !strings.Contains(string(download), `"https://127.0.0.1:`) {
		t.Errorf("a farm that refuses plain HTTP gives out %s", download)
	}
	if said := refusal(t, "--data-dir", t.TempDir(), "--require-tls", "--public-address=http://farm.example"); !strings.Contains(said, "https://farm.example") {
		t.Errorf("an address that the farm would refuse itself: %s", said)
	}
}
