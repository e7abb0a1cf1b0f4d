package workstation

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/agent/inventory"
	"overcrank/panel"
)

func TestThePanelIsPutIntoEveryAfterEffects(t *testing.T) {
	t.Parallel()
	for system, folders := range map[string][]string{
		"windows": {"C/Program Files/Adobe/Adobe After Effects 2025/Support Files", "C/Program Files/Adobe/Adobe After Effects (Beta)/Support Files"},
		"darwin":  {"Applications/Adobe After Effects 2024", "Applications/Adobe After Effects 2025"},
	} {
		root := t.TempDir()
		for _, folder := range append(folders, "Applications/Adobe Premiere Pro 2025") {
			if err := os.MkdirAll(filepath.Join(root, folder, "Scripts", "ScriptUI Panels"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		other := filepath.Join(root, folders[0], "Scripts", "ScriptUI Panels", "Another.jsx")
		if err := os.WriteFile(other, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		machine := inventory.System{OS: system, Root: root, Env: func(string) string { return "" }, Ask: func(context.Context, string, ...string) ([]byte, error) { return nil, os.ErrNotExist }}
		for range 2 { // as in an upgrade
			placed, err := placePanel(t.Context(), machine, panel.For("0.1.0", "https://farm:8080"))
			if err != nil || len(placed) != 2 {
				t.Fatalf("%s: placed %q, %v", system, placed, err)
			}
		}
		for _, folder := range folders {
			text, err := os.ReadFile(filepath.Join(root, folder, "Scripts", "ScriptUI Panels", panel.Name))
			if err != nil || !strings.Contains(string(text), "https://farm:8080") {
				t.Errorf("%s: the panel has %d bytes, %v", folder, len(text), err)
			}
		}
		if err := removePanel(t.Context(), machine); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(other); err != nil {
			t.Errorf("another panel is gone: %v", err)
		}
		left, err := filepath.Glob(filepath.Join(root, "*", "*", "*", "*", "*", "*", panel.Name))
		if more, _ := filepath.Glob(filepath.Join(root, "*", "*", "*", "*", panel.Name)); err != nil || len(left)+len(more) > 0 {
			t.Errorf("%s: removing leaves %q %q", system, left, more)
		}
	}
}
