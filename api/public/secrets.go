package public

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// secretLimit bounds the body that a secret comes in; JSON may make six bytes of one.
const secretLimit = 64 << 10

// SecretBody is a secret as the interface shows it: never its value.
type SecretBody struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	CreatedAt answer.Time `json:"createdAt"`
	// MachineTags are there for a secret that goes to some machines only.
	MachineTags []string `json:"machineTags,omitempty"`
}

// SecretShape is a secret as the interface shows it.
func SecretShape(s farm.Secret) SecretBody {
	return SecretBody{ID: s.ID, Name: s.Name, CreatedAt: answer.Time(s.CreatedAt), MachineTags: s.MachineTags}
}

// secretHandlers answers for the secrets of a team.
type secretHandlers struct{ secrets *library.Secrets }

func (h secretHandlers) routes() []route.Route {
	return []route.Route{
		route.Get("/api/v2/secrets", farm.ActViewSecrets, h.listSecrets),
		route.Put("/api/v2/secrets", farm.ActChangeSecrets, h.putSecret),
		route.Delete("/api/v2/secrets/:id", farm.ActChangeSecrets, h.deleteSecret),
	}
}

func (h secretHandlers) listSecrets(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.secrets.List(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, SecretShape))
}

func (h secretHandlers) putSecret(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, secretLimit)
	if err != nil {
		return err
	}
	name, value, tags, err := decodeSecret(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	secret, err := h.secrets.Put(ctx, p, name, value, tags)
	if err != nil {
		return err
	}
	return answer.Created(c, SecretShape(secret))
}

// decodeSecret reads a secret. No problem that it reports repeats the value.
func decodeSecret(body []byte) (name string, value farm.Confidential, machineTags []string, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", value, nil, err
	}
	name = o.NeedText("name", input.NameLimit)
	if name != "" && !library.ValidSecretName(name) {
		o.Problem("name", "may hold letters, digits, '_', '-' and '.', %d of them at most", library.MaxSecretName)
	}
	value = farm.NewConfidential(o.NeedText("value", library.MaxSecretValue))
	machineTags = input.Tags(o, "machineTags")
	return name, value, machineTags, wrong.Err()
}

func (h secretHandlers) deleteSecret(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.secrets.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusOK)
	return nil
}
