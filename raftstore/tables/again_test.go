package tables

import (
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// halves is a film of ten frames that two machines share.
func halves(m *rig) farm.Job {
	furnish(m)
	job := film(m, func(*farm.Job) {})
	m.must(command.SplitTasks{Splits: []command.Split{{Task: "film.1", Ranges: []farm.Frames{{End: 4}, {Start: 5, End: 9}}}}, At: after(2)})
	return job
}

func again(job farm.Job, at int, frames ...farm.Frames) command.RenderAgain {
	return command.RenderAgain{Team: job.Team, ID: job.ID, Frames: frames, At: after(at)}
}

func TestFramesThatSomebodyWantsAreRenderedAgain(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	job := halves(m)
	wantRefused(t, m, again(job, 3, farm.Frames{End: 9}), farm.CodeConflict) // nothing has begun
	lease(m, "film.1", 1, 3)
	m.finish("film.1", 1, 4)
	m.must(again(job, 5, farm.Frames{Start: 3, End: 6}, farm.Frames{Start: 1, End: 1}, farm.Frames{Start: 30, End: 31}))
	wantShape(t, m, "render 0-4 done, render 5-9 ready, assemble 0-9 blocked, render 1-1 ready, render 3-4 ready")
	redone := m.tasks("film")[3]
	if !slices.Equal(redone.Avoid, []string{"a1"}) || redone.Redo != 1 || !redone.Part || redone.Stage != m.tasks("film")[0].Stage {
		t.Errorf("the frame is rendered again by %+v", redone)
	}
	wantRefused(t, m, again(job, 6, farm.Frames{Start: 3, End: 6}), farm.CodeConflict) // they wait to be rendered again

	for i, id := range []string{"film.2", "film.4", "film.5"} {
		lease(m, id, 1, 7)
		m.finish(id, 1, 8+i)
	}
	wantShape(t, m, "render 0-4 done, render 5-9 done, assemble 0-9 ready, render 1-1 done, render 3-4 done")
}

func TestFilmThatIsPutTogetherWaitsForFramesThatAreRenderedAgain(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	job := halves(m)
	for _, id := range []string{"film.1", "film.2"} {
		lease(m, id, 1, 3)
		m.finish(id, 1, 4)
	}
	lease(m, "film.3", 1, 5)
	m.must(again(job, 6, farm.Frames{Start: 4, End: 5}))
	wantShape(t, m, "render 0-4 done, render 5-9 done, assemble 0-9 blocked, render 4-5 ready")
	if status := m.jobStatus("film"); status != farm.JobRendering {
		t.Errorf("the job is %s", status)
	}
	if refused := m.do(command.FinishTask{Task: "film.3", Attempt: 1, Output: part(9), At: after(7)}).Refused; farm.CodeOf(refused) != farm.CodeConflict {
		t.Errorf("the film without the new frames is answered with %v", refused)
	}
	lease(m, "film.4", 1, 7)
	m.finish("film.4", 1, 8)
	wantShape(t, m, "render 0-4 done, render 5-9 done, assemble 0-9 ready, render 4-5 done")
	lease(m, "film.3", 2, 9)
	if result := m.finish("film.3", 2, 10); result.Jobs[0].Status != farm.JobFinished {
		t.Errorf("the job ends as %s", result.Jobs[0].Status)
	}
	wantRefused(t, m, again(job, 11, farm.Frames{Start: 4, End: 5}), farm.CodeConflict)
}

func TestFramesOftenRenderedAgainLeaveTheFarmATry(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	job := halves(m)
	for _, id := range []string{"film.1", "film.2"} {
		lease(m, id, 1, 3)
		m.finish(id, 1, 4)
	}
	for round := range 2 * farm.MaxRedos {
		m.must(again(job, 5, farm.Frames{Start: 7, End: 7}))
		tasks := m.tasks("film")
		last := tasks[len(tasks)-1]
		if last.Redo != min(round+1, farm.MaxRedos-1) {
			t.Fatalf("round %d makes %+v", round, last)
		}
		lease(m, last.ID, 1, 6)
		m.finish(last.ID, 1, 7)
	}
	lease(m, "film.3", 1, 8)
	result := m.must(command.RedoFrames{Task: "film.3", Attempt: 1, Bad: []farm.Frames{{Start: 7, End: 7}}, At: after(9)})
	if status := result.Jobs[0].Status; status != farm.JobRendering {
		t.Errorf("the first damaged frame ends the job as %s", status)
	}
}

func TestFilmsInOnePieceAreNotRenderedAgainInParts(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job := film(m, func(*farm.Job) {})
	lease(m, "film.1", 1, 2)
	wantRefused(t, m, again(job, 3, farm.Frames{End: 2}), farm.CodeConflict)
	other := again(job, 3, farm.Frames{End: 2})
	other.Team = "another"
	wantRefused(t, m, other, farm.CodeNotFound)
}
