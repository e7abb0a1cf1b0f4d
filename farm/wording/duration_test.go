package wording

import (
	"testing"
	"time"
)

func TestLengthsOfTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 55 * time.Millisecond: "55 ms", 100 * time.Millisecond: "0.1 s", 2500 * time.Millisecond: "2.5 s", 40 * time.Second: "40 s", 185 * time.Second: "3 min 5 s", 130 * time.Minute: "2 h 10 min",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is said as %q, want %q", d, got, want)
		}
	}
}
