package raftstore

import (
	"errors"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestACommandBoundToALeadershipIsNotHandedToTheNext(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leads := c.leader()
	leader, follower := c.nodes[leads], c.nodes[(leads+1)%3]
	if err := leader.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if follower.Led() != nil {
		t.Error("a follower's requests may leave out the look at the leader")
	}
	led := leader.Led()
	if led == nil {
		t.Fatal("the leader's requests may not leave out the look at the others")
	}
	ctx := WithLed(t.Context(), led)
	if _, err := leader.Apply(ctx, command.PutTeam{Team: farm.Team{ID: "led"}}); err != nil {
		t.Fatal(err)
	}
	if err := leader.LedStill(t.Context(), led); err != nil {
		t.Error(err)
	}

	if err := leader.TransferLead(t.Context(), follower.ID()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other to lead", func() bool { id, _ := leader.Leader(); return id == follower.ID() })
	if _, err := leader.Apply(ctx, command.PutTeam{Team: farm.Team{ID: "late"}}); !errors.Is(err, ErrLedNoMore) {
		t.Errorf("a command whose request may have read old rows: %v", err)
	}
	if err := leader.LedStill(t.Context(), led); !errors.Is(err, ErrLedNoMore) {
		t.Errorf("a refusal after old rows: %v", err)
	}
	if leader.Led() != nil {
		t.Error("it leads no more and says that it does")
	}
	if err := leader.Fresh(t.Context()); err != nil || hasTeam(t, leader, "late") {
		t.Errorf("%v, or the command was made all the same", err)
	}
}

func TestALeaderOfAnEarlierTimeBeginsAgain(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leads := c.leader()
	first, second := c.nodes[leads], c.nodes[(leads+1)%3]
	if err := first.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	led := first.Led()
	for _, to := range []struct{ from, to *Store }{{first, second}, {second, first}} {
		if err := to.from.TransferLead(t.Context(), to.to.ID()); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the other to lead", func() bool { id, _ := to.to.Leader(); return id == to.to.ID() && to.to.Fresh(t.Context()) == nil })
	}
	if _, err := first.Apply(WithLed(t.Context(), led), command.PutTeam{Team: farm.Team{ID: "late"}}); !errors.Is(err, ErrLedNoMore) {
		t.Errorf("it leads again, and took a command of its earlier time: %v", err)
	}
}
