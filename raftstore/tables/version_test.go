package tables

import (
	"fmt"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// replace gives the template "tmpl" another file, which is read.
func (m *rig) replace(n int) {
	m.t.Helper()
	hash, nonce := fmt.Sprint("content", n), fmt.Sprint("n", n)
	m.must(command.RenewUpload{Team: "team", ID: "tmpl", Nonce: nonce, Until: after(9), At: after(1)})
	m.must(command.ReceiveTemplate{ID: "tmpl", Nonce: nonce, File: farm.FileRef{SHA256: hash}, At: after(2 + n)})
	m.readNow(hash, n)
}

func (m *rig) readNow(hash string, n int) {
	m.t.Helper()
	m.must(command.FinishTemplate{ID: "tmpl", FileSHA256: hash, Introspection: &farm.FileRef{SHA256: fmt.Sprint("summary", n)}, Compositions: []string{fmt.Sprint("main", n)}, At: after(2 + n)})
}

// kept tells whether anything keeps a file.
func (m *rig) kept(sha256 string) (kept bool) {
	m.t.Helper()
	m.see(func(tx *Tx) {
		var err error
		if kept, err = tx.FileReferenced(sha256); err != nil {
			m.t.Fatalf("%v", err)
		}
	})
	return kept
}

// TestAJobHoldsTheFileOfItsVersion submits jobs of versions, replaces the template until the farm keeps these no longer, and ends the jobs.
func TestAJobHoldsTheFileOfItsVersion(t *testing.T) {
	m := leveled(t)
	m.replace(1)
	ask := func(id string, version int) command.SubmitJobs {
		job, task := jobOf(id, 3)
		job.Template.Version = version
		return command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
	}
	m.must(ask("first", 1))
	m.must(ask("now", 0))
	wantRefused(t, m, ask("third", 3), farm.CodeInvalid)
	for n := range farm.KeptVersions + 1 {
		m.replace(2 + n)
	}
	m.see(func(tx *Tx) {
		template, err := tx.Template("tmpl")
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]string{"first": "f1", "now": "content1"} {
			job, err := tx.Job(id)
			if err != nil || job.Project == nil || job.Project.SHA256 != want || template.RenderedBy(job).File.SHA256 != want {
				t.Errorf("job %s holds %+v, want %s (%v)", id, job.Project, want, err)
			}
		}
		if numbers := template.Renderable(); len(numbers) != farm.KeptVersions+1 || numbers[0] != 3 {
			t.Errorf("jobs can render the versions %v", numbers)
		}
	})
	wantRefused(t, m, ask("late", 1), farm.CodeInvalid)
	if !m.kept("f1") || !m.kept("content1") {
		t.Error("a file that a job holds is not kept")
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{"first", "now"}, At: after(40)})
	if m.kept("f1") || m.kept("content1") || !m.kept("content2") {
		t.Error("files of versions are kept longer than the jobs that hold them, or not as long as they can be rendered")
	}
	m.must(command.RetireTemplate{Team: "team", ID: "tmpl", Retired: true, At: after(41), By: "mia"})
	if m.kept("content5") || !m.kept(fmt.Sprint("content", farm.KeptVersions+2)) {
		t.Error("a retired template keeps files of earlier versions, or lost its own")
	}
}

func TestAnEarlierVersionBecomesTheNextOne(t *testing.T) {
	m := leveled(t)
	m.replace(1)
	wantRefused(t, m, command.TakeVersion{Team: "team", ID: "tmpl", Version: 5, At: after(5)}, farm.CodeInvalid)
	wantRefused(t, m, command.TakeVersion{Team: "other", ID: "tmpl", Version: 1, At: after(5)}, farm.CodeNotFound)
	m.must(command.RenewUpload{Team: "team", ID: "tmpl", Nonce: "late", Until: after(9), At: after(4)})
	m.must(command.TakeVersion{Team: "team", ID: "tmpl", Version: 1, At: after(5)})
	wantRefused(t, m, command.ReceiveTemplate{ID: "tmpl", Nonce: "late", File: farm.FileRef{SHA256: "content9"}, At: after(6)}, farm.CodeGone)

	// A job that was submitted before goes on with what it holds; one from now on waits until the file has been read.
	job, task := jobOf("waits", 6)
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	m.readNow("f1", 0)
	m.see(func(tx *Tx) {
		template, err := tx.Template("tmpl")
		if err != nil || template.VersionNow() != 3 || template.File.SHA256 != "f1" || template.Versions[1].File.SHA256 != "content1" {
			t.Errorf("the template is %+v (%v)", template, err)
		}
		job, err := tx.Job("waits")
		if err != nil || job.Project == nil || job.Project.SHA256 != "f1" || template.VersionFor(job) != 3 {
			t.Errorf("a job that waited for the file holds %+v (%v)", job.Project, err)
		}
	})
}

// TestAProjectThatCameAloneIsCompletedAsOneVersion finishes the reading of a file with another in its place, and has the first sent again.
func TestAProjectThatCameAloneIsCompletedAsOneVersion(t *testing.T) {
	m := leveled(t)
	m.must(command.RenewUpload{Team: "team", ID: "tmpl", Nonce: "n1.f1", Until: after(9), At: after(1)})
	came := command.ReceiveTemplate{ID: "tmpl", Nonce: "n1.f1", File: farm.FileRef{SHA256: "alone", Name: "spot.aep"}, At: after(2)}
	m.must(came)
	m.must(command.FinishTemplate{
		ID: "tmpl", FileSHA256: "alone", Introspection: &farm.FileRef{SHA256: "summary"}, At: after(3), Completed: &farm.FileRef{SHA256: "whole", Name: "spot.zip"},
	})
	m.must(came) // whose answer was lost
	wantRefused(t, m, command.ReceiveTemplate{ID: "tmpl", Nonce: "n1.f1", File: farm.FileRef{SHA256: "other"}, At: after(4)}, farm.CodeGone)
	m.see(func(tx *Tx) {
		template, err := tx.Template("tmpl")
		if err != nil || template.File.SHA256 != "whole" || template.VersionNow() != 2 || template.FileType() != "zip" || template.Status != farm.TemplateUploaded {
			t.Errorf("the template is %+v, %v", template, err)
		}
	})
	if !m.kept("whole") || m.kept("alone") {
		t.Error("the farm does not keep the archive, or still keeps the project alone")
	}
	m.replace(2)
	m.see(func(tx *Tx) {
		if template, err := tx.Template("tmpl"); err != nil || template.CameAs != "" || template.Versions[1].File.SHA256 != "whole" {
			t.Errorf("after another file the template is %+v, %v", template, err)
		}
	})
}
