package web

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// projects is what pages ask of the farm about projects and their budgets.
type projects interface {
	Projects(ctx context.Context, p farm.Principal) ([]coordinator.ProjectListed, error)
	Project(ctx context.Context, p farm.Principal, named string) (coordinator.ProjectListed, error)
	AddProject(ctx context.Context, p farm.Principal, name string, budget *farm.Budget) (coordinator.ProjectListed, error)
	ChangeProject(ctx context.Context, p farm.Principal, named string, change coordinator.ProjectChange) (coordinator.ProjectListed, error)
	TeamBudget(ctx context.Context, p farm.Principal, team string) (coordinator.TeamBudget, error)
	ChangeTeam(ctx context.Context, p farm.Principal, team, name string, budget *farm.Budget) error
}

func (s *server) listProjects(c *fiber.Ctx, p farm.Principal) error {
	return s.showProjects(c, p, page.ProjectForm{})
}

// showProjects shows the projects, with what a form was refused for.
func (s *server) showProjects(c *fiber.Ctx, p farm.Principal, form page.ProjectForm) error {
	ctx, cancel := s.call()
	defer cancel()
	v, err := s.readProjects(ctx, p)
	if err != nil {
		return err
	}
	v.Form = form
	shell := s.shell(c, p, say(c, "Projects"), "projects")
	shell.Live = "projects"
	return s.render(c, page.ProjectsPage(shell, v))
}

// readProjects reads the projects of a team and what they used.
func (s *server) readProjects(ctx context.Context, p farm.Principal) (page.Projects, error) {
	var v page.Projects
	all, err := s.farm.projects.Projects(ctx, p)
	if err != nil {
		return v, err
	}
	team, err := s.farm.projects.TeamBudget(ctx, p, p.Team)
	if err != nil {
		return v, err
	}
	if team.Budget != nil {
		v.Team = &page.Project{Budget: team.Budget, Use: team.Use, Held: team.Held}
	}
	for _, project := range all {
		shown := page.Project{ID: project.ID, Name: project.Name, Budget: project.Budget, Use: project.Use, Jobs: project.Jobs, Held: project.Held}
		if project.Archived() {
			v.Archived = append(v.Archived, shown)
		} else {
			v.Open = append(v.Open, shown)
		}
	}
	return v, nil
}

// projectPieces are the live parts of the page of projects.
func (s *server) projectPieces(p farm.Principal, shell page.Shell, _ string) []piece {
	return []piece{{id: "projects", common: true, kinds: []farm.EventKind{farm.EventJob, farm.EventProject}, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readProjects(ctx, p)
		return page.ProjectsBody(shell, v), err
	}}}
}

// findProjects are the first of those whose names have all of some words.
func (s *server) findProjects(ctx context.Context, p farm.Principal, text string, most int) (found []page.Choice, err error) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil, nil
	}
	list, err := s.projectNames(ctx, p)
	for _, project := range list {
		name := strings.ToLower(project.Word)
		if len(found) < most && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }) {
			found = append(found, project)
		}
	}
	return found, err
}

// openProjects are those that take new jobs, to be chosen from.
func (s *server) openProjects(ctx context.Context, p farm.Principal) ([]page.Choice, error) {
	list, err := s.farm.projects.Projects(ctx, p)
	var choices []page.Choice
	for _, project := range list {
		if !project.Archived() {
			choices = append(choices, page.Choice{Value: project.ID, Word: project.Name})
		}
	}
	return choices, err
}

// projectNames are the team's projects, to be chosen from: archived ones behind the others.
func (s *server) projectNames(ctx context.Context, p farm.Principal) ([]page.Choice, error) {
	list, err := s.farm.projects.Projects(ctx, p)
	var open, archived []page.Choice
	for _, project := range list {
		choice := page.Choice{Value: project.ID, Word: project.Name}
		if project.Archived() {
			archived = append(archived, choice)
		} else {
			open = append(open, choice)
		}
	}
	return append(open, archived...), err
}

// nameProject is what a project is called, "" for one that is gone.
func (s *server) nameProject(ctx context.Context, p farm.Principal, id string) (string, error) {
	project, err := s.farm.projects.Project(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", nil
	}
	return project.Name, err
}

func (s *server) addProject(c *fiber.Ctx, p farm.Principal) error {
	form := sentProject(c)
	budget, err := readProjectBudget(form, p)
	if err == nil {
		if budget != nil && *budget == (farm.Budget{}) {
			budget = nil
		}
		ctx, cancel := s.callOf(c)
		defer cancel()
		_, err = s.farm.projects.AddProject(ctx, p, form.Name, budget)
	}
	return s.afterProject(c, p, form, err)
}

func (s *server) changeProject(c *fiber.Ctx, p farm.Principal) error {
	form := sentProject(c)
	form.ID = c.Params("id")
	budget, err := readProjectBudget(form, p)
	if err == nil {
		ctx, cancel := s.callOf(c)
		defer cancel()
		_, err = s.farm.projects.ChangeProject(ctx, p, form.ID, coordinator.ProjectChange{Name: &form.Name, Budget: budget})
	}
	return s.afterProject(c, p, form, err)
}

// afterProject leads back to the projects, or shows why what was typed was refused.
func (s *server) afterProject(c *fiber.Ctx, p farm.Principal, form page.ProjectForm, err error) error {
	switch farm.CodeOf(err) {
	case farm.CodeInvalid, farm.CodeConflict:
		form.Error = refusal(c, err, ofProjects)
		c.Status(answer.StatusOf(err))
		return s.showProjects(c, p, form)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/projects", fiber.StatusSeeOther)
}

// ofProjects begins the sentence that says what is wrong with a field of a project.
func ofProjects(field string) string {
	if field == "name" {
		return language.Text("The name %s")
	}
	return language.Text("The budget %s")
}

func (s *server) archiveProject(archived bool) func(c *fiber.Ctx, p farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, cancel := s.callOf(c)
		defer cancel()
		if _, err := s.farm.projects.ChangeProject(ctx, p, c.Params("id"), coordinator.ProjectChange{Archived: &archived}); err != nil {
			return err
		}
		return c.Redirect("/projects", fiber.StatusSeeOther)
	}
}

func sentProject(c *fiber.Ctx) page.ProjectForm {
	return page.ProjectForm{
		Name: strings.TrimSpace(c.FormValue("name")), Hours: strings.TrimSpace(c.FormValue("hours")), Per: c.FormValue("per"), Then: c.FormValue("then"),
	}
}

// readProjectBudget reads the budget of a form: nil for who may not set one, one without hours when the field is empty.
func readProjectBudget(form page.ProjectForm, p farm.Principal) (*farm.Budget, error) {
	if !p.Can(farm.ActSetBudgets) {
		return nil, nil
	}
	if form.Hours == "" {
		return &farm.Budget{}, nil
	}
	hours, err := strconv.ParseFloat(form.Hours, 64)
	if err != nil {
		return nil, farm.Invalid("The budget has to be a number of machine hours.")
	}
	return &farm.Budget{Hours: hours, Per: farm.BudgetPeriod(form.Per), Then: farm.BudgetAction(form.Then)}, nil
}
