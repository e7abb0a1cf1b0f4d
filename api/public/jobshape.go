package public

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"

	"overcrank/api/answer"
	"overcrank/farm"
)

// Addresses tell where results lie.
type Addresses interface {
	OutputAddress(job farm.Job) string
}

// JobBody is a job as the interface shows it. What stands behind missingFonts is the farm's own, and only there when there is
// something to say.
type JobBody struct {
	ID           string       `json:"id"`
	TemplateID   *string      `json:"templateId"`
	Composition  string       `json:"composition,omitempty"`
	Status       string       `json:"status"`
	Progress     float64      `json:"progress"`
	Stats        *JobStats    `json:"stats,omitempty"`
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
	ProjectID    string       `json:"projectId,omitempty"`
}

// jobOutput tells a result from any other, and from one that was damaged on its way.
type jobOutput struct {
	SHA256 string `json:"sha256"` // lower-case hex
	Size   int64  `json:"size"`   // bytes
}

// JobStats are the times and measures of a job.
type JobStats struct {
	CreatedAt   answer.Time `json:"createdAt"`
	UpdatedAt   answer.Time `json:"updatedAt"`
	StartedAt   answer.Time `json:"startedAt"`
	FinishedAt  answer.Time `json:"finishedAt"`
	ErrorAt     answer.Time `json:"errorAt"`
	TotalAssets int         `json:"totalAssets"`
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
func createdShape(at Addresses, j farm.Job) jobCreated {
	body := createdAlone(at, j)
	for _, a := range j.Assets {
		if a.Nested != nil {
			body.Children = append(body.Children, createdAlone(at, *a.Nested))
		}
	}
	return body
}

func createdAlone(at Addresses, j farm.Job) jobCreated {
	return jobCreated{ID: j.ID, Status: string(j.Status), OutputURL: at.OutputAddress(j), MissingFonts: j.MissingFonts, Warnings: j.Warnings}
}

// jobShape shows a job whose result is, or will be, at address. A minimal one lacks its numbers and assets.
func jobShape(j farm.Job, address string, minimal bool) JobBody {
	body := JobBody{
		ID: j.ID, TemplateID: answer.OrNull(j.Template.ID), Composition: j.Template.Composition, Status: string(j.Status), Progress: answer.Percent(j.Progress),
		OutputURL: address, MissingFonts: j.MissingFonts, Name: j.Name, Tags: j.Tags, Warnings: j.Warnings,
		Hold: j.Hold, BatchID: j.Batch, ParentID: j.Parent, ChildIDs: j.Children, ProjectID: j.ProjectID,
	}
	if minimal {
		return body
	}
	body.Stats = StatsShape(j)
	if out := j.Output; out != nil && out.SHA256 != "" && out.GoneAt.IsZero() {
		body.Output = &jobOutput{SHA256: out.SHA256, Size: out.Size}
	}
	body.Assets = expanded(j.Assets)
	return body
}

// expanded are a job's assets with one for each layer that a function names, as the interface echoes them: an empty list, too, is one.
func expanded(assets []farm.Asset) []farm.Asset {
	if !slices.ContainsFunc(assets, func(a farm.Asset) bool { return perLayer(a) != nil }) {
		return answer.OrEmpty(assets)
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

// StatsShape words the times and measures of a job.
func StatsShape(j farm.Job) *JobStats {
	stats := &JobStats{
		CreatedAt: answer.Time(j.CreatedAt), UpdatedAt: answer.Time(j.UpdatedAt), StartedAt: answer.Time(j.StartedAt),
		FinishedAt: answer.Time(j.FinishedAt), ErrorAt: answer.Time(j.ErrorAt), TotalAssets: len(j.Assets), Error: answer.OrNull(j.Error),
	}
	if !j.StartedAt.IsZero() && (!j.FinishedAt.IsZero() || !j.ErrorAt.IsZero()) {
		seconds := math.Round(j.RenderTime().Seconds()*1000) / 1000
		stats.RenderDuration = &seconds
	}
	return stats
}

// JobShapes are jobs as the interface shows them.
func JobShapes(at Addresses, jobs []farm.Job, minimal bool) []JobBody {
	out := make([]JobBody, len(jobs))
	for i, j := range jobs {
		out[i] = jobShape(j, at.OutputAddress(j), minimal)
	}
	return out
}
