package schedule_test

import (
	"slices"
	"testing"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

func forProject(id string) func(*schedule.Task) {
	return func(t *schedule.Task) { t.Need.Project = id }
}

func TestHeldWorkWaitsOutsideTheOrder(t *testing.T) {
	q := schedule.NewQueue()
	const why = "The project 'Spring' has used its 40 machine hours; an administrator can raise the budget."
	q.Add(task("a", forProject("spring")), epoch)
	q.Add(task("b", forProject("autumn")), epoch)
	q.Add(task("c"), epoch)
	q.SetHeld(map[schedule.Held]farm.Text{{Team: "ours", Project: "spring"}: farm.AsIs(why)})
	q.Add(task("d", forProject("spring")), epoch) // comes while its project is held
	q.Add(task("e", forProject("spring"), func(t *schedule.Task) { t.Team = "others" }), epoch)
	line, _ := q.Line(epoch, 0, 10)
	var listed []string
	for _, l := range line {
		listed = append(listed, l.Task.Job)
	}
	if want := []string{"e", "b", "c"}; !slices.Equal(listed, want) {
		t.Errorf("in line are %q, want %q", listed, want)
	}
	come(q, machine("m", 10))
	p := q.Explain(task("a", forProject("spring")), epoch)
	if p.Why.String() != why || p.Place != 0 || p.Start != nil {
		t.Errorf("the held task is explained as %+v", p)
	}
	if !slices.ContainsFunc(p.Requirements, func(r farm.Requirement) bool { return r.Kind == "budget" && r.RulesOut == 1 }) {
		t.Errorf("its requirements are %+v", p.Requirements)
	}
	wantGrants(t, q, epoch, "e>m", "b>m", "c>m")
	if q.Len() != 2 {
		t.Errorf("%d tasks wait", q.Len())
	}
	q.Remove("d.1")
	q.SetHeld(nil)
	wantGrants(t, q, epoch.Add(time.Second), "a>m")
}

func TestATeamIsHeldWithAllItsProjects(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("m", 10))
	q.SetHeld(map[schedule.Held]farm.Text{{Team: "ours"}: farm.AsIs("Your team has used its 2 machine hours.")})
	q.Add(task("a", forProject("spring")), epoch)
	q.Add(task("b"), epoch)
	q.Add(task("c", func(t *schedule.Task) { t.Team = "others" }), epoch)
	wantGrants(t, q, epoch, "c>m")
	if why := q.Explain(task("b"), epoch).Why.String(); why != "Your team has used its 2 machine hours." {
		t.Errorf("the task waits since %q", why)
	}
	q.SetHeld(map[schedule.Held]farm.Text{{Team: "ours", Project: "spring"}: farm.AsIs("The project.")})
	wantGrants(t, q, epoch, "b>m")
}

// TestAHeldClaimIsGivenUp has work wait so long that it may make a claim, and then holds it: others must not be kept from machines for it.
func TestAHeldClaimIsGivenUp(t *testing.T) {
	q := schedule.NewQueue()
	m := machine("m", 1)
	come(q, m)
	q.Add(task("first"), epoch)
	wantGrants(t, q, epoch, "first>m")
	q.Add(task("held", forProject("spring"), func(t *schedule.Task) { t.Level = farm.LevelOvernight }), epoch)
	late := epoch.Add(2 * schedule.Patience)
	q.Add(task("second", func(t *schedule.Task) { t.Created = late }), late)
	q.Assign(late, 10)
	q.SetHeld(map[schedule.Held]farm.Text{{Team: "ours", Project: "spring"}: farm.AsIs("The project.")})
	q.Release("first.1", 1, late)
	wantGrants(t, q, late, "second>m")
}
