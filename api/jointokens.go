package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/enrolment"
	"overcrank/farm"
)

// mostMachines bounds how many machines one invitation is for.
const mostMachines = 10_000

// joinTokenBody is an invitation. The answer to its making also holds the token that machines are started with, once.
type joinTokenBody struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Tags       []string `json:"tags"`
	Uses       int      `json:"uses"`
	Left       int      `json:"left"`
	CreatedBy  string   `json:"createdBy"`
	CreatedAt  stamp    `json:"createdAt"`
	ExpiresAt  stamp    `json:"expiresAt"`
	LastUsedAt stamp    `json:"lastUsedAt"`
	JoinToken  string   `json:"joinToken,omitempty"`
}

func joinTokenShape(t farm.JoinToken) joinTokenBody {
	tags := t.Tags
	if tags == nil {
		tags = []string{}
	}
	return joinTokenBody{
		ID: t.ID, Name: t.Name, Tags: tags, Uses: t.Uses, Left: t.Left, CreatedBy: t.CreatedBy,
		CreatedAt: stamp(t.CreatedAt), ExpiresAt: stamp(t.ExpiresAt), LastUsedAt: stamp(t.LastUsedAt),
	}
}

func (s *server) listJoinTokens(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	list, err := s.farm.JoinTokens(ctx, p)
	if err != nil {
		return err
	}
	out := make([]joinTokenBody, len(list))
	for i, t := range list {
		out[i] = joinTokenShape(t)
	}
	return ok(c, out)
}

func (s *server) makeJoinToken(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	in, err := decodeJoinToken(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	token, text, err := s.farm.Invite(ctx, p, in)
	if err != nil {
		return err
	}
	shape := joinTokenShape(token)
	shape.JoinToken = text
	return created(c, shape)
}

func (s *server) revokeJoinToken(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.RevokeJoinToken(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

func decodeJoinToken(body []byte) (enrolment.NewJoinToken, error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return enrolment.NewJoinToken{}, err
	}
	o.only("name", "uses", "expiresAt", "tags")
	uses, _ := o.whole("uses", 1, mostMachines)
	in := enrolment.NewJoinToken{
		Name: strings.TrimSpace(o.text("name", nameLimit)), Uses: uses, ExpiresAt: readTime(o, "expiresAt"), Tags: o.texts("tags", nameLimit),
	}
	return in, wrong.err()
}
