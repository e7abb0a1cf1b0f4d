package aerender

import (
	"testing"

	"overcrank/engine/render"
)

func TestTemplatesSayWhichLayersAreBlurred(t *testing.T) {
	for name, want := range map[string]render.MotionBlur{
		"Best Settings": render.BlurMarked, "Multi-Machine Settings": render.BlurMarked, "current settings": render.BlurEnabled,
		"Draft Settings": render.BlurNone, "Overcrank Preview": render.BlurNone,
	} {
		s, ok := settingsNamed(name)
		j := job{settings: s}
		if got := j.options().MotionBlur; !ok || got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
