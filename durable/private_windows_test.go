package durable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestOpenPrivate: everybody has rights neither on a new file nor on one that was there.
func TestOpenPrivate(t *testing.T) {
	dir := t.TempDir()
	before, fresh := filepath.Join(dir, "before"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(before, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(rightsOf(t, before), ";WD)") {
		t.Skipf("a usual file is open to nobody here: %s", rightsOf(t, before))
	}
	for _, path := range []string{before, fresh, fresh} {
		file, err := OpenPrivate(path)
		if err != nil {
			t.Fatal(err)
		}
		if has := rightsOf(t, path); strings.Contains(has, ";WD)") || strings.Contains(has, ";BU)") {
			t.Errorf("%s has the rights %s", filepath.Base(path), has)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func rightsOf(t *testing.T, path string) string {
	t.Helper()
	rights, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	return rights.String()
}
