package web

import (
	"context"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/route"
	"overcrank/farm"
	"overcrank/web/page"
)

// personal is what pages ask of the farm about what their reader has chosen.
type personal interface {
	Personal(ctx context.Context, p farm.Principal) (farm.Personal, error)
	PutView(ctx context.Context, p farm.Principal, view farm.JobView, was string) error
	DeleteView(ctx context.Context, p farm.Principal, name string) error
	SwitchKeys(ctx context.Context, p farm.Principal, off bool) error
}

func (s *server) viewRoutes() []route.Route {
	return []route.Route{
		route.Post("/jobs/views", farm.ActView, s.saveView),
		route.Post("/jobs/views/delete", farm.ActView, s.deleteView),
		route.Post("/account/keys", farm.ActView, s.switchKeys),
	}
}

// personalOf is what the reader has chosen. A page is shown without it rather than not at all.
func (s *server) personalOf(ctx context.Context, p farm.Principal) farm.Personal {
	if chosen, err := s.farm.personal.Personal(ctx, p); err == nil {
		return chosen
	}
	return farm.Personal{}
}

// saveView keeps the filters and the order of the list under a name: POST /jobs/views. was is the name that the view had until then.
func (s *server) saveView(c *fiber.Ctx, p farm.Principal) error {
	asked, err := url.ParseQuery(string(c.Body()))
	if err != nil {
		return farm.Invalid("the form cannot be read", farm.Field("name", "is not encoded as forms are"))
	}
	shown, _, err := filterOf(asked)
	if err != nil {
		return err
	}
	view := farm.JobView{Name: asked.Get("name"), Query: page.ViewQuery(shown)}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.personal.PutView(ctx, p, view, asked.Get("was")); err != nil {
		return err
	}
	return c.Redirect(page.ViewAddress(view), fiber.StatusSeeOther)
}

// deleteView removes a view; the list stays as it was.
func (s *server) deleteView(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.personal.DeleteView(ctx, p, c.FormValue("name")); err != nil {
		return err
	}
	return c.Redirect(cameFrom(c, "/jobs"), fiber.StatusSeeOther)
}

// switchKeys says whether keys of one letter do something: POST /account/keys, from the page of the account and from the list of keys.
func (s *server) switchKeys(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.personal.SwitchKeys(ctx, p, c.FormValue("on") == ""); err != nil {
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}
