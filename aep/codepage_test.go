package aep

import (
	"testing"

	"golang.org/x/text/encoding/charmap"
)

func TestEncodingsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	var every []byte
	for b := range 256 {
		every = append(every, byte(b))
	}
	for name, c := range map[string]struct {
		encoding string
		want     *charmap.Charmap
	}{"Windows": {windows1252, charmap.Windows1252}, "Mac OS": {macRoman, charmap.Macintosh}, "archives": {codePage437, charmap.CodePage437}} {
		want, err := c.want.NewDecoder().Bytes(every)
		if got := inEncoding(string(every), c.encoding); err != nil || got != string(want) {
			t.Errorf("%s: %q, want %q: %v", name, got, want, err)
		}
	}
}
