package public

import (
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
)

// ReadPreset reads a preset as the body of a request holds it: settings, upload, webhook and project as a job has them.
func ReadPreset(body []byte) (farm.Preset, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Preset{}, err
	}
	o.Only("settings", "upload", "webhook", "project", "default")
	preset := farm.Preset{Upload: readUpload(o), Webhook: readWebhook(o), Default: o.Flag("default"),
		ProjectID: strings.TrimSpace(o.Text("project", input.NameLimit))} // or its name, until the farm has looked it up
	if settings, given := o.Filled("settings"); given {
		preset.Settings = readSettings(settings)
		if settings.Has("frames") {
			settings.Problem("frames", "is a job's own: a preset has none")
		}
	}
	return preset, wrong.Err()
}
