package library

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// Presets are the commands below overcrank presets.
type Presets struct {
	List   presetsList   `cmd:"" default:"withargs" help:"List the team's presets."`
	Show   presetsShow   `cmd:"" help:"Show a preset."`
	Save   presetsSave   `cmd:"" help:"Save a preset, in place of the one of that name."`
	Delete presetsDelete `cmd:"" help:"Delete presets."`
}

type presetsList struct{ remote.Flags }

func (l presetsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, err := c.Presets(ctx)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("PRESET", "CODEC", "QUALITY", "UPLOAD", "WEBHOOK", "SAVED")
		for _, p := range list.Items {
			name := p.Name
			if p.Default {
				name += " (default)"
			}
			t.Row(name, p.Settings.Codec, p.Settings.Quality, presetStorage(p), presetHook(p), terminal.LocalTime(p.ChangedAt))
		}
		return out.List(t, "No presets. Save one with: overcrank presets save NAME --codec CODEC")
	})
}

// presetStorage is the bucket that results go to, "" for the farm's own storage.
func presetStorage(p client.Preset) string {
	if p.Upload == nil {
		return ""
	}
	return p.Upload.Params["bucket"] + "/" + p.Upload.Prefix
}

func presetHook(p client.Preset) string {
	if p.Webhook == nil {
		return ""
	}
	return p.Webhook.URL
}

type presetsShow struct {
	Preset string `arg:"" help:"Name of the preset." complete:"preset"`
	remote.Flags
}

func (s presetsShow) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	preset, err := c.Preset(ctx, s.Preset)
	if err != nil {
		return err
	}
	project, err := presetProject(ctx, c, preset)
	return s.Print(out, preset, err, func() error {
		for _, line := range [][2]string{
			{"Name", preset.Name}, {"Type", preset.Settings.Type}, {"Codec", preset.Settings.Codec}, {"Quality", preset.Settings.Quality}, {"Engine", preset.Settings.Engine},
			{"Upload", presetStorage(preset)}, {"Webhook", presetHook(preset)}, {"Project", project}, {"Saved", terminal.LocalTime(preset.ChangedAt)}, {"By", preset.ChangedBy},
		} {
			if line[1] != "" {
				fmt.Fprintf(out, "%-8s %s\n", line[0], terminal.Plain(line[1]))
			}
		}
		if preset.Default {
			out.Remark("The form of a new job begins with it.")
		}
		return nil
	})
}

// presetProject is what the project is called that jobs of a preset are for, or its id when the team has it no more; "" for none.
func presetProject(ctx context.Context, c *client.Client, p client.Preset) (string, error) {
	if p.Project == "" {
		return "", nil
	}
	project, err := c.Project(ctx, p.Project)
	if client.IsStatus(err, http.StatusNotFound) {
		return p.Project, nil
	}
	return project.Name, err
}

type presetsSave struct {
	Name    string `arg:"" help:"Name of the preset."`
	File    string `arg:"" optional:"" help:"JSON file with settings, upload, webhook, project and default, such as presets show --json prints; - for standard input." placeholder:"FILE"`
	Codec   string `help:"Codec, such as video_h264_vbr_15mbps or video_prores_422." complete:"codec"`
	Type    string `help:"Kind of result." enum:",video,image,aep" default:"" placeholder:"video|image|aep"`
	Quality string `help:"Quality of the render." enum:",draft,full" default:"" placeholder:"draft|full"`
	Webhook string `help:"Address that is called when a job has ended." placeholder:"URL"`
	Project string `help:"Project that jobs are for, by name or id." complete:"project"`
	Default bool   `help:"Begin the form of new jobs with it."`
	remote.Flags
}

func (presetsSave) Help() string {
	return `Flags count more than the file. Keys of a storage have to be secrets: everybody of the team sees presets.

    overcrank presets save Delivery --codec video_prores_422 --project "Spring spots" --default
    overcrank presets show Delivery --json | overcrank presets save Copy -`
}

// Run saves the preset.
func (s presetsSave) Run(ctx context.Context, out *terminal.Output) error {
	fields, err := s.fields()
	if err != nil {
		return err
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	preset, err := c.SavePreset(ctx, s.Name, fields)
	return s.Print(out, preset, err, func() error {
		fmt.Fprintln(out, terminal.Plain(preset.Name))
		return nil
	})
}

// fields are the preset's, of the file and the flags. Whatever else a file tells, such as when its preset was saved, is not among them.
func (s presetsSave) fields() (map[string]json.RawMessage, error) {
	var given struct {
		Settings map[string]any  `json:"settings"`
		Upload   json.RawMessage `json:"upload"`
		Webhook  json.RawMessage `json:"webhook"`
		Project  *string         `json:"project"`
		Default  bool            `json:"default"`
	}
	if s.File != "" {
		text, err := remote.ReadInput(s.File)
		if err != nil {
			return nil, fmt.Errorf("reading the preset: %w", err)
		}
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, exit.Usagef("%s is not a preset in JSON: %v", s.File, err)
		}
	}
	if given.Settings == nil {
		given.Settings = map[string]any{}
	}
	for key, value := range map[string]string{"type": s.Type, "codec": s.Codec, "quality": s.Quality} {
		if value != "" {
			given.Settings[key] = value
		}
	}
	settings, err := json.Marshal(given.Settings)
	if err != nil {
		return nil, fmt.Errorf("encoding the preset: %w", err)
	}
	fields := map[string]json.RawMessage{"settings": settings, "default": json.RawMessage(fmt.Sprint(given.Default || s.Default))}
	if s.Webhook != "" {
		if given.Webhook, err = json.Marshal(map[string]string{"url": s.Webhook}); err != nil {
			return nil, fmt.Errorf("encoding the preset: %w", err)
		}
	}
	if s.Project != "" {
		given.Project = &s.Project
	}
	if given.Project != nil {
		if fields["project"], err = json.Marshal(given.Project); err != nil {
			return nil, fmt.Errorf("encoding the preset: %w", err)
		}
	}
	for key, value := range map[string]json.RawMessage{"upload": given.Upload, "webhook": given.Webhook} {
		if len(value) > 0 {
			fields[key] = value
		}
	}
	return fields, nil
}

type presetsDelete struct {
	Presets []string `arg:"" name:"preset" help:"Names of the presets." complete:"preset"`
	remote.Farm
}

func (d presetsDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(d.Presets, "deleted", out, func(name string) (string, error) { return name, nil }, func(name string) error { return c.DeletePreset(ctx, name) })
}
