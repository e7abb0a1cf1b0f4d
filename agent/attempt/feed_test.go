package attempt

import (
	"encoding/json"
	"strings"
	"testing"

	"overcrank/farm/wire"
)

// An engine may write what it likes: no message may be one that the farm refuses, or the link would break for ever.
func TestMessagesStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	f := &Feed{wake: func() {}}
	for range 3000 {
		f.log(strings.Repeat("\x01", 3*wire.MaxLine)) // six bytes each as JSON
	}
	f.log("end")
	lines, last := 0, ""
	for _, m := range f.Take() {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > wire.MaxMessage || len(m.Log.Lines) > wire.MaxLines {
			t.Fatalf("a message of %d lines and %d bytes", len(m.Log.Lines), len(b))
		}
		for _, line := range m.Log.Lines {
			if len(line) > wire.MaxLine {
				t.Fatalf("a line of %d bytes", len(line))
			}
			lines, last = lines+1, line
		}
	}
	if lines != 3001 || last != "end" {
		t.Errorf("%d lines came, the last one %.20q", lines, last)
	}
}

func TestTheBarOfALongFilmIsOfItsFrames(t *testing.T) {
	t.Parallel()
	f := &Feed{wake: func() {}}
	f.at("fetching", 1, 0, 0)
	f.at("preparing", 1, 0, 0)
	const total = 432_000
	for _, frames := range []int{0, 864, 43_200, 216_000, total} {
		f.at("rendering", float64(frames)/total, frames, total)
		if share := 100 * float64(frames) / total; f.progress.Percent < share-1 || f.progress.Percent > share+0.5 {
			t.Errorf("with %d frames, %.2f %% of them, the bar is at %g %%", frames, share, f.progress.Percent)
		}
	}
}
