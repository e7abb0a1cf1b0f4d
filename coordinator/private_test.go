package coordinator_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// age makes all kept blobs look as if they had come a while ago.
func (r *rig) age(by time.Duration) {
	r.t.Helper()
	then := time.Now().Add(-by)
	err := filepath.WalkDir(filepath.Join(r.cfg.DataDir, "files"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chtimes(path, then, then)
		}
		return ignoreGone(err)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

const marker = "Marigold"

// private submits a job whose project, address and assets all hold the marker.
func (r *rig) private(edit ...func(*farm.Job)) farm.Job {
	r.t.Helper()
	return r.submit(append([]func(*farm.Job){func(j *farm.Job) {
		j.Template = farm.JobTemplate{Src: "https://client.example/" + marker + "/opener.aep?key=" + marker, Composition: "main"}
		j.Assets = []farm.Asset{
			{Type: "text", LayerName: "title", Value: json.RawMessage(`"The ` + marker + ` show"`)},
			{Type: "image", LayerName: "logo", Src: "https://client.example/" + marker + ".png"},
			{Type: "image", LayerName: "plate", Src: "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(marker, 1000)))},
		}
	}}, edit...)...)
}

// TestAJobThatCannotBeErasedHoldsUpNoOther: what one job keeps to itself is damaged, and those that end after it are erased all the same.
func TestAJobThatCannotBeErasedHoldsUpNoOther(t *testing.T) {
	r := open(t)
	damaged, sound := r.private(), r.private()
	if err := os.WriteFile(filepath.Join(r.cfg.DataDir, "files", "private", damaged.ID+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.restart() // so that nothing of it is in memory
	for _, job := range []farm.Job{damaged, sound} {
		if _, err := r.CancelJobs(t.Context(), r.admin, []string{job.ID}, true); err != nil {
			t.Fatal(err)
		}
	}
	r.eventually("the job behind it is erased", func() bool { return !r.job(sound.ID).ErasedAt.IsZero() })
	if err := r.Retain(t.Context()); err == nil || !strings.Contains(err.Error(), damaged.ID) {
		t.Errorf("the round tells %v", err)
	}
	if !r.job(damaged.ID).ErasedAt.IsZero() {
		t.Error("a job of which nobody knows what to look for counts as erased")
	}
}

func TestNothingStaysOfAPrivateProject(t *testing.T) {
	r := open(t)
	mac := r.enrol("mac")
	mac.connect()
	for name, end := range map[string]func(wire.Lease){
		"finished": func(l wire.Lease) {
			mac.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: mac.render(l, "film"), Warnings: []string{"no font in https://client.example/" + marker}}})
			mac.settled(l.Attempt)
		},
		"failed": func(l wire.Lease) {
			mac.fail(l, "Asset https://client.example/"+marker+".png failed to download (403)", false)
		},
		"cancelled": func(l wire.Lease) {
			if _, err := r.CancelJobs(t.Context(), r.admin, []string{l.Job}, true); err != nil {
				t.Fatal(err)
			}
			if m := mac.hear(); m.Cancel == nil {
				t.Fatalf("got %+v", m)
			}
			mac.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Cancelled: true, Message: marker}})
			mac.settled(l.Attempt)
		},
	} {
		t.Run(name, func(t *testing.T) {
			job := r.private(func(j *farm.Job) { j.Template.Src += name })
			for _, path := range r.traces(marker) {
				if !strings.Contains(path, "/private/") && !strings.Contains(path, "/blobs/") {
					t.Errorf("a job that waits has left its marker in %s", path)
				}
			}
			lease := mac.lease()
			if !lease.Discard || !strings.Contains(lease.Project.Src, marker) || !strings.Contains(string(lease.Assets[0].Value), marker) || lease.Assets[1].Src != "https://client.example/"+marker+".png" {
				t.Fatalf("leased as %+v", lease)
			}
			f, err := r.OpenFileFor(t.Context(), mac.agent, strings.TrimPrefix(lease.Assets[2].Src, farm.KeptScheme))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			mac.say(wire.Message{Log: &wire.Log{Attempt: lease.Attempt, Lines: []string{"text 'The " + marker + " show'", "got https://client.example/" + marker + ".png"}}})
			if err := r.Results().ReceiveThumbnail(t.Context(), mac.agent, lease.Attempt, 3, picture(t, 8, 8)); err != nil {
				t.Fatal(err)
			}
			r.age(2 * time.Minute)
			end(lease)
			var left []string
			r.eventually("the job is erased", func() bool {
				left = r.traces(marker)
				return !r.job(job.ID).ErasedAt.IsZero() && len(left) == 0
			})
			if list, err := r.Results().Thumbnails(t.Context(), r.admin, job.ID); err != nil || len(list) != 0 {
				t.Errorf("pictures left: %v, %v", list, err)
			}
			if entries, _ := os.ReadDir(filepath.Join(r.cfg.DataDir, "files", "private")); len(entries) != 0 {
				t.Errorf("%d files are still set aside", len(entries))
			}
			if log := r.log(job.ID); !strings.Contains(log, "text '[redacted]'") || !strings.Contains(log, "got [redacted]") {
				t.Errorf("the log says %q", log)
			}
		})
	}
}

func TestPrivateJobSurvivesARestartAndTriesAgain(t *testing.T) {
	r := open(t)
	job := r.private()
	if got := r.job(job.ID); got.Assets[0].LayerName != "title" || !strings.Contains(string(got.Assets[0].Value), marker) {
		t.Errorf("shown as %+v", got)
	}
	list, _, err := r.Jobs(t.Context(), r.admin, farm.JobQuery{})
	if err != nil || len(list) != 1 || string(list[0].Assets[0].Value) != `"[redacted]"` || list[0].Template.Src != farm.Redacted {
		t.Errorf("listed as %+v, %v", list, err)
	}
	r.restart()
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.age(48 * time.Hour)
	if err := r.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	mac := r.enrol("mac")
	mac.connect()
	if lease := mac.lease(); !strings.Contains(lease.Project.Src, marker) || len(lease.Assets) != 3 {
		t.Errorf("leased as %+v", lease)
	}
}

func TestWhatIsSetAsideForNoJobIsSwept(t *testing.T) {
	r := open(t)
	orphan := filepath.Join(r.cfg.DataDir, "files", "private", "01JD7000000000000000000JBA.json")
	if err := os.MkdirAll(filepath.Dir(orphan), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(orphan, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Tidy(t.Context()); err != nil || !exists(orphan) {
		t.Fatalf("swept at once, %v", err)
	}
	r.age(2 * time.Hour)
	if err := r.Tidy(t.Context()); err != nil || exists(orphan) {
		t.Errorf("not swept, %v", err)
	}
}
