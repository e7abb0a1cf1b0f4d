package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

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
