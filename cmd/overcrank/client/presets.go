package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Preset is a team's named choice of what kind of result jobs produce, and where it goes.
type Preset struct {
	Raw       `json:"-"`
	Name      string         `json:"name"`
	Default   bool           `json:"default"` // the form of a new job begins with it
	Settings  PresetSettings `json:"settings"`
	Upload    *PresetUpload  `json:"upload"`
	Webhook   *PresetWebhook `json:"webhook"`
	Project   string         `json:"project"` // id of the one that jobs are for, "" for none
	ChangedAt string         `json:"changedAt"`
	ChangedBy string         `json:"changedBy"`
}

// PresetSettings are what a preset says of the kind of result; "" where it says nothing.
type PresetSettings struct {
	Type    string `json:"type"`
	Quality string `json:"quality"`
	Codec   string `json:"codec"`
	Engine  string `json:"engine"`
}

// PresetUpload is the storage that results of a preset go to.
type PresetUpload struct {
	Provider string            `json:"provider"`
	Prefix   string            `json:"prefix"`
	Params   map[string]string `json:"params"`
}

// PresetWebhook is whom a preset has told of the end of a job.
type PresetWebhook struct {
	URL string `json:"url"`
}

// Presets lists the team's presets.
func (c *Client) Presets(ctx context.Context) (List[Preset], error) {
	return list[Preset](ctx, c, "/api/farm/v1/presets", nil)
}

// Preset gets one preset.
func (c *Client) Preset(ctx context.Context, name string) (Preset, error) {
	return fetch[Preset](ctx, c, http.MethodGet, at("/api/farm/v1/presets/%s", name), nil, nil)
}

// SavePreset saves a preset, in place of the one of that name: its settings, upload, webhook and default, as the interface's NewPreset has them.
func (c *Client) SavePreset(ctx context.Context, name string, fields map[string]json.RawMessage) (Preset, error) {
	return fetch[Preset](ctx, c, http.MethodPut, at("/api/farm/v1/presets/%s", name), nil, fields)
}

// DeletePreset deletes a preset.
func (c *Client) DeletePreset(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, at("/api/farm/v1/presets/%s", name))
}
