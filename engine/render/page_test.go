package render_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"overcrank/engine/effect"
	"overcrank/engine/scene"
)

// TestThePageAboutTheEngineIsTrue holds what users are told of effects and blend modes to the tables.
func TestThePageAboutTheEngineIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/engine.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	drawn := effect.Drawn()
	for _, match := range drawn {
		if !strings.Contains(page, "`"+match+"`") {
			t.Errorf("the page does not name the effect %s", match)
		}
	}
	for rest := page; ; {
		_, after, found := strings.Cut(rest, "`ADBE ")
		if !found {
			break
		}
		name, next, _ := strings.Cut(after, "`")
		if !slices.Contains(drawn, "ADBE "+name) {
			t.Errorf("the page names the effect ADBE %s, which is not drawn", name)
		}
		rest = next
	}
	_, modes, _ := strings.Cut(page, "## Blend modes")
	modes, _, _ = strings.Cut(modes, "##")
	for _, name := range scene.UndrawnBlends() {
		if !strings.Contains(modes, name) {
			t.Errorf("the page does not say that blend mode %s is not drawn", name)
		}
	}
}
