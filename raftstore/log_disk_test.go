package raftstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/faults"
	"overcrank/raftstore/command"
)

// onFaultyDisk is config with a disk whose faults the test sets.
func onFaultyDisk(t *testing.T, folder string) (Config, *faults.Machine) {
	cfg, machine := config(t, folder), faults.NewMachine()
	cfg.BeforeSync = machine.BeforeSync
	return cfg, machine
}

// clusterOnFaultyDisks is a cluster of three whose disks do as their machines are told.
func clusterOnFaultyDisks(t *testing.T) (*cluster, []*faults.Machine) {
	machines := []*faults.Machine{faults.NewMachine(), faults.NewMachine(), faults.NewMachine()}
	return newClusterOf(t, 3, func(i int, cfg *Config) { cfg.BeforeSync = machines[i].BeforeSync }), machines
}

// tryTeam puts a team within a moment, and tells what came of it.
func tryTeam(t *testing.T, s *Store, id string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := s.Apply(ctx, command.PutTeam{Team: farm.Team{ID: id}})
	return err
}

func TestAFarmGoesOnWhenItsDiskTakesWritesAgain(t *testing.T) {
	for name, cause := range map[string]error{"full": syscall.ENOSPC, "read-only": syscall.EROFS, "failing": syscall.EIO} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			cfg, machine := onFaultyDisk(t, folder)
			s := openStore(t, cfg)
			var acknowledged []string
			for round := range 3 {
				putTeam(t, s, fmt.Sprint("well", round))
				acknowledged = append(acknowledged, fmt.Sprint("well", round))

				machine.Set(faults.Faults{Disk: cause})
				lost := 0
				eventually(t, "the disk to be seen to take nothing", func() bool {
					err := tryTeam(t, s, fmt.Sprintf("lost%d-%d", round, lost))
					if lost++; err == nil {
						t.Fatal("a change was acknowledged that the disk did not take")
					}
					return errors.Is(err, cause)
				})
				_, err := s.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: fmt.Sprint("refused", round)}})
				if farm.CodeOf(err) != farm.CodeUnavailable || !errors.Is(err, cause) || !strings.Contains(err.Error(), folder) {
					t.Errorf("while the disk takes nothing a change gets %v", err)
				}
				if err := s.Ready(); err == nil {
					t.Error("it calls itself ready")
				}
				if hasTeam(t, s, fmt.Sprint("refused", round)) || !hasTeam(t, s, acknowledged[0]) {
					t.Error("the state is not what was acknowledged")
				}

				machine.Set(faults.Faults{})
				eventually(t, "the farm to take changes again", func() bool { return s.Ready() == nil && s.Barrier(t.Context()) == nil })
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := openStore(t, config(t, folder))
			for _, id := range acknowledged {
				if !hasTeam(t, again, id) {
					t.Errorf("%s was acknowledged and is lost", id)
				}
			}
		})
	}
}

func TestANodeWhoseDiskTakesNothingCanBeClosed(t *testing.T) {
	folder := t.TempDir()
	cfg, machine := onFaultyDisk(t, folder)
	s := openStore(t, cfg)
	putTeam(t, s, "kept")
	machine.Set(faults.Faults{Disk: syscall.ENOSPC})
	if err := tryTeam(t, s, "lost"); err == nil {
		t.Fatal("a change was acknowledged that the disk did not take")
	}
	eventually(t, "the leader to give up", func() bool { id, _ := s.Leader(); return id == "" })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := openStore(t, config(t, folder)); !hasTeam(t, again, "kept") {
		t.Error("what was acknowledged is lost")
	}
}

func TestAnotherNodeLeadsWhenTheLeadersDiskTakesNothing(t *testing.T) {
	c, machines := clusterOnFaultyDisks(t)
	at := c.leader()
	ill := c.nodes[at]
	putTeam(t, ill, "before")
	machines[at].Set(faults.Faults{Disk: syscall.ENOSPC})
	_ = tryTeam(t, ill, "perhaps") // it may be taken, or not: the others decide
	eventually(t, "another leader", func() bool { return c.leader() != at })
	putTeam(t, c.nodes[c.leader()], "meanwhile")
	machines[at].Set(faults.Faults{})
	eventually(t, "the node to catch up", func() bool { return ill.Ready() == nil && hasTeam(t, ill, "before") && hasTeam(t, ill, "meanwhile") })
}

func TestASlowDiskIsMeasuredAndSaysSo(t *testing.T) {
	cfg, machine := onFaultyDisk(t, t.TempDir())
	s := openStore(t, cfg)
	machine.Set(faults.Faults{Sync: 50 * time.Millisecond})
	before := s.SyncTimes()
	for i := range 3 {
		putTeam(t, s, fmt.Sprint("slow", i))
	}
	now := s.SyncTimes()
	if now.Count < before.Count+3 || now.Worst < 50*time.Millisecond || now.Total-before.Total < 150*time.Millisecond {
		t.Errorf("three slow changes: %+v, before them %+v", now, before)
	}
	if err := s.Ready(); err != nil {
		t.Errorf("a farm on a slow disk is not ready: %v", err)
	}
	end := s.log.syncs.begin()
	defer end()
	for id := range s.log.syncs.open {
		s.log.syncs.mu.Lock()
		s.log.syncs.open[id] = time.Now().Add(-2 * syncStuck)
		s.log.syncs.mu.Unlock()
	}
	if err := s.Ready(); err == nil || !strings.Contains(err.Error(), "has not taken a change") {
		t.Errorf("the disk holds a change for long, and the farm says %v", err)
	}
}

// TestASlowDiskUnseatsNoLeader: a disk that takes as long for each change as the others bear a leader's silence. A leader may also lose its lead because
// this machine stands still, with all nodes: a disk would have it lose the lead each time.
func TestASlowDiskUnseatsNoLeader(t *testing.T) {
	c, machines := clusterOnFaultyDisks(t)
	sync := func(takes time.Duration) {
		for _, machine := range machines {
			machine.Set(faults.Faults{Sync: takes})
		}
	}
	defer sync(0)
	var elections []uint64
	for try, end := 0, time.Now().Add(2*time.Minute); time.Now().Before(end); try++ {
		sync(0)
		leader := c.nodes[c.leader()]
		term := leader.raft.CurrentTerm()
		sync(clusterTimeout)
		var failed error
		for i := 0; i < 5 && failed == nil && leader.raft.CurrentTerm() == term; i++ {
			_, failed = leader.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: fmt.Sprintf("slow%d-%d", try, i)}})
		}
		took := leader.raft.CurrentTerm() - term
		if took == 0 && failed == nil {
			return
		}
		elections = append(elections, took)
	}
	t.Errorf("whenever five changes come to slow disks, there are elections: %d", elections)
}
