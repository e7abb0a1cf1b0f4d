package agent

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestFontsOfAJobAreThereForAfterEffectsAndThenGone(t *testing.T) {
	fonts := newAdobeFonts("linux", t.TempDir())
	if _, err := fonts.install("x.ttf", "x.ttf"); err == nil || fonts.clear() != nil {
		t.Error("a system without After Effects has a folder for its fonts")
	}
	fonts.folder = t.TempDir()
	names := func() []string {
		entries, err := os.ReadDir(fonts.folder)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, strings.TrimPrefix(e.Name(), fonts.prefix))
		}
		return names
	}
	at := newAttempt(&agent{cfg: Config{Name: "night", DataDir: t.TempDir()}, fonts: fonts},
		wire.Lease{Attempt: wire.Attempt{Task: "job.1", Attempt: 2}, Fonts: []farm.FileRef{{Name: "a.ttf"}, {Name: "gone.ttf"}}},
		&feed{}, slog.New(slog.DiscardHandler))
	if err := os.MkdirAll(filepath.Join(at.dir, "fonts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(at.dir, "fonts", "a.ttf"), filepath.Join(fonts.folder, "overcrank-other-b.ttf"), filepath.Join(fonts.folder, "own.ttf")} {
		if err := os.WriteFile(path, []byte("font"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	others := []string{"overcrank-other-b.ttf", "own.ttf"}

	remove := at.installFonts()
	if got := names(); !slices.Equal(got, slices.Sorted(slices.Values(append([]string{"job.1-2-a.ttf"}, others...)))) {
		t.Errorf("while it renders: %q", got)
	}
	if w := at.warned(); len(w) != 1 || !strings.Contains(w[0], "Font 'gone.ttf' could not be installed") {
		t.Errorf("warned of %q", w)
	}
	remove()
	if got := names(); !slices.Equal(got, others) {
		t.Errorf("afterwards: %q", got)
	}

	at.installFonts() // and the agent is killed
	if err := fonts.clear(); err != nil {
		t.Error(err)
	}
	if got := names(); !slices.Equal(got, others) {
		t.Errorf("after the next start: %q", got)
	}
}
