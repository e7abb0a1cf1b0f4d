package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func presetKey(team, name string) string { return team + sep + farm.PresetKey(name) }

func (t *tables) putPreset(c command.PutPreset) command.Result {
	preset := c.Preset
	key := presetKey(preset.Team, preset.Name)
	switch {
	case !farm.IsPresetName(preset.Name):
		return refusef(farm.CodeInvalid, "a preset needs a name of one line, up to %d characters", farm.MostPresetName)
	case !t.has(bucketTeams, preset.Team):
		return refuse(noTeam(preset.Team))
	case preset.Settings.Frames != nil:
		return refusef(farm.CodeInvalid, "a preset names no frames: those are a job's own")
	}
	names := t.keysUnder(bucketPresets, preset.Team+sep)
	if !t.has(bucketPresets, key) && len(names) >= farm.MostPresets {
		return refusef(farm.CodeConflict, "the team has %d presets, which is as many as it may have; delete one first", len(names))
	}
	for _, name := range names {
		other, ok := get[farm.Preset](t, bucketPresets, preset.Team+sep+name)
		if ok && preset.Default && other.Default {
			other.Default = false
			put(t, bucketPresets, preset.Team+sep+name, other)
		}
	}
	put(t, bucketPresets, key, preset)
	return command.Result{}
}

func (t *tables) deletePreset(c command.DeletePreset) command.Result {
	key := presetKey(c.Team, c.Name)
	if !t.has(bucketPresets, key) {
		return refusef(farm.CodeNotFound, "there is no preset %q", c.Name)
	}
	t.remove(bucketPresets, key)
	return command.Result{}
}

// dropPresets forgets the presets of a team.
func (t *tables) dropPresets(team string) {
	for _, name := range t.keysUnder(bucketPresets, team+sep) {
		t.remove(bucketPresets, team+sep+name)
	}
}

// Presets reads a team's presets, by name.
func (tx *Tx) Presets(team string) ([]farm.Preset, error) {
	var list []farm.Preset
	for _, name := range tx.t.keysUnder(bucketPresets, team+sep) {
		if preset, ok := get[farm.Preset](tx.t, bucketPresets, team+sep+name); ok {
			list = append(list, preset)
		}
	}
	return list, tx.t.err
}
