package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/library"
	"overcrank/farm"
)

// secretHandlers answers for what goes beyond a team's own secrets.
type secretHandlers struct{ secrets *library.Secrets }

func (h secretHandlers) routes() []route.Route {
	return []route.Route{
		route.Patch(root+"/secrets/:id", farm.ActChangeSecrets, h.changeSecret),
		route.Post(root+"/secret-keys", farm.ActChangeSecretKey, h.changeSecretKey),
	}
}

// changeSecret changes which machines get a secret.
func (h secretHandlers) changeSecret(c *fiber.Ctx, p farm.Principal) error {
	tags, err := input.Body(c, decodeSecretChange)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	secret, err := h.secrets.Restrict(ctx, p, c.Params("id"), tags)
	if err != nil {
		return err
	}
	return answer.OK(c, public.SecretShape(secret))
}

// decodeSecretChange reads which machines are to get a secret from now on.
func decodeSecretChange(body []byte) (machineTags []string, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return nil, err
	}
	o.Only("machineTags")
	if !o.Has("machineTags") {
		o.Problem("machineTags", "is missing: a list of tags, empty for all machines")
	}
	machineTags = input.Tags(o, "machineTags")
	return machineTags, wrong.Err()
}

// keyChanged answers a change of the key that seals secrets.
type keyChanged struct {
	Key      string   `json:"key"`
	Resealed int      `json:"resealed"`
	Keys     []string `json:"keys"`
}

// changeSecretKey makes a new key for the secrets of all teams.
func (h secretHandlers) changeSecretKey(c *fiber.Ctx, p farm.Principal) error {
	dropOld, err := input.Body(c, decodeKeyChange)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	change, err := h.secrets.ChangeKey(ctx, p, dropOld)
	if err != nil {
		return err
	}
	return answer.OK(c, keyChanged{Key: change.Key, Resealed: change.Resealed, Keys: change.Keys})
}

// decodeKeyChange reads the wish for a change of keys; a body need not be there.
func decodeKeyChange(body []byte) (dropOld bool, err error) {
	if len(body) == 0 {
		return false, nil
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return false, err
	}
	o.Only("dropOld")
	dropOld = o.Flag("dropOld")
	return dropOld, wrong.Err()
}
