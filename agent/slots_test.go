package agent

import (
	"testing"

	"overcrank/agent/attempt"
	"overcrank/farm/wire"
)

// TestAnUploadWithoutASlotTakesNone looks at the moment between the farm's being told that an upload takes no slot and its attempt's end.
func TestAnUploadWithoutASlotTakesNone(t *testing.T) {
	s := newSlots(nil)
	one, two := wire.Attempt{Task: "job.1", Attempt: 1}, wire.Attempt{Task: "job.2", Attempt: 1}
	s.running[one], s.running[two] = func(error) {}, func(error) {}
	if n := s.takenWithout("job.3"); n != 2 {
		t.Errorf("two that run take %d slots", n)
	}
	s.uploads[one] = new(attempt.Upload)
	if n := s.takenWithout("job.3"); n != 1 {
		t.Errorf("with the upload of one on its way they take %d slots", n)
	}
}
