package client

import (
	"context"
	"net/http"
)

// TemplatePreflight is what the embedded engine would draw differently from After Effects of a template.
type TemplatePreflight struct {
	Raw          `json:"-"`
	Compositions []Forecast `json:"compositions"`
	Stopped      string     `json:"stopped"` // why compositions are not listed
}

// Forecast is what is known of one composition.
type Forecast struct {
	AEID     string    `json:"aeid"`
	Name     string    `json:"name"`
	Verdict  string    `json:"verdict"` // exact, nearly or not
	Findings []Finding `json:"findings"`
	More     int       `json:"more"` // findings that were left out
}

// Finding is something that would be drawn otherwise.
type Finding struct {
	Kind        string `json:"kind"` // feature, font, footage or expression
	Composition string `json:"composition"`
	Layer       string `json:"layer"`
	What        string `json:"what"`
	Detail      bool   `json:"detail"`
}

// TemplatePreflight gets what the embedded engine would draw otherwise of a template.
func (c *Client) TemplatePreflight(ctx context.Context, id string) (TemplatePreflight, error) {
	return fetch[TemplatePreflight](ctx, c, http.MethodGet, at("/api/farm/v1/templates/%s/preflight", id), nil, nil)
}
