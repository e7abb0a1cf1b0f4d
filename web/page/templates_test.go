package page

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"overcrank/farm"
)

// htmlOf is a component as it is sent.
func htmlOf(t *testing.T, c templ.Component) string {
	t.Helper()
	var b strings.Builder
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATemplateThatIsHeldUpSaysWhy(t *testing.T) {
	held := Template{Template: farm.Template{ID: "t1", DisplayName: "Spot", Status: farm.TemplateProcessing}, Waits: "It waits until there is room."}
	lacking := Template{Template: farm.Template{ID: "t2", DisplayName: "Bare", Status: farm.TemplateUploaded, MissingFootage: []string{"a.png", "b.png", "c.png", "d.png"}}}
	for name, c := range map[string]struct {
		drawn string
		says  []string
	}{
		"list": {htmlOf(t, TemplatesBody(Shell{}, []Template{held, lacking})), []string{"Held up", held.Waits, "Lacks footage", "a.png, b.png, c.png and 1 more"}},
		"page": {htmlOf(t, TemplateBody(Shell{}, held)), []string{"Held up", held.Waits}},
	} {
		for _, words := range c.says {
			if !strings.Contains(c.drawn, words) {
				t.Errorf("the %s does not say %q: %s", name, words, c.drawn)
			}
		}
		if strings.Contains(c.drawn, "Being read") || strings.Contains(c.drawn, "Ready") {
			t.Errorf("the %s says that all is well: %s", name, c.drawn)
		}
	}
}
