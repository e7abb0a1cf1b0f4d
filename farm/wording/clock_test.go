package wording

import (
	"testing"
	"time"
)

func TestTimesOfTheClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 1, 31, 18, 30, 5, 0, time.FixedZone("CET", 3600))
	if got, want := UTC(at), "2027-01-31 17:30:05 UTC"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Moment(at).String(), "31 Jan 17:30 UTC"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, err := time.ParseInLocation(time.DateTime, Local(at), time.Local); err != nil || !got.Equal(at) {
		t.Errorf("%q is read as %v, %v", Local(at), got, err)
	}
}
