package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/search"
	"overcrank/farm"
)

// searchBody is what was found.
type searchBody struct {
	Found []foundBody `json:"found"`
	// More are the kinds of which there is more.
	More     []search.Kind `json:"more"`
	Indexing *indexingBody `json:"indexing"`
}

// foundBody is one thing that was found. What does not apply to its kind is null.
type foundBody struct {
	Kind        search.Kind `json:"kind"`
	ID          string      `json:"id"`
	Name        *string     `json:"name"`
	Status      *string     `json:"status"`
	By          *string     `json:"by"`
	TemplateID  *string     `json:"templateId"`
	Composition *string     `json:"composition"`
	Jobs        *int        `json:"jobs"`
	CreatedAt   answer.Time `json:"createdAt"`
}

// indexingBody is how far the index has come that is being made.
type indexingBody struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

func searchShape(a search.Answer) searchBody {
	body := searchBody{Found: answer.Each(a.Found, foundShape), More: answer.OrEmpty(a.More)}
	if a.Indexing != nil {
		body.Indexing = &indexingBody{a.Indexing.Done, a.Indexing.Total}
	}
	return body
}

func foundShape(f search.Found) foundBody {
	body := foundBody{
		Kind: f.Kind, ID: f.ID, Name: answer.OrNull(f.Name), Status: answer.OrNull(f.Status), By: answer.OrNull(f.By),
		TemplateID: answer.OrNull(f.Template), Composition: answer.OrNull(f.Composition), CreatedAt: answer.Time(f.At),
	}
	if f.Kind == search.KindBatch {
		body.Jobs = &f.Jobs
	}
	return body
}

// foundByDefault is how many of each kind are given to who does not say.
const foundByDefault = 10

// Search is what the interface asks of the farm about where things are.
type Search interface {
	Find(ctx context.Context, p farm.Principal, text string, kind search.Kind, limit int) (search.Answer, error)
}

// searchHandlers answers who looks for something.
type searchHandlers struct{ search Search }

func (h searchHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/search", farm.ActView, h.find),
	}
}

func (h searchHandlers) find(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", foundByDefault, 1, search.MaxFound, wrong)
	kind := search.Kind(c.Query("kind"))
	if kind != "" && !kind.Known() {
		wrong.Add("kind", "has to be job, batch, template, machine or person, not %q", kind)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	found, err := h.search.Find(ctx, p, c.Query("q"), kind, limit)
	if err != nil {
		return err
	}
	return answer.OK(c, searchShape(found))
}
