package coordinator

import (
	"context"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Presets gives the presets of the caller's team, by name.
func (c *Coordinator) Presets(_ context.Context, p farm.Principal) (list []farm.Preset, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Presets(p.Team)
		return err
	})
	return list, err
}

// Preset gives a preset of the caller's team by its name, in whatever case. CodeNotFound when there is none.
func (c *Coordinator) Preset(ctx context.Context, p farm.Principal, name string) (farm.Preset, error) {
	list, err := c.Presets(ctx, p)
	if err != nil {
		return farm.Preset{}, err
	}
	at := slices.IndexFunc(list, func(preset farm.Preset) bool { return farm.PresetKey(preset.Name) == farm.PresetKey(name) })
	if at < 0 {
		return farm.Preset{}, farm.Errorf(farm.CodeNotFound, "there is no preset %q", name)
	}
	return list[at], nil
}

// PutPreset keeps a preset for the caller's team, in place of the one of that name. CodeInvalid for one that holds the key of a storage itself:
// everybody of the team reads presets, and only secrets keep keys; and for a project, named by id or name, that is unknown or archived.
func (c *Coordinator) PutPreset(ctx context.Context, p farm.Principal, preset farm.Preset) (farm.Preset, error) {
	if err := p.May(farm.ActChangePresets); err != nil {
		return farm.Preset{}, err
	}
	preset.Name = strings.TrimSpace(preset.Name)
	preset.Team, preset.At, preset.By = p.Team, c.state.Now(), p.Name
	var wrong []farm.FieldError
	if !farm.IsPresetName(preset.Name) {
		wrong = append(wrong, farm.Field("name", "has to be one line of up to 80 characters"))
	}
	if preset.Upload != nil {
		for _, key := range []string{"accessKeyId", "accessKeySecret"} {
			if value := preset.Upload.Params[key]; value != "" && !isReference(value) {
				wrong = append(wrong, farm.Field("upload.params."+key, "has to name a secret, such as ${secrets.STORAGE_KEY}: everybody of the team sees presets"))
			}
		}
	}
	if preset.Webhook != nil && (len(preset.Webhook.Headers) > 0 || len(preset.Webhook.Data) > 0) {
		wrong = append(wrong, farm.Field("webhook", "of a preset has an address and a method, no headers and no data"))
	}
	if preset.ProjectID != "" {
		project, err := c.Project(ctx, p, preset.ProjectID)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			wrong = append(wrong, farm.Field("project", "%v", err))
		case err != nil:
			return farm.Preset{}, err
		case project.Archived():
			wrong = append(wrong, farm.Field("project", "'%s' is archived; reopen it, or name another project", project.Name))
		}
		preset.ProjectID = project.ID
	}
	if len(wrong) > 0 {
		return farm.Preset{}, farm.Invalid("the preset cannot be saved", wrong...)
	}
	_, err := c.state.Apply(ctx, command.PutPreset{Preset: preset})
	return preset, err
}

// isReference tells whether text is one reference to a secret and nothing else.
func isReference(text string) bool {
	refs := farm.SecretRefs(text)
	return len(refs) == 1 && text == farm.SecretRef(refs[0])
}

// DeletePreset removes a preset of the caller's team.
func (c *Coordinator) DeletePreset(ctx context.Context, p farm.Principal, name string) error {
	if err := p.May(farm.ActChangePresets); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, command.DeletePreset{Team: p.Team, Name: name, At: c.state.Now()})
	return err
}

// Uses tells how often jobs of the caller's team used something, the newest day first; see farm.Use. Who uses a secret is for those
// who may see its name.
func (c *Coordinator) Uses(_ context.Context, p farm.Principal, kind farm.UseKind, subject string) (uses []farm.Use, err error) {
	if kind == farm.UseSecret {
		if err := p.May(farm.ActViewSecrets); err != nil {
			return nil, err
		}
	}
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		uses, err = tx.Uses(p.Team, kind, subject)
		return err
	})
	return uses, err
}
