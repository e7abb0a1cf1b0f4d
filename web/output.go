package web

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/public"
	"overcrank/farm"
	"overcrank/farm/codec"
	"overcrank/web/page"
)

// presets is what pages ask of the farm about presets.
type presets interface {
	Presets(ctx context.Context, p farm.Principal) ([]farm.Preset, error)
	PutPreset(ctx context.Context, p farm.Principal, preset farm.Preset) (farm.Preset, error)
	DeletePreset(ctx context.Context, p farm.Principal, name string) error
}

// sentOutput is what a form says of the result.
func sentOutput(c *fiber.Ctx) page.Output {
	field := func(name string) string { return strings.TrimSpace(c.FormValue(name)) }
	return page.Output{
		Codec: field("codec"), Quality: field("quality"), Missing: field("missing"), Reuse: field("reuse"), First: field("first"), Last: field("last"), Provider: field("provider"), Bucket: field("bucket"),
		Region: field("region"), Endpoint: field("endpoint"), Prefix: field("prefix"), KeyID: field("keyId"), KeySecret: field("keySecret"),
		Webhook: field("webhook"), Notify: field("notify") != "", Preset: field("preset"),
	}
}

// addOutput puts what a form says of the result into the body of a job with so many frames, as the interface takes it.
func addOutput(body map[string]any, o page.Output, frames int) error {
	settings := map[string]any{}
	set := func(key, value string) {
		if value != "" {
			settings[key] = value
		}
	}
	set("codec", o.Codec)
	set("quality", o.Quality)
	set("missingFootage", o.Missing)
	if reuse, chosen := reuseOf(o); chosen {
		settings["reuseFrames"] = reuse
	}
	if kind, known := codec.Find(o.Codec); known && kind.Still { // pictures are always of named frames
		settings["type"], o.First = "image", cmp.Or(o.First, "0")
	}
	asked, err := framesSent(o, frames)
	if err != nil {
		return err
	}
	if asked != nil {
		settings["frames"] = asked
	}
	if len(settings) > 0 {
		body["settings"] = settings
	}
	addDelivery(body, o)
	return nil
}

// framesSent are the frames that a form asks for, as the interface takes them: one number, or the first and the last; nil when it asks for all.
func framesSent(o page.Output, frames int) (any, error) {
	if o.First == "" && o.Last == "" {
		return nil, nil
	}
	first, err := frameSent(o.First, 0)
	if err != nil {
		return nil, err
	}
	last, err := frameSent(o.Last, frames-1)
	switch {
	case err != nil:
		return nil, err
	case last < first:
		return nil, farm.Invalid("the job cannot be submitted", farm.Field("settings.frames", "the last, %d, comes before the first, %d", last, first))
	case last == first:
		return first, nil
	}
	return []int{first, last}, nil
}

// frameSent is the number of a frame as somebody typed it, another where they left it out.
func frameSent(text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, farm.Invalid("the job cannot be submitted", farm.Field("settings.frames", "are whole numbers, from 0"))
	}
	return n, nil
}

// addDelivery puts where a result goes, and who is told, into the body of a job or of a preset.
func addDelivery(body map[string]any, o page.Output) {
	if o.Bucket != "" {
		params := map[string]any{"bucket": o.Bucket, "region": o.Region}
		if o.Endpoint != "" {
			params["endpoint"] = o.Endpoint
		}
		for key, name := range map[string]string{"accessKeyId": o.KeyID, "accessKeySecret": o.KeySecret} {
			if name != "" {
				params[key] = farm.SecretRef(name)
			}
		}
		upload := map[string]any{"provider": o.Provider, "params": params}
		if o.Provider == "" {
			upload["provider"] = "s3"
		}
		if o.Prefix != "" {
			upload["prefix"] = o.Prefix
		}
		body["upload"] = upload
	}
	if o.Webhook != "" {
		body["webhook"] = map[string]any{"url": o.Webhook}
	}
}

// addPresets gives a form the team's presets, and begins it with the default one.
func (s *server) addPresets(ctx context.Context, p farm.Principal, form *page.NewJob) (err error) {
	form.MayKeepPresets = p.Can(farm.ActChangePresets)
	if form.Projects, err = s.openProjects(ctx, p); err != nil {
		return err
	}
	if form.Presets, err = s.farm.presets.Presets(ctx, p); err != nil {
		return err
	}
	if i := slices.IndexFunc(form.Presets, func(preset farm.Preset) bool { return preset.Default }); i >= 0 {
		form.Output, form.Project = page.OutputOf(form.Presets[i]), form.Presets[i].ProjectID
	}
	if !p.Can(farm.ActViewSecrets) {
		return nil
	}
	secrets, err := s.farm.secrets.List(ctx, p)
	for _, secret := range secrets {
		form.Secrets = append(form.Secrets, secret.Name)
	}
	return err
}

// reuseOf says whether frames that other jobs have drawn are used, when a form says so.
func reuseOf(o page.Output) (reuse, chosen bool) {
	return o.Reuse == "yes", o.Reuse == "yes" || o.Reuse == "no"
}

// savePreset keeps what a form says of the result as a preset; the page's script sends it.
func (s *server) savePreset(c *fiber.Ctx, p farm.Principal) error {
	o := sentOutput(c)
	body := map[string]any{"default": c.FormValue("presetDefault") != ""}
	settings := map[string]any{}
	if kind, known := codec.Find(o.Codec); known && kind.Still {
		settings["type"] = "image"
	}
	for key, value := range map[string]string{"codec": o.Codec, "quality": o.Quality, "missingFootage": o.Missing} {
		if value != "" {
			settings[key] = value
		}
	}
	if reuse, chosen := reuseOf(o); chosen {
		settings["reuseFrames"] = reuse
	}
	body["settings"] = settings
	if project := c.FormValue("project"); project != "" {
		body["project"] = project
	}
	addDelivery(body, o)
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	preset, err := public.ReadPreset(raw)
	if err != nil {
		return err
	}
	preset.Name = c.FormValue("presetName")
	ctx, cancel := s.callOf(c)
	defer cancel()
	if preset, err = s.farm.presets.PutPreset(ctx, p, preset); err != nil {
		return err
	}
	return c.JSON(fiber.Map{"name": preset.Name})
}

// deletePreset removes a preset; the page's script asks for it.
func (s *server) deletePreset(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	name := c.FormValue("presetName")
	if err := s.farm.presets.DeletePreset(ctx, p, name); err != nil {
		return err
	}
	return c.JSON(fiber.Map{"name": name})
}
