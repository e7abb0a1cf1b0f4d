package coordinator_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// withFootage is a project whose composition main shows night.png, in a composition within it also plate.mov, and has a layer with
// old.png that nobody sees.
func withFootage(t *testing.T) []byte {
	t.Helper()
	comp := func(layers ...*aep.Layer) *aep.Composition {
		return &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2, Layers: layers}
	}
	layer := func(id uint32, name string, source uint32, seen bool) *aep.Layer {
		return &aep.Layer{ID: id, Name: name, Kind: aep.LayerAV, Source: source, Out: 2, Stretch: 100, Enabled: seen,
			Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
	}
	file := func(id uint32, name string) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemFootage, Footage: &aep.Footage{
			Kind: aep.FootageFile, Width: 64, Height: 48, HasVideo: true, PixelAspect: 1, Still: strings.HasSuffix(name, ".png"), Duration: 2, FrameRate: 25,
			File: aep.FileReference{FullPath: `C:\Work\` + name, Platform: "windows", AscendBase: 1, AscendTarget: 1},
		}}
	}
	var b bytes.Buffer
	if err := aep.Write(&b, &aep.Project{
		Version: aep.Version{Major: 24, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{
			{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp(layer(10, "Picture", 3, true), layer(11, "Old", 4, false), layer(12, "inner", 2, true))},
			{ID: 2, Name: "inner", Kind: aep.ItemComposition, Comp: comp(layer(20, "Plate", 5, true))},
			file(3, "night.png"), file(4, "old.png"), file(5, "plate.mov"),
		},
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFootageThatNobodyBringsIsToldBeforeTheRender(t *testing.T) {
	r := open(t)
	r.eventually("the farm is at its newest level", func() bool {
		level, err := r.Level()
		return err == nil && level >= 3
	})
	tpl := r.uploaded(withFootage(t))
	if !slices.Equal(tpl.MissingFootage, []string{"night.png", "plate.mov"}) {
		t.Fatalf("the template lacks %q: %+v", tpl.MissingFootage, tpl)
	}
	picture := farm.Asset{Type: "image", LayerName: "picture", Src: "http://files.test/a.png"}
	plate := farm.Asset{Type: "video", LayerName: "Plate", Src: "http://files.test/a.mov"}
	for name, c := range map[string]struct {
		composition string
		assets      []farm.Asset
		lacks       []string
	}{
		"nothing is given":        {"main", nil, []string{"night.png", "plate.mov"}},
		"words are given":         {"main", []farm.Asset{{Type: "text", LayerName: "Picture", Value: []byte(`"x"`)}}, []string{"night.png", "plate.mov"}},
		"one is given":            {"main", []farm.Asset{picture}, []string{"plate.mov"}},
		"all are given":           {"main", []farm.Asset{picture, plate}, nil},
		"the inner one alone":     {"inner", nil, []string{"plate.mov"}},
		"a script may do it":      {"main", []farm.Asset{{Type: "script", Src: "http://files.test/a.jsx"}}, nil},
		"a file by its own name":  {"main", []farm.Asset{{Type: "static", Name: "night.png", Src: "http://files.test/night.png"}}, nil},
		"a nested job's is given": {"inner", []farm.Asset{{Type: "job", LayerName: "Plate", Nested: &farm.Job{Template: farm.JobTemplate{Src: "http://files.test/x.aep"}}}}, nil},
	} {
		job := farm.Job{Template: farm.JobTemplate{ID: tpl.ID, Composition: c.composition}, Assets: c.assets}
		taken, err := r.Submit(t.Context(), r.admin, job)
		if err != nil {
			t.Fatalf("%s: an interface's job is refused: %v", name, err)
		}
		if len(taken.Warnings) != len(c.lacks) {
			t.Errorf("%s: warned of %q, want %q", name, taken.Warnings, c.lacks)
		}
		job.Strict = true
		_, err = r.Submit(t.Context(), r.admin, job)
		if (err != nil) != (len(c.lacks) > 0) {
			t.Errorf("%s: a strict job: %v", name, err)
		}
		for i, file := range c.lacks {
			if !strings.Contains(taken.Warnings[i], file) || !strings.Contains(err.Error(), file) || farm.CodeOf(err) != farm.CodeInvalid {
				t.Errorf("%s: %q and %v do not name %s", name, taken.Warnings[i], err, file)
			}
		}
	}
	barred, err := r.Submit(t.Context(), r.admin, farm.Job{Template: farm.JobTemplate{ID: tpl.ID, Composition: "main"}, Settings: farm.Settings{MissingFootage: farm.FootageBars}, Strict: true})
	if err != nil || len(barred.Warnings) != 2 || !strings.HasSuffix(barred.Warnings[0], ": colour bars are drawn in its place") {
		t.Errorf("with colour bars a strict job has the warnings %q, %v", barred.Warnings, err)
	}
}

// TestAFileInThePlaceOfFootageGoesToJobsWhoseLayersAreKnown resubmits jobs that failed for one file: the farm has read the template of one only.
func TestAFileInThePlaceOfFootageGoesToJobsWhoseLayersAreKnown(t *testing.T) {
	r := open(t)
	cause := farm.Cause{Kind: farm.CauseFootage, Subject: "night.png"}
	s := r.enrol("box")
	s.connect()
	tpl := r.uploaded(withFootage(t))
	fail := func(edit func(*farm.Job)) {
		t.Helper()
		r.submit(edit)
		l := s.lease()
		s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: "Could not read from source: night.png", Class: farm.FailureDeterministic, Cause: cause}})
		s.settled(l.Attempt)
	}
	keep := func(name string) string {
		t.Helper()
		kept, err := r.StoredFiles().Put(t.Context(), r.admin, name, strings.NewReader(name), int64(len(name)))
		if err != nil {
			t.Fatal(err)
		}
		return kept.Src()
	}
	picture := keep("night.png")
	retry := func() (submission.BatchResult, error) {
		return r.RetryFailures(t.Context(), r.admin, cause, picture)
	}
	fail(func(j *farm.Job) { j.Template = farm.JobTemplate{Src: keep("a.aep"), Composition: "main"} })
	if _, err := retry(); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "has not read the project") {
		t.Errorf("a job whose project is an address alone is resubmitted with %v", err)
	}
	fail(func(j *farm.Job) {
		j.Template, j.Assets = farm.JobTemplate{ID: tpl.ID, Composition: "main"}, []farm.Asset{{Type: "script", Src: "http://files.test/a.jsx"}}
	})
	if _, err := retry(); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("a job with a script is resubmitted with %v", err)
	}
	fail(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID, Composition: "main"} })
	taken, err := r.FileTaken(t.Context(), r.admin, cause)
	if err != nil || taken.Jobs != 1 || len(taken.Refused) != 2 || taken.Refused[0].Jobs != 1 || !strings.Contains(fmt.Sprint(taken.Refused), "has not read the project") {
		t.Errorf("before the press it is said that %+v, %v", taken, err)
	}
	made, err := retry()
	if err != nil || len(made.Jobs) != 1 || len(made.Errs) != 2 {
		t.Fatalf("three jobs become %d, and %v, %v", len(made.Jobs), made.Errs, err)
	}
	if a := r.job(made.Jobs[0].ID).Assets; len(a) != 1 || a[0].LayerName != "Picture" || a[0].Src != picture {
		t.Errorf("the job brings %+v", a)
	}
	if groups, err := r.Failures(t.Context(), r.admin); err != nil || len(groups) != 1 || groups[0].Count != 2 {
		t.Errorf("what still needs somebody is %+v, %v", groups, err)
	}
	s.finish(s.lease(), "film")
}
