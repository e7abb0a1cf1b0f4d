package submission

import (
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

// settleProject puts the id of the project into a job that names one, and warns of budgets that are used up.
func (p *plan) settleProject(job *farm.Job) error {
	if job.Parent != "" {
		return nil // as its parent's
	}
	return p.s.state.View(func(tx *raftstore.Tx) error {
		team, err := tx.Team(p.who.Team)
		if err != nil {
			return err
		}
		if err := p.warnOfBudget(tx, job, farm.BudgetOf{Team: team.ID}, team.Budget); err != nil || job.ProjectID == "" {
			return err
		}
		project, err := tx.ProjectNamed(p.who.Team, job.ProjectID)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			return farm.Invalid("the job names a project that the team does not have", farm.Field("project", "is neither the name nor the id of a project of the team"))
		case err != nil:
			return err
		case project.Archived():
			return farm.Invalid("the job names a project that takes no new jobs", farm.Field("project", "is archived; reopen it, or choose another one"))
		}
		job.ProjectID = project.ID
		return p.warnOfBudget(tx, job, farm.BudgetOf{Team: team.ID, Project: &project}, project.Budget)
	})
}

// warnOfBudget notes in a job's warnings that a budget is used up.
func (p *plan) warnOfBudget(tx *raftstore.Tx, job *farm.Job, of farm.BudgetOf, budget *farm.Budget) error {
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
	if budget.Then == farm.BudgetHold {
		job.Warnings = append(job.Warnings, wording.Held(of).String())
	} else {
		job.Warnings = append(job.Warnings, wording.Used(of).String())
	}
	return nil
}
