package web

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/route"
	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/page"
)

// finder is what pages ask of the farm about where things are.
type finder interface {
	Find(ctx context.Context, p farm.Principal, text string, kind search.Kind, limit int) (search.Answer, error)
}

const (
	foundOnPage    = 10 // of each kind, on the page of what was found
	foundOfKind    = 50 // of the one kind that it is about
	foundInPalette = 4  // of each kind, as somebody types
)

func (s *server) searchRoutes() []route.Route {
	return []route.Route{
		route.Get("/search", farm.ActView, s.search),
		route.Get("/search/found", farm.ActView, s.found),
	}
}

// search shows what was found, of each kind or of one.
func (s *server) search(c *fiber.Ctx, p farm.Principal) error {
	kind, limit := search.Kind(c.Query("kind")), foundOfKind
	if !kind.Known() {
		kind, limit = "", foundOnPage
	}
	v, err := s.readFound(c, p, kind, limit)
	if err != nil {
		return err
	}
	return s.render(c, page.SearchPage(s.shell(c, p, say(c, "Search"), "search"), v))
}

// found answers the palette with what was found so far.
func (s *server) found(c *fiber.Ctx, p farm.Principal) error {
	v, err := s.readFound(c, p, "", foundInPalette)
	if err != nil {
		return err
	}
	return s.render(c, page.PaletteFound(v))
}

func (s *server) readFound(c *fiber.Ctx, p farm.Principal, kind search.Kind, limit int) (page.Search, error) {
	ctx, cancel := s.callOf(c)
	defer cancel()
	text := c.Query("q")
	v := page.Search{Query: text, Kind: kind}
	answer, err := s.farm.finder.Find(ctx, p, text, kind, limit)
	if farm.CodeOf(err) == farm.CodeInvalid {
		v.Problem = sayError(c, err) // what was typed stays, to be shortened
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.Indexing = answer.Indexing
	v.Groups = page.GroupsOf(answer)
	if kind != "" {
		return v, nil
	}
	v.Projects, err = s.findProjects(ctx, p, text, limit)
	return v, err
}
