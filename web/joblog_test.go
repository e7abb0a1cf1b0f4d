package web

import (
	"slices"
	"strings"
	"testing"
)

func TestALogIsCutIntoWholeLines(t *testing.T) {
	full := strings.Repeat("x", logWindow)
	for _, c := range []struct {
		name, raw string
		inside    bool
		lines     []string
		next      int
	}{
		{"nothing", "", false, nil, 0},
		{"two lines", "a\nb\n", false, []string{"a", "b"}, 4},
		{"of Windows", "a\r\nb\r\n", false, []string{"a", "b"}, 6},
		{"a line that is being written", "a\nb", false, []string{"a"}, 2},
		{"only such a line", "a", false, nil, 0},
		{"from within a line", "tail\nb\n", true, []string{"b"}, 7},
		{"a line longer than the window", full, false, []string{full}, logWindow},
		{"no text", "a\xff\n", false, []string{"a\uFFFD"}, 3},
	} {
		got := cutLines([]byte(c.raw), c.inside)
		if !slices.Equal(got.lines, c.lines) || got.next != int64(c.next) {
			t.Errorf("%s: %.80q up to %d, want %.80q up to %d", c.name, got.lines, got.next, c.lines, c.next)
		}
	}
}
