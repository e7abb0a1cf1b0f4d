package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestFramesThatWereDoneAreGoneOnFrom(t *testing.T) {
	s := openStudio(t, 2)
	job := s.film()
	ranges := s.leases(s.stations...)
	first := ranges[0]
	done := farm.Frames{Start: 0, End: 9}
	out := first.part(done)
	first.say(wire.Message{Failed: &wire.Failed{Attempt: first.Attempt, Cancelled: true, Message: "somebody works here", Done: &done, Output: &out}})
	first.through()
	before := s.job(job.ID).Progress
	ranges[1].done()
	if now := s.job(job.ID).Progress; now < before || before < 9 {
		t.Errorf("progress went from %v to %v", before, now)
	}
	var assemble held
	for kinds := map[farm.TaskKind]bool{}; !kinds[farm.TaskAssemble]; {
		h := held{ranges[1].station, ranges[1].lease()}
		kinds[h.Kind] = true
		switch h.Kind {
		case farm.TaskRender:
			if h.frames().Start != 10 || h.frames().End != first.frames().End {
				t.Errorf("what is left is %v of %v", h.frames(), first.frames())
			}
			h.done()
		case farm.TaskSound:
			h.done()
		default:
			assemble = h
		}
	}
	assemble.covers(farm.Frames{End: 99})
	assemble.result("the film")
}

func TestAWholeRenderIsGoneOnFrom(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film()
	whole := held{s.stations[0], s.stations[0].lease()}
	if whole.Part || !whole.Parted {
		t.Fatalf("leased %+v", whole.Lease)
	}
	done := farm.Frames{Start: 0, End: 59}
	out := whole.part(done)
	other := s.enrol("other")
	other.connect()
	whole.say(wire.Message{Failed: &wire.Failed{Attempt: whole.Attempt, Cancelled: true, Done: &done, Output: &out}})
	whole.through()
	for range 2 {
		h := held{other, other.lease()}
		if !h.Part || h.Kind == farm.TaskRender && h.frames() != (farm.Frames{Start: 60, End: 99}) {
			t.Fatalf("leased %+v", h.Lease)
		}
		h.done()
	}
	assemble := held{other, other.lease()}
	assemble.covers(farm.Frames{End: 99})
	assemble.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("ended as %s", got.Status)
	}
}

// ahead uploads frames in pieces that end before the given frames.
func (h held) ahead(from int, ends ...int) (pieces []wire.Piece) {
	for _, end := range ends {
		frames := farm.Frames{Start: from, End: end}
		pieces = append(pieces, wire.Piece{Frames: frames, Output: h.part(frames)})
		from = end + 1
	}
	return pieces
}

func TestFramesThatCameAheadAreKept(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film()
	whole := held{s.stations[0], s.stations[0].lease()}
	if !whole.Ahead {
		t.Fatalf("leased %+v", whole.Lease)
	}
	other := s.enrol("other")
	other.connect()
	pieces := whole.ahead(0, 19, 39, 59)
	last := pieces[2]
	whole.say(wire.Message{Failed: &wire.Failed{Attempt: whole.Attempt, Cancelled: true, Before: pieces[:2], Done: &last.Frames, Output: &last.Output}})
	whole.through()
	if log := s.log(job.ID); !strings.Contains(log, "the frames 0 to 59 are done and kept") {
		t.Errorf("the log says\n%s", log)
	}
	for range 2 {
		h := held{other, other.lease()}
		if h.Kind != farm.TaskRender {
			h.done()
			continue
		}
		if h.frames() != (farm.Frames{Start: 60, End: 99}) || !h.Ahead {
			t.Fatalf("leased %+v", h.Lease)
		}
		before := h.ahead(60, 79)
		short := h.part(farm.Frames{Start: 80, End: 99})
		h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Before: before, Output: short}})
		h.through()
		if log := s.log(job.ID); !strings.Contains(log, "the frames 60 to 99 are there") {
			t.Errorf("the log says\n%s", log)
		}
	}
	assemble := held{other, other.lease()}
	assemble.covers(farm.Frames{End: 99})
	if len(assemble.Parts) != 6 {
		t.Errorf("%d parts", len(assemble.Parts))
	}
	assemble.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("ended as %s", got.Status)
	}
	s.eventually("no part is left", func() bool { return len(s.attemptFiles()) == 0 })
}

// TestPiecesThatAreNotNeededGo: of a film that its machine finished, and of what does not follow on what is kept.
func TestPiecesThatAreNotNeededGo(t *testing.T) {
	s := openStudio(t, 1)
	s.film()
	whole := held{s.stations[0], s.stations[0].lease()}
	whole.ahead(0, 19, 39)
	whole.result("the film")
	s.eventually("nothing of the attempt is left", func() bool { return len(s.attemptFiles()) == 0 })

	job := s.film()
	whole = held{s.stations[0], s.stations[0].lease()}
	other := s.enrol("other")
	other.connect()
	pieces := whole.ahead(0, 19)
	gapped := whole.ahead(30, 39)[0]
	whole.say(wire.Message{Failed: &wire.Failed{Attempt: whole.Attempt, Cancelled: true, Before: pieces, Done: &gapped.Frames, Output: &gapped.Output}})
	whole.through()
	for range 2 {
		if h := (held{other, other.lease()}); h.Kind == farm.TaskRender && h.frames() != (farm.Frames{Start: 20, End: 99}) {
			t.Errorf("leased %+v", h.Lease)
		} else {
			h.done()
		}
	}
	assemble := held{other, other.lease()}
	assemble.covers(farm.Frames{End: 99})
	if assemble.Job != job.ID {
		t.Errorf("leased %+v", assemble.Lease)
	}
}

// TestWhatDrewTheFirstFramesDrawsTheRest, also where the farm has got its first After Effects meanwhile.
func TestWhatDrewTheFirstFramesDrawsTheRest(t *testing.T) {
	adobe := func(inv *farm.Inventory) {
		inv.Engines = append(inv.Engines, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2"})
	}
	for drew, c := range map[string]struct {
		machine func(*farm.Inventory)
		want    string
	}{
		"embedded 1":          {func(*farm.Inventory) {}, farm.EngineEmbedded},
		"aftereffects 26.0.2": {adobe, farm.EngineAfterEffects},
		"a pencil":            {adobe, farm.EngineAfterEffects}, // by what the farm has
	} {
		t.Run(drew, func(t *testing.T) {
			s := openStudio(t, 0)
			first := s.enrol("first", c.machine)
			first.connect()
			s.film()
			whole := held{first, first.lease()}
			other := s.enrol("other", adobe)
			other.connect()
			done := farm.Frames{Start: 0, End: 59}
			out := whole.part(done)
			whole.say(wire.Message{Failed: &wire.Failed{
				Attempt: whole.Attempt, Cancelled: true, Done: &done, Output: &out, Measured: farm.Measured{Engine: drew, Frames: 60, FrameSeconds: 60},
			}})
			whole.through()
			for range 2 { // what is left of the frames, and the sound
				if h := (held{other, other.lease()}); !h.Part || h.Engine != c.want {
					t.Errorf("leased %+v", h.Lease)
				} else {
					h.done()
				}
			}
		})
	}
}

func TestFramesThatAreNotWhatTheyShouldBeAreNotKept(t *testing.T) {
	s := openStudio(t, 2)
	s.film()
	ranges := s.leases(s.stations...)
	h := ranges[0]
	short := h.part(farm.Frames{End: 3})
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: short}})
	h.through()
	if log := s.log(h.Job); !strings.Contains(log, "4 of the frames 0 to") {
		t.Errorf("the log says %q", log)
	}
	stranger := farm.Agent{ID: "stranger"}
	_, err := s.Results().Receive(t.Context(), stranger, ranges[1].Attempt, "x", strings.NewReader("x"), 1, "")
	wantCode(t, err, farm.CodeConflict)
}
