package page

import (
	"context"
	"fmt"
	"strconv"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// Projects is the page of a team's projects.
type Projects struct {
	Open, Archived []Project
	Team           *Project // the budget of the team itself, nil without one
	Form           ProjectForm
}

// Project is a project with what it used; without an id it is the team as a whole.
type Project struct {
	ID, Name string
	Budget   *farm.Budget
	Use      farm.ProjectUse
	Jobs     farm.ProjectJobs
	Held     bool
}

// ProjectForm is what was typed for a project, and why it was refused.
type ProjectForm struct {
	ID          string // of the project that was to be changed, "" for a new one
	Name, Hours string
	Per, Then   string
	Error       string
}

// Form is what the form of a project begins with: what was typed when that was refused, otherwise the project.
func (v Projects) form(p Project) ProjectForm {
	if v.Form.Error != "" && v.Form.ID == p.ID {
		return v.Form
	}
	f := ProjectForm{ID: p.ID, Name: p.Name, Per: string(farm.BudgetMonth), Then: string(farm.BudgetHold)}
	if p.Budget != nil {
		f.Hours, f.Per, f.Then = strconv.FormatFloat(p.Budget.Hours, 'f', -1, 64), string(p.Budget.Per), string(p.Budget.Then)
	}
	return f
}

// sentence says what the project used of its budget.
func (p Project) sentence(ctx context.Context) string {
	switch {
	case p.Budget == nil:
		return say(ctx, "No budget.")
	case p.Budget.Per == farm.BudgetMonth:
		return say(ctx, "%s of %s this month.", hoursWord(ctx, p.Use.MonthHours()), told(ctx, wording.MachineHours(p.Budget.Hours)))
	}
	return say(ctx, "%s of %s in all.", hoursWord(ctx, p.Use.TotalHours()), told(ctx, wording.MachineHours(p.Budget.Hours)))
}

// consequence says what happens, or happened, at the end of the budget.
func (p Project) consequence(ctx context.Context) string {
	switch {
	case p.Budget == nil:
		return ""
	case p.Held:
		return say(ctx, "Used up: new work waits until the budget is raised.")
	case p.Use.UsedUp(*p.Budget):
		return say(ctx, "Used up. Work goes on.")
	case p.Budget.Then == farm.BudgetHold:
		return say(ctx, "New work waits when it is used up.")
	}
	return say(ctx, "People are told when it is used up.")
}

// percent is how much of the budget is used, at most 100.
func (p Project) percent() string {
	if p.Budget == nil {
		return "0"
	}
	return fmt.Sprintf("%.1f", min(100, 100*float64(p.Use.Of(*p.Budget))/float64(p.Budget.Milliseconds())))
}

// state is how the budget stands, as a mark; without words where there is nothing to say.
func (p Project) state() State {
	switch {
	case p.Budget == nil:
		return State{}
	case p.Held:
		return State{language.Text("holds new work"), "held"}
	case p.Use.UsedUp(*p.Budget):
		return State{language.Text("used up"), "error"}
	case p.Use.Of(*p.Budget) >= p.Budget.Reached(farm.BudgetShares()[0]):
		return State{language.Text("nearly used"), "waiting"}
	}
	return State{}
}

func (p Project) jobsAddress() string { return "/jobs?project=" + p.ID }
