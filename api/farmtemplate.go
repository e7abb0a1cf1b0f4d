package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// farmTemplateBody is what the farm has been told of a template beyond the public interface.
type farmTemplateBody struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
	Sequential  bool   `json:"sequential"`
}

func farmTemplateShape(t farm.Template) farmTemplateBody {
	return farmTemplateBody{ID: t.ID, DisplayName: t.DisplayName, Sequential: t.Sequential}
}

func (s *server) getFarmTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	t, err := s.farm.Templates().Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, farmTemplateShape(t))
}

func (s *server) markTemplate(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	sequential, err := decodeTemplateMark(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	t, err := s.farm.Templates().MarkSequential(ctx, p, c.Params("id"), sequential)
	if err != nil {
		return err
	}
	return ok(c, farmTemplateShape(t))
}

// decodeTemplateMark reads the only mark that there is.
func decodeTemplateMark(body []byte) (sequential bool, err error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return false, err
	}
	o.only("sequential")
	if o.need("sequential") {
		sequential = o.flag("sequential")
	}
	return sequential, wrong.err()
}
