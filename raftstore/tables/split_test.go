package tables

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

// film is a job with pictures to look at first, and its render.
func film(m *rig, edit func(*farm.Job)) farm.Job {
	m.t.Helper()
	job, _ := jobOf("film", 1)
	edit(&job)
	tasks := []farm.Task{{ID: "film.1", Job: "film", Team: job.Team, Kind: farm.TaskRender}}
	if job.PreviewFirst {
		tasks[0].Stage = 1
		tasks = append(tasks, farm.Task{ID: "film.2", Job: "film", Team: job.Team, Kind: farm.TaskSample, Part: true})
	}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: tasks})
	return job
}

func (m *rig) tasks(job string) (tasks []farm.Task) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		tasks, err = tx.TasksOf(job)
		return err
	})
	return tasks
}

// shape is what a test wants to know of tasks: kind, frames and state.
func shape(tasks []farm.Task) string {
	var words []string
	for _, task := range tasks {
		word := string(task.Kind)
		if task.Frames != nil {
			word += fmt.Sprintf(" %d-%d", task.Frames.Start, task.Frames.End)
		}
		words = append(words, word+" "+string(task.Status))
	}
	return strings.Join(words, ", ")
}

func wantShape(t *testing.T, m *rig, want string) {
	t.Helper()
	if got := shape(m.tasks("film")); got != want {
		t.Fatalf("the tasks are\n%s, want\n%s", got, want)
	}
}

func part(frames int) farm.OutputRef {
	return farm.OutputRef{FileRef: farm.FileRef{SHA256: fmt.Sprintf("part%d", frames)}, Frames: frames}
}

func (m *rig) finish(task string, attempt, at int) command.Result {
	m.t.Helper()
	return m.must(command.FinishTask{Task: task, Attempt: attempt, Output: part(at), At: after(at)})
}

func TestSplitJobIsAssembledWhenAllItsPartsAreThere(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	film(m, func(*farm.Job) {})
	split := command.Split{Task: "film.1", Ranges: []farm.Frames{{Start: 2, End: 4}, {Start: 5, End: 9}}, Parting: command.Parting{Engine: farm.EngineEmbedded, Sound: true}}
	m.must(command.SplitTasks{Splits: []command.Split{split}, At: after(2)})
	wantShape(t, m, "render 2-4 ready, render 5-9 ready, sound 2-9 ready, assemble 2-9 blocked")
	if err := m.do(command.SplitTasks{Splits: []command.Split{split}, At: after(2)}).Each[0]; farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("split once more: %v", err)
	}
	for i, id := range []string{"film.1", "film.2", "film.3"} {
		lease(m, id, 1, 3)
		m.finish(id, 1, 4+i)
	}
	wantShape(t, m, "render 2-4 done, render 5-9 done, sound 2-9 done, assemble 2-9 ready")
	if tasks := m.tasks("film"); tasks[1].Parts[0].Frames != (farm.Frames{Start: 5, End: 9}) || tasks[1].Parts[0].Output.Frames != 5 || tasks[1].Engine != farm.EngineEmbedded {
		t.Errorf("the second range gave %+v", tasks[1])
	}
	lease(m, "film.4", 1, 8)
	result := m.finish("film.4", 1, 9)
	if job := result.Jobs[0]; job.Status != farm.JobFinished || job.Output.SHA256 != "part9" || job.FramesTotal != 8 {
		t.Errorf("finished as %+v", job)
	}
}

func TestFramesThatWereDoneAreKept(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	film(m, func(*farm.Job) {})
	lease(m, "film.1", 1, 2)
	keep := command.KeepFrames{Task: "film.1", Attempt: 1, Frames: farm.Frames{End: 3}, Output: part(4), Whole: &farm.Frames{End: 9}, At: after(3)}
	for _, wrong := range []farm.Frames{{Start: 1, End: 3}, {End: 9}, {End: -1}} {
		bad := keep
		bad.Frames = wrong
		wantRefused(t, m, bad, farm.CodeInvalid)
	}
	m.must(keep)
	content := m.content()
	if m.must(keep); m.content() != content {
		t.Error("a report that came twice changed something")
	}
	m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "film.1", Attempt: 1, Agent: "a1"}}, Returned: true, At: after(4)})
	wantShape(t, m, "render 4-9 ready, assemble 0-9 blocked")
	if status := m.jobStatus("film"); status != farm.JobRendering {
		t.Errorf("a job of which some is there is %s", status)
	}
	lease(m, "film.1", 2, 5)
	keep = command.KeepFrames{Task: "film.1", Attempt: 2, Frames: farm.Frames{Start: 4, End: 5}, Output: part(2), At: after(6)}
	m.must(keep)
	m.finish("film.1", 2, 7)
	if got := m.tasks("film")[0].Parts; len(got) != 3 || got[2].Frames != (farm.Frames{Start: 6, End: 9}) {
		t.Errorf("the parts are %+v", got)
	}
	keep.Frames.End = 6
	wantRefused(t, m, keep, farm.CodeConflict)
}

func TestBadFramesAloneAreRenderedAgain(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	film(m, func(*farm.Job) {})
	m.must(command.SplitTasks{Splits: []command.Split{{Task: "film.1", Ranges: []farm.Frames{{End: 4}, {Start: 5, End: 9}}}}, At: after(2)})
	for _, id := range []string{"film.1", "film.2"} {
		lease(m, id, 1, 3)
		m.finish(id, 1, 4)
	}
	for round := 1; round <= farm.MaxRedos; round++ {
		lease(m, "film.3", round, 5)
		redo := command.RedoFrames{Task: "film.3", Attempt: round, Bad: []farm.Frames{{Start: 7, End: 7}, {Start: 6, End: 6}, {Start: 40, End: 41}}, At: after(6)}
		m.must(redo)
		content := m.content()
		if m.must(redo); m.content() != content {
			t.Error("a report that came twice changed something")
		}
		id := fmt.Sprintf("film.%d", 3+round)
		if again := m.tasks("film")[2+round]; again.ID != id || *again.Frames != (farm.Frames{Start: 6, End: 7}) || again.Redo != round || !slices.Equal(again.Avoid, []string{"a1"}) {
			t.Fatalf("round %d makes %+v", round, again)
		}
		lease(m, id, 1, 7)
		m.finish(id, 1, 8)
	}
	lease(m, "film.3", farm.MaxRedos+1, 9)
	wantRefused(t, m, command.RedoFrames{Task: "film.3", Attempt: farm.MaxRedos + 1, Bad: []farm.Frames{{Start: 10, End: 12}}}, farm.CodeInvalid)
	result := m.must(command.RedoFrames{Task: "film.3", Attempt: farm.MaxRedos + 1, Bad: []farm.Frames{{Start: 7, End: 8}}, At: after(9)})
	if job := result.Jobs[0]; job.Status != farm.JobFailed || !strings.Contains(job.Error, "frames 7 came out missing or damaged 4 times") {
		t.Errorf("ended as %s: %s", job.Status, job.Error)
	}
}

func TestPreviewComesBeforeTheRest(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	film(m, func(job *farm.Job) { job.PreviewFirst = true })
	wantShape(t, m, "render blocked, sample ready")
	lease(m, "film.2", 1, 2)
	m.finish("film.2", 1, 3)
	wantShape(t, m, "render ready, sample done")
}

func TestRestWaitsForApproval(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job := film(m, func(job *farm.Job) { job.PreviewFirst, job.Approve = true, true })
	approve := command.DecideJob{Team: job.Team, ID: "film", By: "Ann", At: after(4)}
	lease(m, "film.2", 1, 2)
	m.finish("film.2", 1, 3)
	wantShape(t, m, "render blocked, sample done")
	if status := m.jobStatus("film"); status != farm.JobQueued {
		t.Errorf("a job that waits for approval is %s", status)
	}
	m.must(approve)
	wantShape(t, m, "render ready, sample done")
	m.must(approve)
	reject := approve
	reject.Reject, reject.Reason = true, "too late"
	wantRefused(t, m, reject, farm.CodeConflict)
	m.must(command.CancelJobs{Team: job.Team, IDs: []string{"film"}, At: after(5)})
	wantRefused(t, m, approve, farm.CodeConflict)
}

func TestRejectedJobEndsWithTheReason(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job := film(m, func(job *farm.Job) { job.PreviewFirst, job.Approve = true, true })
	result := m.must(command.DecideJob{Team: job.Team, ID: "film", Reject: true, Reason: "Rejected by Ann: wrong logo", At: after(4)})
	if job := result.Jobs[0]; job.Status != farm.JobFailed || job.Error != "Rejected by Ann: wrong logo" {
		t.Errorf("ended as %s: %s", job.Status, job.Error)
	}
	submit(m, "plain", 1)
	wantRefused(t, m, command.DecideJob{Team: job.Team, ID: "plain", At: after(5)}, farm.CodeConflict)
}

// TestSplitJobsAlwaysEnd gives one job to machines that fail, vanish, give back and lie, and checks that it ends, that what
// is assembled holds every frame, and that there is one result.
func TestSplitJobsAlwaysEnd(t *testing.T) {
	ends := map[farm.JobStatus]int{}
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "raftstore-split-*")
		if err != nil {
			t.Fatalf("%v", err)
		}
		defer os.RemoveAll(folder)
		m := newRig(t, folder, "state")
		defer m.end()
		furnish(m)
		job := film(m, func(job *farm.Job) {
			job.Approve = rapid.Bool().Draw(t, "approve")
			job.PreviewFirst = job.Approve || rapid.Bool().Draw(t, "preview")
		})
		results := 0
		for step := 2; !m.jobStatus("film").Ended(); step++ {
			if step > 5000 {
				t.Fatalf("the job does not end: %s", shape(m.tasks("film")))
			}
			for _, moved := range drawEvent(t, m, job, step).Jobs {
				if moved.Status == farm.JobFinished {
					results++
				}
			}
			checkParts(t, m.tasks("film"))
		}
		status := m.jobStatus("film")
		ends[status]++
		if finished := status == farm.JobFinished; finished != (results == 1) || results > 1 {
			t.Fatalf("a job that is %s had %d results", status, results)
		}
		for _, task := range m.tasks("film") {
			if !task.Status.Ended() {
				t.Fatalf("the job has ended and left %s", shape(m.tasks("film")))
			}
		}
	})
	t.Logf("ends: %v", ends)
	for _, status := range []farm.JobStatus{farm.JobFinished, farm.JobFailed, farm.JobCancelled} {
		if ends[status] == 0 && commandtest.AllCases() {
			t.Errorf("no history ended as %s: the test no longer covers it", status)
		}
	}
}

const filmFrames = 20

// drawEvent lets something happen to a task of the film.
func drawEvent(t *rapid.T, m *rig, job farm.Job, step int) command.Result {
	tasks := slices.DeleteFunc(m.tasks("film"), func(task farm.Task) bool {
		return task.Status != farm.TaskReady && task.Status != farm.TaskLeased
	})
	whole := farm.Frames{End: filmFrames - 1}
	at := after(10 * step)
	switch {
	case len(tasks) == 0:
		return m.must(command.DecideJob{Team: job.Team, ID: "film", Reject: rapid.IntRange(0, 9).Draw(t, "reject") == 0, Reason: "no", At: at})
	case rapid.IntRange(0, 99).Draw(t, "cancel") == 0:
		return m.must(command.CancelJobs{Team: job.Team, IDs: []string{"film"}, Force: true, At: at})
	}
	task := rapid.SampledFrom(tasks).Draw(t, "task")
	frames := whole
	if task.Frames != nil {
		frames = *task.Frames
	}
	if task.Status == farm.TaskReady {
		if task.Kind == farm.TaskRender && !task.Part && rapid.Bool().Draw(t, "split") {
			cut := rapid.IntRange(1, filmFrames-1).Draw(t, "cut")
			return m.must(command.SplitTasks{Splits: []command.Split{{Task: task.ID, Attempt: task.Attempt, Ranges: []farm.Frames{{End: cut - 1}, {Start: cut, End: filmFrames - 1}},
				Parting: command.Parting{Sound: rapid.Bool().Draw(t, "sound")}}}, At: at})
		}
		agent := rapid.SampledFrom([]string{"a1", "a2"}).Draw(t, "agent")
		return m.must(command.LeaseTasks{Grants: []command.Grant{{Task: task.ID, Attempt: task.Attempt + 1, Agent: agent}}, At: at})
	}
	end := rapid.IntRange(0, 19).Draw(t, "end")
	if end < 4 && task.Kind == farm.TaskRender && frames.Count() > 1 {
		done := farm.Frames{Start: frames.Start, End: frames.Start + rapid.IntRange(0, frames.Count()-2).Draw(t, "done")}
		m.must(command.KeepFrames{Task: task.ID, Attempt: task.Attempt, Frames: done, Output: part(done.Count()), Whole: &whole, At: at})
	}
	if end < 6 && task.Kind == farm.TaskAssemble {
		from := rapid.IntRange(0, filmFrames-1).Draw(t, "bad")
		return m.must(command.RedoFrames{Task: task.ID, Attempt: task.Attempt, Bad: []farm.Frames{{Start: from, End: from + rapid.IntRange(0, 3).Draw(t, "more")}}, At: at})
	}
	switch end {
	case 0:
		return m.must(command.FailTask{Task: task.ID, Attempt: task.Attempt, Message: "broke", Retry: true, At: at})
	case 1, 2, 3:
		return m.must(command.ExpireLeases{Leases: []command.Grant{{Task: task.ID, Attempt: task.Attempt, Agent: task.Agent}}, Returned: end > 1, At: at})
	default:
		return m.must(command.FinishTask{Task: task.ID, Attempt: task.Attempt, Output: part(frames.Count()), At: at})
	}
}

// checkParts makes sure that each frame of a split job is either in a part or still to be rendered by just one task, and
// that all are in parts before they are assembled.
func checkParts(t *rapid.T, tasks []farm.Task) {
	var made, due [filmFrames]int
	assembling := false
	for _, task := range tasks {
		switch {
		case task.Kind == farm.TaskAssemble:
			assembling = task.Status != farm.TaskBlocked && task.Status != farm.TaskCancelled
		case task.Kind != farm.TaskRender || !task.Part || task.Status == farm.TaskCancelled || task.Status == farm.TaskFailed:
			continue
		}
		for _, part := range task.Parts {
			for i := part.Frames.Start; i <= part.Frames.End; i++ {
				made[i]++
			}
		}
		if task.Kind == farm.TaskRender && !task.Status.Ended() {
			for i := task.Frames.Start; i <= task.Frames.End; i++ {
				due[i]++
			}
		}
	}
	if !slices.ContainsFunc(tasks, func(task farm.Task) bool { return task.Kind == farm.TaskAssemble && !task.Status.Ended() }) {
		return
	}
	for i := range made {
		switch {
		case due[i] > 1, due[i] == 0 && made[i] == 0:
			t.Fatalf("frame %d is made %d times and due %d times: %s", i, made[i], due[i], shape(tasks))
		case assembling && due[i] > 0:
			t.Fatalf("frame %d is still due while the film is assembled: %s", i, shape(tasks))
		}
	}
}
