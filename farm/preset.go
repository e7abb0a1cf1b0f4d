package farm

import (
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MostPresets is how many presets a team may have.
	MostPresets = 100
	// MostPresetName is how many characters the name of one may have.
	MostPresetName = 80
)

// Preset is a team's named choice of what kind of result jobs produce and where it goes. Its upload names secrets, never their values.
type Preset struct {
	Team      string    `json:"team"`
	Name      string    `json:"name"`
	Settings  Settings  `json:"settings,omitzero"` // without Frames
	Upload    *Upload   `json:"upload,omitempty"`
	Webhook   *Webhook  `json:"webhook,omitempty"`
	ProjectID string    `json:"projectId,omitempty"` // of the project that jobs are for
	Default   bool      `json:"default,omitempty"`   // a form begins with it; at most one of a team
	At        time.Time `json:"at"`
	By        string    `json:"by,omitempty"` // name of the token
}

// PresetKey is what a name is compared by: without regard to case and to spaces around it.
func PresetKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// IsPresetName tells whether a preset may have a name.
func IsPresetName(name string) bool {
	return PresetKey(name) != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= MostPresetName && name == oneLine(name, 4*MostPresetName)
}
