package farmv1

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/enrolment"
	"overcrank/farm"
)

// mostMachines bounds how many machines one invitation is for.
const mostMachines = 10_000

// joinTokenBody is an invitation. The answer to its making also holds the token that machines are started with, once.
type joinTokenBody struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Tags       []string    `json:"tags"`
	Uses       int         `json:"uses"`
	Left       int         `json:"left"`
	CreatedBy  string      `json:"createdBy"`
	CreatedAt  answer.Time `json:"createdAt"`
	ExpiresAt  answer.Time `json:"expiresAt"`
	LastUsedAt answer.Time `json:"lastUsedAt"`
	JoinToken  string      `json:"joinToken,omitempty"`
}

func joinTokenShape(t farm.JoinToken) joinTokenBody {
	tags := t.Tags
	if tags == nil {
		tags = []string{}
	}
	return joinTokenBody{
		ID: t.ID, Name: t.Name, Tags: tags, Uses: t.Uses, Left: t.Left, CreatedBy: t.CreatedBy,
		CreatedAt: answer.Time(t.CreatedAt), ExpiresAt: answer.Time(t.ExpiresAt), LastUsedAt: answer.Time(t.LastUsedAt),
	}
}

// invitationHandlers answers for the join tokens of machines.
type invitationHandlers struct{ machines *enrolment.Registry }

func (h invitationHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/join-tokens", farm.ActInviteMachines, h.listJoinTokens),
		route.Post(root+"/join-tokens", farm.ActInviteMachines, h.makeJoinToken),
		route.Delete(root+"/join-tokens/:id", farm.ActInviteMachines, h.revokeJoinToken),
	}
}

func (h invitationHandlers) listJoinTokens(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.machines.JoinTokens(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, joinTokenShape))
}

func (h invitationHandlers) makeJoinToken(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeJoinToken)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	token, text, err := h.machines.Invite(ctx, p, in)
	if err != nil {
		return err
	}
	shape := joinTokenShape(token)
	shape.JoinToken = text
	return answer.Created(c, shape)
}

func (h invitationHandlers) revokeJoinToken(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.machines.RevokeJoinToken(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

func decodeJoinToken(body []byte) (enrolment.NewJoinToken, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return enrolment.NewJoinToken{}, err
	}
	o.Only("name", "uses", "expiresAt", "tags")
	uses, _ := o.Whole("uses", 1, mostMachines)
	in := enrolment.NewJoinToken{
		Name: strings.TrimSpace(o.Text("name", input.NameLimit)), Uses: uses, ExpiresAt: input.Time(o, "expiresAt"), Tags: o.Texts("tags", input.NameLimit),
	}
	return in, wrong.Err()
}
