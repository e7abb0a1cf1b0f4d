package api

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"overcrank/farm"
)

// timeFormat is ISO 8601 with milliseconds, in UTC.
const timeFormat = "2006-01-02T15:04:05.000Z"

// stamp is a time of the interface; the zero time is null.
type stamp time.Time

func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(timeFormat) + `"`), nil
}

// jobBody is a job as the interface shows it. What stands behind missingFonts is the farm's own, and only there when there is
// something to say.
type jobBody struct {
	ID           string       `json:"id"`
	TemplateID   *string      `json:"templateId"`
	Composition  string       `json:"composition,omitempty"`
	Status       string       `json:"status"`
	Progress     float64      `json:"progress"`
	Stats        *jobStats    `json:"stats,omitempty"`
	OutputURL    string       `json:"outputUrl"`
	Assets       []farm.Asset `json:"assets,omitzero"`
	MissingFonts []string     `json:"missingFonts,omitempty"`
	Name         string       `json:"name,omitempty"`
	Tags         []string     `json:"tags,omitempty"`
	Warnings     []string     `json:"warnings,omitempty"`
	Output       *jobOutput   `json:"output,omitempty"`
	Hold         bool         `json:"hold,omitempty"`
	BatchID      string       `json:"batchId,omitempty"`
	ParentID     string       `json:"parentId,omitempty"`
	ChildIDs     []string     `json:"childIds,omitempty"`
}

// jobOutput tells a result from any other, and from one that was damaged on its way.
type jobOutput struct {
	SHA256 string `json:"sha256"` // lower-case hex
	Size   int64  `json:"size"`   // bytes
}

type jobStats struct {
	CreatedAt   stamp `json:"createdAt"`
	UpdatedAt   stamp `json:"updatedAt"`
	StartedAt   stamp `json:"startedAt"`
	FinishedAt  stamp `json:"finishedAt"`
	ErrorAt     stamp `json:"errorAt"`
	TotalAssets int   `json:"totalAssets"`
	// RenderDuration is in seconds, from the start of the render to its end.
	RenderDuration *float64 `json:"renderDuration"`
	Error          *string  `json:"error"`
}

// jobCreated answers the submission of a job.
type jobCreated struct {
	ID           string       `json:"id"`
	Status       string       `json:"status"`
	OutputURL    string       `json:"outputUrl"`
	Children     []jobCreated `json:"children,omitempty"`
	MissingFonts []string     `json:"missingFonts,omitempty"`
	Warnings     []string     `json:"warnings,omitempty"`
}

// createdShape shows a job as Submit gives it. Of the jobs nested in it those stand there that are its own assets.
func (s *server) createdShape(j farm.Job) jobCreated {
	body := s.createdAlone(j)
	for _, a := range j.Assets {
		if a.Nested != nil {
			body.Children = append(body.Children, s.createdAlone(*a.Nested))
		}
	}
	return body
}

func (s *server) createdAlone(j farm.Job) jobCreated {
	return jobCreated{ID: j.ID, Status: string(j.Status), OutputURL: s.farm.OutputAddress(j), MissingFonts: j.MissingFonts, Warnings: j.Warnings}
}

// jobShape shows a job whose result is, or will be, at address. A minimal one lacks its numbers and assets.
func jobShape(j farm.Job, address string, minimal bool) jobBody {
	body := jobBody{
		ID: j.ID, TemplateID: orNull(j.Template.ID), Composition: j.Template.Composition, Status: string(j.Status), Progress: percent(j.Progress),
		OutputURL: address, MissingFonts: j.MissingFonts, Name: j.Name, Tags: j.Tags, Warnings: j.Warnings,
		Hold: j.Hold, BatchID: j.Batch, ParentID: j.Parent, ChildIDs: j.Children,
	}
	if minimal {
		return body
	}
	body.Stats = statsShape(j)
	if out := j.Output; out != nil && out.SHA256 != "" && out.GoneAt.IsZero() {
		body.Output = &jobOutput{SHA256: out.SHA256, Size: out.Size}
	}
	body.Assets = expanded(j.Assets)
	return body
}

// expanded are a job's assets with one for each layer that a function names, as the interface echoes them: an empty list, too, is one.
func expanded(assets []farm.Asset) []farm.Asset {
	if !slices.ContainsFunc(assets, func(a farm.Asset) bool { return perLayer(a) != nil }) {
		return orEmpty(assets)
	}
	out := make([]farm.Asset, 0, len(assets))
	for _, a := range assets {
		each := perLayer(a)
		if each == nil {
			out = append(out, a)
		}
		for _, params := range each {
			a.Params = params
			out = append(out, a)
		}
	}
	return out
}

// perLayer are a function's arguments for each layer that they name; nil for other assets, and for a function for one layer.
func perLayer(a farm.Asset) []json.RawMessage {
	if a.Type != "function" || !bytes.ContainsRune(a.Params, '[') {
		return nil
	}
	var args map[string]json.RawMessage
	var layers []json.RawMessage
	if json.Unmarshal(a.Params, &args) != nil || json.Unmarshal(args["layerName"], &layers) != nil || len(layers) == 0 {
		return nil
	}
	each := make([]json.RawMessage, len(layers))
	for i, layer := range layers {
		args["layerName"] = layer
		params, err := json.Marshal(args)
		if err != nil {
			return nil
		}
		each[i] = params
	}
	return each
}

func statsShape(j farm.Job) *jobStats {
	stats := &jobStats{
		CreatedAt: stamp(j.CreatedAt), UpdatedAt: stamp(j.UpdatedAt), StartedAt: stamp(j.StartedAt),
		FinishedAt: stamp(j.FinishedAt), ErrorAt: stamp(j.ErrorAt), TotalAssets: len(j.Assets), Error: orNull(j.Error),
	}
	if !j.StartedAt.IsZero() && (!j.FinishedAt.IsZero() || !j.ErrorAt.IsZero()) {
		seconds := math.Round(j.RenderTime().Seconds()*1000) / 1000
		stats.RenderDuration = &seconds
	}
	return stats
}

func (s *server) jobShapes(jobs []farm.Job, minimal bool) []jobBody {
	out := make([]jobBody, len(jobs))
	for i, j := range jobs {
		out[i] = jobShape(j, s.farm.OutputAddress(j), minimal)
	}
	return out
}

// percent is a progress from 0 to 100 with two decimals.
func percent(p float64) float64 {
	if math.IsNaN(p) {
		return 0
	}
	return math.Round(math.Min(100, math.Max(0, p))*100) / 100
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
