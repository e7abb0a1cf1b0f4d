package public

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

const (
	pageSize  = 300
	pageLimit = 1000
)

func (h templateHandlers) listTemplates3(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.templates.List(ctx, p)
	if err != nil {
		return err
	}
	why := h.templates.WhyUnread(ctx, p, list...)
	out := make([]template3Body, len(list))
	for i, t := range list {
		out[i] = template3Shape(t)
		out[i].Waits = why[t.ID]
	}
	return answer.OK(c, out)
}

func (h templateHandlers) getTemplate3(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	body := template3Shape(t)
	body.Waits = h.templates.WhyUnread(ctx, p, t)[t.ID]
	return answer.OK(c, body)
}

func (h templateHandlers) listCompositions(c *fiber.Ctx, p farm.Principal) error {
	summary, from, to, err := h.introspected(c, p)
	if err != nil {
		return err
	}
	out := []compositionBody{}
	for i, comp := range summary.Compositions {
		if i >= from && i < to {
			out = append(out, compositionShape(comp))
		}
	}
	return answer.OK(c, out)
}

func (h templateHandlers) listLayers(c *fiber.Ctx, p farm.Principal) error {
	summary, from, to, err := h.introspected(c, p)
	if err != nil {
		return err
	}
	out := []layerBody{}
	i := 0
	for _, comp := range summary.Compositions {
		for _, layer := range comp.Layers {
			if i >= from && i < to {
				out = append(out, layerShape(comp.ID, layer))
			}
			i++
		}
	}
	return answer.OK(c, out)
}

// introspected gives what a template's file told, and the page that the request asks for.
func (h templateHandlers) introspected(c *fiber.Ctx, p farm.Principal) (summary *aep.Summary, from, to int, err error) {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", pageSize, 1, 1<<31-1, wrong)
	from = input.QueryNumber(c, "offset", 0, 0, 1<<31-1, wrong)
	if err := wrong.Err(); err != nil {
		return nil, 0, 0, err
	}
	ctx, done := request.Call(c)
	defer done()
	summary, err = h.templates.Introspection(ctx, p, c.Params("id"))
	if err != nil {
		return nil, 0, 0, err
	}
	return summary, from, from + min(limit, pageLimit), nil
}
