package tables

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

// expectMachineJobs makes the list by machine of that by job, and holds both to the attempts that are known.
func expectMachineJobs(t *rapid.T, tb *tables, now commandtest.Seen, set func(bucket []byte, key, value string)) {
	cursor := tb.cursor(bucketJobMachines)
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		id, agent, _ := strings.Cut(string(key), "\x00")
		job, ok := now.Jobs[id]
		if !ok {
			t.Fatalf("machine %s is said to have worked on job %s, which is gone", agent, id)
		}
		set(bucketMachineJobs, job.Team+"\x00"+agent+"\x00"+timeKey(job.CreatedAt)+id, "")
	}
}

func (m *rig) machineJobs(agent string, before time.Time, limit int) (ids []string, more bool) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		ids, more, err = tx.MachineJobs("team", agent, before, limit)
		return err
	})
	return ids, more
}

func TestJobsAreListedByTheMachineThatWorkedOnThem(t *testing.T) {
	m := leveled(t)
	for i, job := range []string{"b1-j0", "b1-j1", "b1-j2"} {
		submit(m, job, i)
		lease(m, job+".0", 1, 5+i)
	}
	agent := ""
	m.read(func(tx *Tx) error {
		task, err := tx.Task("b1-j1.0")
		agent = task.Agent
		return err
	})
	if ids, more := m.machineJobs(agent, time.Time{}, 10); more || !slices.Equal(slices.Sorted(slices.Values(ids)), []string{"b1-j0", "b1-j1", "b1-j2"}) {
		t.Fatalf("%s worked on %q, more: %v", agent, ids, more)
	}
	all, _ := m.machineJobs(agent, time.Time{}, 10)
	if ids, more := m.machineJobs(agent, time.Time{}, 2); !more || !slices.Equal(ids, all[:2]) {
		t.Errorf("of %q the first two are %q, more: %v", all, ids, more)
	}
	if ids, _ := m.machineJobs(agent, epoch.Add(-time.Hour), 10); len(ids) != 0 {
		t.Errorf("before it all it worked on %q", ids)
	}
	m.read(func(tx *Tx) error {
		oldest, more, err := tx.NewerMachineJobs("team", agent, time.Time{}, 2)
		if want := []string{all[2], all[1]}; !more || !slices.Equal(oldest, want) {
			t.Errorf("the oldest two are %q, %q were expected, more: %v", oldest, want, more)
		}
		if ids, more, _ := tx.NewerMachineJobs("team", agent, after(1000), 2); len(ids) != 0 || more {
			t.Errorf("after it all it worked on %q", ids)
		}
		return err
	})
	if ids, _ := m.machineJobs("nobody", time.Time{}, 10); len(ids) != 0 {
		t.Errorf("a machine that is not there worked on %q", ids)
	}
	m.read(func(tx *Tx) error {
		if did, err := tx.WorkedOn(agent, "b1-j1"); err != nil || !did {
			t.Errorf("it worked on the job: %v, %v", did, err)
		}
		if did, err := tx.WorkedOn("nobody", "b1-j1"); err != nil || did {
			t.Errorf("nobody worked on the job: %v, %v", did, err)
		}
		ids, _, err := tx.MachineJobs("other", agent, time.Time{}, 10)
		if len(ids) != 0 {
			t.Errorf("of another team it worked on %q", ids)
		}
		return err
	})
	m.must(command.FailTask{Task: "b1-j1.0", Attempt: 1, Message: "no night.png", Class: farm.FailureDeterministic, At: after(20)})
	m.must(command.PurgeJobs{IDs: []string{"b1-j1"}})
	if ids, _ := m.machineJobs(agent, time.Time{}, 10); len(ids) != 2 || slices.Contains(ids, "b1-j1") {
		t.Errorf("after a job was forgotten it worked on %q", ids)
	}
}
