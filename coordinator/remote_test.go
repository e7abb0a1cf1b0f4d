package coordinator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/farm/wire"
)

func toBucket(j *farm.Job) {
	j.Upload = &farm.Upload{
		Provider: "s3", Prefix: "films/", OutputURL: "https://cdn.example.com",
		Params: map[string]string{"endpoint": "http://Storage:9000", "region": "r", "bucket": "b", "accessKeyId": "k", "accessKeySecret": "s"},
	}
}

func TestAResultThatWasUploadedElsewhereFinishesItsJob(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	job := r.submit(toBucket)
	if got, want := r.OutputAddress(job), "https://cdn.example.com/films/"+job.ID+".mp4"; got != want {
		t.Errorf("the result is to be at %s, want %s", got, want)
	}
	l := s.lease()
	if l.Upload == nil || l.Upload.Params["accessKeySecret"] != "s" {
		t.Fatalf("the lease's upload is %+v", l.Upload)
	}
	out := farm.OutputRef{FileRef: farm.FileRef{SHA256: strings.Repeat("a", 64), Size: 5}, Frames: 25}
	out.Remote = &farm.RemoteObject{Endpoint: "storage:9000", Region: "r", Bucket: "b", Key: "films/" + job.ID + ".mp4", Insecure: true}
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: out}})
	s.settled(l.Attempt)
	done := r.job(job.ID)
	if done.Status != farm.JobFinished || done.Output == nil || done.Output.Remote == nil || *done.Output.Remote != *out.Remote || done.Output.Frames != 25 || done.Output.Key != "" {
		t.Fatalf("%s: %+v, %+v", done.Status, done.Output, done.Error)
	}
	err := filepath.WalkDir(r.cfg.DataDir, func(path string, d os.DirEntry, err error) error {
		if strings.Contains(path, job.OutputName) {
			t.Errorf("the farm has %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAResultCountsOnlyWhereTheJobWantsIt(t *testing.T) {
	for name, c := range map[string]struct {
		edit   func(*farm.Job)
		remote *farm.RemoteObject
		want   string
	}{
		"elsewhere":         {toBucket, &farm.RemoteObject{Endpoint: "evil.example.com", Region: "r", Bucket: "b", Key: "films/x.mp4"}, "elsewhere"},
		"not at all":        {toBucket, nil, "too old"},
		"without an upload": {func(*farm.Job) {}, &farm.RemoteObject{Endpoint: "storage:9000", Bucket: "b", Key: "x.mp4"}, "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			s := r.enrol("box")
			s.connect()
			job := r.submit(c.edit)
			l := s.lease()
			s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: farm.OutputRef{FileRef: farm.FileRef{SHA256: strings.Repeat("a", 64), Size: 5}, Remote: c.remote}}})
			s.settled(l.Attempt)
			if got := r.job(job.ID); got.Status != farm.JobQueued || got.Output != nil {
				t.Fatalf("%s, %+v", got.Status, got.Output)
			}
			if log := r.log(job.ID); !strings.Contains(log, "Upload failed: ") || !strings.Contains(log, c.want) {
				t.Errorf("the log says\n%s", log)
			}
		})
	}
}
