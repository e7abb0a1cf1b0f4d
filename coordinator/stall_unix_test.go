//go:build unix

package coordinator_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"overcrank/farm"
)

// A term ends though a file server that is gone holds the hand-over of a lease, for ever and whatever the context: the machines are sent
// to the next leader, which goes on with the lease.
func TestATermEndsThoughAFileServerIsGone(t *testing.T) {
	t.Parallel()
	nodes := openSeveral(t)
	before, followers := nodes.parted()
	job := before.private()
	before.handOver() // what the job keeps to itself is in the memory of the node that took it
	var leader *rig
	before.eventually("another node leads", func() bool {
		for _, r := range followers {
			if r.Cluster().Leads() {
				leader = r
			}
		}
		return leader != nil
	})
	pipe := filepath.Join(leader.cfg.Storage, "private", job.ID+".json")
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil { // which holds whoever opens it
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for _, r := range nodes.nodes {
			r.eventually("the calls to the storage have come back", func() bool { return r.Storage().Hung() == 0 })
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	s := leader.enrol("box")
	s.connect()
	leader.eventually("the task is leased", func() bool {
		counts, err := leader.CountJobs(t.Context(), leader.admin)
		return err == nil && counts[farm.JobRendering] == 1
	})
	leader.handOver()
	if m := s.hear(); m.Redirect == nil {
		t.Fatalf("got %+v instead of being sent on", m)
	}
}
