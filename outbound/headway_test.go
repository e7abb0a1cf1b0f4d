package outbound_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"overcrank/outbound"
)

// moving is why a transfer ends of which so many bytes move at a time, with a pause between; nil when it goes on for an hour.
func moving(t *testing.T, asked outbound.Headway, bytes int, pause time.Duration) (why error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		watch := asked.Watch(cancel)
		defer watch.Stop()
		for begun := time.Now(); ctx.Err() == nil && time.Since(begun) < time.Hour; {
			time.Sleep(pause)
			watch.Moved(bytes)
		}
		why = context.Cause(ctx)
	})
	return why
}

func TestWhatHardlyMovesIsEnded(t *testing.T) {
	usual := outbound.UsualHeadway(30 * time.Second)
	patient := outbound.UsualHeadway(5 * time.Minute)
	for name, c := range map[string]struct {
		asked outbound.Headway
		bytes int
		pause time.Duration
		want  error
	}{
		"a byte now and then":              {usual, 1, 29 * time.Second, outbound.ErrTooSlow},
		"nothing":                          {usual, 0, 29 * time.Second, outbound.ErrStalled},
		"a slow line":                      {usual, 8 << 10, time.Second, nil},
		"a byte each minute, with pauses":  {patient, 1, time.Minute, outbound.ErrTooSlow},
		"a part each four minutes":         {patient, 16 << 20, 4 * time.Minute, nil},
		"nothing though there is patience": {patient, 0, time.Minute, outbound.ErrStalled},
	} {
		if got := moving(t, c.asked, c.bytes, c.pause); !errors.Is(got, c.want) {
			t.Errorf("%s: ended with %v, want %v", name, got, c.want)
		}
	}
}
