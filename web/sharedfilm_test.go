package web_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// TestFramesAreRenderedAgainOnlyWhereThatCanBe looks at films that one machine renders, that two share, and that failed.
func TestFramesAreRenderedAgainOnlyWhereThatCanBe(t *testing.T) {
	r := &rig{t: t, dir: t.TempDir()}
	r.people()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	file := farm.FileRef{SHA256: "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", Size: 3, Name: "card.aep"}
	r.apply(store, command.SetLevel{Level: command.NewestLevel, Version: "v"})
	r.apply(store, command.EnrolAgent{Agent: farm.Agent{ID: madeBy, Name: "suite-1", SecretHash: "none", EnrolledAt: now}})
	const card = "01JD7000000000000000000300"
	r.apply(store, command.CreateTemplate{Template: farm.Template{ID: card, Team: staff[0].Team, Type: "aep", Status: farm.TemplateAwaitingUpload, UploadNonce: "n", CreatedAt: now}})
	r.apply(store, command.ReceiveTemplate{ID: card, Nonce: "n", File: file, At: now})
	r.apply(store, command.FinishTemplate{ID: card, FileSHA256: file.SHA256, Compositions: []string{"main"}, At: now})
	submits := func(id string) (task string) {
		t.Helper()
		job := farm.Job{ID: id, Team: staff[0].Team, SubmittedBy: "art", CreatedAt: now, UpdatedAt: now, OutputName: id + "-x.mp4", FramesTotal: 50,
			Template: farm.JobTemplate{ID: card, Composition: "main"}}
		r.apply(store, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: id + ".1", Job: id, Team: job.Team, Kind: farm.TaskRender}}})
		return id + ".1"
	}
	leases := func(task string) {
		t.Helper()
		r.apply(store, command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: 1, Agent: madeBy}}, At: now})
	}
	const whole, shared, failed = "01JD7000000000000000000200", "01JD7000000000000000000201", "01JD7000000000000000000202"
	leases(submits(whole))
	part := submits(shared)
	r.apply(store, command.SplitTasks{Splits: []command.Split{{Task: part, Ranges: []farm.Frames{{End: 24}, {Start: 25, End: 49}}}}, At: now})
	leases(part)
	r.apply(store, command.FinishTask{Task: part, Attempt: 1, Output: farm.OutputRef{FileRef: file}, Measured: farm.Measured{Frames: 25, FrameSeconds: 10}, At: now})
	broken := submits(failed)
	leases(broken)
	r.apply(store, command.FailTask{Task: broken, Attempt: 1, Message: "Render failed", Class: farm.FailureDeterministic, At: now})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	v := r.as("art")
	v.get("/jobs/"+whole).is(http.StatusOK, "One machine renders this film in one piece").lacks(`id="again-frames"`, "Render the whole film again")
	v.get("/jobs/"+shared).is(http.StatusOK, `id="again-frames"`).lacks("in one piece", "Render the whole film again")
	v.post("/jobs/"+shared+"/render-again", url.Values{"frames": {"12, twelve"}}).is(http.StatusBadRequest, `value="12, twelve"`, `id="again-wrong"`, `aria-invalid="true"`, "neither a frame nor a range of frames", "Render again")
	v.get("/jobs/"+shared+"/tasks").is(http.StatusOK, "Frames 0 to 24: Done, suite-1 (0.4\u00a0s a frame)")
	v.get("/jobs/"+failed).is(http.StatusOK, "Render failed").lacks(`id="again-frames"`, "in one piece", "Render the whole film again")
}
