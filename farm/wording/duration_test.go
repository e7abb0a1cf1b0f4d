package wording

import (
	"testing"
	"time"
)

func TestLengthsOfTime(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 55 * time.Millisecond: "55 ms", 100 * time.Millisecond: "0.1 s", 2500 * time.Millisecond: "2.5 s", 40 * time.Second: "40 s", 185 * time.Second: "3 min 5 s", 130 * time.Minute: "2 h 10 min",
		300 * time.Second: "5 min", 2 * time.Hour: "2 h", 2*time.Hour + 20*time.Second: "2 h",
		9990 * time.Millisecond: "10 s", 59700 * time.Millisecond: "1 min", 119600 * time.Millisecond: "2 min", time.Hour - 300*time.Millisecond: "1 h", 3*time.Hour - 10*time.Second: "3 h",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v is said as %q, want %q", d, got, want)
		}
	}
}

func TestWaitsAreOfWholeSeconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "1 s", 1200 * time.Millisecond: "2 s", 9 * time.Second: "9 s", 40 * time.Second: "40 s", 299500 * time.Millisecond: "5 min", 301 * time.Second: "5 min 1 s"} {
		if got := Wait(d).String(); got != want {
			t.Errorf("a wait of %v is said as %q, want %q", d, got, want)
		}
	}
}
