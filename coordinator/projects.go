package coordinator

import (
	"context"
	"crypto/rand"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// ProjectListed is a project with what it used in all and in the month of now, and how many jobs it has.
type ProjectListed struct {
	farm.Project
	Use  farm.ProjectUse
	Jobs farm.ProjectJobs
	Held bool // its budget is used up, and holds what has not begun
}

// ProjectChange is what is changed of a project; nil stays as it is. A budget without hours takes the project's away.
type ProjectChange struct {
	Name     *string
	Archived *bool
	Budget   *farm.Budget
}

// TeamBudget is a team's budget with what the team used in all and in the month of now.
type TeamBudget struct {
	Budget *farm.Budget // nil for none
	Use    farm.ProjectUse
	Held   bool // it is used up, and holds what has not begun
}

// Projects gives the projects of the caller's team, archived ones included, by name.
func (c *Coordinator) Projects(_ context.Context, p farm.Principal) (list []ProjectListed, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		projects, err := tx.Projects(p.Team)
		for i := range projects {
			if err == nil {
				var listed ProjectListed
				listed, err = c.listProject(tx, projects[i])
				list = append(list, listed)
			}
		}
		return err
	})
	return list, err
}

// Project gives a project of the caller's team by its id or its name.
func (c *Coordinator) Project(_ context.Context, p farm.Principal, named string) (listed ProjectListed, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		project, err := tx.ProjectNamed(p.Team, named)
		if err != nil {
			return err
		}
		listed, err = c.listProject(tx, project)
		return err
	})
	return listed, err
}

func (c *Coordinator) listProject(tx *raftstore.Tx, project farm.Project) (ProjectListed, error) {
	use, err := tx.ProjectUse(project.Team, project.ID, c.state.Now())
	if err != nil {
		return ProjectListed{}, err
	}
	jobs, err := tx.ProjectJobs(project.Team, project.ID)
	return ProjectListed{Project: project, Use: use, Jobs: jobs, Held: holds(project.Budget, use)}, err
}

func holds(b *farm.Budget, use farm.ProjectUse) bool {
	return b != nil && b.Then == farm.BudgetHold && use.UsedUp(*b)
}

// AddProject adds a project to the caller's team. CodeConflict for a name that another one has.
func (c *Coordinator) AddProject(ctx context.Context, p farm.Principal, name string, budget *farm.Budget) (ProjectListed, error) {
	if err := mayChangeProject(p, budget); err != nil {
		return ProjectListed{}, err
	}
	project := farm.Project{
		ID: strings.ToLower(rand.Text()[:8]), Team: p.Team, Name: strings.TrimSpace(name), Budget: budget, CreatedAt: c.state.Now(), By: p.Name,
	}
	if err := checkProject(&project.Name, budget); err != nil {
		return ProjectListed{}, err
	}
	if _, err := c.state.Apply(ctx, command.PutProject{Project: project}); err != nil {
		return ProjectListed{}, err
	}
	return ProjectListed{Project: project}, nil
}

// ChangeProject changes a project of the caller's team, named by its id or its name.
func (c *Coordinator) ChangeProject(ctx context.Context, p farm.Principal, named string, change ProjectChange) (ProjectListed, error) {
	if err := mayChangeProject(p, change.Budget); err != nil {
		return ProjectListed{}, err
	}
	if change.Name != nil {
		name := strings.TrimSpace(*change.Name)
		change.Name = &name
	}
	if err := checkProject(change.Name, change.Budget); err != nil {
		return ProjectListed{}, err
	}
	project, err := c.Project(ctx, p, named)
	if err != nil {
		return ProjectListed{}, err
	}
	cmd := command.ChangeProject{Team: p.Team, ID: project.ID, Name: change.Name, Archived: change.Archived, Budget: change.Budget, At: c.state.Now()}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return ProjectListed{}, err
	}
	return c.Project(ctx, p, project.ID)
}

// mayChangeProject is nil for who may change projects, and their budgets when one is named.
func mayChangeProject(p farm.Principal, budget *farm.Budget) error {
	if err := p.May(farm.ActChangeProjects); err != nil || budget == nil {
		return err
	}
	return p.May(farm.ActSetBudgets)
}

func checkProject(name *string, budget *farm.Budget) error {
	var wrong []farm.FieldError
	if name != nil && !farm.IsProjectName(*name) {
		wrong = append(wrong, farm.Field("name", "has to be one line of up to 80 characters"))
	}
	if budget != nil && *budget != (farm.Budget{}) {
		wrong = append(wrong, budget.Check()...)
	}
	if len(wrong) > 0 {
		return farm.Invalid("the project was not saved", wrong...)
	}
	return nil
}

// TeamBudget gives the budget of the caller's own team, or of any to those who set them.
func (c *Coordinator) TeamBudget(_ context.Context, p farm.Principal, team string) (b TeamBudget, err error) {
	if team != p.Team && !p.Can(farm.ActSetTeamBudgets) {
		return b, farm.Errorf(farm.CodeNotFound, "team %q does not exist", team)
	}
	err = c.state.View(func(tx *raftstore.Tx) error {
		found, err := tx.Team(team)
		if err != nil {
			return err
		}
		b.Budget = found.Budget
		b.Use, err = tx.ProjectUse(team, "", c.state.Now())
		b.Held = holds(b.Budget, b.Use)
		return err
	})
	return b, err
}

// PutTeamBudget gives a team a budget, or takes it away: nil.
func (c *Coordinator) PutTeamBudget(ctx context.Context, p farm.Principal, team string, budget *farm.Budget) (TeamBudget, error) {
	if err := c.setTeamBudget(ctx, p, command.PutTeamBudget{Team: team, Budget: budget}); err != nil {
		return TeamBudget{}, err
	}
	return c.TeamBudget(ctx, p, team)
}

// ChangeTeam gives a team a name and a budget, nil for none: both, or neither where one of them is refused.
func (c *Coordinator) ChangeTeam(ctx context.Context, p farm.Principal, team, name string, budget *farm.Budget) error {
	return c.setTeamBudget(ctx, p, command.PutTeamBudget{Team: team, Name: &name, Budget: budget})
}

func (c *Coordinator) setTeamBudget(ctx context.Context, p farm.Principal, put command.PutTeamBudget) error {
	if err := p.May(farm.ActSetTeamBudgets); err != nil {
		return err
	}
	if err := checkProject(nil, put.Budget); err != nil {
		return err
	}
	put.At = c.state.Now()
	_, err := c.state.Apply(ctx, put)
	return err
}
