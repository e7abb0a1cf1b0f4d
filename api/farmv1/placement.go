package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// placementBody is what a job waits for.
type placementBody struct {
	Job          string            `json:"job"`
	Task         *string           `json:"task"`
	Why          string            `json:"why"`
	Split        *string           `json:"split"`
	Agents       int               `json:"agents"`
	Fitting      int               `json:"fitting"`
	Free         int               `json:"free"`
	Requirements []requirementBody `json:"requirements"`
	Nearest      *nearestBody      `json:"nearest"`
	Place        *int              `json:"place"`
	PlaceAtLeast bool              `json:"placeAtLeast"`
	Start        *spanBody         `json:"start"`
	Finish       *spanBody         `json:"finish"`
	At           answer.Time       `json:"at"`
}

// requirementBody is one thing that is asked of a machine.
type requirementBody struct {
	Kind     string `json:"kind"`
	Wants    string `json:"wants"`
	RulesOut int    `json:"rulesOut"`
}

// nearestBody is a machine that nearly fits.
type nearestBody struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Lacks []string `json:"lacks"`
}

// spanBody is a time to come, in seconds, as a range.
type spanBody struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Learning bool    `json:"learning"`
}

func placementShape(p farm.Placement) placementBody {
	body := placementBody{
		Job: p.Job, Task: answer.OrNull(p.Task), Why: p.Why.String(), Split: answer.OrNull(p.Split.String()), Agents: p.Agents, Fitting: p.Fitting, Free: p.Free,
		Requirements: make([]requirementBody, len(p.Requirements)), PlaceAtLeast: p.PlaceAtLeast,
		Start: spanShape(p.Start), Finish: spanShape(p.Finish), At: answer.Time(p.At),
	}
	for i, r := range p.Requirements {
		body.Requirements[i] = requirementBody{Kind: r.Kind, Wants: r.Wants.String(), RulesOut: r.RulesOut}
	}
	if n := p.Nearest; n != nil {
		body.Nearest = &nearestBody{ID: n.ID, Name: n.Name, Lacks: make([]string, len(n.Lacks))}
		for i, lacks := range n.Lacks {
			body.Nearest.Lacks[i] = lacks.String()
		}
	}
	if p.Place > 0 {
		body.Place = &p.Place
	}
	return body
}

func spanShape(s *farm.Span) *spanBody {
	if s == nil {
		return nil
	}
	return &spanBody{Low: s.Low, High: s.High, Learning: s.Learning}
}

func (h jobHandlers) getPlacement(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	placement, err := h.jobs.Placement(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, placementShape(placement))
}
