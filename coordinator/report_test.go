package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// A machine reports the end of attempts that are not its own, and of tasks that are none, under names that can be read as those of
// others. What other machines have uploaded stays there, and counts.
func TestAReportTouchesOnlyItsOwnAttempt(t *testing.T) {
	t.Parallel()
	for name, where := range everyStorage(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, where)
			honest := r.enrol("honest")
			honest.connect()
			job := r.submit()
			lease := honest.lease()
			out := honest.render(lease, "a film")

			hostile := r.enrol("hostile")
			hostile.connect()
			task := lease.Task
			for _, at := range []wire.Attempt{
				{Task: "x/" + task, Attempt: 1}, {Task: `x\` + task, Attempt: lease.Attempt.Attempt}, {Task: "../attempts/" + task, Attempt: 1},
				{Task: task + "/", Attempt: 1}, {Task: task, Attempt: lease.Attempt.Attempt}, {Task: task, Attempt: lease.Attempt.Attempt + 1},
				{Task: task, Attempt: 0}, {Task: "", Attempt: 1}, {Task: strings.Repeat("x/", 500) + task, Attempt: 1},
			} {
				for _, m := range []wire.Message{
					{Failed: &wire.Failed{Attempt: at, Message: "it broke"}},
					{Failed: &wire.Failed{Attempt: at, Cancelled: true}},
					{Finished: &wire.Finished{Attempt: at, Output: out}},
				} {
					hostile.say(m)
					hostile.settled(at)
				}
				hostile.say(wire.Message{Progress: &wire.Progress{Attempt: at, Percent: 99, Frame: 99}})
				hostile.say(wire.Message{Log: &wire.Log{Attempt: at, Lines: []string{"a line of somebody else"}}})
				hostile.say(wire.Message{Heartbeat: &wire.Heartbeat{Holding: []wire.Attempt{at}}})
				if _, err := r.Results().Receive(t.Context(), hostile.agent, at, "out.mp4", strings.NewReader("junk"), 4, ""); farm.CodeOf(err) != farm.CodeConflict {
					t.Errorf("an upload for %q: %v", at.Task, err)
				}
				if err := r.Results().ReceiveThumbnail(t.Context(), hostile.agent, at, 3, picture(t, 16, 9)); farm.CodeOf(err) != farm.CodeConflict {
					t.Errorf("a picture for %q: %v", at.Task, err)
				}
			}
			hostile.silent()
			if now := r.job(job.ID); now.Status != farm.JobRendering || now.Progress != 0 || strings.Contains(r.log(job.ID), "somebody else") {
				t.Errorf("the job is %s at %v %%, and its log says %q", now.Status, now.Progress, r.log(job.ID))
			}
			honest.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
			honest.settled(lease.Attempt)
			if now := r.job(job.ID); now.Status != farm.JobFinished || r.output(now) != "a film" {
				t.Errorf("the job is %s: %s", now.Status, now.Error)
			}
		})
	}
}

// What one machine reports late of an attempt that it has lost does not reach what the next attempt has uploaded.
func TestALateReportLeavesTheNextAttemptAlone(t *testing.T) {
	t.Parallel()
	r := open(t)
	first := r.enrol("first")
	first.connect()
	job := r.submit()
	lost := first.lease()
	first.render(lost, "half a film")
	first.say(wire.Message{Failed: &wire.Failed{Attempt: lost.Attempt, Cancelled: true}})
	first.settled(lost.Attempt)

	next := r.enrol("next")
	next.connect()
	lease := next.lease()
	out := next.render(lease, "a film")
	first.say(wire.Message{Failed: &wire.Failed{Attempt: lost.Attempt, Message: "it broke"}})
	first.settled(lost.Attempt)
	first.silent()
	next.say(wire.Message{Finished: &wire.Finished{Attempt: lease.Attempt, Output: out}})
	next.settled(lease.Attempt)
	if got := r.output(r.job(job.ID)); got != "a film" {
		t.Errorf("the result is %q", got)
	}
}
