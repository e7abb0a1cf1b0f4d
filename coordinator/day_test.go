package coordinator_test

import (
	"testing"

	"overcrank/farm"
)

// TestAMachinesDayGoesOnWithTheNextLeader restarts a coordinator behind an attempt that ended.
func TestAMachinesDayGoesOnWithTheNextLeader(t *testing.T) {
	t.Parallel()
	r := open(t)
	template := r.uploaded(project(t, []string{"main"}))
	mac := r.enrol("mac")
	mac.connect()
	if _, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: template.ID, Composition: "main"}}); err != nil {
		t.Fatal(err)
	}
	mac.finish(mac.lease(), "film")
	before, n := r.ended(mac)
	if n != 1 || before.Since.IsZero() {
		t.Fatalf("the day is %+v", before)
	}
	r.restart()
	r.eventually("the day is known as before", func() bool {
		day, n := r.ended(mac)
		return n == 1 && day.Since.Equal(before.Since)
	})
}

// ended is the day of a machine, and how many attempts ended on it.
func (r *rig) ended(on *station) (day farm.MachineDay, n int) {
	r.t.Helper()
	day, err := r.Day(r.t.Context(), r.admin, on.agent.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range day.Parts {
		n += p.Jobs
	}
	return day, n
}

// TestAMachinesDayGoesOnWhenALeaderIsLost loses the leader behind the moment in which the others wrote down what it knew.
func TestAMachinesDayGoesOnWhenALeaderIsLost(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	_, at, l := renders(leader, followers)
	at.finish(l, "film")
	before, n := leader.ended(at)
	if n != 1 {
		t.Fatalf("the day is %+v", before)
	}
	for _, r := range followers {
		if err := r.NoteDays(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.lose(leader)
	next, _ := s.parted()
	next.eventually("the day is known as before", func() bool {
		day, n := next.ended(at)
		return n == 1 && day.Since.Equal(before.Since)
	})
}
