package web

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

func (s *server) listTeams(c *fiber.Ctx, p farm.Principal) error {
	return s.showTeams(c, p, page.Teams{})
}

// showTeams shows the farm's teams, with what has just been done or was refused.
func (s *server) showTeams(c *fiber.Ctx, p farm.Principal, v page.Teams) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	teams, first, err := s.farm.people.Teams(ctx, p)
	if err != nil {
		return err
	}
	for _, t := range teams {
		team, err := s.readTeam(ctx, p, t)
		if err != nil {
			return err
		}
		team.First = t.ID == first
		v.All = append(v.All, team)
	}
	shell := s.shell(c, p, say(c, "Teams"), "settings")
	shell.Setting = "teams"
	return s.render(c, page.TeamsPage(shell, v))
}

func (s *server) readTeam(ctx context.Context, p farm.Principal, t farm.Team) (page.Team, error) {
	team := page.Team{Project: page.Project{ID: t.ID, Name: t.Name}}
	used, err := s.farm.projects.TeamBudget(ctx, p, t.ID)
	if err != nil {
		return team, err
	}
	team.Budget, team.Use, team.Held = used.Budget, used.Use, used.Held
	for _, person := range []bool{true, false} {
		tokens, err := s.farm.people.Tokens(ctx, p, t.ID, person)
		if err != nil {
			return team, err
		}
		for _, token := range tokens {
			if token.Role == farm.RoleAdmin {
				team.Admins++
			}
		}
		if person {
			team.People = len(tokens)
		} else {
			team.Programs = len(tokens)
		}
	}
	return team, nil
}

// makeTeam makes a team, and the link of its first administrator where one is named.
func (s *server) makeTeam(c *fiber.Ctx, p farm.Principal) error {
	form := sentTeam(c)
	ctx, cancel := s.callOf(c)
	defer cancel()
	err := checkTeamName(form.Name)
	var team farm.Team
	if err == nil {
		team, err = s.farm.people.MakeTeam(ctx, p, form.Name)
	}
	if err != nil || form.Who == "" {
		return s.afterTeam(c, p, form, err)
	}
	form.ID, form.Inviting = team.ID, true
	return s.invitedToTeam(ctx, c, p, form)
}

// changeTeam gives a team another name and another budget.
func (s *server) changeTeam(c *fiber.Ctx, p farm.Principal) error {
	form := sentTeam(c)
	form.ID = c.Params("id")
	ctx, cancel := s.callOf(c)
	defer cancel()
	err := checkTeamName(form.Name)
	var budget *farm.Budget
	if err == nil {
		budget, err = readProjectBudget(form.ProjectForm, p)
	}
	if err != nil {
		return s.afterTeam(c, p, form, err)
	}
	if *budget == (farm.Budget{}) {
		budget = nil
	}
	return s.afterTeam(c, p, form, s.farm.projects.ChangeTeam(ctx, p, form.ID, form.Name, budget))
}

// inviteToTeam invites somebody who is to administer a team.
func (s *server) inviteToTeam(c *fiber.Ctx, p farm.Principal) error {
	form := sentTeam(c)
	form.ID, form.Inviting = c.Params("id"), true
	ctx, cancel := s.callOf(c)
	defer cancel()
	if form.Who == "" {
		return s.afterTeam(c, p, form, farm.Invalid("a name is needed"))
	}
	return s.invitedToTeam(ctx, c, p, form)
}

// invitedToTeam makes an administrator of a team. The page that answers is the only one that ever shows their link, so it is no redirect.
func (s *server) invitedToTeam(ctx context.Context, c *fiber.Ctx, p farm.Principal, form page.TeamForm) error {
	person, _, err := s.farm.people.MakeToken(ctx, p, people.NewToken{Team: form.ID, Name: form.Who, Email: form.Email, Role: farm.RoleAdmin, Person: true})
	if err != nil {
		return s.afterTeam(c, p, form, err)
	}
	link, err := s.farm.people.InvitePerson(ctx, p, person.ID)
	if err != nil {
		return err
	}
	return s.showTeams(c, p, page.Teams{Invited: &person, Link: s.signInLink(link.Code), Until: link.Until})
}

func (s *server) endTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	err := s.farm.people.EndTeam(ctx, p, c.Params("id"))
	if farm.CodeOf(err) == farm.CodeConflict { // its jobs have not ended
		c.Status(answer.StatusOf(err))
		return s.showTeams(c, p, page.Teams{Problem: sayError(c, err)})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/settings/teams", fiber.StatusSeeOther)
}

// afterTeam leads back to the teams, or shows why what was typed was refused.
func (s *server) afterTeam(c *fiber.Ctx, p farm.Principal, form page.TeamForm, err error) error {
	switch farm.CodeOf(err) {
	case farm.CodeInvalid, farm.CodeConflict:
		form.Error = refusal(c, err, ofTeams)
		if form.Inviting {
			form.Error = sayError(c, err)
		}
		c.Status(answer.StatusOf(err))
		return s.showTeams(c, p, page.Teams{Form: form})
	}
	if err != nil {
		return err
	}
	return c.Redirect(strings.TrimSuffix("/settings/teams#team-"+form.ID, "#team-"), fiber.StatusSeeOther)
}

// ofTeams begins the sentence that says what is wrong with a field of a team.
func ofTeams(field string) string {
	if field == "name" {
		return language.Text("The name %s")
	}
	return language.Text("The budget %s")
}

func checkTeamName(name string) error {
	if name == "" || len(name) > mostTeamName {
		return farm.Invalid("the team was not saved", farm.Field("name", "needs 1 to %d characters", mostTeamName))
	}
	return nil
}

func sentTeam(c *fiber.Ctx) page.TeamForm {
	return page.TeamForm{
		ProjectForm: sentProject(c), Who: strings.TrimSpace(c.FormValue("who")), Email: strings.TrimSpace(c.FormValue("email")),
	}
}
