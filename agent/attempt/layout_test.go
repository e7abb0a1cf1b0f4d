package attempt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestAPathThatWindowsCannotOpenIsNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("a", 100), strings.Repeat("b", 100), strings.Repeat("c", 100))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := tooDeep("darwin", dir); err != nil {
		t.Errorf("on macOS: %v", err)
	}
	var failed *failure
	if err := tooDeep("windows", dir); !errors.As(err, &failed) || failed.class != farm.FailureWorker || strings.Contains(failed.message, dir) || !strings.Contains(failed.message, "259") {
		t.Errorf("on Windows: %v", err)
	}
	if err := tooDeep("windows", deep[:len(dir)+101]); err == nil {
		t.Error("what lies further down was not looked at")
	}
	if err := os.RemoveAll(filepath.Dir(deep)); err != nil {
		t.Fatal(err)
	}
	if err := tooDeep("windows", dir); err != nil {
		t.Errorf("short paths on Windows: %v", err)
	}
}
