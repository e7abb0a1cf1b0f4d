package farmtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Configuration writes a file of settings.
func Configuration(t testing.TB, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
