package templates

import (
	"strings"
	"testing"
)

func TestFramesOfReelsFitTheirPlace(t *testing.T) {
	for _, c := range []struct{ width, height, want int }{{1920, 1080, 320}, {1080, 1920, 180}, {100, 100, 320}, {1, 30000, 16}, {0, 0, 320}} {
		if got := reelWidth(c.width, c.height); got != c.want {
			t.Errorf("%d by %d is drawn %d wide, want %d", c.width, c.height, got, c.want)
		}
	}
	if got := shortly(strings.Repeat("é", 400)); len(got) > longestWhy+len("…") || !strings.HasSuffix(got, "…") || strings.ContainsRune(got, '\uFFFD') {
		t.Errorf("a long reason is cut to %q", got)
	}
}
