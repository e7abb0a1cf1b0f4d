package tables

import (
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// What a project used is counted when an attempt ends, in all and by month: a budget is looked at by reading one counter, however many jobs
// the project had. The team's own budget has counters of the same kind.

const (
	projectTimeOfAll = "project time" + sep
	// wholeTeam stands for a project in the counters of all that a team renders. No project has this id.
	wholeTeam = "-"
	// allMonths stands for a month in the counter of all time, and sorts behind every month.
	allMonths = "total"
	// projectMonths is how many months the time of projects is kept by month.
	projectMonths = 24
)

func projectTimePrefix(team, project string) string {
	return projectTimeOfAll + team + sep + project + sep
}

func (t *tables) countOfProjectTime(team, project, month string) string {
	return t.key(projectTimeOfAll, team, sep, project, sep, month)
}

// monthKey names a month so that months sort by time. Years that a key has no room for are those of damaged clocks.
func monthKey(at time.Time) string {
	month := farm.Month(at)
	if month.Year() < 0 {
		return padded(int64(month.Year()), 4) + "-" + padded(int64(month.Month()), 2)
	}
	var room [24]byte
	key := append(appendPadded(room[:0], int64(month.Year()), 4), '-')
	return string(appendPadded(key, int64(month.Month()), 2))
}

func projectKey(team, id string) string { return team + sep + id }

func projectNameKey(team, name string) string { return team + sep + farm.ProjectKey(name) }

func noProject(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "there is no project %q", id)
}

func (t *tables) project(team, id string) (farm.Project, bool) {
	return often[farm.Project](t, bucketProjects, projectKey(team, id))
}

// projectOf is the project that a job is for, if it is for one.
func (t *tables) projectOf(job farm.Job) (farm.Project, bool) {
	if job.ProjectID == "" {
		return farm.Project{}, false
	}
	return t.project(job.Team, job.ProjectID)
}

func (t *tables) putProject(c command.PutProject) command.Result {
	p := c.Project
	if err := checkID("project", p.ID); err != nil {
		return refuse(err)
	}
	switch {
	case !t.has(bucketTeams, p.Team):
		return refuse(noTeam(p.Team))
	case p.ID == wholeTeam || t.has(bucketProjects, projectKey(p.Team, p.ID)):
		return refusef(farm.CodeConflict, "the team has a project with the id %q already", p.ID)
	case p.Budget != nil && len(p.Budget.Check()) > 0:
		return refuse(wrongBudget(*p.Budget))
	case len(t.keysUnder(bucketProjects, p.Team+sep)) >= farm.MostProjects:
		return refusef(farm.CodeConflict, "the team has %d projects, which is as many as it may have", farm.MostProjects)
	}
	if err := t.checkProjectName(p); err != nil {
		return refuse(err)
	}
	p.ArchivedAt = time.Time{}
	t.set(bucketProjectsByName, projectNameKey(p.Team, p.Name), []byte(p.ID))
	t.saveProject(p)
	return command.Result{}
}

func wrongBudget(b farm.Budget) *farm.Error {
	wrong := b.Check()[0]
	return farm.Errorf(farm.CodeInvalid, "%s %s", wrong.Field, wrong.Message)
}

// checkProjectName refuses a name that a project cannot have, or that another one of its team has.
func (t *tables) checkProjectName(p farm.Project) *farm.Error {
	if !farm.IsProjectName(p.Name) {
		return farm.Errorf(farm.CodeInvalid, "a project needs a name of one line, up to %d characters", farm.MostProjectName)
	}
	if other := t.lookup(bucketProjectsByName, projectNameKey(p.Team, p.Name)); other != "" && other != p.ID {
		return farm.Errorf(farm.CodeConflict, "the team has a project called %q already", p.Name)
	}
	return nil
}

func (t *tables) changeProject(c command.ChangeProject) command.Result {
	p, ok := t.project(c.Team, c.ID)
	if !ok {
		return refuse(noProject(c.ID))
	}
	was := p.Name
	if c.Name != nil {
		p.Name = *c.Name
		if err := t.checkProjectName(p); err != nil {
			return refuse(err)
		}
	}
	if b := c.Budget; b != nil {
		if p.Budget = b; *b == (farm.Budget{}) {
			p.Budget = nil
		} else if len(b.Check()) > 0 {
			return refuse(wrongBudget(*b))
		}
	}
	if c.Archived != nil && *c.Archived != p.Archived() {
		if p.ArchivedAt = c.At; !*c.Archived {
			p.ArchivedAt = time.Time{}
		}
	}
	if p.Name != was {
		t.remove(bucketProjectsByName, projectNameKey(p.Team, was))
		t.set(bucketProjectsByName, projectNameKey(p.Team, p.Name), []byte(p.ID))
	}
	t.saveProject(p)
	return command.Result{}
}

// saveProject writes a project, and has whoever holds work back look again.
func (t *tables) saveProject(p farm.Project) {
	key := projectKey(p.Team, p.ID)
	put(t, bucketProjects, key, p)
	switch holds := p.Budget != nil && p.Budget.Then == farm.BudgetHold; {
	case holds:
		t.set(bucketHolding, key, nil)
	case t.has(bucketHolding, key):
		t.remove(bucketHolding, key)
	}
	t.budgets = true
	t.note(farm.EventProject, p.Team, p.ID)
}

func (t *tables) putTeamBudget(c command.PutTeamBudget) command.Result {
	team, ok := get[farm.Team](t, bucketTeams, c.Team)
	switch {
	case !ok:
		return refuse(noTeam(c.Team))
	case c.Budget != nil && len(c.Budget.Check()) > 0:
		return refuse(wrongBudget(*c.Budget))
	}
	if c.Name != nil {
		team.Name = *c.Name
	}
	team.Budget = c.Budget
	put(t, bucketTeams, team.ID, team)
	t.budgets = true
	t.note(farm.EventProject, team.ID, "")
	return command.Result{}
}

// checkProjects refuses jobs for projects that the team does not have, or that take no more jobs.
func (t *tables) checkProjects(jobs []farm.Job) *farm.Error {
	last := ""
	for i := range jobs {
		job := &jobs[i]
		if job.ProjectID == "" || job.ProjectID == last {
			continue
		}
		p, ok := t.project(job.Team, job.ProjectID)
		switch {
		case !ok:
			return noProject(job.ProjectID)
		case p.Archived():
			return farm.Errorf(farm.CodeConflict, "the project %q is archived and takes no new jobs", p.Name)
		}
		last = job.ProjectID
	}
	return nil
}

// dropProjects forgets the projects of a team, and what they used.
func (t *tables) dropProjects(team string) {
	for _, id := range t.keysUnder(bucketProjects, team+sep) {
		p, _ := t.project(team, id)
		key := projectKey(team, id)
		t.remove(bucketProjects, key)
		t.remove(bucketProjectsByName, projectNameKey(team, p.Name))
		if t.has(bucketHolding, key) {
			t.remove(bucketHolding, key)
		}
	}
	prefix := projectTimeOfAll + team + sep
	for _, rest := range t.counters(prefix) {
		t.add(prefix+rest, -t.count(prefix+rest))
	}
}

// countInProject moves the counter of a project's jobs in one state. Jobs nested in others are parts of these and are not counted.
func (t *tables) countInProject(job *farm.Job, status farm.JobStatus, delta int) {
	if job.ProjectID != "" && job.Parent == "" {
		t.add(countOfProjectJobs(job.Team, job.ProjectID, status), delta)
	}
}

// countProject adds the time of an attempt that ends now to what its team and its project used.
func (t *tables) countProject(task farm.Task, job farm.Job, at time.Time) {
	took := at.Sub(task.LeasedAt).Milliseconds()
	if took <= 0 || !t.since(command.ProjectsLevel) {
		return
	}
	team, _ := often[farm.Team](t, bucketTeams, task.Team)
	t.countTime(farm.BudgetOf{Team: task.Team}, team.Budget, took, at)
	if p, ok := t.projectOf(job); ok {
		t.countTime(farm.BudgetOf{Team: task.Team, Project: &p}, p.Budget, took, at)
	}
}

// countTime adds to what a project or a team used, and tells of the shares of its budget that this passes.
func (t *tables) countTime(of farm.BudgetOf, budget *farm.Budget, took int64, at time.Time) {
	project := wholeTeam
	if of.Project != nil {
		project = of.Project.ID
	}
	month := t.countOfProjectTime(of.Team, project, monthKey(at))
	if t.count(month) == 0 {
		t.dropProjectMonths(of.Team, project, at)
	}
	all := t.countOfProjectTime(of.Team, project, allMonths)
	if budget == nil {
		t.add(month, int(took))
		t.add(all, int(took))
		return
	}
	before := t.projectUse(of.Team, project, at)
	t.add(month, int(took))
	t.add(all, int(took))
	after := t.projectUse(of.Team, project, at)
	passed := 0
	for _, percent := range farm.BudgetShares() {
		if mark := budget.Reached(percent); before.Of(*budget) < mark && after.Of(*budget) >= mark {
			passed = percent
		}
	}
	if passed == 0 {
		return
	}
	t.budgets = t.budgets || budget.Then == farm.BudgetHold && passed == 100
	t.tellOfBudget(of, passed, at)
	t.note(farm.EventProject, of.Team, strings.TrimPrefix(project, wholeTeam))
}

// dropProjectMonths forgets by month what a project used long before a moment; in all it is still known.
func (t *tables) dropProjectMonths(team, project string, at time.Time) {
	prefix, oldest := projectTimePrefix(team, project), monthKey(farm.Month(at).AddDate(0, -projectMonths, 0))
	for _, month := range t.counters(prefix) {
		if month != allMonths && month < oldest {
			t.add(prefix+month, -t.count(prefix+month))
		}
	}
}

func (t *tables) projectUse(team, project string, at time.Time) farm.ProjectUse {
	return farm.ProjectUse{
		Total: int64(t.count(t.countOfProjectTime(team, project, allMonths))),
		Month: int64(t.count(t.countOfProjectTime(team, project, monthKey(at)))),
	}
}

// heldBy is the budget that keeps a job from beginning at a moment: that of its project, or of its team.
func (t *tables) heldBy(job farm.Job, at time.Time) *farm.BudgetOf {
	if !t.since(command.ProjectsLevel) {
		return nil
	}
	if p, ok := t.projectOf(job); ok {
		if held := t.heldAt(farm.BudgetOf{Team: job.Team, Project: &p}, p.Budget, at); held != nil {
			return held
		}
	}
	team, _ := often[farm.Team](t, bucketTeams, job.Team)
	return t.heldAt(farm.BudgetOf{Team: job.Team}, team.Budget, at)
}

// heldAt completes of when its budget holds work at a moment; otherwise it is nil.
func (t *tables) heldAt(of farm.BudgetOf, budget *farm.Budget, at time.Time) *farm.BudgetOf {
	if budget == nil || budget.Then != farm.BudgetHold {
		return nil
	}
	of = t.budgetOf(of, *budget, at)
	if !of.Use.UsedUp(of.Budget) {
		return nil
	}
	return &of
}

func (t *tables) budgetOf(of farm.BudgetOf, budget farm.Budget, at time.Time) farm.BudgetOf {
	project := wholeTeam
	if of.Project != nil {
		project = of.Project.ID
	}
	of.Budget, of.Use, of.Month = budget, t.projectUse(of.Team, project, at), farm.Month(at)
	return of
}

// budgetsMoved tells whether the command that has ended changed what budgets hold.
func (t *tables) budgetsMoved() bool {
	moved := t.budgets
	t.budgets = false
	return moved
}

// tellOfBudget notes to tell those who look after a team's jobs that a share of a budget is used.
func (t *tables) tellOfBudget(of farm.BudgetOf, percent int, at time.Time) {
	notice := farm.Notice{About: farm.HappenedBudget, Percent: percent, At: at}
	if of.Project != nil {
		notice.Project = of.Project.ID
	}
	for _, id := range t.keysUnder(bucketNoticeSettings, of.Team+sep) {
		token, ok := often[farm.Token](t, bucketTokens, id)
		if !ok || !token.Role.Allows(farm.RoleProducer) {
			continue
		}
		settings, ok := get[farm.NoticeSettings](t, bucketNoticeSettings, noticeSettingsKey(token))
		if ok && settings.Wants(farm.HappenedBudget) {
			t.tellBy(token, settings, notice)
		}
	}
}

// Projects reads a team's projects, by name.
func (tx *Tx) Projects(team string) ([]farm.Project, error) {
	var list []farm.Project
	for _, name := range tx.t.keysUnder(bucketProjectsByName, team+sep) {
		id := tx.t.lookup(bucketProjectsByName, team+sep+name)
		if p, ok := tx.t.project(team, id); ok {
			list = append(list, p)
		}
	}
	return list, tx.t.err
}

// Project reads a project of a team by its id.
func (tx *Tx) Project(team, id string) (farm.Project, error) {
	p, ok := tx.t.project(team, id)
	return found(tx, p, ok, "project", id)
}

// ProjectNamed reads a project of a team by its id, or by its name.
func (tx *Tx) ProjectNamed(team, named string) (farm.Project, error) {
	if p, ok := tx.t.project(team, named); ok {
		return p, tx.t.err
	}
	id := ""
	if key := farm.ProjectKey(named); !strings.Contains(key, sep) {
		id = tx.t.lookup(bucketProjectsByName, team+sep+key)
	}
	p, ok := tx.t.project(team, id)
	return found(tx, p, ok && id != "", "project", named)
}

// ProjectUse reads what a project used in all and in the month of a moment; "" for all that the team renders.
func (tx *Tx) ProjectUse(team, project string, at time.Time) (farm.ProjectUse, error) {
	if project == "" {
		project = wholeTeam
	}
	return tx.t.projectUse(team, project, at), tx.t.err
}

// ProjectJobs counts the jobs of a project by state. The counts are kept, not made by looking at jobs.
func (tx *Tx) ProjectJobs(team, project string) (farm.ProjectJobs, error) {
	var jobs farm.ProjectJobs
	for _, status := range farm.JobStatuses() {
		n := tx.t.count(countOfProjectJobs(team, project, status))
		switch {
		case !status.Ended():
			jobs.Active += n
		case status == farm.JobFinished:
			jobs.Finished += n
		case status == farm.JobFailed:
			jobs.Failed += n
		}
	}
	return jobs, tx.t.err
}

// HeldBudgets reads the budgets of all teams that hold work at a moment. The cost grows with the budgets that may hold, not with projects.
func (tx *Tx) HeldBudgets(at time.Time) ([]farm.BudgetOf, error) {
	var held []farm.BudgetOf
	for _, team := range all[farm.Team](tx.t, bucketTeams) {
		if of := tx.t.heldAt(farm.BudgetOf{Team: team.ID}, team.Budget, at); of != nil {
			held = append(held, *of)
		}
	}
	for _, key := range tx.t.keysUnder(bucketHolding, "") {
		team, id, _ := strings.Cut(key, sep)
		p, ok := tx.t.project(team, id)
		if !ok {
			continue
		}
		if of := tx.t.heldAt(farm.BudgetOf{Team: team, Project: &p}, p.Budget, at); of != nil {
			held = append(held, *of)
		}
	}
	return held, tx.t.err
}
