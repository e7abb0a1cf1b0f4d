package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/localfiles"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/names"
)

// Submit is overcrank submit: one job, from a file, from flags or from both.
type Submit struct {
	Job string `arg:"" optional:"" complete:"file" help:"JSON file with the body of POST /jobs, - for standard input; local paths in src are read beside it."`
	remote.Flags
	resultFlags
	Template        string            `help:"Id or name of a template, or a local project (.aep, .aet, .aepx, .zip, .mogrt)." complete:"template"`
	TemplateVersion int               `help:"Version of the template, as templates versions lists them. Default: the current one." placeholder:"N"`
	Composition     string            `help:"Composition to render."`
	Name            string            `help:"Name of the job."`
	Text            map[string]string `help:"layer=words: replace the words of a text layer." mapsep:"none"`
	Image           map[string]string `help:"layer=file: replace a picture." mapsep:"none"`
	Video           map[string]string `help:"layer=file: replace a film." mapsep:"none"`
	Audio           map[string]string `help:"layer=file: replace a sound." mapsep:"none"`
	Data            map[string]string `help:"layer:property=value: set a property; the value is JSON or words." mapsep:"none"`
	Frames          string            `help:"Frames to render: N or FIRST-LAST, from 0."`
	Codec           string            `help:"Codec, such as video_h264_vbr_15mbps or video_prores_422." complete:"codec"`
	Type            string            `help:"Kind of result: video, image or aep."`
	Preview         bool              `help:"Render fast, at half size."`
	Tag             []string          `help:"Tags by which to find the job."`
	Hold            bool              `help:"Start it only after: overcrank jobs release JOB."`
	DryRun          bool              `help:"Print the request instead of sending it; files are not uploaded."`
	Drawing
	Scheduling
}

func (Submit) Help() string {
	return `Examples:

    overcrank submit job.json --wait -o spot.mp4
    overcrank submit --template "Spring spot" --composition main --text title="Night Shift" --image picture=night.png --wait
    generate | overcrank submit - --json`
}

func (s *Submit) Run(ctx context.Context, out *terminal.Output) error {
	body, base, err := s.body()
	if err != nil {
		return err
	}
	if err := s.check(s.JSON); err != nil {
		return err
	}
	if s.DryRun {
		return out.Indented(body)
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	if t, ok := body["template"].(map[string]any); ok && s.Template != "" && t["id"] == s.Template {
		id, err := remote.Find(ctx, "template", s.Template, c.Templates)
		if err != nil {
			return err
		}
		t["id"] = id
		if err := s.checkLayers(ctx, c, id); err != nil {
			return err
		}
	}
	if err := localfiles.NewSender(c, out).Job(ctx, body, base); err != nil {
		return err
	}
	job, err := c.Submit(ctx, body)
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	return s.follow(ctx, c, job, s.JSON, out)
}

// checkLayers refuses flags for layers that the template does not have: the render would find out at its beginning, and the job fail.
func (s *Submit) checkLayers(ctx context.Context, c *client.Client, id string) error {
	named := slices.Concat(sortedKeys(s.Text), sortedKeys(s.Image), sortedKeys(s.Video), sortedKeys(s.Audio))
	for _, key := range sortedKeys(s.Data) {
		layer, _, _ := strings.Cut(key, ":")
		named = append(named, layer)
	}
	if len(named) == 0 || s.TemplateVersion != 0 { // whose layers may be others than those of now
		return nil
	}
	t, err := c.Template(ctx, id)
	if err != nil {
		return err
	}
	if t.Status != farm.TemplateUploaded || len(t.Layers) == 0 {
		return nil // what it holds is not known yet
	}
	layers, err := c.Layers(ctx, id)
	if err != nil {
		return err
	}
	var known []string
	for _, l := range layers.Items {
		if !slices.Contains(known, l.Name) {
			known = append(known, l.Name)
		}
	}
	var missing []error
	for _, layer := range named {
		if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, layer) }) {
			missing = append(missing, exit.NotFoundf("template '%s' has no layer '%s': %s", t.DisplayName, layer, names.DidYouMean(layer, known)))
		}
	}
	return errors.Join(missing...)
}

// body is the request, from the JSON file and the flags on top of it, and the folder that local paths in it start from.
func (s *Submit) body() (map[string]any, string, error) {
	body, base := map[string]any{}, "."
	if s.Job != "" {
		raw, err := remote.ReadInput(s.Job)
		if err != nil {
			return nil, "", err
		}
		if err := json.Unmarshal(raw, &body); err != nil && templates.IsProject(s.Job) {
			return nil, "", exit.Usagef("%[1]s is a project, not a job in JSON; render it with: overcrank submit --template %[1]s", s.Job)
		} else if err != nil {
			return nil, "", fmt.Errorf("%s is not a job in JSON: %w", s.Job, err)
		}
		base = filepath.Dir(s.Job)
	}
	if err := s.addTemplate(body); err != nil {
		return nil, "", err
	}
	if err := s.addAssets(body); err != nil {
		return nil, "", err
	}
	if err := s.addSettings(body); err != nil {
		return nil, "", err
	}
	if s.Name != "" {
		body["name"] = s.Name
	}
	if s.Preview {
		body["preview"] = true
	}
	if err := s.Add(body, time.Now()); err != nil {
		return nil, "", err
	}
	if len(s.Tag) > 0 {
		body["tags"] = s.Tag
	}
	if s.Hold {
		body["hold"] = true
	}
	return body, base, nil
}

func (s *Submit) addTemplate(body map[string]any) error {
	t, _ := body["template"].(map[string]any)
	if t == nil {
		t = map[string]any{}
	}
	if s.Template != "" {
		delete(t, "id")
		delete(t, "src")
		if _, err := os.Stat(s.Template); err == nil {
			full, err := filepath.Abs(s.Template)
			if err != nil {
				return err
			}
			t["src"] = full
		} else if looksLikeFile(s.Template) {
			return fmt.Errorf("--template: %w", err)
		} else {
			t["id"] = s.Template
		}
	}
	if s.Composition != "" {
		t["composition"] = s.Composition
	}
	if s.TemplateVersion != 0 {
		t["version"] = s.TemplateVersion
	}
	if len(t) == 0 {
		return exit.Usagef("nothing to render: give a job file, or --template with a template's id or a local project")
	}
	body["template"] = t
	return nil
}

func (s *Submit) addAssets(body map[string]any) error {
	assets, _ := body["assets"].([]any)
	for _, layer := range sortedKeys(s.Text) {
		assets = append(assets, map[string]any{"type": "text", "layerName": layer, "value": s.Text[layer]})
	}
	for _, kind := range []struct {
		name  string
		files map[string]string
	}{{"image", s.Image}, {"video", s.Video}, {"audio", s.Audio}} {
		for _, layer := range sortedKeys(kind.files) {
			full := kind.files[layer]
			if address.IsPath(full) {
				var err error
				if full, err = filepath.Abs(full); err != nil {
					return err
				}
				if _, err := os.Stat(full); err != nil {
					return fmt.Errorf("--%s %s: %w", kind.name, layer, err)
				}
			}
			assets = append(assets, map[string]any{"type": kind.name, "layerName": layer, "src": full})
		}
	}
	for _, key := range sortedKeys(s.Data) {
		layer, property, ok := strings.Cut(key, ":")
		if !ok {
			return exit.Usagef("--data %s: write it as layer:property=value", key)
		}
		assets = append(assets, map[string]any{"type": "data", "layerName": layer, "property": property, "value": remote.JSONOrWords(s.Data[key])})
	}
	if len(assets) > 0 {
		body["assets"] = assets
	}
	return nil
}

func (s *Submit) addSettings(body map[string]any) error {
	settings, _ := body["settings"].(map[string]any)
	if settings == nil {
		settings = map[string]any{}
	}
	s.AddTo(settings)
	if s.Codec != "" {
		settings["codec"] = s.Codec
	}
	if s.Type != "" {
		settings["type"] = s.Type
	}
	if s.Frames != "" {
		first, last, isRange := strings.Cut(s.Frames, "-")
		a, err := strconv.Atoi(first)
		if err != nil {
			return exit.Usagef("--frames %s: write it as N or FIRST-LAST", s.Frames)
		}
		settings["frames"] = a
		if isRange {
			b, err := strconv.Atoi(last)
			if err != nil {
				return exit.Usagef("--frames %s: write it as N or FIRST-LAST", s.Frames)
			}
			settings["frames"] = []int{a, b}
		}
	}
	if len(settings) > 0 {
		body["settings"] = settings
	}
	return nil
}

// looksLikeFile tells the path of a project from the id or name of a template.
func looksLikeFile(s string) bool { return templates.IsProject(s) || strings.ContainsAny(s, `/\`) }

func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
