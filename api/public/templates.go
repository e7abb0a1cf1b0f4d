package public

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// listDeprecated is when GET /templates was superseded by version 3, as RFC 9745 writes dates.
const listDeprecated = "@1767225600"

func (s *server) createTemplate(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	in, err := decodeTemplate(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	t, err := s.farm.Templates().Create(ctx, p, in)
	if err != nil {
		return err
	}
	shape := templateShape(t, nil)
	if t.Status == farm.TemplateAwaitingUpload {
		shape.UploadInfo = uploadShape(t, s.farm.Templates().UploadAddress(t), s.farm.Now())
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
func (s *server) panelOf(ctx context.Context, p farm.Principal, t farm.Template) (*aep.MogrtSummary, error) {
	if t.Type != aep.TypeMogrt || t.Introspection == nil || t.Status == farm.TemplateError {
		return nil, nil
	}
	summary, err := s.farm.Templates().Introspection(ctx, p, t.ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return summary.Mogrt, nil
}

func (s *server) listTemplates(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := s.farm.Templates().List(ctx, p)
	if err != nil {
		return err
	}
	why := s.farm.Templates().WhyUnread(ctx, p, list...)
	out := make([]templateBody, len(list))
	for i, t := range list {
		panel, err := s.panelOf(ctx, p, t)
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

func (s *server) getTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := s.farm.Templates().Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	panel, err := s.panelOf(ctx, p, t)
	if err != nil {
		return err
	}
	body := templateShape(t, panel)
	body.Waits = s.farm.Templates().WhyUnread(ctx, p, t)[t.ID]
	return answer.OK(c, body)
}

func (s *server) renameTemplate(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	name, err := decodeRename(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	t, err := s.farm.Templates().Rename(ctx, p, c.Params("id"), name)
	if err != nil {
		return err
	}
	panel, err := s.panelOf(ctx, p, t)
	if err != nil {
		return err
	}
	return answer.OK(c, templateShape(t, panel))
}

func (s *server) deleteTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := s.farm.Templates().Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}

func (s *server) downloadTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	address, err := s.farm.Templates().DownloadAddress(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, map[string]string{"url": address})
}

func (s *server) renewUpload(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	t, err := s.farm.Templates().RenewUpload(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, uploadShape(t, s.farm.Templates().UploadAddress(t), s.farm.Now()))
}
