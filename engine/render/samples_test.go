package render_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// samples is the folder of the sample projects beside the repository; the test is skipped without it.
func samples(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Skip("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	folder := filepath.Join(dir, "..", "shared", "samples")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the sample projects are not there: %v", err)
	}
	return folder
}

// projects are all project files of the samples.
func projects(t testing.TB, folder string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".aep", ".aet", ".aepx":
			if !d.IsDir() {
				out = append(out, path)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
