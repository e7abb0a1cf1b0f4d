package command

import (
	"time"

	"overcrank/farm"
)

// PutPreset keeps a preset, in place of the team's one of that name. The default takes that from the one before.
type PutPreset struct{ Preset farm.Preset }

// DeletePreset removes a preset of a team by its name.
type DeletePreset struct {
	Team, Name string
	At         time.Time
}

// RetireTemplate takes a template out of use, or brings it back: a retired one takes no new jobs. Jobs that there are, and their results, stay.
type RetireTemplate struct {
	Team, ID string
	Retired  bool
	At       time.Time
	By       string // name of the token
}

func (PutPreset) Needs() int      { return PresetsLevel }
func (DeletePreset) Needs() int   { return PresetsLevel }
func (RetireTemplate) Needs() int { return PresetsLevel }
