package apitest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"overcrank/api/answer"
)

// Golden compares what a value looks like on the wire with testdata/golden/NAME.json, or writes that file anew.
func Golden(t *testing.T, update bool, name string, value any) {
	t.Helper()
	plain, err := answer.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, plain, "", "  "); err != nil {
		t.Fatal(err)
	}
	got := indented.Bytes()
	path := filepath.Join("testdata", "golden", name+".json")
	if update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is now\n%s\nwant\n%s", name, got, want)
	}
}
