package farmclient

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"
)

// TestACallIsLookedAtAtOnce: on a machine that stands still the first look is due before Send has gone on.
func TestACallIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	farm := New([]string{"http://a:8080"}, slog.New(slog.DiscardHandler))
	for range 200 {
		ctx, cancel := context.WithCancelCause(t.Context())
		looked := make(chan struct{})
		c := &call{r: farm, base: farm.Address(), cancel: cancel, moved: time.Now(), left: leftReading}
		c.watch(0, func() { c.look(); close(looked) })
		<-looked
		c.end()
		if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
			t.Fatalf("it ended with %v", why)
		}
	}
}
