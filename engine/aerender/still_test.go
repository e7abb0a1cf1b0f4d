package aerender

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
)

func TestAStillIsTheFrameThatARenderHas(t *testing.T) {
	project := lay(t, sample())
	dir := t.TempDir()
	rendered, still := filepath.Join(dir, "rendered.png"), filepath.Join(dir, "still.png")
	if code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", rendered, "-stills", "7"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	var warned []string
	s := Still{
		Project: project, Folder: filepath.Dir(project), Scale: 1,
		Choose: func(p *aep.Project) (*aep.Item, int, error) { return p.Composition("main"), 7, nil },
		Output: func(string) string { return still },
		Warn:   func(text string) { warned = append(warned, text) },
		GiveUp: func(err error) { t.Error(err) },
	}
	d, err := s.Draw(t.Context())
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "font 'AvenirNext-Bold' is not installed") {
		t.Errorf("warned of %q", warned)
	}
	if err != nil || d.Path != still || d.Comp != "main" || d.Frame != 7 {
		t.Fatalf("drew %+v, %v", d, err)
	}
	want, err := os.ReadFile(rendered)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(still); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the still has %d bytes, the rendered frame %d, %v", len(got), len(want), err)
	}
	width := d.Width
	s.Scale = 0.5
	if d, err = s.Draw(t.Context()); err != nil || d.Width != width/2 {
		t.Errorf("drew %+v, %v", d, err)
	}
}

func TestAStillThatCannotBeDrawnSaysWhy(t *testing.T) {
	project := lay(t, sample())
	refused := errors.New("no such composition")
	s := Still{
		Project: project, Folder: filepath.Dir(project), Scale: 1, Output: func(string) string { return filepath.Join(t.TempDir(), "a.png") },
		Choose: func(*aep.Project) (*aep.Item, int, error) { return nil, 0, refused },
		Warn:   func(string) {}, GiveUp: func(err error) { t.Error(err) },
	}
	if _, err := s.Draw(t.Context()); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
	s.Choose = func(p *aep.Project) (*aep.Item, int, error) { return p.Composition("main"), 1 << 20, nil }
	if _, err := s.Draw(t.Context()); err == nil || !strings.Contains(err.Error(), "is not in the composition") {
		t.Errorf("got %v", err)
	}
	s.Fill = func(composition string) (string, error) {
		return "throw new Error('not ' + " + quote(composition) + ");", nil
	}
	if _, err := s.Draw(t.Context()); err == nil || !strings.Contains(err.Error(), "not main") {
		t.Errorf("got %v", err)
	}
}
