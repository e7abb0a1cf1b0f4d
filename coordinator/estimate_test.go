package coordinator_test

import (
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// estimate is how long a job is likely to take, without what it waits for before; nil when nobody can tell.
func (r *rig) estimate(job farm.Job) *farm.Span {
	r.t.Helper()
	placement, err := r.Placement(r.t.Context(), r.admin, job.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	if placement.Finish != nil && placement.Start != nil {
		placement.Finish.Low -= placement.Start.Low
		placement.Finish.High -= placement.Start.High
	}
	return placement.Finish
}

// measuredRun renders a job of 100 frames, each of which takes a second, on the only machine, whose clock goes on with it.
func measuredRun(s *studio, c *clock, before func(job farm.Job, lease wire.Lease)) {
	s.t.Helper()
	job := s.film()
	h := held{s.stations[0], s.stations[0].lease()}
	before(job, h.Lease)
	c.pass(102 * time.Second)
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.render(h.Lease, "film"), Measured: farm.Measured{
		Engine: "embedded 1", StartSeconds: 2, Frames: 100, FrameSeconds: 100,
	}}})
	h.through()
}

func TestEstimatesAreLearned(t *testing.T) {
	c := newClock()
	s := &studio{rig: open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })}
	s.template = s.uploaded(project(t, []string{"main"})).ID
	mac := s.enrol("mac")
	mac.connect()
	s.stations = append(s.stations, mac)

	measuredRun(s, c, func(job farm.Job, l wire.Lease) {
		if span := s.estimate(job); span == nil || !span.Learning || span.High != 0 {
			t.Errorf("before anything was measured: %+v", span)
		}
		c.pass(50 * time.Second)
		mac.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 50, FramesTotal: 100}})
		s.eventually("its own pace tells something", func() bool {
			span := s.estimate(job)
			return span != nil && span.Learning && span.Low > 20 && span.Low < 50 && span.High > 50 && span.High < 120
		})
	})
	for range 3 {
		measuredRun(s, c, func(farm.Job, wire.Lease) {})
	}
	var previous farm.Span
	measuredRun(s, c, func(job farm.Job, l wire.Lease) {
		span := s.estimate(job)
		if span == nil || span.Learning || span.Low < 60 || span.Low > 102 || span.High < 102 || span.High > 160 {
			t.Fatalf("with four measurements: %+v", span)
		}
		waiting := s.film()
		if span := s.estimate(waiting); span == nil || span.Low > 102 || span.High < 102 {
			t.Errorf("of one that waits: %+v", span)
		}
		if placement, err := s.Placement(t.Context(), s.admin, job.ID); err != nil || placement.Finish == nil || *placement.Finish != *span {
			t.Errorf("placement %+v, %v", placement.Finish, err)
		}
		if _, err := s.CancelJobs(t.Context(), s.admin, []string{waiting.ID}, false); err != nil {
			t.Fatal(err)
		}
		previous = *span
		mac.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 90}})
		c.pass(92 * time.Second)
		s.eventually("the range shrinks", func() bool {
			span := s.estimate(job)
			return span != nil && span.High < previous.High/3 && span.Low <= 10 && span.High >= 10
		})
	})
	held := s.film(func(j *farm.Job) { j.Hold = true })
	if span := s.estimate(held); span != nil {
		t.Errorf("of a held job: %+v", span)
	}
}

func TestALongFilmIsEstimatedByItsFrames(t *testing.T) {
	c := newClock()
	s := &studio{rig: open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = time.Hour })}
	mac := s.enrol("mac")
	mac.connect()
	job := s.submit()
	l := mac.lease()
	const total = 432_000 // four hours of a film at 30 frames per second
	tell := func(phase string, percent float64, frame int) {
		mac.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: percent, Phase: phase, Frame: frame, FramesTotal: total}})
		s.eventually("it is told", func() bool { return s.job(job.ID).Progress == percent })
	}
	rendered := func(frames int) float64 { return 0.5 + 98.5*float64(frames)/total }
	c.pass(3 * time.Second)
	tell("fetching", 0.3, 0)
	tell("preparing", 0.5, 0)
	if span := s.estimate(job); span == nil || !span.Learning || span.High != 0 {
		t.Errorf("before the first frame: %+v", span)
	}
	tell("rendering", rendered(1), 0)
	before := 1
	for _, frames := range []int{2250, 67_500, 400_000} {
		c.pass(time.Duration(frames-before) * 14 * time.Millisecond)
		before = frames
		tell("rendering", rendered(frames), frames-1)
		left := float64(total-frames) * 0.014 // seconds
		if span := s.estimate(job); span == nil || span.Low > left || span.High < left || span.Low < left/2 || span.High > 2*left {
			t.Errorf("at frame %d, with %.0f s left: %+v", frames, left, span)
		}
	}
}

func TestTheQuickMachineIsPreferred(t *testing.T) {
	s := openStudio(t, 2)
	slow, quick := s.stations[0], s.stations[1]
	alone := func(j *farm.Job) { j.MaxMachines = 1 }
	// Each renders the composition once, the first of them slowly.
	for _, seconds := range []float64{500, 50} {
		job := s.film(alone)
		h := s.nextOf(job)
		if other := (seconds == 500) != (h.station == slow); other {
			slow, quick = quick, slow
		}
		h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.render(h.Lease, "film"), Measured: farm.Measured{
			Engine: "embedded 1", StartSeconds: 1, Frames: 100, FrameSeconds: seconds,
		}}})
		h.through()
		if seconds == 500 { // the other one has a turn while this one is away
			h.hangUp()
		} else {
			slow.connect()
		}
	}
	for range 3 {
		h := s.nextOf(s.film(alone))
		if h.station != quick {
			t.Errorf("the slow machine got it")
		}
		h.result("film")
	}
}
