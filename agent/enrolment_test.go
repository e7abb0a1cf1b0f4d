package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/identity"
	"overcrank/agent/outbox"
	"overcrank/farm/wire"
)

// lines is a log that tests read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// startLogged runs an agent whose log the test reads.
func startLogged(t *testing.T, p *peer, dir, token string) *lines {
	t.Helper()
	log := &lines{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{DataDir: dir, Coordinators: []string{p.server.URL}, JoinToken: token, Name: "test-machine", CacheSize: 1 << 30,
			Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return log
}

func TestWhatAMachineKeepsOfItsEnrolment(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	if enrolled, err := Enrolled(dir); err != nil || enrolled {
		t.Errorf("an empty folder is of an enrolled machine: %v, %v", enrolled, err)
	}
	log := startLogged(t, p, dir, joinToken(t))
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	if enrolled, err := Enrolled(dir); err != nil || !enrolled {
		t.Errorf("the machine has not enrolled: %v, %v", enrolled, err)
	}
	info, err := os.Stat(filepath.Join(dir, identity.CredentialFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the credential is %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(dir, joiningFile)); !os.IsNotExist(err) {
		t.Errorf("the key to join with is still there: %v", err)
	}
	if strings.Contains(log.String(), "ocj_") {
		t.Errorf("the log holds the join token:\n%s", log)
	}
}

func TestAMachineAsksAgainWithTheSameKey(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.deaf = 2
	start(t, p, "normal", t.TempDir())
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.keys) != 3 || p.keys[0] != p.keys[1] || p.keys[1] != p.keys[2] {
		t.Errorf("it came with the keys %v", p.keys)
	}
}

func TestAStrangerGetsNoToken(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	token := wire.JoinToken{Secret: "ocj_goodgoodgoodgoodgoodgood", Authority: strings.Repeat("0", 64)}.String()
	err := Run(t.Context(), Config{DataDir: t.TempDir(), Coordinators: []string{p.server.URL}, JoinToken: token, Logger: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, identity.ErrStranger) || strings.Contains(err.Error(), token) {
		t.Errorf("the agent ends with %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.bearers) != 0 {
		t.Errorf("the stranger heard %q", p.bearers)
	}
}

func TestARetiredMachineSaysSoAndRests(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	log := startLogged(t, p, dir, joinToken(t))
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	l := lease(t, p, "job.1")
	p.send(wire.Message{Lease: &l})
	p.mu.Lock()
	p.secret, p.used = "", true
	p.mu.Unlock()
	p.hangUp()
	p.eventually("the agent says that it is out", func() bool { return strings.Contains(log.String(), "the farm refuses this machine") })
	said := log.String()
	for _, words := range []string{"level=ERROR", "agents invite", "was retired", "this join token has been used", "again=30s"} {
		if !strings.Contains(said, words) {
			t.Errorf("the log does not say %q:\n%s", words, said)
		}
	}
	if strings.Contains(said, "ocj_") {
		t.Errorf("the log holds the join token:\n%s", said)
	}
	eventuallyEmpty(t, filepath.Join(dir, "work"), p) // the work is no longer its own
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused != 1 {
		t.Errorf("it asked %d times", p.refused)
	}
}

func TestPausesOfAMachineThatIsOut(t *testing.T) {
	t.Parallel()
	a := &agent{cfg: Config{DataDir: t.TempDir()}, log: slog.New(slog.DiscardHandler)}
	a.slots, a.link = newSlots(a), newLink(a)
	var err error
	if a.outbox, err = outbox.Open(filepath.Join(a.cfg.DataDir, "outbox")); err != nil {
		t.Fatal(err)
	}
	var last time.Duration
	for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		if last = a.link.turnedAway(t.Context(), errRefused); last != want {
			t.Errorf("it rests %v, want %v", last, want)
		}
	}
}

func TestACertificateIsRenewedInTime(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	// A third of its time is left soon, and is long enough for whatever keeps this machine busy.
	p.age, p.life = 56*time.Second, 34*time.Second
	dir := t.TempDir()
	start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	p.eventually("two renewals", func() bool { return p.renewed >= 2 })
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.hellos) != 1 {
		t.Errorf("the machine linked %d times; a renewal ends no session", len(p.hellos))
	}
	if p.keys[0] == p.keys[1] || p.keys[1] == p.keys[2] {
		t.Errorf("the keys are %v", p.keys)
	}
}

func TestWhenACertificateIsRenewed(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.life = 90 * 24 * time.Hour
	dir := t.TempDir()
	r := start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	r.stop()
	<-r.done
	self, err := identity.ReadCredential(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{self: self}
	from, until, err := self.Now().Life()
	if err != nil {
		t.Fatal(err)
	}
	for spread, want := range map[float64]time.Duration{0: 60 * 24 * time.Hour, 1: 57 * 24 * time.Hour} {
		wait, err := a.untilRenewal(from, spread)
		if off := wait - want; err != nil || off < -time.Minute || off > time.Minute {
			t.Errorf("it is renewed in %v, %v, want %v", wait, err, want)
		}
	}
	if wait, err := a.untilRenewal(until, 0); err != nil || wait > 0 {
		t.Errorf("one that has expired is renewed in %v, %v", wait, err)
	}
}

// earlierCredential is what release v0.1.0 kept.
func earlierCredential(t *testing.T, secret string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	b, err := json.Marshal(map[string]any{"agentId": "a1", "secret": secret, "gossipKey": make([]byte, 32), "cluster": "c", "gossip": []string{"127.0.0.1:7946"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, identity.CredentialFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAMachineOfAnEarlierReleaseNeedsNoToken(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.earlier = "oca_secret"
	dir := earlierCredential(t, "oca_secret")
	log := startLogged(t, p, dir, "")
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	kept, err := os.ReadFile(filepath.Join(dir, identity.CredentialFile))
	if err != nil || bytes.Contains(kept, []byte("oca_secret")) || !bytes.Contains(kept, []byte("certificate")) {
		t.Errorf("kept is %s, %v", kept, err)
	}
	if strings.Contains(log.String(), "oca_secret") {
		t.Errorf("the log holds the secret:\n%s", log)
	}
}

func TestAFarmThatCannotProveItselfGetsNoSecret(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.earlier = "another"
	err := Run(t.Context(), Config{DataDir: earlierCredential(t, "oca_secret"), Coordinators: []string{p.server.URL}, Logger: slog.New(slog.DiscardHandler)})
	if !errors.Is(err, identity.ErrStranger) {
		t.Errorf("the agent ends with %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Join(p.bearers, "") != "" || p.renewed != 0 {
		t.Errorf("the stranger heard %q", p.bearers)
	}
}

func TestADamagedCredentialIsNotPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, identity.CredentialFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Run(t.Context(), Config{DataDir: dir, Coordinators: []string{"http://127.0.0.1:1"}, Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "credential.json is damaged") {
		t.Errorf("the agent ends with %v", err)
	}
}

// A machine whose credential is not what was written says so, whichever bit it is; the files that it can do without are as if they were
// not there.
func TestABitThatWasFlippedInTheAgentsFolderIsSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := identity.ReadCredential(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Keep(identity.Identity{Enrolled: wire.Enrolled{AgentID: "01JD70"}, Secret: "the secret of an earlier release"}); err != nil {
		t.Fatal(err)
	}
	told, err := readFarmFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := told.change("farm", func(f *farmFacts) { f.Coordinators = []string{"https://rack1:8080"} }); err != nil {
		t.Fatal(err)
	}
	flipped := func(name string, check func(bit int)) {
		t.Helper()
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for bit := 0; bit < 8*len(text); bit += 5 {
			text[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			check(bit)
			text[bit/8] ^= 1 << (bit % 8)
		}
	}
	flipped(identity.CredentialFile, func(bit int) {
		got, err := identity.ReadCredential(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got.Damaged == nil && (got.Now().AgentID != "01JD70" || got.Now().Secret != c.Now().Secret) || got.Damaged != nil && !strings.Contains(got.Damaged.Error(), identity.CredentialFile) {
			t.Errorf("with bit %d flipped the machine is %q, %v", bit, got.Now().AgentID, got.Damaged)
		}
	})
	flipped(farmFileName, func(bit int) {
		got, err := readFarmFile(dir)
		if known := got.of("farm").Coordinators; err == nil && !slices.Equal(known, []string{"https://rack1:8080"}) || err != nil && len(known) != 0 {
			t.Errorf("with bit %d flipped the farm is at %q, %v", bit, known, err)
		}
	})
	path := filepath.Join(dir, joiningFile)
	if _, err := joiningKey(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := joiningKey(path); err != nil {
		t.Error(err)
	} else if _, err := identity.Request(key); err != nil {
		t.Errorf("a key that cannot be read is used: %v", err)
	}
}
