package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// leveled is a state at the newest level, with a team and machines.
func leveled(t *testing.T) *rig {
	m := newRig(t, t.TempDir(), "state")
	t.Cleanup(m.end)
	furnish(m)
	m.must(command.SetLevel{Level: command.NewestLevel, Version: "v"})
	return m
}

// breaks submits a job and has it fail for good.
func (m *rig) breaks(id string, second int, cause farm.Cause) {
	m.t.Helper()
	submit(m, id, second)
	lease(m, id+".0", 1, second)
	m.must(command.FailTask{Task: id + ".0", Attempt: 1, Message: "no", Class: farm.FailureDeterministic, Cause: cause, At: after(second + 1)})
}

// groups are the causes for which jobs of the team need somebody, with how many.
func (m *rig) groups() string {
	m.t.Helper()
	var words []string
	m.see(func(tx *Tx) {
		groups, err := tx.FailureGroups("team")
		if err != nil {
			m.t.Fatalf("%v", err)
		}
		for _, g := range groups {
			words = append(words, fmt.Sprintf("%d %s", g.Count, g.Cause.Key()))
		}
	})
	return strings.Join(words, ", ")
}

func (m *rig) wantGroups(want string) {
	m.t.Helper()
	if got := m.groups(); got != want {
		m.t.Fatalf("jobs need somebody for %q, want %q", got, want)
	}
}

func TestFailuresStandByTheirCausesUntilTheyAreSettled(t *testing.T) {
	m := leveled(t)
	picture, font := farm.Cause{Kind: farm.CauseFootage, Subject: "nm.png"}, farm.Cause{Kind: farm.CauseFont, Subject: "Inter"}
	for i, cause := range []farm.Cause{picture, picture, font, picture} {
		m.breaks(fmt.Sprint("j", i), 10*i+10, cause)
	}
	m.wantGroups("3 footage:nm.png, 1 font:Inter")
	m.see(func(tx *Tx) {
		first, next, err := tx.Failures("team", picture, "", 2)
		if err != nil || len(first) != 2 || first[0].Job != "j3" || first[1].Job != "j1" || first[0].Agent != "a1" || next == "" {
			t.Fatalf("the latest two are %+v, then %q, %v", first, next, err)
		}
		rest, next, err := tx.Failures("team", picture, next, 2)
		if err != nil || len(rest) != 1 || rest[0].Job != "j0" || next != "" {
			t.Fatalf("the rest is %+v, then %q, %v", rest, next, err)
		}
		if nobody, _, _ := tx.Failures("other", picture, "", 2); len(nobody) != 0 {
			t.Fatalf("another team sees %+v", nobody)
		}
	})
	m.must(command.SettleFailures{Team: "other", Jobs: []string{"j0"}, At: after(90)})
	m.must(command.SettleFailures{Team: "team", Jobs: []string{"j0", "j2", "none"}, At: after(90)})
	m.wantGroups("2 footage:nm.png")
	m.must(command.RedactJobs{Jobs: []command.Redaction{{ID: "j1", Error: farm.Redacted}}, At: after(91)})
	m.must(command.PurgeJobs{IDs: []string{"j3"}})
	m.wantGroups("")
}

func TestACauseIsWhatTheClassSaysWhenNobodyKnowsMore(t *testing.T) {
	m := leveled(t)
	for i, class := range []farm.FailureClass{farm.FailureDeterministic, farm.FailureWorker} {
		id := fmt.Sprint("j", i)
		submit(m, id, 10*i)
		for attempt := 1; ; attempt++ {
			res := m.do(command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: attempt, Agent: fmt.Sprint("a", attempt)}}, At: after(10*i + attempt), Rested: true})
			if res.Each[0] != nil {
				break
			}
			m.must(command.FailTask{Task: id + ".0", Attempt: attempt, Message: "no", Class: class, At: after(10*i + attempt)})
		}
	}
	m.wantGroups("1 machine:a2, 1 other:")
}

func TestWhatSomebodyWantedToFailNeedsNobody(t *testing.T) {
	m := leveled(t)
	job, task := jobOf("j", 1)
	job.Approve = true
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	m.must(command.DecideJob{Team: "team", ID: "j", Reject: true, Reason: "too blue", By: "ann", At: after(2)})
	m.wantGroups("")
}

func TestAParentNeedsSomebodyForWhatIsNestedInIt(t *testing.T) {
	m := leveled(t)
	parent, last := jobOf("p", 1)
	child, task := jobOf("c", 1)
	parent.Children, child.Parent = []string{"c"}, "p"
	m.must(command.SubmitJobs{Jobs: []farm.Job{parent, child}, Tasks: []farm.Task{last, task}})
	lease(m, "c.0", 1, 2)
	m.must(command.FailTask{Task: "c.0", Attempt: 1, Message: "no", Cause: farm.Cause{Kind: farm.CauseLayer, Subject: "Title"}, At: after(3)})
	m.wantGroups("1 layer:Title")
	m.see(func(tx *Tx) {
		if f, err := tx.Failure("team", "p"); err != nil || f.Cause.Subject != "Title" {
			t.Errorf("the parent's failure is %+v, %v", f, err)
		}
		if _, err := tx.Failure("team", "c"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the child's failure: %v", err)
		}
	})
}

func TestFailuresHaveAnEnd(t *testing.T) {
	m := leveled(t)
	m.must(command.RemoveAgent{ID: "a2"}) // so that no other machine tries what fails on one
	cause := farm.Cause{Kind: farm.CauseFont, Subject: "Inter"}
	for i := range farm.MostOpenFailures + closedAtOnce + 1 {
		m.breaks(fmt.Sprint("j", i), i, cause)
	}
	m.wantGroups(fmt.Sprintf("%d font:Inter", farm.MostOpenFailures))
	m.see(func(tx *Tx) {
		if _, err := tx.Failure("team", "j1"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the oldest is still there: %v", err)
		}
	})
	for i := range farm.MostCauses + 3 {
		m.breaks(fmt.Sprint("k", i), 5000+i, farm.Cause{Kind: farm.CauseLayer, Subject: fmt.Sprint(i)})
	}
	all := strings.Split(m.groups(), ", ")
	if len(all) != farm.MostCauses+1 || !slices.Contains(all, "4 layer:") {
		t.Errorf("there are %d causes, the first are %q", len(all), all[:3])
	}
}

func TestBelowItsLevelNoFailureIsKept(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	t.Cleanup(m.end)
	furnish(m)
	m.breaks("j", 1, farm.Cause{})
	m.wantGroups("")
	m.see(func(tx *Tx) {
		if sums, err := tx.Sums("team", epoch, epoch); len(sums) != 0 || err != nil {
			t.Errorf("sums are kept: %+v, %v", sums, err)
		}
	})
}

func TestAPrivateJobsFailureNamesNothingOfIt(t *testing.T) {
	m := leveled(t)
	job, task := jobOf("j", 1)
	job.Private, job.Template = true, farm.JobTemplate{Src: "https://x/a.aep"}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	lease(m, "j.0", 1, 2)
	m.must(command.FailTask{Task: "j.0", Attempt: 1, Message: "no", Cause: farm.Cause{Kind: farm.CauseLayer, Subject: "Secret plan"}, At: after(3)})
	m.wantGroups("1 layer:")
	if strings.Contains(m.content(), "Secret plan") {
		t.Error("the state holds the name of a private job's layer")
	}
}
