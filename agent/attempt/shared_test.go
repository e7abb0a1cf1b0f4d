package attempt

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"overcrank/farm/wire"
)

func TestWhoSharesFrames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "frames")
	for name, c := range map[string]struct {
		lease wire.Lease
		limit int64
		want  []string
	}{
		"a usual job":         {wire.Lease{}, 8000, []string{"OVERCRANK_FRAMES=" + dir, "OVERCRANK_FRAMES_ROOM=1000"}},
		"switched off":        {wire.Lease{}, 0, []string{"OVERCRANK_FRAMES="}},
		"one that is private": {wire.Lease{Discard: true}, 8000, []string{"OVERCRANK_FRAMES="}},
		"one with secrets":    {wire.Lease{Secrets: wire.Secrets{"name": "value"}}, 8000, []string{"OVERCRANK_FRAMES="}},
	} {
		m := &Machine{Slots: 2, Shared: Shared{Dir: dir, Limit: c.limit}}
		a := &attempt{journal: &journal{log: slog.New(slog.DiscardHandler)}, machine: m, lease: c.lease}
		if got := a.sharedFrames(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was made before there is a frame")
	}
}
