package web

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/route"
	"overcrank/coordinator"
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
	foundAtStart   = 5  // of what came last, before anything is typed
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
	if strings.TrimSpace(v.Query) == "" {
		ctx, cancel := s.callOf(c)
		defer cancel()
		if v.Start, err = s.readStart(ctx, p); err != nil {
			return err
		}
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
	found, err := s.titleFound(ctx, p, answer.Found)
	if err != nil {
		return v, err
	}
	v.Groups = page.GroupsOf(found, answer.More)
	if kind != "" {
		return v, nil
	}
	v.Projects, err = s.findProjects(ctx, p, text, limit)
	return v, err
}

// titleFound adds to what was found what its own page calls it.
func (s *server) titleFound(ctx context.Context, p farm.Principal, list []search.Found) ([]page.Found, error) {
	found := make([]page.Found, len(list))
	for i, f := range list {
		title := f.Name
		var err error
		switch f.Kind {
		case search.KindJob:
			var job farm.Job
			if job, err = s.farm.jobs.Job(ctx, p, f.ID); err == nil {
				title, err = s.titleOf(ctx, p, job)
			}
		case search.KindBatch:
			var batch coordinator.CountedBatch
			if batch, _, err = s.farm.batches.BatchPart(ctx, p, f.ID, nil, 0, 0); err == nil {
				title, err = s.titleBatch(ctx, p, batch.Batch)
			}
		}
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound { // it was removed meanwhile
			return nil, err
		}
		found[i] = page.Found{Found: f, Title: cmp.Or(title, f.ID)}
	}
	return found, nil
}

// readStart reads what came last: of the reader's own jobs, or of the team's where there are none.
func (s *server) readStart(ctx context.Context, p farm.Principal) (*page.SearchStart, error) {
	v := &page.SearchStart{Views: s.personalOf(ctx, p).Views}
	jobs, err := s.farm.jobs.SelectJobs(ctx, p, search.Filter{By: p.Name}, "", foundAtStart)
	if v.Mine = len(jobs.Jobs) > 0; err == nil && !v.Mine {
		jobs, err = s.farm.jobs.SelectJobs(ctx, p, search.Filter{}, "", foundAtStart)
	}
	if err != nil {
		return nil, err
	}
	if v.Jobs, err = s.dress(ctx, p, jobs.Jobs, false); err != nil {
		return nil, err
	}
	batches, _, err := s.farm.batches.Batches(ctx, p, "", foundAtStart)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		shown := page.Batch{Batch: b.Batch, Counts: b.Counts}
		if err := s.nameBatch(ctx, p, &shown); err != nil {
			return nil, err
		}
		v.Batches = append(v.Batches, shown)
	}
	templates, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return nil, err
	}
	templates = slices.DeleteFunc(templates, func(t farm.Template) bool { return !t.RetiredAt.IsZero() })
	slices.SortFunc(templates, func(a, b farm.Template) int { return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID)) })
	v.Templates = templates[:min(len(templates), foundAtStart)]
	return v, nil
}
