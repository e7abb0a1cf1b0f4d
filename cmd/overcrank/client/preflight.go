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
	// Needs are the features that it uses, those first that count most; MoreNeeds is how many were left out.
	Needs     []Need `json:"needs"`
	MoreNeeds int    `json:"moreNeeds"`
}

// Need is a feature of After Effects that a composition uses.
type Need struct {
	Kind  string `json:"kind"` // effect, layer, text, style, mask, matte, blend, time, expression, sound, footage, picture or profile
	Name  string `json:"name"`
	Match string `json:"match"` // match name of an effect or a layer style
	Count int    `json:"count"` // of layers, files or expressions; 0 for what holds for the whole picture
	Drawn string `json:"drawn"` // exact, nearly or not
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
