package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/coordinator/seal"
)

func ring(t *testing.T, path string) *seal.Ring {
	t.Helper()
	r, err := seal.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOnlyTheOwnerOpensAValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.key")
	r := ring(t, path)
	if _, _, err := r.Seal("me", "value"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("sealing without a key: %v", err)
	}
	id, err := r.Add()
	if err != nil {
		t.Fatal(err)
	}
	key, sealed, err := r.Seal("me", "a value")
	if err != nil || key != id || bytes.Contains(sealed, []byte("a value")) {
		t.Fatalf("sealed with %s: %q, %v", key, sealed, err)
	}
	if _, again, err := r.Seal("me", "a value"); err != nil || bytes.Equal(again, sealed) {
		t.Errorf("the same value seals to the same bytes: %v", err)
	}
	for _, r := range []*seal.Ring{r, ring(t, path)} {
		if value, err := r.Open(key, sealed, "me"); err != nil || value != "a value" {
			t.Errorf("opened %q, %v", value, err)
		}
	}
	if _, err := r.Open(key, sealed, "you"); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("another owner: %v", err)
	}
	for i := range sealed {
		spoiled := bytes.Clone(sealed)
		spoiled[i] ^= 1
		if _, err := r.Open(key, spoiled, "me"); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("byte %d changed: %v", i, err)
		}
	}
	if _, err := r.Open(key, sealed[:5], "me"); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("cut: %v", err)
	}
	if _, err := r.Open("ffffffff", sealed, "me"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("another key: %v", err)
	}
}

func TestNewestKeySealsAndOldOnesOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.key")
	r := ring(t, path)
	first, err := r.Add()
	if err != nil {
		t.Fatal(err)
	}
	_, old, err := r.Seal("me", "old")
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.Add()
	if err != nil {
		t.Fatal(err)
	}
	if key, _, err := r.Seal("me", "new"); err != nil || key != second {
		t.Errorf("sealed with %s, %v", key, err)
	}
	if value, err := ring(t, path).Open(first, old, "me"); err != nil || value != "old" {
		t.Errorf("opened %q, %v", value, err)
	}
	if err := r.Drop([]string{first, second}); err != nil {
		t.Fatal(err)
	}
	if ids := ring(t, path).IDs(); len(ids) != 1 || ids[0] != second {
		t.Errorf("the keys are %v", ids)
	}
	if _, err := r.Open(first, old, "me"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("with a dropped key: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file is %v, %v", info.Mode(), err)
	}
}

func TestDamagedKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secrets.key")
	if _, err := ring(t, path).Add(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(good), "\n")
	line := all[slices.IndexFunc(all, func(l string) bool { return !strings.HasPrefix(l, "#") })]
	for what, text := range map[string]string{
		"empty": "", "comments": "# nothing\n", "cut": string(good[:len(good)-5]), "twice": string(good) + line, "noise": "hello world\n", "short id": "ab " + strings.Repeat("0", 64) + "\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Load(path); err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
