package cache

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTemplatesAreRememberedByTheirUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "templates.json")
	list := OpenTemplates(path, slog.New(slog.DiscardHandler))
	hash := func(i int) string { return fmt.Sprintf("%016x%s", i, strings.Repeat("f", 48)) }
	for i := range maxTemplates + 50 {
		list.Used(hash(i))
	}
	list.Used(hash(100))
	all := func(string) bool { return true }
	if told := list.Present(all); len(told) != maxTemplates || told[0] != hash(100)[:templateDigits] || told[1] != hash(maxTemplates + 49)[:templateDigits] {
		t.Errorf("told %d, first %q", len(told), told[:2])
	}
	again := OpenTemplates(path, slog.New(slog.DiscardHandler))
	if told := again.Present(func(sha string) bool { return sha == hash(100) || sha == hash(0) }); !slices.Equal(told, []string{hash(100)[:templateDigits]}) {
		t.Errorf("told %q", told)
	}
	if err := os.WriteFile(path, []byte(`["x",7`), 0o600); err != nil {
		t.Fatal(err)
	}
	if told := OpenTemplates(path, slog.New(slog.DiscardHandler)).Present(all); len(told) != 0 {
		t.Errorf("of a damaged file %q is told", told)
	}
}
