package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/templates"
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

// templateHandlers answers for what the farm knows of a template beyond the public interface.
type templateHandlers struct{ templates *templates.Catalog }

func (h templateHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/templates/:id", farm.ActView, h.getFarmTemplate),
		route.Patch(root+"/templates/:id", farm.ActChangeTemplates, h.markTemplate),
	}
}

func (h templateHandlers) getFarmTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, farmTemplateShape(t))
}

func (h templateHandlers) markTemplate(c *fiber.Ctx, p farm.Principal) error {
	sequential, err := input.Body(c, decodeTemplateMark)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.MarkSequential(ctx, p, c.Params("id"), sequential)
	if err != nil {
		return err
	}
	return answer.OK(c, farmTemplateShape(t))
}

// decodeTemplateMark reads the only mark that there is.
func decodeTemplateMark(body []byte) (sequential bool, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return false, err
	}
	o.Only("sequential")
	if o.Need("sequential") {
		sequential = o.Flag("sequential")
	}
	return sequential, wrong.Err()
}
