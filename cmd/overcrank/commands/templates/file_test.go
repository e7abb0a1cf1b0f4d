package templates

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// projectTypes are all endings that projects have, with the type of template that each is.
var projectTypes = map[string]string{"aep": "aep", "aet": "aep", "aepx": "aep", "zip": "zip", "mogrt": "mogrt"}

func TestEveryWayInKnowsTheEndingsOfProjects(t *testing.T) {
	for ending, want := range projectTypes {
		for _, name := range []string{"spot." + ending, "Spot 2." + strings.ToUpper(ending), "https://files.example/a." + ending} {
			if got := ProjectType(name); got != want || !IsProject(name) {
				t.Errorf("%s is of the type %q, want %q", name, got, want)
			}
		}
	}
	for _, name := range []string{"spot", "spot.aepz", "aep", "spot.aep.txt"} {
		if ProjectType(name) != "" {
			t.Errorf("%s counts as a project", name)
		}
	}
	// The page chooses the type by itself, in the browser.
	script, err := os.ReadFile("../../../../web/static/upload.js")
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`templateType = \(name\) => \(\{ (.*?) \}\)`).FindSubmatch(script)
	if table == nil {
		t.Fatal("the page's table of endings is not where it was")
	}
	known := map[string]string{}
	for _, entry := range regexp.MustCompile(`(\w+): "(\w+)"`).FindAllSubmatch(table[1], -1) {
		known[string(entry[1])] = string(entry[2])
	}
	form, err := os.ReadFile("../../../../web/page/templates.templ")
	if err != nil {
		t.Fatal(err)
	}
	for ending, want := range projectTypes {
		if known[ending] != want || !strings.Contains(string(form), "."+ending) {
			t.Errorf("the page takes .%s for %q, want %q", ending, known[ending], want)
		}
	}
}
