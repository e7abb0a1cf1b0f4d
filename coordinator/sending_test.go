package coordinator_test

import (
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestATaskThatWaitsForItsUploadTakesNoSlot(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	first, second := r.submit(toBucket), r.submit()
	l := s.lease()
	if l.Job != first.ID {
		t.Fatalf("job %s began first", l.Job)
	}
	s.silent()
	sending := wire.Heartbeat{Holding: []wire.Attempt{l.Attempt}, Sending: []wire.Attempt{l.Attempt, {Task: "no such task", Attempt: 1}}}
	s.say(wire.Message{Heartbeat: &sending})
	next := s.lease()
	if next.Job != second.ID {
		t.Fatalf("job %s began next", next.Job)
	}
	third := r.submit()
	s.say(wire.Message{Heartbeat: &sending})
	s.silent()
	r.waits(third, "The only machine that fits is busy.") // the slot counts once

	s.hangUp() // a new session says it again
	s.connect(l.Attempt, next.Attempt)
	s.say(wire.Message{Heartbeat: &sending})
	s.say(wire.Message{Finished: &wire.Finished{Attempt: next.Attempt, Output: s.render(next, "film")}})
	settled, last := s.hear(), s.hear()
	if settled.Settled == nil { // in either order
		settled, last = last, settled
	}
	if settled.Settled == nil || settled.Settled.Attempt != next.Attempt || last.Lease == nil || last.Lease.Job != third.ID {
		t.Fatalf("got %+v, %+v", settled, last)
	}
	if got := r.job(first.ID); got.Status != farm.JobRendering {
		t.Errorf("the job that waits for its upload is %s", got.Status)
	}
	s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "Upload of 'x' to bucket 'b' failed: 503"}})
	s.settled(l.Attempt)
	if got := r.job(first.ID); got.Status != farm.JobFailed || got.Error != "Upload of 'x' to bucket 'b' failed: 503" {
		t.Errorf("it ended as %s: %s", got.Status, got.Error)
	}
}

// A machine names so many tasks as waiting for their uploads and no more, however it spreads them over its heartbeats: otherwise one could
// take every job of the farm.
func TestUploadsThatTakeNoSlotAreBounded(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.enrol("box")
	s.connect()
	for range wire.MaxSending + 2 {
		r.submit(toBucket)
	}
	var holding []wire.Attempt
	for range wire.MaxSending + 1 {
		l := s.lease()
		holding = append(holding, l.Attempt)
		s.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: holding, Sending: []wire.Attempt{l.Attempt}}})
	}
	s.silent() // the last one takes the machine's slot, whatever it says of it
	s.say(wire.Message{Failed: &wire.Failed{Attempt: holding[0], Message: "Upload of 'x' to bucket 'b' failed: 503"}})
	s.settled(holding[0])
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: holding[1:], Sending: holding[wire.MaxSending:]}})
	s.lease() // one of the places is free again
}
