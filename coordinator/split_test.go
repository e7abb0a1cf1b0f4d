package coordinator_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// studio is a farm of several machines, and a template of 100 frames.
type studio struct {
	*rig
	template string
	stations []*station
}

func openStudio(t testing.TB, machines int) *studio {
	t.Helper()
	s := &studio{rig: open(t)}
	s.template = s.uploaded(project(t, []string{"main"})).ID
	for i := range machines {
		mac := s.enrol(fmt.Sprintf("mac%d", i))
		mac.connect()
		s.stations = append(s.stations, mac)
	}
	return s
}

func (s *studio) film(edit ...func(*farm.Job)) farm.Job {
	s.t.Helper()
	return s.submit(append([]func(*farm.Job){func(j *farm.Job) { j.Template = farm.JobTemplate{ID: s.template} }}, edit...)...)
}

// held is a lease in the hands of a station.
type held struct {
	*station
	wire.Lease
}

// leases are what the stations get, each its next.
func (s *studio) leases(stations ...*station) (all []held) {
	s.t.Helper()
	for _, mac := range stations {
		all = append(all, held{mac, mac.lease()})
	}
	slices.SortFunc(all, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), a.frames().Start-b.frames().Start)
	})
	return all
}

func (h held) frames() farm.Frames {
	if h.Settings.Frames == nil {
		return farm.Frames{}
	}
	return *h.Settings.Frames
}

// part uploads frames or sound for a lease.
func (h held) part(frames farm.Frames) farm.OutputRef {
	h.r.t.Helper()
	content := fmt.Sprintf("%s %d-%d of %s", h.Kind, frames.Start, frames.End, h.Task)
	out := h.render(h.Lease, content)
	out.Frames, out.Audio = frames.Count(), h.Kind == farm.TaskSound
	return out
}

// through waits until the farm has the report of a lease. The next lease may come before the word of that.
func (h held) through() {
	h.r.t.Helper()
	var early []wire.Message
	for {
		m := h.hear()
		if m.Settled != nil && m.Settled.Attempt == h.Attempt {
			break
		}
		early = append(early, m)
	}
	for _, m := range early {
		h.toAgent <- m
	}
}

// done finishes a part.
func (h held) done() {
	h.r.t.Helper()
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.part(h.frames()), Measured: farm.Measured{
		Engine: "embedded 1", StartSeconds: 0.5, Frames: h.frames().Count(), FrameSeconds: float64(h.frames().Count()),
	}}})
	h.through()
}

// result uploads and reports the result of a lease.
func (h held) result(content string) {
	h.r.t.Helper()
	h.say(wire.Message{Finished: &wire.Finished{Attempt: h.Attempt, Output: h.render(h.Lease, content)}})
	h.through()
}

// covers makes sure that parts hold each of some frames, and that an agent can read them.
func (h held) covers(frames farm.Frames) {
	h.r.t.Helper()
	held := map[int]bool{}
	sound := false
	for _, p := range h.Parts {
		ref, named := h.Files[p.Src]
		if !named {
			h.r.t.Errorf("the lease names no file for %s", p.Src)
		}
		if got := h.fetch(ref.SHA256); !strings.HasPrefix(got, fmt.Sprintf("%s %d-%d", p.Kind, p.Frames.Start, p.Frames.End)) {
			h.r.t.Errorf("part %s of frames %v reads %q", p.Src, p.Frames, got)
		}
		sound = sound || p.Kind == farm.TaskSound
		for i := p.Frames.Start; p.Kind == farm.TaskRender && i <= p.Frames.End; i++ {
			held[i] = true
		}
	}
	if len(held) != frames.Count() || !held[frames.Start] || !held[frames.End] || !sound {
		h.r.t.Errorf("the parts hold %d of the frames %v, sound: %v", len(held), frames, sound)
	}
}

// attemptFiles are the files that attempts have left.
func (s *studio) attemptFiles() (list []string) {
	_ = filepath.WalkDir(filepath.Join(s.cfg.DataDir, "files", "attempts"), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list = append(list, path)
		}
		return nil
	})
	return list
}

func TestARenderIsSplitOverFreeMachines(t *testing.T) {
	s := openStudio(t, 4)
	job := s.film()
	ranges := s.leases(s.stations...)
	next := 0
	for _, h := range ranges {
		if h.Kind != farm.TaskRender || !h.Part || h.Engine != farm.EngineEmbedded || h.frames().Start != next {
			t.Fatalf("leased %+v, want a range from frame %d on", h.Lease, next)
		}
		next = h.frames().End + 1
	}
	if next != 100 {
		t.Fatalf("the ranges end before frame %d", next)
	}
	ranges[1].done()
	sound := held{ranges[1].station, ranges[1].lease()}
	if sound.Kind != farm.TaskSound || sound.frames() != (farm.Frames{End: 99}) {
		t.Fatalf("leased %+v, want the sound", sound.Lease)
	}
	ranges[0].say(wire.Message{Progress: &wire.Progress{Attempt: ranges[0].Attempt, Percent: 50, Frame: 12, Phase: "rendering"}})
	want := float64(ranges[1].frames().Count()) + float64(ranges[0].frames().Count())/2
	s.eventually("progress is counted in frames", func() bool { return s.job(job.ID).Progress == want*0.95 })

	sound.done()
	for _, h := range []held{ranges[0], ranges[2]} {
		h.done()
	}
	for _, h := range ranges[:3] {
		h.silent()
	}
	ranges[3].done()
	var assemble held
	s.eventually("one of them assembles", func() bool {
		for _, mac := range s.stations {
			select {
			case m := <-mac.toAgent:
				assemble = held{mac, *m.Lease}
				return true
			default:
			}
		}
		return false
	})
	if assemble.Kind != farm.TaskAssemble || assemble.Part || assemble.Ext != "mp4" || assemble.frames() != (farm.Frames{End: 99}) {
		t.Fatalf("leased %+v, want the assembly", assemble.Lease)
	}
	assemble.covers(farm.Frames{End: 99})
	if got := s.job(job.ID); got.Progress != 95 || got.Status != farm.JobRendering || got.FramesTotal != 100 {
		t.Errorf("while it is assembled: %s, %v%% of %d frames", got.Status, got.Progress, got.FramesTotal)
	}
	assemble.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished || s.output(got) != "the film" {
		t.Errorf("ended as %s", got.Status)
	}
	s.eventually("no part is left", func() bool { return len(s.attemptFiles()) == 0 })

	// What was measured says now that each frame takes a second: several ranges for each machine pay.
	s.film()
	again := s.leases(s.stations...)
	if n := again[0].frames().Count(); n >= 25 {
		t.Errorf("the first range has %d frames", n)
	}
}

// TestATemplateThatIsMarkedIsRenderedFromItsFirstFrameOn by one machine, and what it leaves is no beginning of a film.
func TestATemplateThatIsMarkedIsRenderedFromItsFirstFrameOn(t *testing.T) {
	s := openStudio(t, 2)
	for _, sequential := range []bool{true, false} {
		marked, err := s.Templates().MarkSequential(t.Context(), s.admin, s.template, sequential)
		if err != nil || marked.Sequential != sequential {
			t.Fatalf("%+v, %v", marked, err)
		}
		job := s.film()
		h := s.nextOf(job)
		if (h.Part || h.Parted) == sequential {
			t.Fatalf("sequential %v: leased %+v", sequential, h.Lease)
		}
		if !sequential {
			continue
		}
		done := farm.Frames{Start: 0, End: 59}
		out := h.part(done)
		h.say(wire.Message{Failed: &wire.Failed{Attempt: h.Attempt, Cancelled: true, Done: &done, Output: &out}})
		h.through()
		again := s.nextOf(job)
		if again.Part || again.Settings.Frames != nil {
			t.Errorf("leased %+v", again.Lease)
		}
		again.result("the film")
	}
	_, err := s.Templates().MarkSequential(t.Context(), s.admin, "nothing", true)
	wantCode(t, err, farm.CodeNotFound)
}

func TestWhatIsNotSplit(t *testing.T) {
	s := openStudio(t, 2)
	for name, edit := range map[string]func(*farm.Job){
		"sequential":        func(j *farm.Job) { j.Sequential = true },
		"a preview":         func(j *farm.Job) { j.Preview = true },
		"a project":         func(j *farm.Job) { j.Settings.Type = "aep" },
		"a still":           func(j *farm.Job) { j.Settings = farm.Settings{Type: "image", Frames: &farm.Frames{Single: true}} },
		"a few frames":      func(j *farm.Job) { j.Settings.Frames = &farm.Frames{Start: 3, End: 9} },
		"of unknown length": func(j *farm.Job) { j.Assets = []farm.Asset{{Type: "script", Src: "http://files.test/a.jsx"}} },
		"on one machine":    func(j *farm.Job) { j.MaxMachines = 1 },
		"no known project":  func(j *farm.Job) { j.Template = farm.JobTemplate{Src: "http://files.test/a.aep"} },
	} {
		job := s.film(edit)
		var lease wire.Lease
		var by *station
		s.eventually("it is leased", func() bool {
			for _, mac := range s.stations {
				select {
				case m := <-mac.toAgent:
					lease, by = *m.Lease, mac
					return true
				default:
				}
			}
			return false
		})
		if lease.Job != job.ID || lease.Part {
			t.Errorf("%s: leased %+v", name, lease)
		}
		held{by, lease}.result(name)
	}
}

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

func TestAllPartsAreRenderedFromTheSameFile(t *testing.T) {
	s := openStudio(t, 2)
	job := s.film()
	ranges := s.leases(s.stations...)
	tpl, err := s.Templates().RenewUpload(t.Context(), s.admin, s.template)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.put(s.Templates().UploadAddress(tpl), project(t, []string{"main"}, "another")); err != nil {
		t.Fatal(err)
	}
	s.eventually("the template has another file", func() bool {
		now, err := s.Templates().Get(t.Context(), s.admin, s.template)
		return err == nil && now.Status == farm.TemplateUploaded && now.File.SHA256 != ranges[0].Project.File.SHA256
	})
	ranges[0].done()
	next := s.nextOf(job)
	if next.Project.File.SHA256 != ranges[0].Project.File.SHA256 {
		t.Error("the next part is rendered from another file")
	}
	if next.fetch(next.Project.File.SHA256) == "" {
		t.Error("its file is empty")
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

func TestCancellingASplitJobStopsAllOfIt(t *testing.T) {
	s := openStudio(t, 3)
	job := s.film()
	ranges := s.leases(s.stations...)
	ranges[0].done()
	sound := held{ranges[0].station, ranges[0].lease()}
	if _, err := s.CancelJobs(t.Context(), s.admin, []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	for _, h := range []held{sound, ranges[1], ranges[2]} {
		if m := h.hear(); m.Cancel == nil || m.Cancel.Attempt != h.Attempt {
			t.Fatalf("got %+v", m)
		}
		h.say(wire.Message{Failed: &wire.Failed{Attempt: h.Attempt, Cancelled: true}})
		h.through()
	}
	s.eventually("no part is left", func() bool { return len(s.attemptFiles()) == 0 })
}

func TestOneRangeThatCannotBeRenderedStopsTheOthers(t *testing.T) {
	s := openStudio(t, 3)
	job := s.film()
	ranges := s.leases(s.stations...)
	ranges[1].say(wire.Message{Failed: &wire.Failed{Attempt: ranges[1].Attempt, Message: "Layer 'x' not found"}})
	ranges[1].through()
	for _, h := range []held{ranges[0], ranges[2]} {
		if m := h.hear(); m.Cancel == nil {
			t.Fatalf("got %+v", m)
		}
	}
	if got := s.job(job.ID); got.Status != farm.JobFailed || got.Error != "Layer 'x' not found" {
		t.Errorf("ended as %s: %s", got.Status, got.Error)
	}
}

// stillsZip packs pictures as an agent does.
func stillsZip(t testing.TB, frames []int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, frame := range frames {
		w, err := z.Create(fmt.Sprintf("frame_%05d.png", frame))
		if err == nil {
			err = png.Encode(w, image.NewGray(image.Rect(0, 0, 4, 4)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPicturesToLookAtFirstAreNoFramesToGoOnFrom(t *testing.T) {
	s := openStudio(t, 1)
	job := s.film(func(j *farm.Job) { j.PreviewFirst = true })
	first := held{s.stations[0], s.stations[0].lease()}
	done := farm.Frames{Start: 0, End: 99}
	out := first.part(done)
	other := s.enrol("other")
	other.connect()
	first.say(wire.Message{Failed: &wire.Failed{Attempt: first.Attempt, Cancelled: true, Done: &done, Output: &out}})
	first.through()
	if again := other.lease(); again.Job != job.ID || again.Kind != farm.TaskSample || again.Attempt.Attempt != first.Attempt.Attempt+1 {
		t.Errorf("leased %+v", again)
	}
}

func TestPicturesComeFirstAndTheRestWaitsForApproval(t *testing.T) {
	s := openStudio(t, 1)
	mac := s.stations[0]
	sample := func(job farm.Job) {
		t.Helper()
		l := mac.lease()
		if l.Job != job.ID || l.Kind != farm.TaskSample || !l.Part || !slices.Equal(l.Stills, []int{0, 49, 99}) {
			t.Fatalf("leased %+v", l)
		}
		held{mac, l}.result(stillsZip(t, l.Stills))
	}
	approve := func(j *farm.Job) { j.Approve = true }
	job := s.film(approve)
	sample(job)
	if got := s.job(job.ID); got.Status != farm.JobQueued || got.Progress != 0 {
		t.Errorf("while it waits: %s, %v%%", got.Status, got.Progress)
	}
	if why, err := s.WhyWaiting(t.Context(), s.admin, job.ID); err != nil || !strings.Contains(why.String(), "approv") {
		t.Errorf("it waits because %q, %v", why, err)
	}
	if list, err := s.Results().Samples(t.Context(), s.admin, job.ID); err != nil || len(list) != 3 || list[1].Frame != 49 {
		t.Errorf("samples %v, %v", list, err)
	}
	f, err := s.Results().OpenSample(t.Context(), s.admin, job.ID, 99)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(f); err != nil || f.ContentType != "image/png" {
		t.Errorf("a sample is %s: %v", f.ContentType, err)
	}
	_ = f.Close()
	_, err = s.Results().OpenSample(t.Context(), s.admin, job.ID, 5)
	wantCode(t, err, farm.CodeNotFound)
	stranger := farm.Principal{Team: "another", Role: farm.RoleAdmin}
	for _, decide := range []func(context.Context, farm.Principal, string) (farm.Job, error){
		s.ApproveJob, func(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
			return s.RejectJob(ctx, p, id, "")
		},
	} {
		_, err := decide(t.Context(), stranger, job.ID)
		wantCode(t, err, farm.CodeNotFound)
	}
	if got, err := s.ApproveJob(t.Context(), s.admin, job.ID); err != nil || got.ApprovedBy != s.admin.Name || got.ApprovedAt.IsZero() {
		t.Errorf("approved: %+v, %v", got, err)
	}
	whole := mac.lease()
	if whole.Job != job.ID || whole.Kind != farm.TaskRender || whole.Part {
		t.Fatalf("leased %+v", whole)
	}
	mac.say(wire.Message{Progress: &wire.Progress{Attempt: whole.Attempt, Percent: 40}})
	s.eventually("the progress is that of the render", func() bool { return s.job(job.ID).Progress == 40 })
	held{mac, whole}.result("the film")
	if got := s.job(job.ID); got.Status != farm.JobFinished || s.output(got) != "the film" {
		t.Errorf("ended as %s", got.Status)
	}

	job = s.film(approve)
	sample(job)
	if _, err := s.RejectJob(t.Context(), s.admin, job.ID, "the logo is last year's"); err != nil {
		t.Fatal(err)
	}
	if got := s.job(job.ID); got.Status != farm.JobFailed || !strings.Contains(got.Error, s.admin.Name+": the logo is last year's") {
		t.Errorf("ended as %s: %s", got.Status, got.Error)
	}
	job = s.film(func(j *farm.Job) { j.PreviewFirst = true })
	sample(job)
	if l := mac.lease(); l.Job != job.ID || l.Kind != farm.TaskRender {
		t.Errorf("leased %+v", l)
	}
	_, err = s.Submit(t.Context(), s.admin, farm.Job{PreviewFirst: true, Join: true})
	wantCode(t, err, farm.CodeInvalid)
}

// TestTheLogSaysWhyARenderIsNotSplit, once with each attempt, and those who ask what the farm does with the job are told the same.
func TestTheLogSaysWhyARenderIsNotSplit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		machines int
		policy   farm.SplitPolicy
		edit     func(*farm.Job)
		want     string // "" for a job of which that is no question
	}{
		"one machine":    {machines: 1, want: "one machine fits this film; splitting needs two"},
		"asks for one":   {machines: 2, edit: func(j *farm.Job) { j.MaxMachines = 1 }, want: "the job asks for one machine (maxMachines)"},
		"switched off":   {machines: 2, policy: farm.SplitPolicy{Off: true}, want: "the farm's policy splits nothing (split.off)"},
		"ranges of 60 s": {machines: 2, policy: farm.SplitPolicy{MinSeconds: 60}, want: "it is too short for two ranges as long as the farm's policy wants them (split.minSeconds)"},
		"a few frames": {
			machines: 2, edit: func(j *farm.Job) { j.Settings.Frames = &farm.Frames{Start: 3, End: 9} },
			want: "it would not pay: about 5 s on 2 machines, with putting the parts together, and about 5 s on one",
		},
		"sequential":        {machines: 2, edit: func(j *farm.Job) { j.Sequential = true }, want: "the job is sequential: each of its frames depends on those before it"},
		"of unknown length": {machines: 2, edit: func(j *farm.Job) { j.Assets = []farm.Asset{{Type: "script", Src: "http://files.test/a.jsx"}} }, want: "a script, or a function that sets the duration, may change how many frames the film has"},
		"no known project":  {machines: 2, edit: func(j *farm.Job) { j.Template = farm.JobTemplate{Src: "http://files.test/a.aep"} }, want: "the farm has not read the project, which the job names by its address"},
		"a still":           {machines: 2, edit: func(j *farm.Job) { j.Settings = farm.Settings{Type: "image", Frames: &farm.Frames{Single: true}} }},
		"a preview":         {machines: 2, edit: func(j *farm.Job) { j.Preview = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openStudio(t, c.machines)
			if _, err := s.PutPolicy(t.Context(), s.admin, farm.Policy{Split: c.policy}); err != nil {
				t.Fatal(err)
			}
			var edits []func(*farm.Job)
			if c.edit != nil {
				edits = append(edits, c.edit)
			}
			job := s.film(edits...)
			s.nextOf(job)
			var line, sentence string
			if c.want != "" {
				line, sentence = "the render is not split: "+c.want+"\n", "The render is not split: "+c.want+"."
			}
			log := s.log(job.ID)
			if n := strings.Count(log, "split"); c.want == "" && n > 0 || c.want != "" && (n < 1 || strings.Count(log, line) != 1 || strings.Count(log, "the render is ") != 1) {
				t.Errorf("want the line %q once in the log:\n%s", line, log)
			}
			if p, err := s.Placement(t.Context(), s.admin, job.ID); err != nil || p.Split.String() != sentence {
				t.Errorf("told %q, %v; want %q", p.Split, err, sentence)
			}
		})
	}
}

func TestTheLogSaysThatARenderIsSplit(t *testing.T) {
	s := openStudio(t, 4)
	job := s.film()
	ranges := s.leases(s.stations...)
	if log := s.log(job.ID); !strings.Contains(log, "the render is split into 4 ranges of frames: about 5 s expected, about 15 s on one machine\n") || strings.Contains(log, "not split") {
		t.Errorf("the log says\n%s", log)
	}
	if p, err := s.Placement(t.Context(), s.admin, job.ID); err != nil || p.Split.String() != "The render is split into 4 ranges of frames." {
		t.Errorf("told %q, %v", p.Split, err)
	}
	// A second film finds no machine free beside the one that takes it.
	busy := s.film(func(j *farm.Job) { j.Priority = 10 })
	ranges[0].done()
	ranges[1].done()
	s.eventually("the second film's reason", func() bool {
		return strings.Contains(s.log(busy.ID), "the render is not split: no other of the 4 machines that fit was free for it\n")
	})
}
