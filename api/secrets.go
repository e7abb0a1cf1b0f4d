package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/library"
	"overcrank/farm"
)

// secretLimit bounds the body that a secret comes in; JSON may make six bytes of one.
const secretLimit = 64 << 10

// secretBody is a secret as the interface shows it: never its value.
type secretBody struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt stamp  `json:"createdAt"`
	// MachineTags are there for a secret that goes to some machines only.
	MachineTags []string `json:"machineTags,omitempty"`
}

func secretShape(s farm.Secret) secretBody {
	return secretBody{ID: s.ID, Name: s.Name, CreatedAt: stamp(s.CreatedAt), MachineTags: s.MachineTags}
}

func (s *server) listSecrets(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	list, err := s.farm.Secrets().List(ctx, p)
	if err != nil {
		return err
	}
	out := make([]secretBody, len(list))
	for i, secret := range list {
		out[i] = secretShape(secret)
	}
	return ok(c, out)
}

func (s *server) putSecret(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, secretLimit)
	if err != nil {
		return err
	}
	name, value, tags, err := decodeSecret(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	secret, err := s.farm.Secrets().Put(ctx, p, name, value, tags)
	if err != nil {
		return err
	}
	return created(c, secretShape(secret))
}

// decodeSecret reads a secret. No problem that it reports repeats the value.
func decodeSecret(body []byte) (name string, value farm.Confidential, machineTags []string, err error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return "", value, nil, err
	}
	name = o.needText("name", nameLimit)
	if name != "" && !library.ValidSecretName(name) {
		o.problem("name", "may hold letters, digits, '_', '-' and '.', %d of them at most", library.MaxSecretName)
	}
	value = farm.NewConfidential(o.needText("value", library.MaxSecretValue))
	machineTags = readTags(o, "machineTags")
	return name, value, machineTags, wrong.err()
}

// changeSecret changes which machines get a secret.
func (s *server) changeSecret(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	tags, err := decodeSecretChange(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	secret, err := s.farm.Secrets().Restrict(ctx, p, c.Params("id"), tags)
	if err != nil {
		return err
	}
	return ok(c, secretShape(secret))
}

// decodeSecretChange reads which machines are to get a secret from now on.
func decodeSecretChange(body []byte) (machineTags []string, err error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return nil, err
	}
	o.only("machineTags")
	if !o.has("machineTags") {
		o.problem("machineTags", "is missing: a list of tags, empty for all machines")
	}
	machineTags = readTags(o, "machineTags")
	return machineTags, wrong.err()
}

func (s *server) deleteSecret(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.Secrets().Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusOK)
	return nil
}

// keyChanged answers a change of the key that seals secrets.
type keyChanged struct {
	Key      string   `json:"key"`
	Resealed int      `json:"resealed"`
	Keys     []string `json:"keys"`
}

// changeSecretKey makes a new key for the secrets of all teams.
func (s *server) changeSecretKey(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	dropOld, err := decodeKeyChange(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	change, err := s.farm.Secrets().ChangeKey(ctx, p, dropOld)
	if err != nil {
		return err
	}
	return ok(c, keyChanged{Key: change.Key, Resealed: change.Resealed, Keys: change.Keys})
}

// decodeKeyChange reads the wish for a change of keys; a body need not be there.
func decodeKeyChange(body []byte) (dropOld bool, err error) {
	if len(body) == 0 {
		return false, nil
	}
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return false, err
	}
	o.only("dropOld")
	dropOld = o.flag("dropOld")
	return dropOld, wrong.err()
}
