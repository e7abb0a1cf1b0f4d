package raftstore

import (
	"fmt"
	"time"

	"overcrank/farm"
)

// maxLag is how many committed entries a node may be behind and still be called ready.
const maxLag = 500

// Ready is nil when there is a leader and this node's state keeps up and can be written; otherwise it says why not.
func (s *Store) Ready() error { return farm.Unready(s.Checks()) }

// Checks says, part by part, whether this node can take work. What causes others comes first.
func (s *Store) Checks() []farm.Check {
	return []farm.Check{s.checkLog(), s.disk.report("disk"), s.checkState(), s.checkLeader()}
}

func (s *Store) checkLeader() farm.Check {
	_, id := s.raft.LeaderWithID()
	if id == "" {
		return farm.Failed("leader", farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment; one is chosen as soon as more than half of its coordinators are up and reach each other"))
	}
	found := fmt.Sprintf("node %s leads the farm", id)
	if string(id) == s.id {
		found = "this node leads the farm"
	}
	return farm.Passed("leader", found)
}

func (s *Store) checkState() farm.Check {
	const name = "state"
	commit, applied := s.raft.CommitIndex(), s.raft.AppliedIndex()
	if err := s.machine.damage(); err != nil {
		return farm.Failed(name, err)
	}
	switch err := s.machine.writable(); {
	case s.machine.halted.Load():
		return farm.Failed(name, farm.Errorf(farm.CodeUnavailable, "the farm's state cannot be written on this node; the log says why"))
	case err != nil:
		return farm.Failed(name, s.unwritable(err))
	case commit > applied+maxLag:
		return farm.Failed(name, farm.Errorf(farm.CodeUnavailable, "this node is %d changes behind the farm and catching up", commit-applied))
	}
	check := farm.Passed(name, fmt.Sprintf("all changes up to number %d are here", applied))
	known := s.Integrity()
	if !known.Verified.IsZero() {
		check.Found += fmt.Sprintf(", and the file that holds them was looked through and whole on %s", known.Verified.UTC().Format(time.RFC3339))
	}
	if known.Rebuilds > 0 {
		check.Warn = true
		check.Found += fmt.Sprintf("; but the file was found damaged and made again %s, the last time on %s: nothing is lost, look at this machine's disk and memory",
			times(known.Rebuilds), known.Rebuilt.UTC().Format(time.RFC3339))
	}
	if known := s.Breaches(); known.Count > 0 {
		check.Warn = true
		check.Found += fmt.Sprintf("; but %d would have broken the farm's state and were refused or set right, the last on %s (%s): please report it with this coordinator's log",
			known.Count, known.At.UTC().Format(time.RFC3339), known.Last)
	}
	return check
}

func (s *Store) checkLog() farm.Check {
	const name = "log"
	if err := s.log.check(); err != nil {
		return farm.Failed(name, err)
	}
	took := s.SyncTimes()
	return farm.Passed(name, fmt.Sprintf("the disk took the last change in %.1f ms, the slowest of late in %.1f ms", milliseconds(took.Last), milliseconds(took.Worst)))
}

// writable is nil while this node's files take changes.
func (s *Store) writable() error {
	if err := s.log.check(); err != nil {
		return err
	}
	if err := s.machine.damage(); err != nil {
		return err
	}
	if err := s.machine.writable(); err != nil {
		return s.unwritable(err)
	}
	return s.disk.check()
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (s *Store) unwritable(err error) error {
	return farm.Errorf(farm.CodeUnavailable, "the file of the farm's state cannot be written: %w; %s", err, wayOut(err))
}
