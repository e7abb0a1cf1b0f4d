package templates

import (
	"strings"
	"testing"

	"overcrank/farm"
)

// TestAFileIsNoFolder: an archive with both could not be unpacked on a machine.
func TestAFileIsNoFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		wrong string
	}{
		{[]string{"p.aep", "a", "b/a"}, ""},
		{[]string{"p.aep", "a/b", "a/c", "ab"}, ""},
		{[]string{"p.aep", "a", "a/b"}, "files[2].name"},
		{[]string{"p.aep", "A/b/c/d", "a/B"}, "files[1].name"},
		{[]string{"p.aep", "p.aep/footage.mov"}, "files[1].name"},
	} {
		pieces := make([]Piece, len(c.names))
		for i, name := range c.names {
			pieces[i] = Piece{Name: name, File: farm.StoredFile{Team: "team"}}
		}
		err := checkPieces(farm.Principal{Team: "team"}, pieces)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%q: it is %v, want %q", c.names, err, c.wrong)
		}
	}
}
