package aerender

import (
	"strings"

	"overcrank/engine/render"
)

// settings is a render settings template.
type settings struct {
	name  string // After Effects' own spelling
	words string // aerender's name for the quality
	scale float64
	draft bool
	blur  render.MotionBlur
	mix   render.FrameBlending
}

// settingsNamed finds a template by name, ignoring case. Templates of After Effects that differ only in fields draw alike here.
func settingsNamed(name string) (settings, bool) {
	for _, s := range []settings{
		{name: "Best Settings", words: "Best", scale: 1},
		{name: "Current Settings", words: "Best", scale: 1, blur: render.BlurEnabled, mix: render.MixEnabled},
		{name: "DV Settings", words: "Best", scale: 1},
		{name: "Multi-Machine Settings", words: "Best", scale: 1},
		{name: "Draft Settings", words: "Draft", scale: 1, draft: true, blur: render.BlurNone, mix: render.MixNone},
		{name: "Overcrank Preview", words: "Draft", scale: 0.5, draft: true, blur: render.BlurNone, mix: render.MixNone},
	} {
		if strings.EqualFold(s.name, strings.TrimSpace(name)) {
			return s, true
		}
	}
	return settings{}, false
}

func (s settings) resolution() string {
	if s.scale == 0.5 {
		return "Half"
	}
	return "Full"
}
