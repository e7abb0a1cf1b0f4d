// Package aeptest finds files for tests: the repository, and the real projects that may lie beside it.
package aeptest

import (
	"os"
	"path/filepath"
	"testing"
)

// Repository is the folder that holds go.mod.
func Repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("go.mod is nowhere above this folder")
		}
		dir = up
	}
}

// Samples is a path below ../shared/samples, the folder of real projects beside the repository. Without that folder the test is
// skipped.
func Samples(t testing.TB, parts ...string) string {
	t.Helper()
	folder := filepath.Join(filepath.Dir(Repository(t)), "shared", "samples")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the real projects are not beside the repository: %v", err)
	}
	return filepath.Join(append([]string{folder}, parts...)...)
}
