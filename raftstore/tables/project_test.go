package tables

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// expectProjects notes what the projects say of their indexes, and makes sure that the months of each counter of time, none of which is old
// enough to be forgotten, come to what it says of all time.
func expectProjects(t *rapid.T, tb *tables, set func(bucket []byte, key, value string)) {
	for _, p := range all[farm.Project](tb, bucketProjects) {
		set(bucketProjectsByName, p.Team+"\x00"+farm.ProjectKey(p.Name), p.ID)
		if p.Budget != nil && p.Budget.Then == farm.BudgetHold {
			set(bucketHolding, p.Team+"\x00"+p.ID, "")
		}
		checkProjectTime(t, tb, p.Team, p.ID)
	}
	for _, team := range all[farm.Team](tb, bucketTeams) {
		checkProjectTime(t, tb, team.ID, wholeTeam)
	}
}

func checkProjectTime(t *rapid.T, tb *tables, team, project string) {
	months, prefix := 0, projectTimePrefix(team, project)
	for _, month := range tb.keysUnder(bucketCounts, prefix) {
		if month != allMonths {
			months += tb.count(prefix + month)
		}
	}
	if total := tb.count(prefix + allMonths); total != months {
		t.Fatalf("%s of %s used %d ms in all and %d ms in its months", project, team, total, months)
	}
}

// withProject is a farm whose team has the project "spring".
func withProject(t *testing.T, budget *farm.Budget) *rig {
	m := leveled(t)
	m.must(command.PutProject{Project: farm.Project{ID: "spring", Team: "team", Name: "Spring", Budget: budget, CreatedAt: epoch}})
	return m
}

func (m *rig) team(id string) (team farm.Team) {
	m.t.Helper()
	m.see(func(tx *Tx) {
		var err error
		if team, err = tx.Team(id); err != nil {
			m.t.Fatalf("team %s: %v", id, err)
		}
	})
	return team
}

// submitFor submits a job for a project.
func (m *rig) submitFor(project, id string, second int) {
	m.t.Helper()
	job, task := jobOf(id, second)
	job.ProjectID = project
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
}

func (m *rig) projectUse(project string, at time.Time) (use farm.ProjectUse) {
	m.t.Helper()
	m.see(func(tx *Tx) {
		var err error
		if use, err = tx.ProjectUse("team", project, at); err != nil {
			m.t.Fatalf("%v", err)
		}
	})
	return use
}

func (m *rig) held(at time.Time) (names []string) {
	m.t.Helper()
	m.see(func(tx *Tx) {
		held, err := tx.HeldBudgets(at)
		if err != nil {
			m.t.Fatalf("%v", err)
		}
		for _, of := range held {
			if of.Project == nil {
				names = append(names, of.Team)
			} else {
				names = append(names, of.Project.Name)
			}
		}
	})
	return names
}

func TestProjectsOfATeamHaveNamesOfTheirOwn(t *testing.T) {
	m := withProject(t, nil)
	put := func(id, name string) command.PutProject {
		return command.PutProject{Project: farm.Project{ID: id, Team: "team", Name: name, CreatedAt: epoch}}
	}
	wantRefused(t, m, put("other", "SPRING"), farm.CodeConflict)
	wantRefused(t, m, put("spring", "Other"), farm.CodeConflict)
	wantRefused(t, m, put(wholeTeam, "Dash"), farm.CodeConflict)
	wantRefused(t, m, put("other", "two\nlines"), farm.CodeInvalid)
	wantRefused(t, m, put("other", " "), farm.CodeInvalid)
	m.must(put("autumn", "Autumn"))
	spring, fall := "spring", "Fall"
	wantRefused(t, m, command.ChangeProject{Team: "team", ID: "autumn", Name: &spring, At: after(1)}, farm.CodeConflict)
	wantRefused(t, m, command.ChangeProject{Team: "team", ID: "winter", Name: &fall, At: after(1)}, farm.CodeNotFound)
	wantRefused(t, m, command.ChangeProject{Team: "team", ID: "autumn", Budget: &farm.Budget{Hours: -1, Per: farm.BudgetTotal, Then: farm.BudgetWarn}, At: after(1)}, farm.CodeInvalid)
	m.must(command.ChangeProject{Team: "team", ID: "autumn", Name: &fall, At: after(1)})
	m.must(put("third", "Autumn"))
	m.see(func(tx *Tx) {
		if p, err := tx.ProjectNamed("team", " fall"); err != nil || p.ID != "autumn" {
			t.Errorf("the project called Fall is %+v (%v)", p, err)
		}
		if p, err := tx.ProjectNamed("team", "third"); err != nil || p.Name != "Autumn" {
			t.Errorf("the project with the id third is %+v (%v)", p, err)
		}
		if _, err := tx.ProjectNamed("team", ""); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("no name finds a project (%v)", err)
		}
	})
}

func TestArchivedAndUnknownProjectsTakeNoJobs(t *testing.T) {
	m := withProject(t, nil)
	job, task := jobOf("a", 1)
	job.ProjectID = "winter"
	submission := command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	wantRefused(t, m, submission, farm.CodeNotFound)
	yes, no := true, false
	m.must(command.ChangeProject{Team: "team", ID: "spring", Archived: &yes, At: after(1)})
	submission.Jobs[0].ProjectID = "spring"
	wantRefused(t, m, submission, farm.CodeConflict)
	m.must(command.ChangeProject{Team: "team", ID: "spring", Archived: &no, At: after(2)})
	m.must(submission)
}

// TestABudgetHoldsWhatHasNotBegun has one attempt use a budget up while another one is under way: that one ends as it would, and neither it nor
// anything else is leased again before the budget is raised.
func TestABudgetHoldsWhatHasNotBegun(t *testing.T) {
	m := withProject(t, &farm.Budget{Hours: 1, Per: farm.BudgetTotal, Then: farm.BudgetHold})
	for i, id := range []string{"a", "b", "c"} {
		m.submitFor("spring", id, i)
	}
	submit(m, "free", 4)
	lease(m, "a.0", 1, 10)
	lease(m, "b.0", 1, 20)
	m.must(command.FinishTask{Task: "a.0", Attempt: 1, At: after(10 + 3600)})
	if got := m.held(after(4000)); !slices.Equal(got, []string{"Spring"}) {
		t.Fatalf("held are %q", got)
	}
	begin := func(task string, attempt int) *farm.Error {
		return m.do(command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: attempt, Agent: "a1"}}, At: after(5000)}).Each[0]
	}
	if err := begin("c.0", 1); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a job of the project was leased beyond its budget: %v", err)
	}
	if err := begin("free.0", 1); err != nil {
		t.Errorf("a job of no project was held: %v", err)
	}
	m.must(command.FailTask{Task: "b.0", Attempt: 1, Message: "no", Retry: true, At: after(20 + 1800)})
	if use := m.projectUse("spring", after(5000)); use.TotalHours() != 1.5 {
		t.Errorf("the project used %v hours", use.TotalHours())
	}
	if err := begin("b.0", 2); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a second attempt was leased beyond the budget: %v", err)
	}
	result := m.must(command.ChangeProject{Team: "team", ID: "spring", Budget: &farm.Budget{Hours: 2, Per: farm.BudgetTotal, Then: farm.BudgetHold}, At: after(5000)})
	if !result.Budgets {
		t.Error("nobody is told that the budget was raised")
	}
	if err := begin("c.0", 1); err != nil {
		t.Errorf("with a higher budget the job still waits: %v", err)
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{"c"}, Force: true, At: after(5000 + 7200)})
	if use := m.projectUse("spring", after(9000)); use.TotalHours() != 3.5 {
		t.Errorf("with what the cancelled job took the project used %v hours", use.TotalHours())
	}
}

func TestAMonthlyBudgetBeginsAnewWithTheMonth(t *testing.T) {
	m := withProject(t, &farm.Budget{Hours: 1, Per: farm.BudgetMonth, Then: farm.BudgetHold})
	m.must(command.PutTeamBudget{Team: "team", Budget: &farm.Budget{Hours: 1, Per: farm.BudgetMonth, Then: farm.BudgetHold}, At: epoch})
	m.submitFor("spring", "a", 1)
	lease(m, "a.0", 1, 0)
	m.must(command.FinishTask{Task: "a.0", Attempt: 1, At: after(3600)})
	if got := m.held(after(3600)); !slices.Equal(got, []string{"team", "Spring"}) {
		t.Errorf("in the month held are %q", got)
	}
	next := farm.Month(epoch).AddDate(0, 1, 0)
	if got := m.held(next); len(got) != 0 {
		t.Errorf("in the next month held are %q", got)
	}
	if use := m.projectUse("spring", next); use.MonthHours() != 0 || use.TotalHours() != 1 {
		t.Errorf("in the next month the use is %+v", use)
	}
	name := "Spots"
	wantRefused(t, m, command.PutTeamBudget{Team: "team", Name: &name, Budget: &farm.Budget{Hours: -1}, At: after(3700)}, farm.CodeInvalid)
	if team := m.team("team"); team.Name == name {
		t.Error("a team was renamed although its budget was refused")
	}
	m.must(command.PutTeamBudget{Team: "team", Name: &name, At: after(3700)})
	if team := m.team("team"); team.Name != name {
		t.Errorf("with the budget the team was named %q", team.Name)
	}
	if got := m.held(after(3700)); !slices.Equal(got, []string{"Spring"}) {
		t.Errorf("without the team's budget held are %q", got)
	}
}

func TestJobsAreListedByProject(t *testing.T) {
	m := withProject(t, nil)
	for i := range 6 {
		id := fmt.Sprint("j", i)
		job, task := jobOf(id, i)
		if i%2 == 0 {
			job.ProjectID = "spring"
		}
		if i%3 == 0 {
			job.Tags = []string{"red"}
		}
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	}
	for _, c := range []struct {
		query farm.JobQuery
		want  string
	}{
		{farm.JobQuery{Project: "spring"}, "[j0 j2 j4]"},
		{farm.JobQuery{Project: "spring", Sort: sortNewest}, "[j4 j2 j0]"},
		{farm.JobQuery{Project: "spring", Sort: sortPriority}, "[j0 j2 j4]"},
		{farm.JobQuery{Project: "spring", Tags: []string{"red"}}, "[j0]"},
		{farm.JobQuery{Project: "spring", Tags: []string{"red"}, Sort: sortNewest}, "[j0]"},
		{farm.JobQuery{Project: "other"}, "[]"},
	} {
		m.see(func(tx *Tx) {
			jobs, _, err := tx.Jobs("team", c.query)
			ids := []string{}
			for _, job := range jobs {
				ids = append(ids, job.ID)
			}
			if got := fmt.Sprint(ids); err != nil || got != c.want {
				t.Errorf("%+v lists %s (%v), want %s", c.query, got, err, c.want)
			}
		})
	}
}

// TestPeopleAreToldOnceOfEachShareOfABudget ends attempts one after the other and counts what a producer and an artist are told.
func TestPeopleAreToldOnceOfEachShareOfABudget(t *testing.T) {
	m := withProject(t, &farm.Budget{Hours: 1, Per: farm.BudgetTotal, Then: farm.BudgetWarn})
	for id, role := range map[string]farm.Role{"p": farm.RoleProducer, "r": farm.RoleArtist} {
		m.must(command.PutToken{Token: farm.Token{ID: id, Team: "team", Name: id, Role: role, Hash: id}})
		m.must(command.PutNoticeSettings{Settings: farm.NoticeSettings{Token: id, About: farm.Happenings(), Mail: true}, At: epoch})
	}
	told := func() (shares []int) {
		m.see(func(tx *Tx) {
			queue, _ := tx.Notices("p", farm.ByMail)
			for _, notice := range queue.Waiting {
				if notice.About == farm.HappenedBudget && notice.Project == "spring" {
					shares = append(shares, notice.Percent)
				}
			}
			if queue, _ := tx.Notices("r", farm.ByMail); slices.ContainsFunc(queue.Waiting, func(n farm.Notice) bool { return n.About == farm.HappenedBudget }) {
				t.Error("an artist is told of a budget")
			}
		})
		return shares
	}
	for i, want := range [][]int{nil, {80}, {80}, {80, 100}, {80, 100}} {
		id := fmt.Sprint("j", i)
		m.submitFor("spring", id, i)
		lease(m, id+".0", 1, 10000*i)
		minutes := []int{40, 10, 5, 10, 30}[i]
		m.must(command.FinishTask{Task: id + ".0", Attempt: 1, At: after(10000*i + 60*minutes)})
		if got := told(); !slices.Equal(got, want) {
			t.Errorf("after job %d people were told of %v, want %v", i, got, want)
		}
	}
}

// TestProjectTimeIsTheSumOfAttempts has random attempts of jobs for projects and for none end in every way, over months, and sums up their times
// beside the state.
func TestProjectTimeIsTheSumOfAttempts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := populated(r)
		m.do(command.SetLevel{Level: command.NewestLevel, Version: "v"}) // refused by a farm that begins there
		for _, id := range []string{"one", "two"} {
			m.must(command.PutProject{Project: farm.Project{ID: id, Team: "team0", Name: id, CreatedAt: epoch}})
		}
		const month = 31 * 24 * 3600
		clock, months, totals := 0, map[string]int64{}, map[string]int64{}
		for i := range rapid.IntRange(1, 12).Draw(r, "jobs") {
			id := fmt.Sprint("made", i)
			job, task := jobOf(id, clock)
			job.Team, task.Team, job.Template = "team0", "team0", farm.JobTemplate{}
			job.ProjectID = rapid.SampledFrom([]string{"", "one", "two"}).Draw(r, "project")
			m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
			for attempt, over := 1, false; !over && attempt < 3; attempt++ {
				m.must(command.LeaseTasks{Grants: []command.Grant{{Task: task.ID, Attempt: attempt, Agent: "agent0"}}, At: after(clock)})
				took := rapid.IntRange(0, month/4).Draw(r, "seconds")
				clock += took
				grant := []command.Grant{{Task: task.ID, Attempt: attempt, Agent: "agent0"}}
				switch rapid.IntRange(0, 4).Draw(r, "end") {
				case 0:
					m.must(command.FinishTask{Task: task.ID, Attempt: attempt, At: after(clock)})
					over = true
				case 1:
					m.must(command.FailTask{Task: task.ID, Attempt: attempt, Message: "no", Retry: true, At: after(clock)})
				case 2:
					m.must(command.ExpireLeases{Leases: grant, At: after(clock)})
				case 3:
					m.must(command.ExpireLeases{Leases: grant, Returned: true, At: after(clock)})
				default:
					m.must(command.CancelJobs{Team: "team0", IDs: []string{id}, Force: true, At: after(clock)})
					over = true
				}
				for _, subject := range slices.Compact([]string{wholeTeam, job.ProjectID}) {
					totals[subject] += int64(took) * 1000
					months[subject+monthKey(after(clock))] += int64(took) * 1000
				}
			}
		}
		m.see(func(tx *Tx) {
			for _, subject := range []string{wholeTeam, "one", "two"} {
				use, err := tx.ProjectUse("team0", subject, after(clock))
				if want := (farm.ProjectUse{Total: totals[subject], Month: months[subject+monthKey(after(clock))]}); err != nil || use != want {
					r.Fatalf("%s used %+v (%v), its attempts took %+v", subject, use, err, want)
				}
			}
		})
	})
}
