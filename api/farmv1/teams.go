package farmv1

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
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

func (s *server) getSelf(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	token, err := s.farm.Self(ctx, p)
	if err != nil {
		return err
	}
	team, first, err := s.farm.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	return answer.OK(c, selfBody{
		ID: token.ID, Name: token.Name, Role: string(token.Role), Person: token.Person, FarmAdmin: p.Can(farm.ActManageTeams),
		ExpiresAt: answer.Time(token.ExpiresAt), Team: teamShape(team, first),
	})
}

func (s *server) listTeams(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	teams, first, err := s.farm.Teams(ctx, p)
	if err != nil {
		return err
	}
	out := make([]teamBody, len(teams))
	for i, t := range teams {
		out[i] = teamShape(t, t.ID == first)
	}
	return answer.OK(c, out)
}

func (s *server) getTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	team, first, err := s.farm.Team(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, teamShape(team, first))
}

func (s *server) makeTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	team, err := s.farm.MakeTeam(ctx, p, name)
	if err != nil {
		return err
	}
	return answer.Created(c, teamShape(team, false))
}

func (s *server) renameTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	team, first, err := s.farm.RenameTeam(ctx, p, c.Params("id"), name)
	if err != nil {
		return err
	}
	return answer.OK(c, teamShape(team, first))
}

func (s *server) endTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := s.farm.EndTeam(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// readTeam reads the name that a team is given.
func readTeam(c *fiber.Ctx) (string, error) {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return "", err
	}
	return decodeTeam(body)
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
