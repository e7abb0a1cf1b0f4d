package raftstore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// largeVariable says how large the state of TestALargeStateIsStreamed is, in megabytes; without it the test is skipped.
const largeVariable = "OVERCRANK_LARGE_STATE"

// largeHeap is how much memory beyond what stood there before a snapshot of whatever size may take to write, send, receive and
// restore, on three nodes in one process.
const largeHeap = 200 << 20

// fillLarge submits jobs with much in them until they are so many bytes.
func fillLarge(t *testing.T, s *Store, size int64) (jobs int) {
	t.Helper()
	if result, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "team"}}); err != nil || result.Refused != nil {
		t.Fatal(err, result.Refused)
	}
	const each, value = 12, 30_000 // jobs in a command, random bytes in a job, so that nothing compresses
	var next atomic.Int64
	var failed atomic.Pointer[string]
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 7))
			for failed.Load() == nil {
				at := next.Add(each)
				if at*value > size {
					return
				}
				cmd := command.SubmitJobs{}
				for i := range int64(each) {
					id := fmt.Sprintf("job%09d", at+i)
					text := make([]byte, value)
					for k := range text {
						text[k] = byte(' ' + 1 + random.IntN(90))
					}
					quoted, _ := json.Marshal(string(text))
					cmd.Jobs = append(cmd.Jobs, farm.Job{ID: id, Team: "team", OutputName: id + "-out.mp4", CreatedAt: epoch, Assets: []farm.Asset{{Type: "text", LayerName: "l", Value: quoted}}})
					cmd.Tasks = append(cmd.Tasks, farm.Task{ID: id + ".0", Job: id, Team: "team"})
				}
				result, err := s.Apply(t.Context(), cmd)
				for try := 0; err != nil && try < 20; try++ { // a change of leaders, on a machine that has much to do
					time.Sleep(100 * time.Millisecond)
					if result, err = s.Apply(t.Context(), cmd); err == nil {
						result.Refused = nil // it had been taken before
					}
				}
				if err != nil || result.Refused != nil {
					said := fmt.Sprint(err, result.Refused)
					failed.Store(&said)
				}
			}
		})
	}
	writers.Wait()
	if said := failed.Load(); said != nil {
		t.Fatal(*said)
	}
	return int(next.Load())
}

// worst keeps the longest of many times.
type worst struct{ most, count atomic.Int64 }

func (w *worst) note(began time.Time) {
	took := int64(time.Since(began))
	for w.count.Add(1); ; {
		was := w.most.Load()
		if took <= was || w.most.CompareAndSwap(was, took) {
			return
		}
	}
}

func (w *worst) String() string {
	return fmt.Sprintf("%d, the longest %v", w.count.Load(), time.Duration(w.most.Load()).Round(time.Millisecond))
}

// heap is how much memory Go's heap takes, in bytes.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// repeated is what is done again and again beside something else.
type repeated struct {
	over  chan struct{}
	stop  func() // does not wait
	doing sync.WaitGroup
}

func newRepeated(t *testing.T) *repeated {
	r := &repeated{over: make(chan struct{})}
	r.stop = sync.OnceFunc(func() { close(r.over) })
	t.Cleanup(r.end)
	return r
}

// do does something until the end; i counts from 0.
func (r *repeated) do(what func(i int)) {
	r.doing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-r.over:
				return
			default:
				what(i)
			}
		}
	})
}

func (r *repeated) end() {
	r.stop()
	r.doing.Wait()
}

// TestALargeStateIsStreamed lets a node fall so far behind that the others have to send it their whole state, and measures what
// writing, sending and restoring that costs those who write and read meanwhile.
func TestALargeStateIsStreamed(t *testing.T) {
	megabytes, err := strconv.Atoi(os.Getenv(largeVariable))
	if err != nil {
		t.Skipf("it takes minutes and %d GB of disk: set %s=1100, the size of the state in MB", 8, largeVariable)
	}
	c := newClusterOf(t, 3, func(_ int, cfg *Config) { cfg.portion = defaultPortion })
	behind := (c.leader() + 1) % 3
	c.stop(behind)
	leader := c.nodes[c.leader()]
	began := time.Now()
	jobs := fillLarge(t, leader, int64(megabytes)<<20)
	t.Logf("%d jobs were submitted in %v", jobs, time.Since(began).Round(time.Second))

	before, most := heap(), atomic.Int64{}
	beside := newRepeated(t)
	beside.do(func(int) {
		most.Store(max(most.Load(), heap()))
		time.Sleep(5 * time.Millisecond)
	})
	var applies, reads worst
	beside.do(func(i int) {
		began := time.Now()
		if _, err := leader.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: fmt.Sprint("beside", i)}}); err != nil {
			t.Logf("a command beside the snapshot: %v", err)
			return
		}
		applies.note(began)
	})
	began = time.Now()
	for _, node := range c.nodes { // whichever leads when the late one comes
		if node == nil {
			continue
		}
		if err := node.trimTrail(); err != nil {
			t.Fatal(err)
		}
		if err := node.Snapshot(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("two snapshots of %d MB were written in %v; beside them %v commands", leader.machine.size()>>20, time.Since(began).Round(time.Millisecond), &applies)
	if size := leader.machine.size(); size < int64(megabytes)<<20*9/10 {
		t.Errorf("the state has %d MB only", size>>20)
	}
	if first, err := leader.log.FirstIndex(); err != nil || first == 1 {
		t.Errorf("the log still begins at %d, %v", first, err)
	}
	logSize := folderSize(t, filepath.Join(leader.disk.folder, logFolder))
	t.Logf("the log behind it has %d MB", logSize>>20)
	if logSize > 4*trailingBytes {
		t.Errorf("the log has %d MB behind a snapshot", logSize>>20)
	}

	began = time.Now()
	late := c.start(behind)
	beside.do(func(int) {
		began := time.Now()
		if err := late.View(func(tx *tables.Tx) error { _, err := tx.Coordinators(); return err }); err != nil {
			t.Errorf("a reader beside the restoring: %v", err)
		}
		reads.note(began)
	})
	for index := leader.machine.last.Load(); late.machine.last.Load() < index; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 10*time.Minute {
			t.Fatal("the node does not catch up")
		}
	}
	t.Logf("the node that was behind had all of it after %v; on it %v reads, on the leader %v commands in all", time.Since(began).Round(time.Millisecond), &reads, &applies)
	beside.end()
	t.Logf("heap of three nodes: %d MB before, %d MB at most", before>>20, most.Load()>>20)
	if most.Load()-before > largeHeap {
		t.Errorf("the heap grew by %d MB", (most.Load()-before)>>20)
	}
	index, want, err := leader.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the same state on both", func() bool {
		at, got, err := late.Fingerprint()
		return err == nil && at >= index && (at > index || got == want)
	})

	began = time.Now()
	backup, err := leader.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer backup.Close()
	t.Logf("a backup could be read after %v", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	folder := filepath.Join(t.TempDir(), "state")
	if err := Restore(folder, backup); err != nil {
		t.Fatal(err)
	}
	t.Logf("it was restored into a new folder in %v", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	restored := openStore(t, config(t, folder))
	t.Logf("which a node started on in %v", time.Since(began).Round(time.Millisecond))
	err = restored.View(func(tx *tables.Tx) error {
		job, err := tx.Job(fmt.Sprintf("job%09d", 12))
		if err == nil && !bytes.HasPrefix(job.Assets[0].Value, []byte(`"`)) {
			t.Errorf("a job reads as %+v", job)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func folderSize(t *testing.T, folder string) (size int64) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	return size
}

// TestALargeStateIsPutBack puts three nodes back to a large state, and measures what that costs those who write and read meanwhile.
func TestALargeStateIsPutBack(t *testing.T) {
	megabytes, err := strconv.Atoi(os.Getenv(largeVariable))
	if err != nil {
		t.Skipf("it takes minutes and %d GB of disk: set %s=1100, the size of the state in MB", 16, largeVariable)
	}
	c := newClusterOf(t, 3, func(_ int, cfg *Config) { cfg.portion = defaultPortion })
	leader := c.nodes[c.leader()]
	jobs := fillLarge(t, leader, int64(megabytes)<<20)
	backup, err := leader.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	asked := c.nodes[(c.leader()+1)%3]
	held, err := asked.Receive(backup)
	if err != nil || backup.Close() != nil {
		t.Fatal(err)
	}
	t.Logf("%d jobs, a backup of %d MB was received in %v", jobs, backup.Size>>20, time.Since(began).Round(time.Millisecond))

	var applies, reads worst
	beside := newRepeated(t)
	for n, node := range c.nodes {
		beside.do(func(i int) {
			began := time.Now()
			if _, err := node.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: fmt.Sprintf("t%d-%d", n, i)}}); err != nil {
				t.Error(err)
				beside.stop()
				return
			}
			applies.note(began)
		})
		beside.do(func(int) {
			began := time.Now()
			hasTeam(t, node, "team")
			reads.note(began)
			time.Sleep(time.Millisecond)
		})
	}
	began = time.Now()
	index, err := asked.PutBack(t.Context(), held, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("put back in %v by change %d; commands %v; readings %v", time.Since(began).Round(time.Millisecond), index, &applies, &reads)
	beside.end()
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	for _, node := range c.nodes {
		if !hasTeam(t, node, "team") {
			t.Errorf("node %s has not what the backup has", node.ID())
		}
	}
}
