package dispatch

import "time"

// crew carries out short pieces of work beside its givers, as many at once as it is given. A goroutine that has done one stays a moment for
// the next: the stack of a new one is small, and has to grow several times over for a report or a lease, which under load costs more than
// the goroutine.
type crew struct {
	hold func() (done func()) // is called for each goroutine; done is nil when none may begin any more
	work chan func()          // to those that are free
}

// stays is how long a goroutine stays without work. The end of a term waits for it.
const stays = 20 * time.Millisecond

func newCrew(hold func() (done func())) *crew { return &crew{hold: hold, work: make(chan func())} }

// carryOut has work done; false when nothing may begin any more.
func (c *crew) carryOut(work func()) bool {
	select {
	case c.work <- work:
		return true
	default:
	}
	done := c.hold()
	if done == nil {
		return false
	}
	go func() {
		defer done()
		c.serve(work)
	}()
	return true
}

func (c *crew) serve(work func()) {
	idle := time.NewTimer(stays)
	defer idle.Stop()
	for {
		work()
		idle.Reset(stays)
		select {
		case work = <-c.work:
		case <-idle.C:
			return
		}
	}
}
