package interval_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"overcrank/interval"
)

func TestWaitEndsWithItsTimeOrItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := interval.Wait(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(enough) })
		began = time.Now()
		if err := interval.Wait(ctx, time.Minute); !errors.Is(err, enough) || time.Since(began) != time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestEveryDoesNotCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+time.Millisecond)
		defer cancel()
		began, times := time.Now(), []time.Duration{}
		interval.Every(ctx, time.Second, func() {
			times = append(times, time.Since(began))
			if len(times) == 2 {
				time.Sleep(4500 * time.Millisecond)
			}
		})
		if want := 7; len(times) != want || times[2] != 6500*time.Millisecond {
			t.Errorf("it was done at %v", times)
		}
	})
}
