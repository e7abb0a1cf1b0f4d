package agent

import (
	"time"
)

// frameEndPatience is how long the frame in work may take when a task is given back at its end.
const frameEndPatience = time.Minute

// givenBack is why an attempt ends that the machine gives back to the farm.
type givenBack struct{ reason string }

func (g *givenBack) Error() string { return "given back: " + g.reason }

// giveBack gives all attempts back to the farm, for a reason in the words of a job's log: at once, or when the frame in work is done.
// Frames of ranges that are done go along. It does not wait.
func (b *board) giveBack(reason string, frameEnd bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at, cancel := range b.running {
		end := func() { cancel(&givenBack{reason}) }
		if f := b.feeds[at]; frameEnd && f != nil {
			f.atNextFrame(end, frameEndPatience)
			continue
		}
		end()
	}
}
