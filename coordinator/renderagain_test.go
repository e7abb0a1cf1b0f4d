package coordinator_test

import (
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestBadFramesAreRenderedAgainAlone(t *testing.T) {
	s := openStudio(t, 2)
	job := s.film()
	ranges := s.leases(s.stations...)
	mac := ranges[1].station
	ranges[1].done()
	held{mac, mac.lease()}.done() // the sound
	ranges[0].hangUp()
	// What the lost machine had is rendered by the other when its lease is over; here it comes back and finishes.
	ranges[0].connect(ranges[0].Attempt)
	ranges[0].done()
	assemble := s.nextOf(job)
	bad := []farm.Frames{{Start: 20, End: 21}, {Start: 70, End: 70}}
	assemble.say(wire.Message{Failed: &wire.Failed{Attempt: assemble.Attempt, Message: "frames are missing", Retry: true, Bad: bad}})
	assemble.through()
	for range bad {
		h := s.nextOf(job)
		if !h.Part || h.Kind != farm.TaskRender || !slices.Contains(bad, h.frames()) {
			t.Fatalf("leased %+v", h.Lease)
		}
		h.done()
	}
	assemble = s.nextOf(job)
	if last := assemble.Parts[len(assemble.Parts)-1]; !slices.Contains(bad, last.Frames) {
		t.Errorf("the parts are %+v", assemble.Parts)
	}
	assemble.covers(farm.Frames{End: 99})
	assemble.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("ended as %s", got.Status)
	}
}

func TestFramesThatSomebodyWantsAreRenderedAgain(t *testing.T) {
	s := openStudio(t, 2)
	job := s.film()
	ranges := s.leases(s.stations...)
	ranges[1].done()
	held{ranges[1].station, ranges[1].lease()}.done() // the sound
	ranges[0].done()
	assemble := s.nextOf(job)
	want := farm.Frames{Start: 20, End: 22}
	again, err := s.RenderAgain(t.Context(), s.admin, job.ID, []farm.Frames{want}, false)
	if err != nil || again.Take || again.Job.ID != job.ID || !slices.Equal(again.Frames, []farm.Frames{want}) {
		t.Fatalf("it came to %+v, %v", again, err)
	}
	if m := assemble.hear(); m.Cancel == nil || m.Cancel.Attempt != assemble.Attempt {
		t.Fatalf("the machine that puts the film together hears %+v", m)
	}
	assemble.say(wire.Message{Failed: &wire.Failed{Attempt: assemble.Attempt, Cancelled: true}})
	assemble.through()
	h := s.nextOf(job)
	if !h.Part || h.Kind != farm.TaskRender || h.frames() != want {
		t.Fatalf("leased %+v", h.Lease)
	}
	h.done()
	assemble = s.nextOf(job)
	if last := assemble.Parts[len(assemble.Parts)-1]; last.Frames != want {
		t.Errorf("the parts are %+v", assemble.Parts)
	}
	assemble.covers(farm.Frames{End: 99})
	assemble.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("ended as %s", got.Status)
	}
	if log := s.log(job.ID); !strings.Contains(log, "has frames rendered again: 20–22") {
		t.Errorf("the log says %q", log)
	}
	_, err = s.RenderAgain(t.Context(), s.admin, job.ID, []farm.Frames{want}, false)
	wantCode(t, err, farm.CodeConflict)
	take, err := s.RenderAgain(t.Context(), s.admin, job.ID, []farm.Frames{want}, true)
	if err != nil || !take.Take || s.job(take.Job.ID).TakeOf != job.ID {
		t.Errorf("the take is %+v, %v", take, err)
	}
}

// TestFramesOfAFinishedSequenceAreRenderedAgain has them drawn anew, as a take with these frames only, which nobody else is sent.
func TestFramesOfAFinishedSequenceAreRenderedAgain(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film(func(j *farm.Job) {
		j.Settings = farm.Settings{Type: "image", Frames: &farm.Frames{Start: 10, End: 29}}
		j.Webhook = &farm.Webhook{URL: "http://hooks.test/done"}
	})
	held{s.stations[0], s.stations[0].lease()}.result("the pictures")
	if got := s.job(job.ID); got.Status != farm.JobFinished || !got.Sequence() {
		t.Fatalf("the sequence is %s", got.Status)
	}
	for _, frames := range [][]farm.Frames{{{Start: 3, End: 4}}, {{Start: 12, End: 12}, {Start: 20, End: 21}}} {
		_, err := s.RenderAgain(t.Context(), s.admin, job.ID, frames, false)
		wantCode(t, err, farm.CodeInvalid)
	}
	again, err := s.RenderAgain(t.Context(), s.admin, job.ID, []farm.Frames{{Start: 28, End: 28}, {Start: 29, End: 40}}, false)
	want := farm.Frames{Start: 28, End: 29}
	if err != nil || !again.Take || !slices.Equal(again.Frames, []farm.Frames{want}) {
		t.Fatalf("it came to %+v, %v", again, err)
	}
	if take := s.job(again.Job.ID); take.TakeOf != job.ID || take.Webhook != nil || !take.Settings.DrawAll {
		t.Errorf("the take is %+v", take)
	}
	lease := s.stations[0].lease()
	if lease.Job != again.Job.ID || lease.Settings.Frames == nil || *lease.Settings.Frames != want {
		t.Errorf("leased %+v", lease)
	}
}

// nextOf is the next lease that any machine gets.
func (s *studio) nextOf(job farm.Job) (next held) {
	s.t.Helper()
	s.eventually("something of the job is leased", func() bool {
		for _, mac := range s.stations {
			select {
			case m := <-mac.toAgent:
				if m.Lease == nil || m.Lease.Job != job.ID {
					s.t.Fatalf("got %+v", m)
				}
				next = held{mac, *m.Lease}
				return true
			default:
			}
		}
		return false
	})
	return next
}
