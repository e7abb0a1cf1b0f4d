package tables

import (
	"testing"
	"time"

	"overcrank/raftstore/command"
)

func TestMachineTimeIsCountedByTeamAndHour(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	usages := func() (list []Usage) {
		t.Helper()
		m.tables(func(tb *tables) (err error) {
			list, err = (&Tx{tb}).Usages()
			return err
		})
		return list
	}
	attempt := 0
	work := func(began, seconds int) {
		attempt++
		m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: attempt, Agent: "a1"}}, At: after(began)})
		m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: attempt, Agent: "a1"}}, Returned: true, At: after(began + seconds)})
	}
	submit(m, "j1", 1)
	work(0, 100)
	work(200, 50)
	first := usages()
	if len(first) != 1 || first[0].Team != "team" || first[0].Time != 150*time.Second || after(250).Sub(first[0].From) >= time.Hour {
		t.Fatalf("counted %+v", first)
	}
	work(2*3600, 7)
	if got := usages(); len(got) != 2 || got[1].Time != 7*time.Second || got[1].From.Sub(got[0].From) != 2*time.Hour {
		t.Errorf("two hours later: %+v", got)
	}
	work(2*3600+usageKept*3600, 9)
	if got := usages(); len(got) != 1 || got[0].Time != 9*time.Second {
		t.Errorf("when the first hours do not count any more: %+v", got)
	}
}
