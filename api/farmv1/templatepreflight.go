package farmv1

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// Preflights say what the embedded engine would draw differently from After Effects.
type Preflights interface {
	TemplatePreflight(ctx context.Context, p farm.Principal, id string) (*aep.Preflight, error)
}

// templatePreflightBody is what is known of the compositions of a template. Stopped is why some are not listed; null when all are.
type templatePreflightBody struct {
	Compositions []forecastBody `json:"compositions"`
	Stopped      *string        `json:"stopped"`
}

// forecastBody is what is known of one composition. More is how many findings were left out, MoreNeeds how many features.
type forecastBody struct {
	AEID      string        `json:"aeid"`
	Name      string        `json:"name"`
	Verdict   string        `json:"verdict"`
	Findings  []findingBody `json:"findings"`
	More      int           `json:"more"`
	Needs     []needBody    `json:"needs"`
	MoreNeeds int           `json:"moreNeeds"`
}

// needBody is a feature that a composition uses. Match is null for what has no match name, Count 0 for what holds for the whole picture.
type needBody struct {
	Kind  string  `json:"kind"`
	Name  string  `json:"name"`
	Match *string `json:"match"`
	Count int     `json:"count"`
	Drawn string  `json:"drawn"`
}

// findingBody is something that would be drawn otherwise; Layer is null for what is the whole composition's.
type findingBody struct {
	Kind        string  `json:"kind"`
	Composition string  `json:"composition"`
	Layer       *string `json:"layer"`
	What        string  `json:"what"`
	Detail      bool    `json:"detail"`
}

func templatePreflightShape(p *aep.Preflight) templatePreflightBody {
	body := templatePreflightBody{Compositions: make([]forecastBody, len(p.Compositions))}
	if p.Stopped != "" {
		stopped := string(p.Stopped)
		body.Stopped = &stopped
	}
	for i, c := range p.Compositions {
		body.Compositions[i] = forecastShape(c)
	}
	return body
}

func forecastShape(c aep.Forecast) forecastBody {
	body := forecastBody{
		AEID: strconv.FormatUint(uint64(c.ID), 10), Name: c.Composition, Verdict: string(c.Verdict), Findings: make([]findingBody, len(c.Findings)), More: c.More,
		Needs: make([]needBody, len(c.Needs)), MoreNeeds: c.MoreNeeds,
	}
	for i, f := range c.Findings {
		body.Findings[i] = findingBody{Kind: string(f.Kind), Composition: f.Composition, Layer: answer.OrNull(f.Layer), What: f.What, Detail: f.Detail}
	}
	for i, n := range c.Needs {
		body.Needs[i] = needBody{Kind: string(n.Kind), Name: n.Name, Match: answer.OrNull(n.Match), Count: n.Count, Drawn: string(n.Drawn)}
	}
	return body
}

func (h templateHandlers) getTemplatePreflight(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	found, err := h.preflights.TemplatePreflight(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, templatePreflightShape(found))
}
