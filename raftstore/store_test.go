package raftstore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/faults/leaktest"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
	"overcrank/raftstore/tables"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		os.Exit(runChild(folder))
	}
	if orders := os.Getenv(childNode); orders != "" {
		os.Exit(runNode(orders))
	}
	flag.Parse()
	if err := commandtest.FewerChecks(); err != nil {
		panic(err)
	}
	leaktest.Main(m)
}

// smallPortion brings changes to the state file after every few commands, so that tests meet them in memory, there, and between.
const smallPortion = 2000

// config is that of a node alone in folder; a fatal error fails the test.
func config(t testing.TB, folder string) Config {
	return Config{Dir: folder, MinFree: 1, portion: smallPortion, OnFatal: func(err error) { t.Errorf("fatal: %v", err) }}
}

func openStore(t testing.TB, cfg Config) *Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func putTeam(t testing.TB, s *Store, id string) {
	t.Helper()
	result, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: id}})
	if err != nil || result.Refused != nil {
		t.Fatalf("put team %s: %v, %v", id, err, result.Refused)
	}
}

func hasTeam(t testing.TB, s *Store, id string) bool {
	t.Helper()
	err := s.View(func(tx *tables.Tx) error { _, err := tx.Team(id); return err })
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		t.Fatal(err)
	}
	return err == nil
}

func TestStateOutlivesRestarts(t *testing.T) {
	folder := t.TempDir()
	var fingerprint, id string
	for run := range 4 {
		s := openStore(t, config(t, folder))
		if err := s.Ready(); err != nil {
			t.Fatal(err)
		}
		if run > 0 {
			if _, got, err := s.Fingerprint(); got != fingerprint || err != nil || s.ID() != id {
				t.Fatalf("run %d: fingerprint %s, node %s; before %s, %s; %v", run, got, s.ID(), fingerprint, id, err)
			}
		}
		putTeam(t, s, fmt.Sprint("team", run))
		for k := range run + 1 {
			if !hasTeam(t, s, fmt.Sprint("team", k)) {
				t.Fatalf("run %d: team of run %d is lost", run, k)
			}
		}
		if run == 1 {
			if err := s.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
		_, fingerprint, _ = s.Fingerprint()
		id = s.ID()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStateFileIsMadeAgain takes away, or spoils, what a machine that lost its power may have spoilt.
func TestStateFileIsMadeAgain(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, folder string){
		"state gone":   func(t *testing.T, folder string) { remove(t, folder, stateFile) },
		"mark gone":    func(t *testing.T, folder string) { remove(t, folder, "state.mark") },
		"state broken": func(t *testing.T, folder string) { write(t, folder, stateFile, strings.Repeat("junk", 10_000)) },
		"state cut short": func(t *testing.T, folder string) {
			if err := os.Truncate(filepath.Join(folder, stateFile), int64(2*os.Getpagesize()+100)); err != nil {
				t.Fatal(err)
			}
		},
		"state with bytes changed": func(t *testing.T, folder string) { scatter(t, filepath.Join(folder, stateFile)) },
		"another boot": func(t *testing.T, folder string) {
			write(t, folder, "state.mark", markRunning+"another\n")
			write(t, folder, stateFile, "torn")
		},
		"boot unknown": func(t *testing.T, folder string) {
			write(t, folder, "state.mark", markRunning+"\n")
			write(t, folder, stateFile, "torn")
		},
	} {
		for _, snapshot := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, snapshot %v", name, snapshot), func(t *testing.T) {
				folder := t.TempDir()
				s := openStore(t, config(t, folder))
				putTeam(t, s, "one")
				if snapshot {
					if err := s.Snapshot(); err != nil {
						t.Fatal(err)
					}
				}
				putTeam(t, s, "two")
				_, want, _ := s.Fingerprint()
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				spoil(t, folder)
				s = openStore(t, config(t, folder))
				if _, got, err := s.Fingerprint(); got != want || err != nil {
					t.Errorf("fingerprint %s, want %s; %v", got, want, err)
				}
				if !hasTeam(t, s, "one") || !hasTeam(t, s, "two") {
					t.Error("a team is lost")
				}
				putTeam(t, s, "three")
			})
		}
	}
}

// TestSnapshotAheadOfTheStateIsUsed sets back the state file as if a snapshot had been received just before a stop.
func TestSnapshotAheadOfTheStateIsUsed(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "one")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join(folder, stateFile))
	if err != nil {
		t.Fatal(err)
	}
	s = openStore(t, config(t, folder))
	putTeam(t, s, "two")
	if err := s.Snapshot(); err != nil {
		t.Fatal(err)
	}
	last, _ := s.log.LastIndex()
	if err := s.log.DeleteRange(1, last); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, folder, stateFile, string(old))
	s = openStore(t, config(t, folder))
	if !hasTeam(t, s, "two") {
		t.Error("the change that only the snapshot has is lost")
	}
	putTeam(t, s, "three")
}

func TestLogOfAnotherDayIsRefused(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "one")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{logFolder, stableFile} {
		t.Run(name, func(t *testing.T) {
			part := t.TempDir()
			if err := os.CopyFS(part, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			remove(t, part, name)
			if s, err := Open(t.Context(), config(t, part)); err == nil {
				s.Close()
				t.Fatal("a state without its log was taken")
			} else if !strings.Contains(err.Error(), name+" was replaced or removed") {
				t.Errorf("the error does not name what is missing: %v", err)
			}
		})
	}
}

func TestDamagedLogIsRefusedWithAWayOut(t *testing.T) {
	segment := filepath.Join(logFolder, "00000000000000000001.log")
	cut := func(t *testing.T, path string) {
		if err := os.Truncate(path, 5000); err != nil {
			t.Fatal(err)
		}
	}
	short := func(t *testing.T, path string) {
		if err := os.Truncate(path, 300); err != nil {
			t.Fatal(err)
		}
	}
	for name, tc := range map[string]struct {
		spoil func(t *testing.T, path string)
		file  string
		words []string
	}{
		"values cut short":     {cut, stableFile, []string{stableFile, "damaged", "from a backup"}},
		"values changed":       {scatter, stableFile, []string{stableFile, "damaged", "from a backup"}},
		"entries changed":      {scatter, segment, []string{segment, "damaged", "from a backup"}},
		"entries cut short":    {short, segment, []string{logFolder + " was replaced or removed", "put back"}},
		"all entries are gone": {func(t *testing.T, path string) { remove(t, filepath.Dir(path), filepath.Base(path)) }, segment, []string{logFolder + " was replaced or removed", "put back"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			s := openStore(t, config(t, folder))
			putTeam(t, s, "one")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			tc.spoil(t, filepath.Join(folder, tc.file))
			s, err := Open(t.Context(), config(t, folder))
			if err == nil {
				s.Close()
				t.Fatal("a damaged log was taken")
			}
			for _, words := range tc.words {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("the error does not say %q: %v", words, err)
				}
			}
		})
	}
}

func TestNodeThatForgotItsNameIsToldIt(t *testing.T) {
	const sum = nodeIDFile + durable.SumSuffix
	for name, spoil := range map[string]func(t *testing.T, folder string){
		"gone":  func(t *testing.T, folder string) { remove(t, folder, nodeIDFile) },
		"empty": func(t *testing.T, folder string) { write(t, folder, nodeIDFile, ""); remove(t, folder, sum) },
		"another": func(t *testing.T, folder string) {
			write(t, folder, nodeIDFile, "somebody-else")
			remove(t, folder, sum)
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			s := openStore(t, config(t, folder))
			id := s.ID()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, folder)
			s, err := Open(t.Context(), config(t, folder))
			if err == nil {
				s.Close()
				t.Fatal("the node started as somebody else")
			}
			if want := "write " + id + " into " + filepath.Join(folder, nodeIDFile); !strings.Contains(err.Error(), want) {
				t.Fatalf("the error does not say %q: %v", want, err)
			}
			write(t, folder, nodeIDFile, id)
			remove(t, folder, sum)
			openStore(t, config(t, folder))
		})
	}
}

// scatter changes bytes all over a file, which may be open.
func scatter(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	for i := 0; i < len(content); i += 97 {
		content[i] ^= 0x5a
	}
	if err == nil {
		_, err = file.WriteAt(content, 0)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFolderServesOneProcess(t *testing.T) {
	folder := t.TempDir()
	openStore(t, config(t, folder))
	if s, err := Open(t.Context(), config(t, folder)); err == nil {
		s.Close()
		t.Fatal("a second node opened the same folder")
	} else if !strings.Contains(err.Error(), "already running") {
		t.Errorf("the error does not say what to do: %v", err)
	}
}

func TestFullDiskRefusesChangesButNotReading(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "one")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, folder)
	cfg.MinFree = 1 << 60
	s = openStore(t, cfg)
	_, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "two"}})
	if farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "MB free") {
		t.Errorf("got %v", err)
	}
	if err := s.Ready(); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("ready on a full disk: %v", err)
	}
	if !hasTeam(t, s, "one") || hasTeam(t, s, "two") {
		t.Error("reading shows something else than was stored")
	}
}

func TestApplyAfterItsContextOrTheNodeHasEnded(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Apply(ctx, command.PutTeam{Team: farm.Team{ID: "one"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if _, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "one"}}); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("after the end: %v", err)
	}
}

func TestLeadershipTellsOfTheLatest(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	select {
	case leads := <-s.Leadership():
		if !leads {
			t.Error("the only node was told that it does not lead")
		}
	case <-time.After(time.Minute):
		t.Error("the only node was not told that it leads")
	}
	if id, _ := s.Leader(); id != s.ID() {
		t.Errorf("node %q leads, not the only one, %q", id, s.ID())
	}
	if err := s.Barrier(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestManyCallersAtOnce(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	var callers sync.WaitGroup
	for c := range 16 {
		callers.Go(func() {
			for i := range 20 {
				id := fmt.Sprintf("team-%d-%d", c, i)
				if result, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: id}}); err != nil || result.Refused != nil {
					t.Errorf("%s: %v %v", id, err, result.Refused)
				}
				if !hasTeam(t, s, id) {
					t.Errorf("%s cannot be read after it was acknowledged", id)
				}
			}
		})
	}
	callers.Wait()
}

// TestEntryThatCannotBeAppliedIsFatal commits an entry of a kind that nobody knows.
func TestEntryThatCannotBeAppliedIsFatal(t *testing.T) {
	var fatal atomic.Int32
	cfg := config(t, t.TempDir())
	cfg.OnFatal = func(error) { fatal.Add(1) }
	s := openStore(t, cfg)
	putTeam(t, s, "one")
	if err := s.raft.Apply([]byte{99, 1, '{', '}'}, time.Second).Error(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "two"}}); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("a halted node answered %v", err)
	}
	if err := s.Ready(); err == nil {
		t.Error("a halted node calls itself ready")
	}
	if fatal.Load() != 1 {
		t.Errorf("told %d times, want once", fatal.Load())
	}
	if !hasTeam(t, s, "one") || hasTeam(t, s, "two") {
		t.Error("reading shows something else than was applied")
	}
}

func remove(t *testing.T, folder, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, folder, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCallersAreLetGoWhenTheNodeStops(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			for i := 0; ; i++ {
				if _, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: fmt.Sprintf("team-%d-%d", c, i)}}); err != nil {
					if farm.CodeOf(err) != farm.CodeUnavailable {
						t.Errorf("stopped with %v", err)
					}
					return
				}
			}
		})
	}
	eventually(t, "changes to arrive", func() bool { return hasTeam(t, s, "team-0-3") })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	callers.Wait()
}
