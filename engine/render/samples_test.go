package render_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

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
