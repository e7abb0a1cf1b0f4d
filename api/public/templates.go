package public

import (
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// listDeprecated is when GET /templates was superseded by version 3, as RFC 9745 writes dates.
const listDeprecated = "@1767225600"

// templateHandlers answers for templates and their files.
type templateHandlers struct {
	templates *templates.Catalog
	now       func() time.Time
}

func (h templateHandlers) routes() []route.Route {
	routes := []route.Route{
		route.Post("/api/v2/templates", farm.ActChangeTemplates, h.createTemplate),
		route.Get("/api/v2/templates", farm.ActView, h.listTemplates),
		route.Get("/api/v2/templates/:id", farm.ActView, h.getTemplate),
		route.Patch("/api/v2/templates/:id", farm.ActChangeTemplates, route.WellFormed(h.renameTemplate)),
		route.Delete("/api/v2/templates/:id", farm.ActDeleteTemplates, h.deleteTemplate),
		route.Get("/api/v2/templates/:id/download", farm.ActView, h.downloadTemplate),
		route.Get("/api/v2/templates/:id/upload", farm.ActView, h.downloadTemplate),
		route.Put("/api/v2/templates/:id/upload", farm.ActChangeTemplates, h.renewUpload),
	}
	// Clients make the second root by stripping "/v2" from the first or by appending to it.
	for _, root := range []string{"/api/v3/templates", "/api/v2/v3/templates"} {
		routes = append(routes,
			route.Get(root, farm.ActView, h.listTemplates3),
			route.Get(root+"/:id", farm.ActView, route.WellFormed(h.getTemplate3)),
			route.Get(root+"/:id/compositions", farm.ActView, route.WellFormed(h.listCompositions)),
			route.Get(root+"/:id/layers", farm.ActView, route.WellFormed(h.listLayers)),
		)
	}
	return routes
}

func (h templateHandlers) createTemplate(c *fiber.Ctx, p farm.Principal) error {
	in, err := input.Body(c, decodeTemplate)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Create(ctx, p, in)
	if err != nil {
		return err
	}
	shape := templateShape(t, nil)
	if t.Status == farm.TemplateAwaitingUpload {
		shape.UploadInfo = uploadShape(t, h.templates.UploadAddress(t), h.now())
	}
	return answer.Created(c, shape)
}

func decodeTemplate(body []byte) (templates.New, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return templates.New{}, err
	}
	in := templates.New{DisplayName: strings.TrimSpace(o.NeedText("displayName", input.NameLimit)), Src: readAddress(o, "src")}
	if len(farm.SecretRefs(in.Src)) > 0 {
		o.Problem("src", "cannot refer to a secret; give a template that needs one as template.src of a job")
	}
	if hasScheme(in.Src, "file") {
		o.Problem("src", "cannot be a file: address, which only the machines that render can read; upload the file, or give it as template.src of a job")
	}
	if o.Need("type") {
		in.Type = o.Choice("type", aep.TypeProject, aep.TypeZip, aep.TypeMogrt)
	}
	return in, wrong.Err()
}

// decodeRename reads the only change that a template takes.
func decodeRename(body []byte) (string, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return "", err
	}
	o.Only("displayName")
	name := strings.TrimSpace(o.NeedText("displayName", input.NameLimit))
	return name, wrong.Err()
}

// panelOf is the panel of a motion graphics template that has been read, nil for all others.
func (h templateHandlers) panelOf(ctx context.Context, p farm.Principal, t farm.Template) (*aep.MogrtSummary, error) {
	if t.Type != aep.TypeMogrt || t.Introspection == nil || t.Status == farm.TemplateError {
		return nil, nil
	}
	summary, err := h.templates.Introspection(ctx, p, t.ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return summary.Mogrt, nil
}

func (h templateHandlers) listTemplates(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.templates.List(ctx, p)
	if err != nil {
		return err
	}
	why := h.templates.WhyUnread(ctx, p, list...)
	out := make([]templateBody, len(list))
	for i, t := range list {
		panel, err := h.panelOf(ctx, p, t)
		if err != nil {
			return err
		}
		out[i] = templateShape(t, panel)
		out[i].Waits = why[t.ID]
	}
	c.Set("Deprecation", listDeprecated)
	c.Set(fiber.HeaderLink, `</api/v3/templates>; rel="successor-version"`)
	return answer.OK(c, out)
}

func (h templateHandlers) getTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	panel, err := h.panelOf(ctx, p, t)
	if err != nil {
		return err
	}
	body := templateShape(t, panel)
	body.Waits = h.templates.WhyUnread(ctx, p, t)[t.ID]
	return answer.OK(c, body)
}

func (h templateHandlers) renameTemplate(c *fiber.Ctx, p farm.Principal) error {
	name, err := input.Body(c, decodeRename)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.Rename(ctx, p, c.Params("id"), name)
	if err != nil {
		return err
	}
	panel, err := h.panelOf(ctx, p, t)
	if err != nil {
		return err
	}
	return answer.OK(c, templateShape(t, panel))
}

func (h templateHandlers) deleteTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.templates.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return answer.None(c)
}

func (h templateHandlers) downloadTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	address, err := h.templates.DownloadAddress(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, map[string]string{"url": address})
}

func (h templateHandlers) renewUpload(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := h.templates.RenewUpload(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, uploadShape(t, h.templates.UploadAddress(t), h.now()))
}
