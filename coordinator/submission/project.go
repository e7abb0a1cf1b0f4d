package submission

import (
	"slices"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

// settledProject is what a job gets that names a project, or none.
type settledProject struct {
	name     string // as the job names it
	id       string
	warnings []string // of budgets that are used up
}

// settleProject puts the id of the project into a job that names one, and warns of budgets that are used up.
func (p *plan) settleProject(job *farm.Job) error {
	if job.Parent != "" {
		return nil // as its parent's
	}
	at := slices.IndexFunc(p.projects, func(s settledProject) bool { return s.name == job.ProjectID })
	if at < 0 {
		settled, err := p.projectNamed(job.ProjectID)
		if err != nil {
			return err
		}
		at, p.projects = len(p.projects), append(p.projects, settled)
	}
	job.ProjectID = p.projects[at].id
	job.Warnings = append(slices.Clip(job.Warnings), p.projects[at].warnings...)
	return nil
}

// projectNamed looks up what jobs get that name a project; "" for none.
func (p *plan) projectNamed(name string) (settled settledProject, err error) {
	settled.name = name
	err = p.s.state.View(func(tx *raftstore.Tx) error {
		team, err := tx.Team(p.who.Team)
		if err != nil {
			return err
		}
		if err := p.warnOfBudget(tx, &settled, farm.BudgetOf{Team: team.ID}, team.Budget); err != nil || name == "" {
			return err
		}
		project, err := tx.ProjectNamed(p.who.Team, name)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			return farm.Invalid("the job names a project that the team does not have", farm.Field("project", "is neither the name nor the id of a project of the team"))
		case err != nil:
			return err
		case project.Archived():
			return farm.Invalid("the job names a project that takes no new jobs", farm.Field("project", "is archived; reopen it, or choose another one"))
		}
		settled.id = project.ID
		return p.warnOfBudget(tx, &settled, farm.BudgetOf{Team: team.ID, Project: &project}, project.Budget)
	})
	return settled, err
}

// warnOfBudget notes that a budget is used up.
func (p *plan) warnOfBudget(tx *raftstore.Tx, settled *settledProject, of farm.BudgetOf, budget *farm.Budget) error {
	if budget == nil {
		return nil
	}
	project := ""
	if of.Project != nil {
		project = of.Project.ID
	}
	use, err := tx.ProjectUse(of.Team, project, p.now)
	if err != nil || !use.UsedUp(*budget) {
		return err
	}
	of.Budget, of.Use, of.Month = *budget, use, farm.Month(p.now)
	words := wording.Used(of)
	if budget.Then == farm.BudgetHold {
		words = wording.Held(of)
	}
	settled.warnings = append(settled.warnings, words.String())
	return nil
}
