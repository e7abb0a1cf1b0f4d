package farmtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update is the flag -update of tests that hold golden files.
var Update = flag.Bool("update", false, "write the golden files anew")

// Golden compares text with a file of the package's testdata, which -Update writes anew.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *Update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	now, before := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range now {
		if i >= len(before) || now[i] != before[i] {
			t.Fatalf("%s differs from line %d on (-update writes it anew):\n%s", path, i+1, strings.Join(now[i:min(len(now), i+12)], "\n"))
		}
	}
	t.Fatalf("%s goes on behind line %d:\n%s", path, len(now), before[len(now)])
}
