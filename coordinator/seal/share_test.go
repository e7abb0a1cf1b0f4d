package seal_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/coordinator/seal"
)

func TestTakeKeysOfAnotherNode(t *testing.T) {
	one, two := ring(t, filepath.Join(t.TempDir(), "secrets.key")), ring(t, filepath.Join(t.TempDir(), "secrets.key"))
	first := bytes.Repeat([]byte{3}, seal.FirstSize)
	for _, r := range []*seal.Ring{one, two, two} {
		if err := r.Begin(first); err != nil {
			t.Fatal(err)
		}
	}
	if len(one.Keys()) != 1 || !slices.Equal(one.Keys(), two.Keys()) {
		t.Fatal("the same bytes made different keys")
	}
	made, id, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	// First as an old one, so that both have it before one of them seals with it.
	for _, keys := range [][]string{append([]string{made}, one.Keys()...), append(one.Keys(), made)} {
		for _, r := range []*seal.Ring{two, one} {
			if err := r.Take(keys); err != nil {
				t.Fatal(err)
			}
		}
		if newest := one.IDs()[1]; (newest == id) != (keys[1] == made) {
			t.Fatalf("%s seals once the keys are %v", newest, one.IDs())
		}
	}
	key, sealed, err := one.Seal("me", "value")
	if err != nil || key != id {
		t.Fatalf("sealed with %s, %v", key, err)
	}
	again := ring(t, two.Path())
	if value, err := again.Open(key, sealed, "me"); err != nil || value != "value" {
		t.Errorf("the other node opens it as %q, %v", value, err)
	}
	own, err := two.Add()
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Take(one.Keys()); err != nil {
		t.Fatal(err)
	}
	if ids := two.IDs(); ids[0] != own || ids[len(ids)-1] != id {
		t.Errorf("the keys are %v; a key of its own goes before those that it was given, and %s seals", ids, id)
	}
	before := two.Keys()
	if err := two.Take([]string{"nonsense"}); err == nil || !slices.Equal(before, two.Keys()) {
		t.Errorf("nonsense was taken: %v", err)
	}
}
