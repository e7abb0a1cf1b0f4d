package main

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
)

type submitCommand struct {
	serverFlags
	Job         string            `arg:"" optional:"" type:"existingfile" help:"JSON file with the body of POST /jobs; local paths in src are read beside it."`
	Template    string            `help:"Id of a template, or a local project (.aep, .aet, .aepx, .zip, .mogrt)."`
	Composition string            `help:"Composition to render."`
	Name        string            `help:"Name of the job."`
	Text        map[string]string `help:"layer=words: replace the words of a text layer." mapsep:"none"`
	Image       map[string]string `help:"layer=file: replace a picture." mapsep:"none"`
	Video       map[string]string `help:"layer=file: replace a film." mapsep:"none"`
	Audio       map[string]string `help:"layer=file: replace a sound." mapsep:"none"`
	Data        map[string]string `help:"layer:property=value: set a property; the value is JSON or words." mapsep:"none"`
	Frames      string            `help:"Frames to render: N or FIRST-LAST, from 0."`
	Codec       string            `help:"Codec, such as video_h264_vbr_15mbps or video_prores_422."`
	Type        string            `help:"Kind of result: video, image or aep."`
	Preview     bool              `help:"Render fast, at half size."`
	Priority    int               `help:"-1000 to 1000, larger first."`
	Tag         []string          `help:"Words to find the job by."`
	Wait        bool              `help:"Wait for the result, with a progress bar."`
	Output      string            `short:"o" help:"Wait and write the result to this file." type:"path"`
	JSON        bool              `help:"Print the job as JSON." name:"json"`
}

func (s *submitCommand) Run(ctx context.Context, out *output) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	body, base, err := s.body()
	if err != nil {
		return err
	}
	if s.Output != "" {
		// Said now rather than when the film is there and cannot be written.
		if _, err := os.Stat(filepath.Dir(s.Output)); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	if err := handOver(ctx, c, body, base, out); err != nil {
		return err
	}
	job, err := c.Submit(ctx, body)
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	if len(job.MissingFonts) > 0 {
		fmt.Fprintln(out.errors, "Fonts that the farm does not have and will substitute:", strings.Join(job.MissingFonts, ", "))
	}
	if s.Wait || s.Output != "" {
		return s.wait(ctx, c, job.ID, out)
	}
	if s.JSON {
		raw, err := c.JobJSON(ctx, job.ID)
		if err != nil {
			return err
		}
		return printJSON(out, raw)
	}
	fmt.Fprintf(out, "%s\n", job.ID)
	fmt.Fprintf(out.errors, "Result: %s\nFollow it with: overcrank logs -f %s\n", job.OutputURL, job.ID)
	return nil
}

// wait watches a job to its end, then fetches or names the result. A job that failed is exit code 1.
func (s *submitCommand) wait(ctx context.Context, c *client.Client, id string, out *output) error {
	job, err := watch(ctx, c, id, out)
	if err != nil {
		return err
	}
	if s.JSON {
		raw, err := c.JobJSON(ctx, id)
		if err != nil {
			return err
		}
		if err := printJSON(out, raw); err != nil {
			return err
		}
	}
	if job.Status != "finished" {
		why := ""
		if job.Stats.Error != nil {
			why = ": " + *job.Stats.Error
		}
		fmt.Fprintf(out.errors, "Job %s %s%s\nIts log: overcrank logs %s\n", id, stateWord(job.Status), why, id)
		return exitCode(1)
	}
	if s.Output != "" {
		b := newBar(out.errors, "downloading")
		err := c.Download(ctx, job.OutputURL, s.Output, b.bytes)
		b.end()
		if err != nil {
			return err
		}
	}
	if !s.JSON {
		if s.Output != "" {
			fmt.Fprintln(out, s.Output)
		} else {
			fmt.Fprintln(out, job.OutputURL)
		}
	}
	return nil
}

// watchEvery is how often a watched job is asked for.
const watchEvery = 250 * time.Millisecond

// askWhyAfter is how many looks a job may wait before it is asked why: most start at once.
const askWhyAfter = 4

// watch shows a bar until the job has ended.
func watch(ctx context.Context, c *client.Client, id string, out *output) (client.Job, error) {
	b := newBar(out.errors, "rendering")
	defer b.end()
	waitedFor := ""
	for asked := 0; ; asked++ {
		job, err := c.Job(ctx, id)
		if err != nil {
			return job, err
		}
		if job.Ended() {
			return job, nil
		}
		b.set(job.Progress, stateWord(job.Status))
		if job.Status == "queued" && asked >= askWhyAfter {
			if why, err := c.Why(ctx, id); err == nil && why != waitedFor {
				waitedFor = why
				fmt.Fprintln(out.errors, why)
			}
		}
		select {
		case <-ctx.Done():
			return job, fmt.Errorf("stopped watching; the job goes on (overcrank jobs show %s): %w", id, ctx.Err())
		case <-time.After(watchEvery):
		}
	}
}

// body is the request, from the JSON file and the flags on top of it, and the folder that local paths in it start from.
func (s *submitCommand) body() (map[string]any, string, error) {
	body, base := map[string]any{}, "."
	if s.Job != "" {
		raw, err := os.ReadFile(s.Job)
		if err != nil {
			return nil, "", err
		}
		if err := json.Unmarshal(raw, &body); err != nil {
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
	if s.Priority != 0 {
		body["priority"] = s.Priority
	}
	if len(s.Tag) > 0 {
		body["tags"] = s.Tag
	}
	return body, base, nil
}

func (s *submitCommand) addTemplate(body map[string]any) error {
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
		} else if strings.ContainsAny(s.Template, `./\`) { // no id holds one
			return fmt.Errorf("--template: %w", err)
		} else {
			t["id"] = s.Template
		}
	}
	if s.Composition != "" {
		t["composition"] = s.Composition
	}
	if len(t) == 0 {
		return errors.New("nothing to render: give a job file, or --template with a template's id or a local project")
	}
	body["template"] = t
	return nil
}

func (s *submitCommand) addAssets(body map[string]any) error {
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
			if isLocal(full) {
				var err error
				if full, err = filepath.Abs(full); err != nil {
					return err
				}
			}
			assets = append(assets, map[string]any{"type": kind.name, "layerName": layer, "src": full})
		}
	}
	for _, key := range sortedKeys(s.Data) {
		layer, property, ok := strings.Cut(key, ":")
		if !ok {
			return fmt.Errorf("--data %s: write it as layer:property=value", key)
		}
		assets = append(assets, map[string]any{"type": "data", "layerName": layer, "property": property, "value": jsonOrWords(s.Data[key])})
	}
	if len(assets) > 0 {
		body["assets"] = assets
	}
	return nil
}

func (s *submitCommand) addSettings(body map[string]any) error {
	settings, _ := body["settings"].(map[string]any)
	if settings == nil {
		settings = map[string]any{}
	}
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
			return fmt.Errorf("--frames %s: write it as N or FIRST-LAST", s.Frames)
		}
		settings["frames"] = a
		if isRange {
			b, err := strconv.Atoi(last)
			if err != nil {
				return fmt.Errorf("--frames %s: write it as N or FIRST-LAST", s.Frames)
			}
			settings["frames"] = []int{a, b}
		}
	}
	if len(settings) > 0 {
		body["settings"] = settings
	}
	return nil
}

// handOver sends the files of this machine that the request names to the farm, and puts their farm addresses in their
// places.
func handOver(ctx context.Context, c *client.Client, body map[string]any, base string, out *output) error {
	sent := map[string]string{}
	replace := func(holder map[string]any, what string) error {
		src, _ := holder["src"].(string)
		if src == "" || !isLocal(src) {
			return nil
		}
		path := src
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, filepath.FromSlash(path))
		}
		if sent[path] == "" {
			b := newBar(out.errors, "handing over "+filepath.Base(path))
			address, err := c.PutFile(ctx, path, b.bytes)
			b.end()
			if err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			sent[path] = address
		}
		holder["src"] = sent[path]
		return nil
	}
	if t, ok := body["template"].(map[string]any); ok {
		if err := replace(t, "template"); err != nil {
			return err
		}
	}
	assets, _ := body["assets"].([]any)
	for i, a := range assets {
		if m, ok := a.(map[string]any); ok {
			if err := replace(m, fmt.Sprintf("assets[%d]", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLocal tells a path on this machine from an address.
func isLocal(src string) bool {
	if strings.HasPrefix(src, "${") {
		return false // a secret of the farm that holds an address
	}
	scheme, _, ok := strings.Cut(src, ":")
	// One letter before the colon is a Windows drive.
	return !ok || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`)
}

// jsonOrWords is the JSON value that s is, or else s itself.
func jsonOrWords(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) == nil {
		return v
	}
	return s
}

func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
