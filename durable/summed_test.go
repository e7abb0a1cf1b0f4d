package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/durable"
)

type thing struct {
	Name string   `json:"name,omitempty"`
	List []string `json:"list,omitempty"`
}

// flips calls try with a file that differs from what was written in one bit, for each of its bits.
func flips(t *testing.T, path string, try func(bit int)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		try(bit)
		text[bit/8] ^= 1 << (bit % 8)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFlippedBitIsSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	object := filepath.Join(dir, "a.json")
	for _, want := range []thing{{}, {Name: "farm", List: []string{"a", "b"}}} {
		if err := durable.WriteJSON(object, want, 0o600); err != nil {
			t.Fatal(err)
		}
		flips(t, object, func(bit int) {
			var got thing
			err := durable.ReadJSON(object, &got)
			var damaged *durable.DamagedError
			switch {
			case err == nil && got.Name == want.Name && strings.Join(got.List, "") == strings.Join(want.List, ""):
			case !errors.As(err, &damaged) || damaged.Path != object:
				t.Fatalf("with bit %d flipped it says %+v, %v", bit, got, err)
			}
		})
		var got thing
		if err := durable.ReadJSON(object, &got); err != nil || got.Name != want.Name {
			t.Fatalf("read back: %+v, %v", got, err)
		}
	}
	line := filepath.Join(dir, "key")
	if err := durable.WriteSummed(line, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flips(t, line, func(bit int) {
		var damaged *durable.DamagedError
		if got, err := durable.ReadSummed(line); !errors.As(err, &damaged) || damaged.Path != line || !strings.Contains(err.Error(), line+".sum") {
			t.Fatalf("with bit %d flipped it is %q, %v", bit, got, err)
		}
	})
	flips(t, line+durable.SumSuffix, func(bit int) {
		if got, err := durable.ReadSummed(line); err != nil || string(got) != "secret\n" {
			t.Fatalf("with bit %d of its hash flipped it is %q, %v", bit, got, err)
		}
	})
}

// Files of earlier releases have no hash; the first that is read gets one.
func TestFilesWithoutAHashAreTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	object, line := filepath.Join(dir, "a.json"), filepath.Join(dir, "key")
	if err := errors.Join(os.WriteFile(object, []byte(`{"name": "farm"}`), 0o600), os.WriteFile(line, []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var got thing
	if err := durable.ReadJSON(object, &got); err != nil || got.Name != "farm" {
		t.Errorf("%+v, %v", got, err)
	}
	if text, err := durable.ReadSummed(line); err != nil || string(text) != "secret" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.WriteFile(line, []byte("secreT"), 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged *durable.DamagedError
	if text, err := durable.ReadSummed(line); !errors.As(err, &damaged) {
		t.Errorf("a file that has got its hash: %q, %v", text, err)
	}
	if _, err := durable.ReadSummed(filepath.Join(dir, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := durable.WriteJSON(object, []string{"no object"}, 0o600); err == nil {
		t.Error("a list has got a hash")
	}
}
