package raftstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

// fillFarm gives a store jobs, some of them behind a snapshot.
func fillFarm(t *testing.T, s *Store) {
	t.Helper()
	must := func(cmd command.Command) {
		t.Helper()
		if res, err := s.Apply(t.Context(), cmd); err != nil || res.Refused != nil {
			t.Fatal(err, res.Refused)
		}
	}
	must(command.PutTeam{Team: farm.Team{ID: "team"}})
	for i := range 300 {
		id := fmt.Sprintf("job%04d", i)
		value := fmt.Sprintf("%q", strings.Repeat(id, 60))
		must(command.SubmitJobs{
			Jobs: []farm.Job{{ID: id, Team: "team", OutputName: id + "-out.mp4", CreatedAt: after(i), Tags: []string{"a", "b"},
				Assets: []farm.Asset{{Type: "text", LayerName: "l", Value: []byte(value)}}}},
			Tasks: []farm.Task{{ID: id + ".0", Job: id, Team: "team"}},
		})
		if i == 200 {
			if err := s.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// spot is a byte of a state file, in a page of some kind.
type spot struct {
	kind string
	at   int64
}

// pagesInUse are where the pages of a state file are that mean something, by their kind.
func pagesInUse(t *testing.T, path string) map[string][]int64 {
	t.Helper()
	content := readFile(t, path)
	page := int64(os.Getpagesize())
	found := map[string][]int64{"meta": {0, page}}
	var visit func(id int64)
	visit = func(id int64) {
		head := content[id*page:]
		count := int64(binary.NativeEndian.Uint16(head[10:]))
		if head[8] == 1 {
			found["branch"] = append(found["branch"], id*page)
			for i := range count {
				visit(int64(binary.NativeEndian.Uint64(head[16+16*i+8:])))
			}
			return
		}
		found["leaf"] = append(found["leaf"], id*page)
		for at := int64(16); at < 16+16*count; at += 16 {
			if head[at] == 1 { // a bucket, whose row begins with the number of its first page
				row := at + int64(binary.NativeEndian.Uint32(head[at+4:])) + int64(binary.NativeEndian.Uint32(head[at+8:]))
				if root := int64(binary.NativeEndian.Uint64(head[row:])); root > 0 {
					visit(root)
				}
			}
		}
	}
	meta := content[16:] // the newer of the two
	if other := content[page+16:]; binary.NativeEndian.Uint64(other[48:]) > binary.NativeEndian.Uint64(meta[48:]) {
		meta = other
	}
	visit(int64(binary.NativeEndian.Uint64(meta[16:])))
	if list := int64(binary.NativeEndian.Uint64(meta[32:])); list >= 0 {
		found["free list"] = []int64{list * page}
	}
	return found
}

// spots are bytes of a state file: in the heads of pages of each kind, in the heads of their elements, in what these hold, and anywhere.
// The round says which.
func spots(t *testing.T, path string, round int) (found []spot) {
	t.Helper()
	content := readFile(t, path)
	random := rand.New(rand.NewPCG(3, uint64(round)))
	for _, kind := range []string{"meta", "branch", "leaf", "free list"} {
		pages := pagesInUse(t, path)[kind]
		if len(pages) == 0 {
			continue
		}
		at := pages[random.IntN(len(pages))]
		within := []int64{0, 12, 16, 8, 24, 20, 10, 28}[round%8] // number, pages behind, first element, kind, page or size, place, count, size
		if round%3 == 2 && kind == "leaf" {                      // a row
			within = 16 + int64(binary.NativeEndian.Uint32(content[at+20:])) + int64(random.IntN(12))
		}
		found = append(found, spot{kind, at + within})
	}
	return append(found, spot{"anything", random.Int64N(int64(len(content)))})
}

// flipRounds is how many bytes of each kind are tried; OVERCRANK_FLIPS says more.
func flipRounds() int {
	if n, err := strconv.Atoi(os.Getenv("OVERCRANK_FLIPS")); err == nil {
		return n
	}
	return 4
}

// TestAFlippedBitOfTheStateFileIsFoundAtTheStart flips bits of the state file of a node that was stopped, or killed: the node comes up with
// every row, whether or not the bit meant anything.
func TestAFlippedBitOfTheStateFileIsFoundAtTheStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, stateFile)
	s := openStore(t, config(t, folder))
	fillFarm(t, s)
	want := rowsOf(t, s)
	found := map[string]int{}
	again := func(what string) bool {
		t.Helper()
		s = openStore(t, config(t, folder))
		if got := rowsOf(t, s); got != want {
			t.Errorf("%s: the rows are others; %+v", what, s.Integrity())
		}
		return s.Integrity().Rebuilds > 0
	}
	stop := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	for round := range flipRounds() {
		stop()
		for i := range spots(t, path, round) {
			p := spots(t, path, round)[i] // the file may have been made again
			flip(t, path, p.at, uint8(round%8))
			if again(fmt.Sprintf("stopped, bit %d of byte %d, %s", round%8, p.at, p.kind)) {
				found[p.kind]++
			}
			stop()
		}
		// A node that was killed leaves no list of free pages.
		s = openStore(t, config(t, folder))
		if err := s.machine.state.Flush(); err != nil {
			t.Fatal(err)
		}
		putTeam(t, s, "team") // which is there
		if err := s.machine.state.Flush(); err != nil {
			t.Fatal(err)
		}
		killed := readFile(t, path)
		mark := readFile(t, filepath.Join(folder, "state.mark"))
		stop()
		for i, kind := range []string{"branch", "leaf"} {
			write(t, folder, stateFile, string(killed))
			write(t, folder, "state.mark", string(mark))
			p := spots(t, path, round)[i+1]
			flip(t, path, p.at, uint8(round%8))
			if again(fmt.Sprintf("killed, bit %d of byte %d, %s", round%8, p.at, p.kind)) {
				found["killed, "+kind]++
			}
			stop()
		}
		s = openStore(t, config(t, folder))
	}
	t.Log(found)
	for _, kind := range []string{"leaf", "branch", "free list", "killed, leaf", "killed, branch"} { // one head stands in for the other
		if found[kind] < flipRounds()/2 {
			t.Errorf("of %d flips in pages that are %s, %d were found", flipRounds(), kind, found[kind])
		}
	}
}

// flip changes one bit of a file.
func flip(t *testing.T, path string, at int64, bit uint8) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	_, err = file.ReadAt(one, at)
	if err == nil {
		one[0] ^= 1 << bit
		_, err = file.WriteAt(one, at)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

// rowsOf is a hash over all rows of a store but those that say how far the log has been followed.
func rowsOf(t *testing.T, s *Store) string {
	t.Helper()
	return (&testMachine{machine: s.machine, t: t}).content()
}

// TestAFlippedBitIsFoundWhileTheFileIsUsed flips bits under a node that runs, and has it look through its file.
func TestAFlippedBitIsFoundWhileTheFileIsUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, stateFile)
	var rebuilt atomic.Int64
	cfg := config(t, folder)
	cfg.Rebuilt = func() { rebuilt.Add(1) }
	s := openStore(t, cfg)
	fillFarm(t, s)
	settled := func() (want string) {
		t.Helper()
		eventually(t, "a snapshot", func() bool { return s.Snapshot() == nil }) // a change may find damage too
		eventually(t, "the node to be ready", func() bool { return s.Ready() == nil })
		return rowsOf(t, s)
	}
	want := settled()
	found := int64(0)
	for round := range flipRounds() {
		for i := range spots(t, path, round) {
			p := spots(t, path, round)[i]
			what := fmt.Sprintf("bit %d of byte %d, %s", round%8, p.at, p.kind)
			before := s.Integrity().Rebuilds
			flip(t, path, p.at, uint8(round%8))
			state := s.machine.inUse.Load()
			looked := state.Sound()
			if looked != nil {
				s.machine.markDamaged(state, looked)
				found++
			}
			eventually(t, fmt.Sprintf("the file to be whole after %s (%v)", what, looked), func() bool {
				return (looked == nil || s.Integrity().Rebuilds > before) && s.Ready() == nil
			})
			if got := rowsOf(t, s); got != want {
				t.Fatalf("after %s the rows are others; found: %v", what, looked)
			}
		}
		putTeamAtLast(t, s, fmt.Sprint("more", round)) // and it takes changes
		want = settled()
	}
	if found < 5 || rebuilt.Load() < found {
		t.Errorf("%d flips were found and the coordinator was told %d times", found, rebuilt.Load())
	}
	if check := s.checkState(); !check.Warn || !strings.Contains(check.Found, "was found damaged") {
		t.Errorf("the check says %+v", check)
	}
}

// putTeamAtLast makes a team on a node that may make its state file again meanwhile.
func putTeamAtLast(t *testing.T, s *Store, id string) {
	t.Helper()
	eventually(t, "a team to be made", func() bool {
		_, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: id}})
		if err != nil && farm.CodeOf(err) != farm.CodeUnavailable {
			t.Fatal(err)
		}
		return err == nil
	})
}

// TestDamageThatARequestMeetsIsNoAnswer flips a bit of every page below a running node: requests are refused until the file is made again,
// and none is answered with less than there is.
func TestDamageThatARequestMeetsIsNoAnswer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	fillFarm(t, s)
	if err := s.Snapshot(); err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, s)
	page := int64(os.Getpagesize())
	for at := page * 2; at < s.Size(); at += page {
		flip(t, filepath.Join(folder, stateFile), at+8, 7) // what kind of page it is
	}
	err := s.View(func(tx *tables.Tx) error {
		_, err := tx.Job("job0100")
		return err
	})
	if farm.CodeOf(err) != farm.CodeUnavailable || !strings.Contains(err.Error(), "is made again") {
		t.Errorf("a request is answered with %v", err)
	}
	if err := s.Ready(); err == nil && s.Integrity().Rebuilds == 0 {
		t.Error("the node says that it is ready")
	}
	// A change that comes meanwhile is made when the file is there again.
	putTeamAtLast(t, s, "meanwhile")
	eventually(t, "the file to be made again", func() bool { return s.Integrity().Rebuilds == 1 && s.Ready() == nil && hasTeam(t, s, "meanwhile") })
	if got := rowsOf(t, s); got == want {
		t.Error("the change is not there")
	}
	if job := jobIn(t, s, "job0100"); job.ID != "job0100" {
		t.Errorf("the job is %+v", job)
	}
}

// TestACheckpointOfADamagedFileIsNotUsed loses the power behind a checkpoint, whose pages the disk has changed since.
func TestACheckpointOfADamagedFileIsNotUsed(t *testing.T) {
	if !checkpoints() {
		t.Skip("this system has no checkpoints")
	}
	t.Parallel()
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	fillFarm(t, s)
	if err := s.machine.state.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := s.machine.keepCheckpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := rowsOf(t, s)
	torn := filepath.Join(t.TempDir(), "torn")
	if err := os.CopyFS(torn, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	anotherBoot(t, folder, torn)
	// What is damaged has to belong to the checkpoint: a node that has just begun writes on behind it.
	state := filepath.Join(torn, stateFile)
	head, err := readCheckpoint(state)
	if err == nil {
		err = boltfile.Restore(state, head)
	}
	if err != nil {
		t.Fatal(err)
	}
	content := readFile(t, state)
	firstRow := func(page int64) int64 { return page + 16 + int64(binary.NativeEndian.Uint32(content[page+20:])) }
	leaves := pagesInUse(t, state)["leaf"]
	job := slices.IndexFunc(leaves, func(page int64) bool { return bytes.HasPrefix(content[firstRow(page):], []byte("job0")) })
	if job < 0 {
		t.Fatal("the checkpoint holds no job")
	}
	flip(t, state, firstRow(leaves[job]), 0)
	again, told := openTold(t, torn)
	if got := rowsOf(t, again); got != want || again.Integrity().Rebuilds != 1 {
		t.Errorf("the rows are the same: %v; %+v; %s", got == want, again.Integrity(), told)
	}
	if !strings.Contains(told, "remedy=") {
		t.Errorf("the log does not say what to do: %s", told)
	}
}

// TestALeaderWithADamagedFileHandsTheLeadOver has three nodes.
func TestALeaderWithADamagedFileHandsTheLeadOver(t *testing.T) {
	t.Parallel()
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leads := c.leader()
	leader := c.nodes[leads]
	putTeam(t, leader, "before")
	leader.machine.markDamaged(leader.machine.inUse.Load(), fmt.Errorf("%w: so says the test", layered.ErrDamaged))
	eventually(t, "the file to be made again", func() bool { return leader.Integrity().Rebuilds == 1 && leader.Ready() == nil })
	if id, _ := leader.Leader(); id == leader.ID() {
		t.Error("the node with the damaged file leads on")
	}
	putTeam(t, c.nodes[(leads+1)%3], "after")
	if err := leader.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !hasTeam(t, leader, "before") || !hasTeam(t, leader, "after") {
		t.Error("a team is lost")
	}
	index, print, err := leader.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	other := c.nodes[(leads+1)%3]
	eventually(t, "the others to be there too", func() bool { _, known := other.FingerprintAt(index); return known })
	if theirs, _ := other.FingerprintAt(index); theirs != print {
		t.Errorf("its fingerprint is %s, and that of another %s", print, theirs)
	}
}

// TestWhatAStateFileIsMadeOfMayBeDamagedToo damages, beside the state file, the snapshot, the log, or both. The node ends, and every start
// behind that is refused, with the way out; none begins without what was there.
func TestWhatAStateFileIsMadeOfMayBeDamagedToo(t *testing.T) {
	t.Parallel()
	const snapshot, log = "snapshots/*/state.bin", logFolder + "/*.log"
	for name, spoilt := range map[string][]string{"snapshot": {snapshot}, "log": {log}, "both": {snapshot, log}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			fatal := make(chan error, 1)
			cfg := config(t, folder)
			cfg.OnFatal = func(err error) { fatal <- err }
			s := openStore(t, cfg)
			fillFarm(t, s)
			for _, pattern := range spoilt {
				files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
				if err != nil || len(files) == 0 {
					t.Fatalf("%s: %v, %v", pattern, files, err)
				}
				for _, file := range files {
					scatter(t, file)
				}
			}
			s.machine.markDamaged(s.machine.inUse.Load(), fmt.Errorf("%w: so says the test", layered.ErrDamaged))
			if err := <-fatal; !strings.Contains(err.Error(), "could not be made again") || !strings.Contains(err.Error(), boltfile.WayOut) {
				t.Errorf("the node ends with %v", err)
			}
			if _, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "late"}}); err == nil || s.Ready() == nil {
				t.Errorf("the node took a change (%v), or says that it is ready (%v)", err, s.Ready())
			}
			_ = s.Close() // of what is damaged
			for range 2 {
				s, err := Open(t.Context(), config(t, folder))
				if err == nil {
					t.Fatalf("the node has started, and knows its jobs: %v", errors.Join(s.View(func(tx *tables.Tx) error { _, err := tx.Job("job0100"); return err }), s.Close()) == nil)
				}
				if !strings.Contains(err.Error(), boltfile.WayOut) {
					t.Errorf("the start is refused with %v", err)
				}
			}
		})
	}
}

// TestADamagedSnapshotHasOneBeforeIt starts a node whose newest snapshot is damaged: the one before it, and the log, have everything too.
func TestADamagedSnapshotHasOneBeforeIt(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("state file lost %v", lost), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			s := openStore(t, config(t, folder))
			fillFarm(t, s)
			if err := s.Snapshot(); err != nil {
				t.Fatal(err)
			}
			newest, err := s.snapshots.List()
			if err != nil || len(newest) != 2 {
				t.Fatalf("there are %d snapshots, %v", len(newest), err)
			}
			want := rowsOf(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			scatter(t, filepath.Join(folder, "snapshots", newest[0].ID, "state.bin"))
			if lost {
				remove(t, folder, stateFile)
			}
			s = openStore(t, config(t, folder))
			if rowsOf(t, s) != want {
				t.Error("the rows are others")
			}
			putTeam(t, s, "onward")
			if err := s.Snapshot(); err != nil {
				t.Error(err)
			}
		})
	}
}

func jobIn(t *testing.T, s *Store, id string) (job farm.Job) {
	t.Helper()
	err := s.View(func(tx *tables.Tx) (err error) {
		job, err = tx.Job(id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return job
}
