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

// forecastBody is what is known of one composition. More is how many findings were left out.
type forecastBody struct {
	AEID     string        `json:"aeid"`
	Name     string        `json:"name"`
	Verdict  string        `json:"verdict"`
	Findings []findingBody `json:"findings"`
	More     int           `json:"more"`
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
		forecast := forecastBody{
			AEID: strconv.FormatUint(uint64(c.ID), 10), Name: c.Composition, Verdict: string(c.Verdict), Findings: make([]findingBody, len(c.Findings)), More: c.More,
		}
		for j, f := range c.Findings {
			finding := findingBody{Kind: string(f.Kind), Composition: f.Composition, What: f.What, Detail: f.Detail}
			if f.Layer != "" {
				finding.Layer = &f.Layer
			}
			forecast.Findings[j] = finding
		}
		body.Compositions[i] = forecast
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
