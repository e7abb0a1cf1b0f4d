package agent

import (
	"time"

	"overcrank/farm/wire"
)

// givenBack is why an attempt ends that the machine gives back to the farm.
type givenBack struct {
	reason string
	// patient says that nobody waits for the machine: frames that are done may take longer on their way.
	patient bool
}

func (g *givenBack) Error() string { return "given back: " + g.reason }

// giveBack gives all attempts back to the farm, for a reason in the words of a job's log: at once, or when the frame in work is done,
// which may take so long. Frames of ranges that are done go along. It does not wait.
func (b *board) giveBack(reason string, frame time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at, cancel := range b.running {
		end := func() { cancel(&givenBack{reason: reason}) }
		if f := b.feeds[at]; frame > 0 && f != nil {
			f.atNextFrame(end, frame)
			continue
		}
		end()
	}
}

// askedToEnd is why an attempt ends that the farm stops.
func (a *agent) askedToEnd(c wire.Cancel) error {
	if c.GiveBack {
		return &givenBack{reason: a.givenBackFor(c.Reason), patient: true}
	}
	return &cancelled{reason: c.Reason}
}
