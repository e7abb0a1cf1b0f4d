package raftstore

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fromCheckpoint = "goes on from its last checkpoint"

// powerLost is a copy of the folder of a farm that runs, as its disk may be after the machine has lost its power: each page of the state
// file is as it was when the file was synced, or as it is now, or was never written.
func powerLost(t *testing.T, folder string, synced []byte, random *rand.Rand) string {
	t.Helper()
	torn := filepath.Join(t.TempDir(), "torn")
	if err := os.CopyFS(torn, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(torn, stateFile)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	for at := 0; at < len(content); at += page {
		switch end := min(at+page, len(content)); {
		case random.IntN(2) == 0:
		case at < len(synced):
			copy(content[at:end], synced[at:])
		default:
			clear(content[at:end])
		}
	}
	write(t, torn, stateFile, string(content))
	anotherBoot(t, folder, torn)
	return torn
}

// anotherBoot makes a folder's mark one of a machine that has been restarted since; it was written when that of another folder was.
func anotherBoot(t *testing.T, from, folder string) {
	t.Helper()
	was, err := os.Stat(filepath.Join(from, "state.mark"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "state.mark", markRunning+"another\n")
	if err := os.Chtimes(filepath.Join(folder, "state.mark"), was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// openTold opens a node and gives what it logged.
func openTold(t *testing.T, folder string) (*Store, string) {
	t.Helper()
	var told bytes.Buffer
	cfg := config(t, folder)
	cfg.portion = smallPortion
	cfg.Logger = slog.New(slog.NewTextHandler(&told, nil))
	s := openStore(t, cfg)
	return s, told.String()
}

func TestAMachineThatLostItsPowerGoesOnFromTheCheckpoint(t *testing.T) {
	if !checkpoints() {
		t.Skip("this system has no checkpoints")
	}
	folder := t.TempDir()
	s, _ := openTold(t, folder)
	teams := 0
	more := func(n int) {
		for range n {
			putTeam(t, s, fmt.Sprint("team", teams))
			teams++
		}
	}
	random := rand.New(rand.NewPCG(7, 7))
	for round := range 3 {
		more(60)
		if err := s.machine.keepCheckpoint(t.Context()); err != nil {
			t.Fatal(err)
		}
		synced := readFile(t, filepath.Join(folder, stateFile))
		more(80) // which goes to the file in many portions
		_, want, _ := s.Fingerprint()
		for range 3 {
			torn := powerLost(t, folder, synced, random)
			again, told := openTold(t, torn)
			if !strings.Contains(told, fromCheckpoint) || strings.Contains(told, "made again") {
				t.Errorf("round %d: it does not go on from the checkpoint: %s", round, told)
			}
			if _, got, err := again.Fingerprint(); got != want || err != nil {
				t.Errorf("round %d: fingerprint %s, want %s; %v", round, got, want, err)
			}
			for i := range teams {
				if !hasTeam(t, again, fmt.Sprint("team", i)) {
					t.Fatalf("round %d: team %d is lost", round, i)
				}
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestACheckpointOfAnEarlierRunIsVoid puts a checkpoint back that a later run has written over.
func TestACheckpointOfAnEarlierRunIsVoid(t *testing.T) {
	if !checkpoints() {
		t.Skip("this system has no checkpoints")
	}
	folder := t.TempDir()
	s, _ := openTold(t, folder)
	putTeam(t, s, "one")
	if err := s.machine.keepCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	old := readFile(t, checkpointPath(filepath.Join(folder, stateFile)))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, _ = openTold(t, folder)
	if kept, err := os.ReadFile(checkpointPath(filepath.Join(folder, stateFile))); err == nil && bytes.Equal(kept, old) {
		t.Error("the checkpoint is there while its pages may be written over")
	} else if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	putTeam(t, s, "two")
	_, want, _ := s.Fingerprint()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, folder, stateFile+".checkpoint", string(old))
	anotherBoot(t, folder, folder)
	s, told := openTold(t, folder)
	if strings.Contains(told, fromCheckpoint) {
		t.Error("the checkpoint of an earlier run was used")
	}
	if _, got, err := s.Fingerprint(); got != want || err != nil {
		t.Errorf("fingerprint %s, want %s; %v", got, want, err)
	}
}

// TestAStopBehindACheckpointLeavesTheFileToTheSystem stops a node that has a checkpoint, and starts it again with and without a loss of
// power in between.
func TestAStopBehindACheckpointLeavesTheFileToTheSystem(t *testing.T) {
	if !checkpoints() {
		t.Skip("this system has no checkpoints")
	}
	folder := t.TempDir()
	s, _ := openTold(t, folder)
	for i := range 50 {
		putTeam(t, s, fmt.Sprint("team", i))
	}
	if err := s.machine.keepCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	synced := readFile(t, filepath.Join(folder, stateFile))
	for i := range 50 {
		putTeam(t, s, fmt.Sprint("later", i))
	}
	_, want, _ := s.Fingerprint()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if mark := string(readFile(t, filepath.Join(folder, "state.mark"))); !strings.HasPrefix(mark, markRunning) {
		t.Errorf("the mark says %q of a file that was not synced", mark)
	}
	torn := powerLost(t, folder, synced, rand.New(rand.NewPCG(1, 2)))
	for where, power := range map[string]bool{torn: true, folder: false} {
		s, told := openTold(t, where)
		if strings.Contains(told, fromCheckpoint) != power {
			t.Errorf("power lost: %v: %s", power, told)
		}
		if _, got, err := s.Fingerprint(); got != want || err != nil {
			t.Errorf("power lost: %v: fingerprint %s, want %s; %v", power, got, want, err)
		}
	}
}
