package web

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/web/page"
)

// preflights say what the embedded engine would draw differently from After Effects, and which machines could render a template.
type preflights interface {
	TemplatePreflight(ctx context.Context, p farm.Principal, id string) (*aep.Preflight, error)
	MachinesFor(ctx context.Context, p farm.Principal, id string) (able dispatch.Able, ok bool, err error)
}

func (s *server) templates(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	all, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Templates"), "templates")
	shell.Live = "templates"
	return s.render(c, page.TemplatesPage(shell, s.listed(ctx, p, all)))
}

// listed are templates as the list shows them: without what their files told.
func (s *server) listed(ctx context.Context, p farm.Principal, all []farm.Template) []page.Template {
	why := s.farm.templates.WhyUnread(ctx, p, all...)
	out := make([]page.Template, len(all))
	for i, t := range newestFirst(all) {
		out[i] = page.Template{Template: t, Waits: why[t.ID]}
	}
	return out
}

// templateListPieces are the live parts of the list of templates.
func (s *server) templateListPieces(p farm.Principal, shell page.Shell, _ string) []piece {
	return []piece{{id: "templates", common: true, kinds: []farm.EventKind{farm.EventTemplate}, draw: func(ctx context.Context) (templ.Component, error) {
		t, err := s.farm.templates.List(ctx, p)
		return page.TemplatesBody(shell, s.listed(ctx, p, t)), err
	}}}
}

func newestFirst(all []farm.Template) []farm.Template {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b farm.Template) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return all
}

// createTemplate registers a template of a file that the page's script has handed over.
func (s *server) createTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	t, err := s.farm.templates.Create(ctx, p, templates.New{Type: c.FormValue("type"), DisplayName: c.FormValue("displayName"), Src: c.FormValue("src")})
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"id": t.ID})
}

// replaceTemplate gives a template a file that the page's script has handed over: its next version.
func (s *server) replaceTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	t, err := s.farm.templates.Get(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	if kind := c.FormValue("type"); kind != t.Type && kind != t.FileType() {
		return farm.Errorf(farm.CodeInvalid, "“%s” takes files of the type %s; add the other file as a template of its own", t.DisplayName, t.Type)
	}
	file, err := s.keptFile(ctx, p, c.FormValue("src"))
	if err != nil {
		return err
	}
	if _, err := s.farm.templates.Give(ctx, p, t.ID, file); err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"id": t.ID})
}

// keptFile is the file that the farm keeps under an address that it gave the page's script.
func (s *server) keptFile(ctx context.Context, p farm.Principal, src string) (farm.StoredFile, error) {
	hash := strings.TrimPrefix(src, farm.KeptScheme)
	kept, err := s.farm.stored.Kept(ctx, p, []farm.FileRef{{SHA256: hash}})
	if err != nil {
		return farm.StoredFile{}, err
	}
	file, there := kept[hash]
	if !there {
		return file, farm.Errorf(farm.CodeGone, "the farm does not keep this file any more; choose it again")
	}
	return file, nil
}

// completeTemplate puts files that a template lacks to what it has, as its next version.
func (s *server) completeTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	t, err := s.readTemplate(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	if !t.Completable() {
		return farm.Errorf(farm.CodeConflict, "the template “%s” lacks no files that could be added here; open its page again", t.DisplayName)
	}
	var pieces []templates.Piece
	for _, lack := range t.Lacks() {
		src := c.FormValue(page.FootageField(lack.File))
		if src == "" {
			continue
		}
		file, err := s.keptFile(ctx, p, src)
		if err != nil {
			return err
		}
		pieces = append(pieces, templates.Piece{Name: lack.File, File: file})
	}
	if len(pieces) == 0 {
		return farm.Invalid("the template cannot be completed", farm.Field("files", "are missing; choose at least one"))
	}
	if _, err := s.farm.templates.Complete(s.asking(c), p, t.ID, pieces); err != nil { // which may copy gigabytes
		return err
	}
	return c.Redirect("/templates/"+t.ID, fiber.StatusSeeOther)
}

// ownPath is an address of this farm without its host: the page may have been opened under another name.
func ownPath(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.RequestURI(), nil
}

func (s *server) template(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	t, err := s.readTemplate(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	shell := s.shell(c, p, t.DisplayName, "templates")
	shell.Live = "template:" + t.ID
	use, err := s.templateUse(ctx, p, t.ID)
	if err != nil {
		return err
	}
	compared, err := s.comparison(ctx, c, p, t.Template)
	if err != nil {
		return err
	}
	able, known, err := s.farm.preflights.MachinesFor(ctx, p, t.ID)
	if err != nil {
		return err
	}
	return s.render(c, page.TemplatePage(shell, t, page.Able{Able: able, Known: known}, use, compared))
}

// readTemplate reads a template with what its file told.
func (s *server) readTemplate(ctx context.Context, p farm.Principal, id string) (page.Template, error) {
	t, err := s.farm.templates.Get(ctx, p, id)
	if err != nil {
		return page.Template{}, err
	}
	v := page.Template{Template: t, Waits: s.farm.templates.WhyUnread(ctx, p, t)[t.ID]}
	if t.Introspection == nil {
		return v, nil
	}
	if v.Reels, err = s.farm.templates.Reels(ctx, p, id); err != nil {
		return v, err
	}
	if v.Summary, err = s.farm.templates.Introspection(ctx, p, id); err != nil || v.Summary.Preflight == nil {
		return v, err
	}
	if v.Preflight, err = s.farm.preflights.TemplatePreflight(ctx, p, id); err != nil || len(v.Preflight.Fonts()) == 0 {
		return v, err
	}
	v.StandIns, err = s.standIns(ctx, p)
	return v, err
}

// templatePieces are the live parts of a template's page.
func (s *server) templatePieces(p farm.Principal, shell page.Shell, id string) []piece {
	return []piece{{id: "template", common: true, kinds: []farm.EventKind{farm.EventTemplate}, subject: id, draw: func(ctx context.Context) (templ.Component, error) {
		t, err := s.readTemplate(ctx, p, id)
		return page.TemplateBody(shell, t), err
	}}}
}

// readVersion is readTemplate for a version that jobs can render; 0 stands for the present one.
func (s *server) readVersion(ctx context.Context, p farm.Principal, id string, version int) (page.Template, error) {
	if version == 0 {
		return s.readTemplate(ctx, p, id)
	}
	t, err := s.farm.templates.Get(ctx, p, id)
	if err != nil {
		return page.Template{}, err
	}
	was, kept := t.AtVersion(version)
	if !kept {
		return page.Template{}, t.NoVersion(version)
	}
	v := page.Template{Template: was}
	if was.Introspection != nil {
		v.Summary, err = s.farm.templates.Summary(ctx, *was.Introspection)
	}
	return v, err
}

// makeCurrent gives a template the file of an earlier version.
func (s *server) makeCurrent(c *fiber.Ctx, p farm.Principal) error {
	version, err := strconv.Atoi(c.FormValue("version"))
	if err != nil {
		return farm.Invalid("the template cannot take the version", farm.Field("version", "has to be a number"))
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.templates.TakeVersion(ctx, p, c.Params("id"), version); err != nil {
		return err
	}
	return c.Redirect("/templates/"+c.Params("id"), fiber.StatusSeeOther)
}

// templatePoster answers with a picture of the template, or of an unexposed frame.
func (s *server) templatePoster(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.templates.Get(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return s.pictureOfTemplate(ctx, c, p, c.Params("id"))
}

// pictureOfTemplate answers with a picture of a template, or of an unexposed frame when there is none.
func (s *server) pictureOfTemplate(ctx context.Context, c *fiber.Ctx, p farm.Principal, id string) error {
	f, err := s.farm.templates.Poster(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return s.unexposed(c)
	}
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=10")
	return s.small.answer(ctx, c, f)
}

// templateReel answers with frames of one composition, side by side.
func (s *server) templateReel(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	composition, err := strconv.ParseUint(c.Params("composition"), 10, 32)
	if err != nil {
		return farm.Errorf(farm.CodeNotFound, "there is no composition %.20q", c.Params("composition"))
	}
	f, err := s.farm.templates.OpenReel(ctx, p, c.Params("id"), uint32(composition))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "private, max-age=86400") // its address changes with the template's file
	return answer.File(c, f, answer.FileOptions{})
}

// firstReel leads to frames of the first composition that has some: what the list of templates plays. A template without any is answered with nothing.
func (s *server) firstReel(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	t, err := s.readTemplate(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	address := t.FirstReel()
	if address == "" {
		return c.SendStatus(fiber.StatusNoContent)
	}
	return c.Redirect(address, fiber.StatusFound)
}

func (s *server) templateFile(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	address, err := s.farm.templates.DownloadAddress(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	path, err := ownPath(address)
	if err != nil {
		return err
	}
	return c.Redirect(path, fiber.StatusSeeOther)
}

// markTemplate says whether a template is rendered by one machine, from the first frame on.
func (s *server) markTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id := c.Params("id")
	if _, err := s.farm.templates.MarkSequential(ctx, p, id, c.FormValue("sequential") != ""); err != nil {
		return err
	}
	return c.Redirect("/templates/"+url.PathEscape(id), fiber.StatusSeeOther)
}

func (s *server) deleteTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.templates.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/templates", fiber.StatusSeeOther)
}
