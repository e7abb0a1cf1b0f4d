package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/coordinator/people"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/web/page"
)

// Demo is a project that a new farm renders first, so that whoever has just set it up sees a film of their own.
type Demo struct {
	Name, Composition string
	Assets            []farm.Asset // what the first job changes about it
	// Write writes the project with its footage, as an archive.
	Write func(io.Writer) error
}

// lookAtSetup shows the page on which somebody makes themselves the administrator of a new farm.
func (s *server) lookAtSetup(c *fiber.Ctx) error {
	return s.showSetup(c, page.Setup{})
}

func (s *server) showSetup(c *fiber.Ctx, v page.Setup) error {
	if err := s.farm.people.LookAtSetup(c.Params("code")); err != nil {
		return err
	}
	v.Action = c.OriginalURL()
	return s.render(c, page.SetupPage(s.bareShell(c, say(c, "Set up this farm")), v))
}

// setUp makes the administrator, signs them in, and goes on with the first render.
func (s *server) setUp(c *fiber.Ctx) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	in := people.Founder{Name: c.FormValue("name"), Email: c.FormValue("email"), Password: c.FormValue("password"), Studio: c.FormValue("studio")}
	p, err := s.farm.people.SetUp(ctx, c.Params("code"), in)
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeConflict {
		c.Status(answer.StatusOf(err))
		return s.showSetup(c, page.Setup{Name: in.Name, Email: in.Email, Studio: in.Studio, Problem: sayError(c, err), Field: fieldOfError(err)})
	}
	if err != nil {
		return err
	}
	s.knowBrowser(c, p)
	return s.begin(c, p.TokenID, "/welcome")
}

// fieldOfError is the only field that an error is about, "" when it is about none or several.
func fieldOfError(err error) string {
	var wrong *farm.Error
	if !errors.As(err, &wrong) || len(wrong.Fields) != 1 {
		return ""
	}
	return wrong.Fields[0].Field
}

// afterSecret is where somebody goes on who signed in with the secret of a token on the page of a new farm: to set the farm up, if that is theirs to do.
func (s *server) afterSecret(p farm.Principal) (string, error) {
	if !p.Can(farm.ActManageTeams) {
		return "/", nil
	}
	code, err := s.farm.people.SetupCode()
	if err != nil || code.Code == "" {
		return "/", err
	}
	return "/setup/" + code.Code, nil
}

// welcome shows what to do with a farm that has just been set up, and its first film as it is rendered.
func (s *server) welcome(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v, err := s.readWelcome(ctx, p, c.Query("job"))
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Welcome"), "home")
	shell.Live = "welcome:" + url.QueryEscape(c.Query("job"))
	return s.render(c, page.WelcomePage(shell, v))
}

func (s *server) readWelcome(ctx context.Context, p farm.Principal, id string) (page.Welcome, error) {
	v := page.Welcome{Demo: s.demo.Write != nil, Address: s.farm.publicAddress()}
	team, _, err := s.farm.people.Team(ctx, p, p.Team)
	if err != nil {
		return v, err
	}
	v.Studio = team.Name
	if id == "" {
		return v, nil
	}
	job, err := s.readJob(ctx, p, id)
	if err != nil {
		return v, err
	}
	v.Job = &job
	return v, nil
}

// welcomePieces are the live parts of the page that a first render is watched on.
func (s *server) welcomePieces(p farm.Principal, shell page.Shell, id string) []piece {
	return []piece{{id: "welcome", kinds: []farm.EventKind{farm.EventJob, farm.EventProgress, farm.EventThumbnail}, subject: id, draw: func(ctx context.Context) (templ.Component, error) {
		v, err := s.readWelcome(ctx, p, id)
		return page.WelcomeBody(shell, v), err
	}}}
}

// renderDemo registers the demo's project, unless the team has it, and submits the first job.
func (s *server) renderDemo(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if s.demo.Write == nil {
		return farm.Errorf(farm.CodeNotFound, "this program has no demo project")
	}
	t, err := s.demoTemplate(ctx, p)
	if err != nil {
		return err
	}
	job, err := s.farm.submitter.Submit(ctx, p, farm.Job{
		Name: s.demo.Name + ": first render", Template: farm.JobTemplate{ID: t.ID, Composition: s.demo.Composition}, Assets: slices.Clone(s.demo.Assets),
	})
	if err != nil {
		return err
	}
	return c.Redirect("/welcome?job="+job.ID, fiber.StatusSeeOther)
}

func (s *server) demoTemplate(ctx context.Context, p farm.Principal) (farm.Template, error) {
	all, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return farm.Template{}, err
	}
	for _, t := range newestFirst(all) {
		if t.DisplayName == s.demo.Name && (t.Status == farm.TemplateUploaded || t.Status == farm.TemplateProcessing) {
			return t, nil
		}
	}
	var archive bytes.Buffer
	if err := s.demo.Write(&archive); err != nil {
		return farm.Template{}, err
	}
	t, err := s.farm.templates.Create(ctx, p, templates.New{Type: aep.TypeZip, DisplayName: s.demo.Name})
	if err != nil {
		return t, err
	}
	address, err := url.Parse(s.farm.templates.UploadAddress(t))
	if err != nil {
		return t, err
	}
	return t, s.farm.templates.Receive(ctx, t.ID, address.RawQuery, &archive, int64(archive.Len()))
}
