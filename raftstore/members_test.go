package raftstore

import (
	"context"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// A coordinator answers its last request while it leaves, and keeps the answer for a repetition: entries of the log, which do not reach it any more.
func TestANodeThatWasRemovedWaitsForNothing(t *testing.T) {
	c := newSteadyCluster(t, 3, func(int, *Config) {})
	leader, gone := c.nodes[c.leader()], c.nodes[2]
	_, based, err := leader.Members()
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.RemoveMember(t.Context(), gone.ID(), based); err != nil {
		t.Fatal(err)
	}
	taken := make(chan error, 1)
	go func() {
		_, err := gone.Apply(context.WithoutCancel(t.Context()), command.PutTeam{Team: farm.Team{ID: "after", Name: "after"}})
		taken <- err
	}()
	eventually(t, "the others to have what the one that left was asked for", func() bool { return hasTeam(t, leader, "after") })
	gone.Part()
	gone.Part() // once more does no harm
	if err := <-taken; farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("who waited was told %v", err)
	}
	if _, err := gone.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "later", Name: "later"}}); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("who came later was told %v", err)
	}
	if err := gone.Fresh(t.Context()); farm.CodeOf(err) != farm.CodeUnavailable {
		t.Errorf("who wanted to read the newest was told %v", err)
	}
	if hasTeam(t, leader, "later") {
		t.Error("the farm took a change from a coordinator that had left")
	}
}
