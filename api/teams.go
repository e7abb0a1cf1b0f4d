package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// teamBody is a team; Default marks the farm's first one, whose administrators look after all others.
type teamBody struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Default   bool   `json:"default"`
	CreatedAt stamp  `json:"createdAt"`
}

func teamShape(t farm.Team, first bool) teamBody {
	return teamBody{ID: t.ID, Name: t.Name, Default: first, CreatedAt: stamp(t.CreatedAt)}
}

// selfBody is who makes a request.
type selfBody struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Role      string   `json:"role"`
	Person    bool     `json:"person"`
	FarmAdmin bool     `json:"farmAdmin"`
	ExpiresAt stamp    `json:"expiresAt"`
	Team      teamBody `json:"team"`
}

func (s *server) getSelf(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	token, err := s.farm.Self(ctx, p)
	if err != nil {
		return err
	}
	team, first, err := s.farm.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	return ok(c, selfBody{
		ID: token.ID, Name: token.Name, Role: string(token.Role), Person: token.Person, FarmAdmin: p.Can(farm.ActManageTeams),
		ExpiresAt: stamp(token.ExpiresAt), Team: teamShape(team, first),
	})
}

func (s *server) listTeams(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	teams, first, err := s.farm.Teams(ctx, p)
	if err != nil {
		return err
	}
	out := make([]teamBody, len(teams))
	for i, t := range teams {
		out[i] = teamShape(t, t.ID == first)
	}
	return ok(c, out)
}

func (s *server) getTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	team, first, err := s.farm.Team(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, teamShape(team, first))
}

func (s *server) makeTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	team, err := s.farm.MakeTeam(ctx, p, name)
	if err != nil {
		return err
	}
	return created(c, teamShape(team, false))
}

func (s *server) renameTeam(c *fiber.Ctx, p farm.Principal) error {
	name, err := readTeam(c)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	team, first, err := s.farm.RenameTeam(ctx, p, c.Params("id"), name)
	if err != nil {
		return err
	}
	return ok(c, teamShape(team, first))
}

func (s *server) endTeam(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.EndTeam(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

// readTeam reads the name that a team is given.
func readTeam(c *fiber.Ctx) (string, error) {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return "", err
	}
	return decodeTeam(body)
}

func decodeTeam(body []byte) (string, error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return "", err
	}
	o.only("name")
	name := strings.TrimSpace(o.needText("name", nameLimit))
	return name, wrong.err()
}
