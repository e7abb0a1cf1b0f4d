package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// sessionBody is a browser in which a person is signed in.
type sessionBody struct {
	ID         string      `json:"id"`
	Browser    string      `json:"browser"` // as it names itself
	Address    string      `json:"address"`
	BegunAt    answer.Time `json:"begunAt"`
	LastUsedAt answer.Time `json:"lastUsedAt"`
	ExpiresAt  answer.Time `json:"expiresAt"`
}

func sessionShape(s farm.OpenSession) sessionBody {
	return sessionBody{
		ID: s.ID, Browser: s.Browser, Address: s.Address, BegunAt: answer.Time(s.BegunAt), LastUsedAt: answer.Time(s.UsedAt), ExpiresAt: answer.Time(s.Until),
	}
}

func (h peopleHandlers) listSessions(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.people.Sessions(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	out := make([]sessionBody, len(list))
	for i, s := range list {
		out[i] = sessionShape(s)
	}
	return answer.OK(c, out)
}

// endSessions signs a person out: of one session, or everywhere when the query names none.
func (h peopleHandlers) endSessions(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.people.EndSessions(ctx, p, c.Params("id"), c.Query("session")); err != nil {
		return err
	}
	return answer.None(c)
}

func (h peopleHandlers) resetPassword(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.people.ResetPassword(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}
