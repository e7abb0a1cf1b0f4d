package coordinator_test

import (
	"testing"

	"overcrank/coordinator/people"
	"overcrank/farm"
)

// TestAResultIsHandedOnWithinTheFarm covers callers that give the address of one job's result as the src of another: machines need
// not reach it, nor be let in there.
func TestAResultIsHandedOnWithinTheFarm(t *testing.T) {
	r := open(t)
	s := r.enrol("box")
	s.connect()
	made := r.submit()
	s.finish(s.lease(), "a film")
	made = r.job(made.ID)
	address := r.OutputAddress(made)

	r.submit(func(j *farm.Job) {
		j.Join = true
		j.Template = farm.JobTemplate{}
		j.Assets = []farm.Asset{{Type: "video", Src: address}, {Type: "video", Src: address + "?x"}, {Type: "video", Src: "http://elsewhere.test/outputs/" + made.OutputName}}
	})
	l := s.lease()
	ref := l.Files[l.Assets[0].Src]
	if l.Assets[0].Src != "job://"+made.ID || ref.Name != made.OutputName || s.fetch(ref.SHA256) != "a film" {
		t.Errorf("the lease names %+v with %+v", l.Assets[0], l.Files)
	}
	for _, a := range l.Assets[1:] {
		if _, named := l.Files[a.Src]; named {
			t.Errorf("%s is taken for a result of the farm", a.Src)
		}
	}
	s.finish(l, "two films")

	r.submit(func(j *farm.Job) { j.Template.Src = address })
	l = s.lease()
	if ref := l.Files[l.Project.Src]; ref.Name != made.OutputName {
		t.Errorf("the project is %+v with %+v", l.Project, l.Files)
	}
	s.finish(l, "a film of it")

	team, err := r.MakeTeam(t.Context(), r.admin, "others")
	if err != nil {
		t.Fatal(err)
	}
	stranger, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "x", Role: farm.RoleArtist})
	_, err = r.Submit(t.Context(), stranger, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/a.aep", Composition: "main"}, Assets: []farm.Asset{{Type: "video", LayerName: "x", Src: address}}})
	if err != nil {
		t.Fatal(err)
	}
	if l := s.lease(); l.Assets[0].Src != address || len(l.Files) != 0 {
		t.Errorf("another team is handed %+v", l.Files)
	}
}
