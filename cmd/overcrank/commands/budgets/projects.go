// Package budgets has the commands about a team's projects and the machine hours that they may use.
package budgets

import (
	"context"
	"fmt"
	"strconv"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

// Projects are the commands below overcrank projects.
type Projects struct {
	List    projectsList    `cmd:"" default:"withargs" help:"List the team's projects, and what they used."`
	Create  projectsCreate  `cmd:"" help:"Create a project."`
	Set     projectsSet     `cmd:"" help:"Rename a project, or change its budget."`
	Archive projectsArchive `cmd:"" help:"Archive projects: they take no new jobs."`
	Reopen  projectsReopen  `cmd:"" help:"Reopen archived projects."`
}

// Flags are a budget of machine hours.
type Flags struct {
	Hours float64 `help:"Budget of machine hours."`
	Per   string  `help:"What the budget is for: each calendar month (month) or all time (total). Default: month." enum:",month,total" default:""`
	Then  string  `help:"What happens when it is used up: new work waits (hold), or people are told only (warn). Default: hold." enum:",hold,warn" default:""`
}

// Over is the budget that the flags make of the one before, which may be nil; nil when none of them is given.
func (f Flags) Over(was *client.Budget) (*client.Budget, error) {
	if f == (Flags{}) {
		return nil, nil
	}
	budget := client.Budget{Per: "month", Then: "hold"}
	if was != nil {
		budget = *was
	}
	if f.Hours != 0 {
		budget.Hours = f.Hours
	}
	if f.Per != "" {
		budget.Per = f.Per
	}
	if f.Then != "" {
		budget.Then = f.Then
	}
	if budget.Hours == 0 {
		return nil, exit.Usagef("a budget needs --hours")
	}
	return &budget, nil
}

// Words say what a budget is: "40 machine hours per month, then hold".
func Words(b *client.Budget) string {
	switch {
	case b == nil:
		return "none"
	case b.Per == "month":
		return fmt.Sprintf("%s per month, then %s", wording.MachineHours(b.Hours), b.Then)
	}
	return fmt.Sprintf("%s in total, then %s", wording.MachineHours(b.Hours), b.Then)
}

// Percent is how much of a budget is used, "" without one.
func Percent(use client.BudgetUse) string {
	if use.PercentUsed == nil {
		return ""
	}
	return fmt.Sprintf("%.0f %%", *use.PercentUsed)
}

type projectsList struct {
	remote.Flags
	Archived bool `help:"Also archived ones."`
}

func (l projectsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, err := c.Projects(ctx, l.Archived)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("PROJECT", "NAME", "ACTIVE", "FINISHED", "THIS MONTH", "IN TOTAL", "BUDGET", "USED", "STATE")
		for _, p := range list.Items {
			t.Row(p.ID, p.Name, strconv.Itoa(p.Jobs.Active), strconv.Itoa(p.Jobs.Finished), wording.MachineTime(p.Use.HoursThisMonth).String(), wording.MachineTime(p.Use.HoursTotal).String(), Words(p.Budget), Percent(p.Use), state(p))
		}
		return out.List(t, "No projects. Create one with: overcrank projects create NAME")
	})
}

func state(p client.Project) string {
	switch {
	case p.Archived:
		return "archived"
	case p.Use.Held:
		return "holds new work"
	}
	return "open"
}

type projectsCreate struct {
	Name string `arg:"" help:"Name of the project."`
	Flags
	Ask remote.Flags `embed:""`
}

func (p projectsCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Ask.Client()
	if err != nil {
		return err
	}
	budget, err := p.Over(nil)
	if err != nil {
		return err
	}
	project, err := c.CreateProject(ctx, p.Name, budget)
	return p.Ask.Print(out, project, err, func() error {
		fmt.Fprintln(out, project.ID)
		out.Remark("Submit jobs for it with: overcrank submit --project %s", project.ID)
		return nil
	})
}

type projectsSet struct {
	Project string `arg:"" help:"Id or name of the project." complete:"project"`
	Name    string `help:"The new name."`
	Flags
	NoBudget bool         `help:"Take the budget away."`
	Ask      remote.Flags `embed:""`
}

func (p projectsSet) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Ask.Client()
	if err != nil {
		return err
	}
	was, err := find(ctx, c, p.Project)
	if err != nil {
		return err
	}
	budget, err := p.Over(was.Budget)
	if err != nil {
		return err
	}
	change := map[string]any{}
	if p.Name != "" {
		change["name"] = p.Name
	}
	switch {
	case p.NoBudget && budget != nil:
		return exit.Usagef("--no-budget takes the budget away: give it alone, or --hours, --per and --then")
	case p.NoBudget:
		change["budget"] = nil
	case budget != nil:
		change["budget"] = budget
	}
	if len(change) == 0 {
		return exit.Usagef("nothing is to change: give --name, --hours, --per, --then or --no-budget")
	}
	project, err := c.ChangeProject(ctx, was.ID, change)
	return p.Ask.Print(out, project, err, func() error {
		out.Remark("%s (%s): budget %s", project.Name, project.ID, Words(project.Budget))
		return nil
	})
}

type projectsArchive struct {
	Projects []string `arg:"" name:"project" help:"Ids or names of the projects." complete:"project"`
	remote.Farm
}

func (p projectsArchive) Run(ctx context.Context, out *terminal.Output) error {
	return archive(ctx, out, p.Farm, p.Projects, true)
}

type projectsReopen struct {
	Projects []string `arg:"" name:"project" help:"Ids or names of the projects."`
	remote.Farm
}

func (p projectsReopen) Run(ctx context.Context, out *terminal.Output) error {
	return archive(ctx, out, p.Farm, p.Projects, false)
}

func archive(ctx context.Context, out *terminal.Output, farm remote.Farm, projects []string, archived bool) error {
	c, err := farm.Client()
	if err != nil {
		return err
	}
	done := "reopened"
	if archived {
		done = "archived"
	}
	return remote.DeleteAll(projects, done, out,
		func(ref string) (string, error) {
			project, err := find(ctx, c, ref)
			return project.ID, err
		},
		func(id string) error {
			_, err := c.ArchiveProject(ctx, id, archived)
			return err
		})
}

// find is the project that an id or a name stands for.
func find(ctx context.Context, c *client.Client, ref string) (client.Project, error) {
	all, err := c.Projects(ctx, true)
	if err != nil {
		return client.Project{}, err
	}
	return remote.Pick(all.Items, "project", ref)
}
