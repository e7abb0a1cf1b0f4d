package render_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"overcrank/engine/effect"
)

// TestThePageAboutTheEngineIsTrue holds what users are told of effects to the table.
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
}
