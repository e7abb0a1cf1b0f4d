package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"overcrank/farm/wire"
)

// An engine may write what it likes: no message may be one that the farm refuses, or the link would break for ever.
func TestMessagesStayWithinTheirBounds(t *testing.T) {
	f := &feed{wake: func() {}}
	for range 3000 {
		f.log(strings.Repeat("\x01", 3*wire.MaxLine)) // six bytes each as JSON
	}
	f.log("end")
	lines, last := 0, ""
	for _, m := range f.take() {
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
