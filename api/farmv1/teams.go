package farmv1

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

// teamBody is a team; Default marks the farm's first one, whose administrators look after all others.
type teamBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Default   bool        `json:"default"`
	CreatedAt answer.Time `json:"createdAt"`
}

func teamShape(t farm.Team, first bool) teamBody {
	return teamBody{ID: t.ID, Name: t.Name, Default: first, CreatedAt: answer.Time(t.CreatedAt)}
}

// selfBody is who makes a request.
type selfBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Role      string      `json:"role"`
	Person    bool        `json:"person"`
	FarmAdmin bool        `json:"farmAdmin"`
	ExpiresAt answer.Time `json:"expiresAt"`
	Team      teamBody    `json:"team"`
}

// peopleHandlers answers for teams, their people and programs.
type peopleHandlers struct {
	people  *people.Directory
	address func() string
	now     func() time.Time
}

func (h peopleHandlers) routes() []route.Route {
	const teams = root + "/teams"
	routes := []route.Route{
		route.Get(root+"/me", farm.ActView, h.getSelf),
		route.Post(root+"/sign-in-links", farm.ActView, h.makeSignIn),
		route.Post(root+"/people/:id/sign-in-links", farm.ActManageTokens, h.invite),
		route.Delete(root+"/people/:id/password", farm.ActManageTokens, h.resetPassword),
		route.Get(root+"/people/:id/sessions", farm.ActManageTokens, h.listSessions),
		route.Delete(root+"/people/:id/sessions", farm.ActManageTokens, h.endSessions),
		route.Get(root+"/people/:id/passkeys", farm.ActManageTokens, h.listPasskeys),
		route.Delete(root+"/people/:id/passkeys/:passkey", farm.ActManageTokens, h.removePasskey),
		route.Get(root+"/sign-in-rules", farm.ActManageTeams, h.getSignInRules),
		route.Put(root+"/sign-in-rules", farm.ActManageTeams, h.putSignInRules),
		route.Get(teams, farm.ActView, h.listTeams),
		route.Post(teams, farm.ActManageTeams, h.makeTeam),
		route.Get(teams+"/:id", farm.ActView, h.getTeam),
		route.Patch(teams+"/:id", farm.ActRenameTeam, h.renameTeam),
		route.Delete(teams+"/:id", farm.ActManageTeams, h.endTeam),
	}
	for holders, who := range map[string]holder{root + "/tokens": program, root + "/people": person} {
		routes = append(routes,
			route.Get(holders, farm.ActManageTokens, h.listTokens(who)),
			route.Post(holders, farm.ActManageTokens, h.makeToken(who)),
			route.Get(holders+"/:id", farm.ActManageTokens, h.getToken(who)),
			route.Patch(holders+"/:id", farm.ActManageTokens, h.changeToken(who)),
			route.Delete(holders+"/:id", farm.ActManageTokens, h.revokeToken(who)),
		)
	}
	return routes
}

func (h peopleHandlers) getSelf(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	token, err := h.people.Self(ctx, p)
	if err != nil {
		return err
	}
	team, first, err := h.people.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	return answer.OK(c, selfBody{
		ID: token.ID, Name: token.Name, Role: string(token.Role), Person: token.Person, FarmAdmin: p.Can(farm.ActManageTeams),
		ExpiresAt: answer.Time(token.ExpiresAt), Team: teamShape(team, first),
	})
}

func (h peopleHandlers) listTeams(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	teams, first, err := h.people.Teams(ctx, p)
	if err != nil {
		return err
	}
	out := make([]teamBody, len(teams))
	for i, t := range teams {
		out[i] = teamShape(t, t.ID == first)
	}
	return answer.OK(c, out)
}

func (h peopleHandlers) getTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	team, first, err := h.people.Team(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, teamShape(team, first))
}

func (h peopleHandlers) makeTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	team, err := h.people.MakeTeam(ctx, p, name)
	if err != nil {
		return err
	}
	return answer.Created(c, teamShape(team, false))
}

func (h peopleHandlers) renameTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	team, first, err := h.people.RenameTeam(ctx, p, c.Params("id"), name)
	if err != nil {
		return err
	}
	return answer.OK(c, teamShape(team, first))
}

func (h peopleHandlers) endTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.people.EndTeam(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

// readTeam reads the name that a team is given.
func readTeam(c *fiber.Ctx) (string, error) {
	return input.Body(c, decodeTeam)
}

func decodeTeam(body []byte) (string, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", err
	}
	o.Only("name")
	name := strings.TrimSpace(o.NeedText("name", input.NameLimit))
	return name, wrong.Err()
}
