package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/farm"
)

// Presets is what the interface asks of the farm about presets.
type Presets interface {
	Presets(ctx context.Context, p farm.Principal) ([]farm.Preset, error)
	Preset(ctx context.Context, p farm.Principal, name string) (farm.Preset, error)
	PutPreset(ctx context.Context, p farm.Principal, preset farm.Preset) (farm.Preset, error)
	DeletePreset(ctx context.Context, p farm.Principal, name string) error
}

// presetHandlers answers for a team's presets.
type presetHandlers struct{ presets Presets }

func (h presetHandlers) routes() []route.Route {
	const presets = root + "/presets"
	return []route.Route{
		route.Get(presets, farm.ActView, h.list),
		route.Get(presets+"/:name", farm.ActView, h.get),
		route.Put(presets+"/:name", farm.ActChangePresets, h.put),
		route.Delete(presets+"/:name", farm.ActChangePresets, h.delete),
	}
}

// presetBody is a preset: what kind of result jobs produce, and where it goes.
type presetBody struct {
	Name      string         `json:"name"`
	Default   bool           `json:"default"` // the form of a new job begins with it
	Settings  presetSettings `json:"settings"`
	Upload    *presetUpload  `json:"upload"`
	Webhook   *presetWebhook `json:"webhook"`
	Project   *string        `json:"project"` // id of the one that jobs are for
	ChangedAt answer.Time    `json:"changedAt"`
	ChangedBy *string        `json:"changedBy"`
}

// presetSettings are those of a job, without its frames.
type presetSettings struct {
	Type    *string `json:"type"`
	Quality *string `json:"quality"`
	Codec   *string `json:"codec"`
	Engine  *string `json:"engine"`
}

type presetUpload struct {
	Provider  string            `json:"provider"`
	Prefix    *string           `json:"prefix"`
	OutputURL *string           `json:"outputUrl"`
	Params    map[string]string `json:"params"` // the keys as references to secrets
}

type presetWebhook struct {
	URL    string  `json:"url"`
	Method *string `json:"method"`
}

func presetShape(p farm.Preset) presetBody {
	out := presetBody{
		Name: p.Name, Default: p.Default, ChangedAt: answer.Time(p.At), ChangedBy: answer.OrNull(p.By), Project: answer.OrNull(p.ProjectID),
		Settings: presetSettings{
			Type: answer.OrNull(p.Settings.Type), Quality: answer.OrNull(p.Settings.Quality), Codec: answer.OrNull(p.Settings.Codec), Engine: answer.OrNull(p.Settings.Engine),
		},
	}
	if u := p.Upload; u != nil {
		out.Upload = &presetUpload{Provider: u.Provider, Prefix: answer.OrNull(u.Prefix), OutputURL: answer.OrNull(u.OutputURL), Params: u.Params}
	}
	if w := p.Webhook; w != nil {
		out.Webhook = &presetWebhook{URL: w.URL, Method: answer.OrNull(w.Method)}
	}
	return out
}

func (h presetHandlers) list(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	presets, err := h.presets.Presets(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(presets, presetShape))
}

func (h presetHandlers) get(c *fiber.Ctx, p farm.Principal) error {
	name, err := input.PathText(c, "name")
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	preset, err := h.presets.Preset(ctx, p, name)
	if err != nil {
		return err
	}
	return answer.OK(c, presetShape(preset))
}

// put saves a preset, in place of the one of that name.
func (h presetHandlers) put(c *fiber.Ctx, p farm.Principal) error {
	name, err := input.PathText(c, "name")
	if err != nil {
		return err
	}
	preset, err := input.Body(c, public.ReadPreset)
	if err != nil {
		return err
	}
	preset.Name = name
	ctx, done := request.Call(c)
	defer done()
	if preset, err = h.presets.PutPreset(ctx, p, preset); err != nil {
		return err
	}
	return answer.OK(c, presetShape(preset))
}

func (h presetHandlers) delete(c *fiber.Ctx, p farm.Principal) error {
	name, err := input.PathText(c, "name")
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := h.presets.DeletePreset(ctx, p, name); err != nil {
		return err
	}
	return answer.None(c)
}
