package sandbox

import (
	"testing"
	"time"
)

func TestTheClockCountsWork(t *testing.T) {
	var c Clock
	began := time.Now()
	c.Resume()
	for c.Read() < 20*time.Millisecond {
	}
	if passed := time.Since(began); c.Counted() > passed {
		t.Errorf("%v were counted within %v", c.Counted(), passed)
	}
}

// TestTheClockDoesNotCountWaiting: a process that gets no processor looks to it like one that sleeps.
func TestTheClockDoesNotCountWaiting(t *testing.T) {
	var c Clock
	began := time.Now()
	c.Resume()
	time.Sleep(200 * time.Millisecond)
	passed := time.Since(began)
	if counted := c.Read(); counted > passed/2 {
		t.Errorf("%v of %v were counted in which nothing was done", counted, passed)
	}
	c.Resume()
	if again := c.Read(); again > c.Counted() || again > passed {
		t.Errorf("what passed before the clock was resumed was counted: %v", again)
	}
}

func TestTheClockSharesTheProcessorAmongThoseWhoWorkTogether(t *testing.T) {
	alone, shared := Clock{}, Clock{Together: 4}
	alone.Resume()
	shared.Resume()
	for alone.Read() < 40*time.Millisecond {
	}
	if counted := shared.Read(); counted > alone.Counted()*3/4 {
		t.Errorf("%v were counted for one of four, %v for one alone", counted, alone.Counted())
	}
}
