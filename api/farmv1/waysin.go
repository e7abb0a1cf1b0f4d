package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

// waysInBody is how a person can sign in.
type waysInBody struct {
	Password     bool     `json:"password"`
	Passkeys     int      `json:"passkeys"`
	SingleSignOn []string `json:"singleSignOn"` // issuers
}

func waysInShape(w people.WaysIn) *waysInBody {
	return &waysInBody{Password: w.Password, Passkeys: len(w.Passkeys), SingleSignOn: answer.OrEmpty(w.Providers)}
}

// passkeyBody is a passkey of a person.
type passkeyBody struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Synced     bool        `json:"synced"`
	AddedAt    answer.Time `json:"addedAt"`
	LastUsedAt answer.Time `json:"lastUsedAt"`
}

// shapes are tokens as they are answered, those of people with how they sign in.
func (h peopleHandlers) shapes(ctx context.Context, p farm.Principal, who holder, tokens ...farm.Token) ([]tokenBody, error) {
	out := make([]tokenBody, len(tokens))
	ids := make([]string, len(tokens))
	for i, t := range tokens {
		out[i], ids[i] = tokenShape(t, p), t.ID
	}
	if who == program {
		return out, nil
	}
	ways, err := h.people.WaysIn(ctx, p, ids)
	for i, id := range ids {
		out[i].WaysIn = waysInShape(ways[id])
	}
	return out, err
}

func (h peopleHandlers) answerToken(ctx context.Context, c *fiber.Ctx, p farm.Principal, who holder, token farm.Token) error {
	shapes, err := h.shapes(ctx, p, who, token)
	if err != nil {
		return err
	}
	return answer.OK(c, shapes[0])
}

func (h peopleHandlers) listPasskeys(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.people.PasskeysOf(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, func(k farm.Passkey) passkeyBody {
		return passkeyBody{ID: k.ID, Name: k.Name, Synced: k.Synced, AddedAt: answer.Time(k.AddedAt), LastUsedAt: answer.Time(k.UsedAt)}
	}))
}

func (h peopleHandlers) removePasskey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.people.RemovePasskeyOf(ctx, p, c.Params("id"), c.Params("passkey")); err != nil {
		return err
	}
	return answer.None(c)
}
