package coordinator_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

func TestAJobBecomesAResult(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit(func(j *farm.Job) { j.Name = "Titles" })
	l := s.lease()
	if l.Job != job.ID || l.Attempt.Attempt != 1 || l.Project.Src != job.Template.Src || l.Composition != "main" || l.Ext != "mp4" || l.JobName != "Titles" {
		t.Errorf("leased %+v", l)
	}
	if got := r.job(job.ID).Status; got != farm.JobRendering {
		t.Errorf("status while leased: %s", got)
	}
	s.say(wire.Message{Log: &wire.Log{Attempt: l.Attempt, Lines: []string{"hello from the engine", "two\r\nlines"}}})
	s.finish(l, "a film")
	done := r.job(job.ID)
	if done.Status != farm.JobFinished || done.Progress != 100 || done.Output == nil || done.OutputName != job.OutputName {
		t.Errorf("finished as %+v", done)
	}
	if got := r.output(done); got != "a film" {
		t.Errorf("the result holds %q", got)
	}
	log := r.log(job.ID)
	for _, want := range []string{"attempt 1 on box", "hello from the engine\n", "two  lines\n", "attempt 1 finished"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	r.eventually("the attempt's folder is gone", func() bool { return !exists(r.cfg.DataDir + "/files/attempts/" + l.Task) })
}

func TestAQueuedJobSurvivesARestart(t *testing.T) {
	r := open(t)
	job := r.submit()
	r.restart()
	s := r.enrol("box")
	s.connect()
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %s, want %s", l.Job, job.ID)
	}
}

func TestALeasedJobSurvivesARestart(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	out := s.render(l, "a film")
	r.restart()
	if w := s.connect(l.Attempt); len(w.Drop) != 0 {
		t.Fatalf("told to drop %v", w.Drop)
	}
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: out}})
	s.settled(l.Attempt)
	if done := r.job(job.ID); done.Status != farm.JobFinished || r.output(done) != "a film" {
		t.Errorf("ended as %s", done.Status)
	}
}

// TestATaskAvoidsTheMachineThatVanishedWithIt, though that one is back and free, as long as there is another that could do it.
func TestATaskAvoidsTheMachineThatVanishedWithIt(t *testing.T) {
	c := newClock()
	r := open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = 30 * time.Second })
	lost, other := r.enrol("lost"), r.enrol("other")
	other.connect()
	r.submit()
	busy := other.lease()
	lost.connect()
	job := r.submit()
	lost.lease()
	lost.hangUp()
	c.pass(20 * time.Second)
	other.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: []wire.Attempt{busy.Attempt}}})
	other.silent()
	c.pass(11 * time.Second)
	r.eventually("the lease is over", func() bool { return r.job(job.ID).Status == farm.JobQueued })
	lost.connect()
	lost.silent()
	if why, err := r.WhyWaiting(t.Context(), r.admin, job.ID); err != nil || !strings.HasPrefix(why.String(), "Only machines that failed it before are free.") {
		t.Errorf("%q, %v", why, err)
	}
	if l := other.finishForLease(busy, "a film"); l.Job != job.ID {
		t.Errorf("leased %+v", l.Attempt)
	}
}

func TestAVanishedAgentsTaskGoesToAnother(t *testing.T) {
	c := newClock()
	r := open(t, c.config, func(cfg *coordinator.Config) { cfg.Lease = 30 * time.Second })
	lost := r.enrol("lost")
	lost.connect()
	job := r.submit()
	first := lost.lease()
	out := lost.render(first, "late film")
	lost.hangUp()
	other := r.enrol("other")
	other.connect()
	other.silent()
	c.pass(31 * time.Second)
	second := other.lease()
	if second.Job != job.ID || second.Attempt.Attempt != 2 {
		t.Fatalf("leased %+v", second.Attempt)
	}
	if w := lost.connect(first.Attempt); !slices.Contains(w.Drop, first.Attempt) {
		t.Errorf("the agent that came back was told to drop %v", w.Drop)
	}
	lost.say(wire.Message{Finished: &wire.Finished{Attempt: first.Attempt, Output: out}})
	lost.settled(first.Attempt)
	if got := r.job(job.ID); got.Status != farm.JobRendering || got.Output != nil {
		t.Errorf("a stale report changed the job to %s", got.Status)
	}
	if _, err := r.Results().Receive(t.Context(), lost.agent, first.Attempt, "x.mp4", strings.NewReader("x"), 1, ""); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a stale upload: %v", err)
	}
	other.finish(second, "the film")
	if got := r.output(r.job(job.ID)); got != "the film" {
		t.Errorf("the result holds %q", got)
	}
	if log := r.log(job.ID); !strings.Contains(log, "attempt 1 ended: its machine has not been heard of") {
		t.Errorf("the log does not tell of the lost machine:\n%s", log)
	}
}

func TestHeartbeatsKeepALeaseAlive(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	for range 4 {
		c.pass(20 * time.Second)
		s.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: []wire.Attempt{l.Attempt}}})
		s.silent()
	}
	s.finish(l, "x")
	if got := r.job(job.ID).Status; got != farm.JobFinished {
		t.Errorf("ended as %s", got)
	}
}

func TestARestartedAgentLosesItsLeaseAtOnce(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	r.submit()
	s.lease()
	s.connect()
	if l := s.lease(); l.Attempt.Attempt != 2 {
		t.Errorf("leased attempt %d", l.Attempt.Attempt)
	}
}

// A lease that got lost between the farm and an agent that has been there all the while is no failed attempt.
func TestALeaseThatNeverArrivedIsNoFailure(t *testing.T) {
	t.Parallel()
	r := open(t)
	s := r.enrol("box")
	s.up = time.Hour
	s.connect()
	job := r.submit()
	for attempt := 1; attempt <= 2*farm.MaxAttempts; attempt++ {
		if l := s.lease(); l.Job != job.ID || l.Attempt.Attempt != attempt {
			t.Fatalf("got attempt %d of %s", l.Attempt.Attempt, l.Job)
		}
		s.hangUp()
		s.connect() // knowing nothing of the lease
	}
	s.finish(s.lease(), "a film")
	if now := r.job(job.ID); now.Status != farm.JobFinished {
		t.Errorf("the job is %s: %s", now.Status, now.Error)
	}
}

func TestASecondSessionReplacesTheFirst(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	first := s.link
	s.connect()
	select {
	case <-first.gone:
	case <-time.After(patience):
		t.Fatal("the first session is still open")
	}
	job := r.submit()
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %s", l.Job)
	}
	if got, err := r.Machines(t.Context(), r.admin); err != nil || len(got) != 1 || !got[0].Online {
		t.Errorf("machines: %+v, %v", got, err)
	}
}

func TestAFailureGoesToAnotherMachineAndThenToTheJob(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	a, b := r.enrol("a"), r.enrol("b")
	a.connect()
	job := r.submit()
	l := a.lease()
	b.connect()
	a.fail(l, "After Effects crashed", true)
	if got := r.job(job.ID).Status; got != farm.JobQueued {
		t.Errorf("after a first failure: %s", got)
	}
	why, err := r.WhyWaiting(t.Context(), r.admin, job.ID)
	if err != nil || !strings.Contains(why.String(), "After Effects crashed") {
		t.Errorf("waits because %q, %v", why, err)
	}
	c.pass(time.Minute)
	r.submit() // wakes the queue, whose timer runs on the machine's own time
	l = b.lease()
	if l.Job != job.ID || l.Attempt.Attempt != 2 {
		t.Fatalf("b leased %+v", l.Attempt)
	}
	b.fail(l, "Layer 'title' not found in composition 'main'", false)
	if got := r.job(job.ID); got.Status != farm.JobFailed || got.Error != "Layer 'title' not found in composition 'main'" {
		t.Errorf("ended as %s: %s", got.Status, got.Error)
	}
}

func TestATaskGivenBackIsNoFailure(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	for attempt := 1; attempt <= 5; attempt++ {
		l := s.lease()
		if l.Attempt.Attempt != attempt {
			t.Fatalf("leased attempt %d, want %d", l.Attempt.Attempt, attempt)
		}
		s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "the artist is back", Cancelled: true, Retry: true}})
		s.settled(l.Attempt)
		s.silent() // a machine that has given work back rests
		c.pass(5 * time.Second)
	}
	if got := r.job(job.ID).Status; got == farm.JobFailed {
		t.Errorf("the job failed because its machine was needed")
	}
}

func TestAnUnprovenResultIsNotTaken(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	out := s.render(l, "a film")
	out.Size++
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: out}})
	s.settled(l.Attempt)
	if got := r.job(job.ID); got.Status != farm.JobQueued {
		t.Errorf("the job is %s", got.Status)
	}
	if _, err := r.Results().Open(t.Context(), job.OutputName); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("opening the result: %v", err)
	}
}

// attemptFile is where the result of an attempt lies until the state has said which one counts.
func attemptFile(r *rig, l wire.Lease, out farm.OutputRef) string {
	return filepath.Join(r.cfg.DataDir, "files", "attempts", l.Task, strconv.Itoa(l.Attempt.Attempt), out.SHA256)
}

func TestAResultThatWasNotNamedInTimeIsNamedLater(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	for _, asked := range []bool{true, false} {
		job := r.submit()
		l := s.lease()
		out := s.render(l, "a film")
		s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: out}})
		s.settled(l.Attempt)
		named := filepath.Join(r.cfg.DataDir, "files", "outputs", job.OutputName)
		r.eventually("the result has its name", func() bool { return exists(named) })
		r.stop()
		// As after a power cut between the command and the renaming.
		if err := os.MkdirAll(filepath.Dir(attemptFile(r, l, out)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(named, attemptFile(r, l, out)); err != nil {
			t.Fatal(err)
		}
		r.start()
		if !asked { // else whoever asks for it may be there first
			r.eventually("the result has its name again", func() bool { return exists(named) })
		}
		if got := r.output(r.job(job.ID)); got != "a film" {
			t.Errorf("the result, asked for at once: %v, holds %q", asked, got)
		}
		s.connect()
	}
}

func TestResultsThatDoNotCountAreDropped(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	r.submit()
	l := s.lease()
	out := s.render(l, "half a film")
	s.fail(l, "Render failed: After Effects exited with code 1", false)
	r.eventually("a failed attempt's result is gone", func() bool { return !exists(attemptFile(r, l, out)) })

	job := r.submit()
	l = s.lease()
	out = s.render(l, "a film nobody wants")
	s.hangUp()
	if _, err := r.CancelJobs(t.Context(), r.admin, []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	r.restart()
	r.eventually("a cancelled attempt's result is gone", func() bool { return !exists(attemptFile(r, l, out)) })
}

func TestACallerThatLeavesDoesNotLoseItsJob(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job, err := r.Submit(ctx, r.admin, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep"}})
	if err != nil {
		t.Fatal(err)
	}
	if l := s.lease(); l.Job != job.ID {
		t.Errorf("leased %s, want %s", l.Job, job.ID)
	}
}

func TestCancellingStopsTheAgent(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	rendering, queued := r.submit(), r.submit()
	l := s.lease()
	_, err := r.CancelJobs(t.Context(), r.admin, []string{rendering.ID}, false)
	wantCode(t, err, farm.CodeConflict)
	jobs, err := r.CancelJobs(t.Context(), r.admin, []string{queued.ID}, false)
	if err != nil || len(jobs) != 1 || jobs[0].Status != farm.JobCancelled {
		t.Fatalf("cancelled %+v, %v", jobs, err)
	}
	if _, err = r.CancelJobs(t.Context(), r.admin, []string{rendering.ID}, true); err != nil {
		t.Fatal(err)
	}
	if m := s.hear(); m.Cancel == nil || m.Cancel.Attempt != l.Attempt {
		t.Fatalf("got %+v instead of cancel", m)
	}
	next := r.submit()
	r.waits(next, "The only machine that fits is busy.") // the slot is not free before the agent has stopped
	s.silent()
	s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "stopped", Cancelled: true}})
	var got wire.Lease
	for range 2 {
		switch m := s.hear(); {
		case m.Lease != nil:
			got = *m.Lease
		case m.Settled == nil:
			t.Fatalf("got %+v", m)
		}
	}
	if got.Job != next.ID {
		t.Errorf("leased job %q, want %q", got.Job, next.ID)
	}
	if got := r.job(rendering.ID).Status; got != farm.JobCancelled {
		t.Errorf("the job is %s", got)
	}
}

func TestProgressNeverFalls(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit()
	l := s.lease()
	for _, p := range []float64{10, 60, 30, -5, 1000} {
		s.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: p, Frame: int(p), Phase: "rendering", FramesTotal: 150}})
	}
	s.silent()
	if got := r.job(job.ID); got.Progress != 100 || got.FramesTotal != 150 {
		t.Errorf("progress %v of %d frames", got.Progress, got.FramesTotal)
	}
	stale := wire.Attempt{Task: l.Task, Attempt: 7}
	s.say(wire.Message{Log: &wire.Log{Attempt: stale, Lines: []string{"ghost"}}})
	s.silent()
	if strings.Contains(r.log(job.ID), "ghost") {
		t.Error("another attempt's lines are in the log")
	}
	m, err := r.Machines(t.Context(), r.admin)
	if err != nil || len(m) != 1 || len(m[0].Running) != 1 || m[0].Running[0].Phase != "rendering" || m[0].SecretHash != "" {
		t.Errorf("machines: %+v, %v", m, err)
	}
}

func TestEngineRequirement(t *testing.T) {
	wantsAE := func(j *farm.Job) { j.Settings.Engine = "ae2026" }
	t.Run("served by the embedded engine, with a warning, where nobody has After Effects", func(t *testing.T) {
		r := open(t)
		s := r.enrol("box")
		s.connect()
		job := r.submit(wantsAE)
		l := s.lease()
		if l.Settings.Engine != "" {
			t.Errorf("the agent is asked for %q", l.Settings.Engine)
		}
		s.finish(l, "x")
		if got := r.job(job.ID).Warnings; len(got) != 1 || !strings.Contains(got[0], "ae2026") {
			t.Errorf("warnings: %q", got)
		}
	})
	t.Run("waits once a machine with After Effects is enrolled", func(t *testing.T) {
		r := open(t)
		job := r.submit(wantsAE)
		adobe := r.enrol("adobe", func(i *farm.Inventory) {
			i.Engines = append(i.Engines, farm.EngineInfo{Kind: "aftereffects", Version: "26.0.2"})
		})
		s := r.enrol("box")
		s.connect()
		s.silent()
		why, err := r.WhyWaiting(t.Context(), r.admin, job.ID)
		if err != nil || !strings.Contains(why.String(), "ae2026") {
			t.Errorf("waits because %q, %v", why, err)
		}
		adobe.connect()
		if l := adobe.lease(); l.Job != job.ID || l.Settings.Engine != "ae2026" {
			t.Errorf("leased %+v", l)
		}
	})
}

func TestWhyAJobWaits(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	why := func(job farm.Job) string {
		t.Helper()
		s, err := r.WhyWaiting(t.Context(), r.admin, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s.String()
	}
	expect := func(job farm.Job, part string) {
		t.Helper()
		if got := why(job); !strings.Contains(got, part) {
			t.Errorf("%q does not say %q", got, part)
		}
	}
	held := r.submit(func(j *farm.Job) { j.Hold = true })
	expect(held, "held")
	later := r.submit(func(j *farm.Job) { j.NotBefore = c.read().Add(time.Hour) })
	expect(later, "does not start before")
	tagged := r.submit(func(j *farm.Job) { j.RequireTags = []string{"gpu"} })
	expect(tagged, "No machine is online")
	s := r.enrol("box")
	s.connect()
	expect(tagged, "'gpu'")
	busy := r.submit()
	l := s.lease()
	if got := why(busy); got != "" {
		t.Errorf("a rendering job waits because %q", got)
	}
	expect(r.submit(), "busy")
	other := r.enrol("other")
	other.connect()
	other.lease()
	s.fail(l, "no luck", true)
	expect(busy, "no luck")
	c.pass(3 * time.Second)
	expect(busy, "failed it before")
}

func TestARedirectFollowsAStoppedCoordinator(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	c := r.Coordinator
	r.stop()
	select {
	case <-s.gone:
	case <-time.After(patience):
		t.Fatal("the session outlived the coordinator")
	}
	l := &link{fromAgent: make(chan wire.Message), toAgent: make(chan wire.Message, 1), gone: make(chan struct{})}
	wantCode(t, c.ServeAgent(t.Context(), s.agent, l), farm.CodeUnavailable)
	r.start()
}

func TestHostileHellosAreRefused(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	for _, m := range []wire.Message{{}, {Heartbeat: &wire.Heartbeat{}}, {Hello: &wire.Hello{}}, {Hello: &wire.Hello{Version: wire.FirstUpdatable - 1}}} {
		l := &link{fromAgent: make(chan wire.Message, 1), toAgent: make(chan wire.Message, 1), gone: make(chan struct{})}
		l.fromAgent <- m
		wantCode(t, r.ServeAgent(t.Context(), s.agent, l), farm.CodeInvalid)
	}
}

func BenchmarkSubmitToLease(b *testing.B) {
	r := open(b, func(cfg *coordinator.Config) { cfg.DataDir = b.TempDir() })
	const many = 1_000_000 // leases at once, more than the benchmark comes to
	r.eventually("the policy is set, once the farm's level allows that", func() bool {
		_, err := r.ChangePolicy(b.Context(), r.admin, nil, func(p *farm.Policy) { p.MaxSlotsPerMachine = many })
		return err == nil
	})
	s := r.enrol("box", func(i *farm.Inventory) { i.Slots = many })
	s.connect()
	for b.Loop() {
		r.submit()
		s.lease()
	}
}
