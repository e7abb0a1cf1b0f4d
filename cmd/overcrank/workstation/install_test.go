package workstation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/cmd/overcrank/workstation/installation"
)

// stubborn is a machine whose service does not start.
type stubborn struct {
	installation.Machine
	settings string // file
	removed  []bool // for each removal, whether the settings were gone by then
}

var errStubborn = errors.New("the service does not start")

func (m *stubborn) Launcher() string                                           { return "" }
func (m *stubborn) Place(context.Context, installation.Programs) (bool, error) { return true, nil }
func (m *stubborn) Start(context.Context, bool) error                          { return errStubborn }

func (m *stubborn) Remove(context.Context, bool, string) error {
	_, err := os.Stat(m.settings)
	m.removed = append(m.removed, err != nil)
	return nil
}

// TestAFirstInstallationThatFailsLeavesNothing: a later one fails with the settings that it was given, which somebody may look into.
func TestAFirstInstallationThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		dir := t.TempDir()
		m := &stubborn{settings: filepath.Join(dir, "agent.yaml")}
		token := filepath.Join(dir, "join-token")
		configure := func() (configured, error) {
			b, err := lookBefore(m.settings, token)
			return configured{before: b}, errors.Join(err, os.WriteFile(m.settings, []byte("coordinator: https://farm\n"), 0o600), os.WriteFile(token, []byte("ocj_"), 0o600))
		}
		c := installCommand{Answers: Answers{FirstInstall: first}}
		if _, err := c.install(t.Context(), m, installation.Programs{}, dir, configure); !errors.Is(err, errStubborn) {
			t.Fatal(err)
		}
		for _, path := range []string{m.settings, token} {
			if _, err := os.Stat(path); (err != nil) != first {
				t.Errorf("first %v: %s: %v", first, filepath.Base(path), err)
			}
		}
		if first && !slices.Equal(m.removed, []bool{true}) || !first && len(m.removed) > 0 {
			t.Errorf("first %v: it is removed %v", first, m.removed)
		}
	}
}
