package coordinator_test

import (
	"errors"
	"strings"
	"testing"

	"overcrank/farm"
)

// replaced gives a template another file, as somebody who uploads it does.
func (r *rig) replaced(id string, body []byte) farm.Template {
	r.t.Helper()
	renewed, err := r.Templates().RenewUpload(r.t.Context(), r.admin, id)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.put(r.Templates().UploadAddress(renewed), body); err != nil {
		r.t.Fatal(err)
	}
	return r.read(id)
}

// TestAJobRendersAnEarlierVersionOfItsTemplate has jobs ask for versions: they are held to what these had, and leased with their files.
func TestAJobRendersAnEarlierVersionOfItsTemplate(t *testing.T) {
	r := open(t)
	first := r.uploaded(project(t, []string{"old"}))
	second := r.replaced(first.ID, project(t, []string{"new"}))
	ask := func(version int, composition string) (farm.Job, error) {
		return r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: first.ID, Version: version, Composition: composition}})
	}
	for field, job := range map[string]farm.JobTemplate{
		"template.version":     {ID: first.ID, Version: 7},
		"template.composition": {ID: first.ID, Version: 1, Composition: "new"},
	} {
		_, err := ask(job.Version, job.Composition)
		var wrong *farm.Error
		if !errors.As(err, &wrong) || len(wrong.Fields) != 1 || wrong.Fields[0].Field != field {
			t.Errorf("version %d with the composition %q is refused with %v, not for its %s", job.Version, job.Composition, err, field)
		} else if field == "template.version" && !strings.HasSuffix(wrong.Fields[0].Message, "has the versions 1, 2") {
			t.Errorf("the versions that there are are not told: %s", wrong.Fields[0].Message)
		}
	}
	job, err := ask(1, "")
	if err != nil || job.Template.Composition != "old" {
		t.Fatalf("submitted as %+v, %v", job.Template, err)
	}
	mac := r.enrol("mac")
	mac.connect()
	if lease := mac.lease(); lease.Job != job.ID || lease.Project.File.SHA256 != first.File.SHA256 || lease.Composition != "old" {
		t.Errorf("leased with %+v of %q", lease.Project, lease.Composition)
	}
	again, err := r.Submit(t.Context(), r.admin, job.Definition())
	if err != nil || again.Template.Version != 1 || r.job(again.ID).Project.SHA256 != first.File.SHA256 {
		t.Errorf("submitted again it renders %+v (%v)", again.Template, err)
	}

	if _, err := r.Templates().TakeVersion(t.Context(), r.admin, first.ID, 1); err != nil {
		t.Fatal(err)
	}
	if taken := r.read(first.ID); taken.VersionNow() != 3 || taken.File.SHA256 != first.File.SHA256 || taken.Compositions[0] != "old" {
		t.Errorf("the first version as the third is %+v", taken)
	}
	if _, err := r.Templates().TakeVersion(t.Context(), r.admin, first.ID, 9); farm.CodeOf(err) != farm.CodeInvalid {
		t.Errorf("a version that never was: %v", err)
	}
	if job, err := ask(2, ""); err != nil || r.job(job.ID).Project.SHA256 != second.File.SHA256 {
		t.Errorf("the second version: %+v, %v", job, err)
	}
	if _, err := r.Templates().Retire(t.Context(), r.admin, first.ID, true); err != nil {
		t.Fatal(err)
	}
	if back, err := r.Templates().Retire(t.Context(), r.admin, first.ID, false); err != nil || len(back.Renderable()) != 1 {
		t.Errorf("after it was retired the template has the versions %v (%v)", back.Renderable(), err)
	}
}
