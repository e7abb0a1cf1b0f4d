package throttle_test

import (
	"fmt"
	"testing"
	"time"

	"overcrank/api/throttle"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestACallerGetsItsBurstAndThenItsRate(t *testing.T) {
	th := throttle.New(throttle.Limit{PerSecond: 2, Burst: 3})
	for i := range 3 {
		if wait := th.Take("a", noon); wait != 0 {
			t.Fatalf("request %d of the burst waits %s", i, wait)
		}
	}
	for range 5 { // asking again does not make the wait longer
		if wait := th.Take("a", noon); wait != 500*time.Millisecond {
			t.Fatalf("behind the burst the wait is %s", wait)
		}
	}
	if wait := th.Take("b", noon); wait != 0 {
		t.Errorf("another caller waits %s", wait)
	}
	if wait := th.Take("a", noon.Add(500*time.Millisecond)); wait != 0 {
		t.Errorf("after its wait the caller waits %s", wait)
	}
	if wait := th.Take("a", noon.Add(600*time.Millisecond)); wait == 0 {
		t.Error("the rate does not hold")
	}
}

// TestRequestsOutOfTheirOrderGainNothing has a caller come now and a little earlier, in turns.
func TestRequestsOutOfTheirOrderGainNothing(t *testing.T) {
	th := throttle.New(throttle.Limit{PerSecond: 10, Burst: 10})
	passed := 0
	for i := range 100 {
		if th.Take("a", noon.Add(time.Duration(i%2)*50*time.Millisecond)) == 0 {
			passed++
		}
	}
	if passed != 10 {
		t.Errorf("%d of 100 requests within 50 ms passed, want the burst of 10", passed)
	}
}

func TestWithoutALimitEverythingPasses(t *testing.T) {
	th := throttle.New(throttle.Limit{})
	for range 1000 {
		if wait := th.Take("a", noon); wait != 0 {
			t.Fatalf("a caller waits %s", wait)
		}
	}
}

func TestTheBurstIsTwoSecondsWorth(t *testing.T) {
	for perSecond, want := range map[float64]int{0.1: 1, 1: 2, 2.5: 5} {
		th := throttle.New(throttle.Limit{PerSecond: perSecond})
		got := 0
		for th.Take("a", noon) == 0 {
			got++
		}
		if got != want {
			t.Errorf("%v a second: a burst of %d, want %d", perSecond, got, want)
		}
	}
}

func TestManyCallersTakeBoundedRoom(t *testing.T) {
	th := throttle.New(throttle.Limit{PerSecond: 1, Burst: 1})
	th.Take("first", noon)
	if th.Take("first", noon) == 0 {
		t.Fatal("the first caller is not held back")
	}
	for i := range 100_000 {
		th.Take(fmt.Sprint("caller ", i), noon)
	}
	if th.Take("first", noon) != 0 {
		t.Error("a caller is remembered behind 100,000 others")
	}
}

func TestRetryAfterIsInWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]string{time.Millisecond: "1", time.Second: "1", 1100 * time.Millisecond: "2", 90 * time.Second: "90"} {
		if got := throttle.RetryAfter(wait); got != want {
			t.Errorf("%s: %s, want %s", wait, got, want)
		}
	}
}
