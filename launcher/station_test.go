//go:build unix

package launcher

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/durable/programtest"
	"overcrank/release"
	"overcrank/release/releasetest"
)

// What agents of tests do, as shell scripts: real processes that are small.
const (
	// good says that it is healthy, and ends when its standard input does.
	good = `[ "$OVERCRANK_LAUNCHER_TRIAL" = 0 ] || LAUNCHER_TEST_ROLE=healthy "$BINARY" || exit 9
exec cat >/dev/null`
	// away cannot reach the farm until the file $0.back is there.
	away = `[ "$OVERCRANK_LAUNCHER_TRIAL" = 0 ] && exec cat >/dev/null
LAUNCHER_TEST_ROLE=away "$BINARY" || exit 9
( while [ ! -e "$0.back" ]; do sleep 0.02; done; LAUNCHER_TEST_ROLE=healthy "$BINARY" ) &
exec cat >/dev/null`
	silent = `exec cat >/dev/null`
	crash  = `exit 7`
	// updating fetches and stages what waits, once, and asks for it to be started.
	updating = `if [ -e "$WAITING" ]; then mv "$WAITING" "$INCOMING"; LAUNCHER_TEST_ROLE=stage LAUNCHER_TEST_INCOMING="$INCOMING" LAUNCHER_TEST_ROOTS="$ROOTS" "$BINARY" && exit 75; fi
` + good
)

// station is a workstation of a test.
type station struct {
	t        *testing.T
	folder   string // the launcher's state
	programs string
	told     string // file in which each agent that starts writes its version, a line each
	roots    string // file of root keys
	signer   release.Signer
	binary   string
}

// newStation makes a workstation with an installed version 1.0.0.
func newStation(t *testing.T, installed string) *station {
	t.Helper()
	dir := t.TempDir()
	s := &station{t: t, folder: filepath.Join(dir, "launcher"), programs: filepath.Join(dir, "programs"), told: filepath.Join(dir, "told")}
	house := releasetest.New(t)
	s.roots, s.signer = house.Roots, house.Signer
	var err error
	if s.binary, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	s.must(os.MkdirAll(filepath.Join(s.folder, versionsFolder), 0o755))
	s.install("1.0.0", installed)
	return s
}

func (s *station) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// script is an agent.
func (s *station) script(does string) []byte {
	incoming := filepath.Join(s.folder, versionsFolder, incomingPrefix+"next")
	return fmt.Appendf(nil, "#!/bin/sh\nBINARY='%s' WAITING='%s' INCOMING='%s' ROOTS='%s'\necho \"$OVERCRANK_LAUNCHER_STARTED\" >>'%s'\n%s\n",
		s.binary, s.waiting(), incoming, s.roots, s.told, does)
}

// waiting is where an agent finds a release that it fetches.
func (s *station) waiting() string { return s.folder + ".waiting" }

// install puts a version beside the launcher.
func (s *station) install(version, does string) {
	s.t.Helper()
	path := programOf(s.programs, version)
	s.must(os.MkdirAll(filepath.Dir(path), 0o755))
	s.must(programtest.Write(path, s.script(does)))
}

// release makes a signed release of an agent in a folder. change may change its manifest.
func (s *station) release(folder, version string, number int64, does string, change func(*release.Manifest)) string {
	s.t.Helper()
	s.must(os.MkdirAll(folder, 0o755))
	s.must(programtest.Write(filepath.Join(folder, "agent-"+version), s.script(does)))
	m := release.Manifest{
		Product: release.Agent, Version: version, Number: number, NotBefore: time.Now().Add(-time.Hour), Expires: time.Now().Add(time.Hour),
		MinLauncher: 1, Protocol: release.Protocol{Min: 1, Max: 9},
		Files: []release.File{{System: runtime.GOOS, Arch: runtime.GOARCH, Name: "agent-" + version}},
	}
	if change != nil {
		change(&m)
	}
	_, err := release.Sign(folder, m, s.signer)
	s.must(err)
	return folder
}

// incoming makes a release where an agent fetches it to.
func (s *station) incoming(name, version string, number int64, does string) string {
	return s.release(filepath.Join(s.folder, versionsFolder, incomingPrefix+name), version, number, does, nil)
}

// stage has the version that runs stage a release.
func (s *station) stage(running, incoming string) error {
	s.t.Helper()
	roots, err := release.Roots(s.roots)
	s.must(err)
	return programtest.Unforked(func() error {
		_, err := Launch{Folder: s.folder, Version: running, Launcher: Version}.Stage(incoming, roots, time.Now())
		return err
	})
}

func (s *station) state() State {
	s.t.Helper()
	st, err := Read(s.folder)
	s.must(err)
	return st
}

// started are the versions that were started, in their order.
func (s *station) started() []string {
	text, _ := os.ReadFile(s.told) // not there before the first
	return strings.Fields(string(text))
}

// folders are the versions in the state folder.
func (s *station) folders() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.folder, versionsFolder))
	s.must(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// running is a launcher within the test.
type running struct {
	s    *station
	log  *syncBuffer
	end  context.CancelFunc
	done chan error
}

// launch starts a launcher.
func (s *station) launch(change func(*Service)) *running {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	r := &running{s: s, log: &syncBuffer{}, end: cancel, done: make(chan error, 1)}
	service := testService(s.folder, s.programs, r.log)
	service.Output = r.log
	if change != nil {
		change(service)
	}
	go func() { r.done <- service.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err, open := <-r.done; open && err != nil {
			s.t.Errorf("the launcher ended: %v", err)
		}
		if s.t.Failed() {
			s.t.Logf("the launcher said\n%s", r.log)
		}
	})
	return r
}

// stop ends the launcher and waits for it.
func (r *running) stop() {
	r.s.t.Helper()
	r.end()
	if err := <-r.done; err != nil {
		r.s.t.Errorf("the launcher ended: %v", err)
	}
	close(r.done)
}

// await waits until something is so.
func (r *running) await(what string, is func() bool) {
	r.s.t.Helper()
	await(r.s.t, what, is)
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(3 * time.Minute); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("this did not happen: %s", what)
		}
	}
}

// runs tells whether the last agent that was started is of that version, and is the current one.
func (r *running) runs(version string, starts int) func() bool {
	return func() bool {
		all := r.s.started()
		return len(all) >= starts && all[len(all)-1] == version
	}
}

// syncBuffer is a buffer that several goroutines use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func versionOf(k *Kept) string {
	if k == nil {
		return ""
	}
	return k.Version
}

// equal compares, and prints both as JSON when they differ.
func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if !bytes.Equal(g, w) {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}
