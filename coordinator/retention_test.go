package coordinator_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const day = 24 * time.Hour

func (r *rig) retain() {
	r.t.Helper()
	if err := r.Retain(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// traces are the files below the coordinator's folder that hold a text.
func (r *rig) traces(text string) []string {
	r.t.Helper()
	var found []string
	err := filepath.WalkDir(r.cfg.DataDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreGone(err)
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return ignoreGone(err)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// ignoreGone lets a walk go on when the farm removes files behind its back.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// particulars is a job of a registered template that says much about its maker.
func particulars(template string) func(*farm.Job) {
	return func(j *farm.Job) {
		j.Template = farm.JobTemplate{ID: template, Composition: "main"}
		j.Assets = []farm.Asset{
			{Type: "text", LayerName: "title", Value: json.RawMessage(`"Launch of the Marigold"`)},
			{Type: "image", LayerName: "logo", Src: "https://cdn.client.example/logo.png?key=abc"},
		}
		j.Webhook = &farm.Webhook{URL: "http://127.0.0.1:1/done", Headers: map[string]string{"X-Key": "opensesame"}}
	}
}

func TestLogsAndRecordsAreRedactedThreeDaysAfterTheEnd(t *testing.T) {
	now := newClock()
	r := open(t, now.config)
	mac := r.enrol("mac")
	mac.connect()
	job := r.submit(particulars(r.uploaded(project(t, []string{"main"})).ID))
	lease := mac.lease()
	mac.say(wire.Message{Log: &wire.Log{Attempt: lease.Attempt, Lines: []string{
		"fetching https://cdn.client.example/logo.png?key=abc into /var/agent/work/logo.png",
		`'Launch of the Marigold' in 'C:\Users\jo\a b.aep' at 25 frames/s (1/250)`,
	}}})
	mac.fail(lease, "Asset https://cdn.client.example/logo.png?key=abc failed to download (403)", false)
	finished := mac.finished(farm.Webhook{URL: "http://127.0.0.1:1/"})
	for try := range farm.DeliveryRetries + 1 {
		r.eventually("a try is made", func() bool {
			d, err := r.Webhooks().Delivery(r.admin, job.ID)
			return err == nil && d.Tries > try
		})
		now.pass(20 * time.Second)
	}
	r.delivery(job.ID)

	now.pass(3*day - time.Hour)
	r.retain()
	if log := r.log(job.ID); !strings.Contains(log, "Marigold") || !r.job(job.ID).RedactedAt.IsZero() {
		t.Fatalf("redacted too early: %s", log)
	}
	now.pass(2 * time.Hour)
	r.retain()
	got := r.job(job.ID)
	record, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"log": r.log(job.ID), "record": string(record)} {
		for _, secret := range []string{"Marigold", "client.example", "/var/agent", `C:\Users`, "opensesame", "127.0.0.1"} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s still holds %q: %s", name, secret, text)
			}
		}
	}
	for _, kept := range []string{"fetching [redacted] into [redacted]", "'[redacted]' in '[redacted]' at 25 frames/s (1/250)", "attempt 1 on mac"} {
		if !strings.Contains(r.log(job.ID), kept) {
			t.Errorf("the log lacks %q: %s", kept, r.log(job.ID))
		}
	}
	if got.Error != "Asset [redacted] failed to download (403)" || got.Assets[0].LayerName != "title" || got.Status != farm.JobFailed || got.RedactedAt.IsZero() {
		t.Errorf("redacted to %+v", got)
	}
	if r.output(finished) != "film" {
		t.Error("the result has suffered")
	}
	_, err = r.Webhooks().Redeliver(t.Context(), r.admin, job.ID)
	wantCode(t, err, farm.CodeGone)
}

func TestResultsGoByPolicyAndJobsStay(t *testing.T) {
	now := newClock()
	r := open(t, now.config, func(cfg *coordinator.Config) { cfg.KeepOutputs = 10 * day })
	mac := r.enrol("mac")
	mac.connect()
	job := r.submit(func(j *farm.Job) { j.Settings.Codec = "video_prores_422" })
	lease := mac.lease()
	if !lease.Proxy {
		t.Error("nobody is asked for a film that browsers play")
	}
	if err := r.Results().ReceiveThumbnail(t.Context(), mac.agent, lease.Attempt, 0, picture(t, 8, 8)); err != nil {
		t.Fatal(err)
	}
	if err := r.Results().ReceiveProxy(t.Context(), mac.agent, lease.Attempt, strings.NewReader("\x00\x00\x00\x20ftypisom film"), -1); err != nil {
		t.Fatal(err)
	}
	wantCode(t, r.Results().ReceiveProxy(t.Context(), mac.agent, lease.Attempt, strings.NewReader("<html>"), -1), farm.CodeInvalid)
	mac.finish(lease, "film")
	if there, err := r.Results().HasProxy(t.Context(), r.job(job.ID)); err != nil || !there {
		t.Errorf("the proxy is there: %t, %v", there, err)
	}
	now.pass(9 * day)
	r.retain()
	if r.output(job) != "film" {
		t.Error("the result went too early")
	}
	now.pass(2 * day)
	r.retain()
	_, err := r.Results().Open(t.Context(), job.OutputName)
	wantCode(t, err, farm.CodeGone)
	if list, err := r.Results().Thumbnails(t.Context(), r.admin, job.ID); err != nil || len(list) != 0 {
		t.Errorf("pictures left: %v, %v", list, err)
	}
	_, err = r.Results().OpenProxy(t.Context(), r.admin, job.ID)
	wantCode(t, err, farm.CodeGone)
	if found := r.traces("film"); len(found) != 0 {
		t.Errorf("the result or its proxy still lies in %v", found)
	}
	if got := r.job(job.ID); got.Status != farm.JobFinished {
		t.Errorf("the job is %+v", got)
	}
	r.retain()
	r.restart()
	_, err = r.Results().Open(t.Context(), job.OutputName)
	wantCode(t, err, farm.CodeGone)
}

func TestHistoryGoesByPolicyWithEverything(t *testing.T) {
	now := newClock()
	r := open(t, now.config, func(cfg *coordinator.Config) { cfg.KeepHistory = 30 * day })
	mac := r.enrol("mac")
	mac.connect()
	var old []farm.Job
	for range 105 { // more than one command takes
		job := r.submit()
		mac.finish(mac.lease(), "film")
		old = append(old, job)
	}
	now.pass(29 * day)
	young, waits := r.submit(), r.submit(func(j *farm.Job) { j.Hold = true })
	mac.hangUp()
	mac.connect()
	mac.finish(mac.lease(), "film")
	now.pass(2 * day)
	r.retain()
	for _, job := range old {
		_, err := r.Job(t.Context(), r.admin, job.ID)
		wantCode(t, err, farm.CodeNotFound)
		_, err = r.JobLog(t.Context(), r.admin, job.ID)
		wantCode(t, err, farm.CodeNotFound)
		_, err = r.Results().Open(t.Context(), job.OutputName)
		wantCode(t, err, farm.CodeNotFound)
	}
	left, _, err := r.Jobs(t.Context(), r.admin, farm.JobQuery{Limit: 1000})
	if err != nil || len(left) != 2 {
		t.Errorf("%d jobs are left, %v", len(left), err)
	}
	if counts, err := r.CountJobs(t.Context(), r.admin); err != nil || counts[farm.JobFinished] != 1 || counts[farm.JobQueued] != 1 {
		t.Errorf("counted %v, %v", counts, err)
	}
	if r.output(young) != "film" || r.job(waits.ID).Status != farm.JobQueued {
		t.Error("a job that is to stay has suffered")
	}
	r.eventually("the log and the result of one job are left, and nothing else", func() bool { // what an attempt left goes behind its end
		kept := 0
		for _, folder := range []string{"logs", "outputs", "attempts", "thumbnails"} {
			entries, err := os.ReadDir(filepath.Join(r.cfg.DataDir, "files", folder))
			if err == nil {
				kept += len(entries)
			}
		}
		return kept == 2
	})
}
