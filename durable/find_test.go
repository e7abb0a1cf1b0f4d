package durable_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/durable"
)

func TestAFolderIsNoPattern(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spot [v2] 100%")
	var want []string
	for _, name := range []string{"a.part", "b.part", "a.whole"} {
		path := filepath.Join(dir, "in", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".part" {
			want = append(want, path)
		}
	}
	if found, err := durable.Find(dir, "*/*.part"); err != nil || !slices.Equal(found, want) {
		t.Errorf("found %q, %v; %q are there", found, err, want)
	}
	if found, err := durable.Find(filepath.Join(dir, "missing"), "*"); err != nil || len(found) > 0 {
		t.Errorf("in no folder found %q, %v", found, err)
	}
	if _, err := durable.Find(dir, "["); err == nil {
		t.Error("a pattern that is none was taken")
	}
}
