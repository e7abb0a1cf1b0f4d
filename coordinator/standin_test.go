package coordinator_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/farm"
	"overcrank/fontfile"
)

// restricted is a font whose licence forbids embedding.
func restricted(t *testing.T) []byte {
	t.Helper()
	font := bytes.Clone(goregular.TTF)
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		if entry := font[12+16*i:]; string(entry[:4]) == "OS/2" {
			binary.BigEndian.PutUint16(font[binary.BigEndian.Uint32(entry[8:])+8:], 2)
			return font
		}
	}
	t.Fatal("the font has no table OS/2")
	return nil
}

func TestAFontStandsInForOneThatTheLibraryLacks(t *testing.T) {
	t.Parallel()
	r := open(t)
	bold := r.addFont(r.admin, "Heavy.ttf", gobold.TTF)
	tpl := r.uploaded(lettered(t, "Nowhere-Black"))
	submit := func() farm.Job { return r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} }) }
	early := submit()
	if !slices.Equal(early.MissingFonts, []string{"Nowhere-Black"}) {
		t.Errorf("missing are %v", early.MissingFonts)
	}
	made, err := r.Fonts().StandIn(t.Context(), r.admin, bold.ID, "", "Nowhere-Black")
	if err != nil {
		t.Fatal(err)
	}
	if made.FileName != "Go-Bold for Nowhere-Black.ttf" || made.CopyOf != "Go-Bold" || !slices.Equal(made.Faces, []farm.FontUse{{PostScript: "Nowhere-Black", Family: "Nowhere", Style: "Black"}}) {
		t.Errorf("the copy is %+v", made)
	}
	if job := submit(); len(job.MissingFonts) != 0 {
		t.Errorf("missing are %v", job.MissingFonts)
	}
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	if l.Job != early.ID || fontNames(l) != made.FileName {
		t.Errorf("the job that waited, %s, has the fonts %s", l.Job, fontNames(l))
	}
	f, err := r.OpenFileFor(t.Context(), s.agent, l.Fonts[0].SHA256)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if names := fontfile.Names(bytes.NewReader(content), int64(len(content))); len(names) != 1 || names[0].PostScript != "Nowhere-Black" {
		t.Errorf("the machine is given %+v", names)
	}

	forbids := r.addFont(r.admin, "Forbids.ttf", restricted(t))
	for _, c := range []struct {
		id, face, name string
		code           farm.Code
		says           string
	}{
		{"nobody", "", "Other", farm.CodeNotFound, "nobody"},
		{bold.ID, "", "", farm.CodeInvalid, "is missing"},
		{bold.ID, "GoRegular", "Other", farm.CodeInvalid, "Go-Bold"},
		{bold.ID, "", "Größe", farm.CodeInvalid, "A to Z"},
		{bold.ID, "", "nowhere black", farm.CodeConflict, made.FileName},
		{bold.ID, "", "Go-Bold", farm.CodeConflict, "Heavy.ttf"},
		{bold.ID, "", "heavy.TTF", farm.CodeConflict, "already"},
		{forbids.ID, "", "Go-Bold.ttf", farm.CodeConflict, "Heavy.ttf"},
		{forbids.ID, "", "Other", farm.CodeConflict, "fsType"},
	} {
		_, err := r.Fonts().StandIn(t.Context(), r.admin, c.id, c.face, c.name)
		if farm.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q in place of %q: %v", c.face, c.name, err)
		}
	}
	again, err := r.Fonts().StandIn(t.Context(), r.admin, made.ID, "", "Else-Thin")
	if err != nil || again.CopyOf != "Go-Bold" {
		t.Errorf("a copy of a copy is %+v, %v", again, err)
	}
}

func TestAJobThatNamesAFontWhichIsNotThereFailsForIt(t *testing.T) {
	t.Parallel()
	r := open(t)
	bold := r.addFont(r.admin, "Heavy.ttf", gobold.TTF)
	s := r.enrol("box")
	s.connect()
	tpl := r.uploaded(lettered(t, "GoRegular"))
	failed := r.submit(func(j *farm.Job) { j.Template, j.Fonts = farm.JobTemplate{ID: tpl.ID}, []string{"Go-Bold.otf"} })
	r.eventually("the job has failed", func() bool { return r.job(failed.ID).Status == farm.JobFailed })
	cause := farm.Cause{Kind: farm.CauseFont, Subject: "Go-Bold.otf"}
	if groups, err := r.Failures(t.Context(), r.admin); err != nil || len(groups) != 1 || groups[0].Cause != cause {
		t.Fatalf("the failures are %+v, %v", groups, err)
	}
	lacks := func(name string, want bool) {
		t.Helper()
		if got, err := r.Fonts().Lacks(t.Context(), r.admin, name); err != nil || got != want {
			t.Errorf("that the library lacks %q is %v, %v", name, got, err)
		}
	}
	lacks("Go-Bold.otf", true)
	lacks("Go-Bold", false)
	// The very font is there in another file, which may stand in for that of the name.
	made, err := r.Fonts().StandIn(t.Context(), r.admin, bold.ID, "Go-Bold", "Go-Bold.otf")
	if err != nil || made.FileName != "Go-Bold.otf" || made.CopyOf != "Go-Bold" {
		t.Fatalf("the copy is %+v, %v", made, err)
	}
	lacks("Go-Bold.otf", false)
	if _, err := r.RetryFailures(t.Context(), r.admin, cause, ""); err != nil {
		t.Fatal(err)
	}
	l := s.lease()
	if fontNames(l) != "Go-Bold.otf" {
		t.Errorf("the lease has the fonts %s", fontNames(l))
	}
	private := r.submit(func(j *farm.Job) { j.Fonts = []string{"Secret.otf"} }) // whose project the farm does not keep
	s.finish(l, "film")
	r.eventually("the private job has failed", func() bool { return r.job(private.ID).Status == farm.JobFailed })
	if open, err := r.Failure(t.Context(), r.admin, private.ID); err != nil || open.Cause != (farm.Cause{Kind: farm.CauseFont}) {
		t.Errorf("the private job failed for %+v, %v", open.Cause, err)
	}
}
