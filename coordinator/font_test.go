package coordinator_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/aep"
	"overcrank/coordinator/people"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// lettered writes a project whose only composition, main, has a text in each of the fonts.
func lettered(t testing.TB, fonts ...string) []byte {
	t.Helper()
	comp := &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 2, WorkAreaDuration: 2}
	for i, font := range fonts {
		doc := &aep.TextDocument{
			Text: "words", Paragraphs: []aep.ParagraphRun{{Length: 6}},
			Runs: []aep.TextRun{{Length: 6, Style: aep.CharacterStyle{Font: font, Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true}}},
		}
		comp.Layers = append(comp.Layers, &aep.Layer{
			ID: uint32(10 + i), Name: font, Kind: aep.LayerText, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
			Props: &aep.Property{Match: "ADBE Text Layer", Group: true, Enabled: true, Children: []*aep.Property{
				{Match: "ADBE Text Properties", Group: true, Enabled: true, Children: []*aep.Property{{Match: "ADBE Text Document", Enabled: true, Value: doc}}},
			}},
		})
	}
	p := &aep.Project{
		Version: aep.Version{Major: 24, Minor: 1, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8,
		Items: []*aep.Item{{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: comp}},
	}
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (r *rig) addFont(p farm.Principal, fileName string, content []byte) farm.Font {
	r.t.Helper()
	file, err := r.Fonts().Receive(r.t.Context(), fileName, bytes.NewReader(content))
	if err != nil {
		r.t.Fatal(err)
	}
	font, err := r.Fonts().Add(r.t.Context(), p, file, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return font
}

func fontNames(l wire.Lease) string {
	names := make([]string, len(l.Fonts))
	for i, f := range l.Fonts {
		names[i] = f.Name
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestFontsOfATemplatesTextComeWithTheLease(t *testing.T) {
	r := open(t)
	r.addFont(r.admin, "a file of any name.ttf", goregular.TTF)
	bold := r.addFont(r.admin, "Heavy.ttf", gobold.TTF)
	tpl := r.uploaded(lettered(t, "GoRegular", "Nowhere-Black", "Go-Bold"))
	job := r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	if !slices.Equal(job.MissingFonts, []string{"Nowhere-Black"}) || !slices.Equal(r.job(job.ID).MissingFonts, job.MissingFonts) {
		t.Errorf("missing are %v, and on the job %v", job.MissingFonts, r.job(job.ID).MissingFonts)
	}
	wantCode(t, r.Fonts().Delete(t.Context(), r.admin, bold.ID), farm.CodeConflict)
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	if got := fontNames(l); got != "Heavy.ttf a file of any name.ttf" {
		t.Errorf("the lease has the fonts %s", got)
	}
	f, err := r.OpenFileFor(t.Context(), s.agent, bold.File.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil || f.Close() != nil || !bytes.Equal(content, gobold.TTF) {
		t.Errorf("the font is given as %d bytes, %v", len(content), err)
	}
	s.finish(l, "film")
	if err := r.Fonts().Delete(t.Context(), r.admin, bold.ID); err != nil {
		t.Error(err)
	}
}

func TestAJobIsMatchedWhenItsTemplateHasBeenRead(t *testing.T) {
	r := open(t)
	font := r.addFont(r.admin, "Go.ttf", goregular.TTF)
	tpl := r.create(templates.New{Type: "aep", DisplayName: "Opener"})
	job := r.submit(func(j *farm.Job) { j.Template, j.Fonts = farm.JobTemplate{ID: tpl.ID}, []string{"Extra.ttf"} })
	if !slices.Equal(job.MissingFonts, []string{"Extra.ttf"}) {
		t.Errorf("before it is read, missing are %v", job.MissingFonts)
	}
	if err := r.put(r.Templates().UploadAddress(tpl), lettered(t, "GoRegular", "Nowhere-Black")); err != nil {
		t.Fatal(err)
	}
	r.read(tpl.ID)
	if got := r.job(job.ID); !slices.Equal(got.MissingFonts, []string{"Extra.ttf", "Nowhere-Black"}) || !slices.Equal(got.UsesFonts, []string{font.ID}) {
		t.Errorf("when it has been read, missing are %v and used %v", got.MissingFonts, got.UsesFonts)
	}
	wantCode(t, r.Fonts().Delete(t.Context(), r.admin, font.ID), farm.CodeConflict)
	// What was missing at first and came in time is taken; what is named and did not come fails the job.
	r.addFont(r.admin, "Nowhere-Black.ttf", gobold.TTF)
	s := r.enrol("box")
	s.connect()
	r.eventually("the job has failed", func() bool { return r.job(job.ID).Status == farm.JobFailed })
	if got := r.job(job.ID).Error; got != "Font 'Extra.ttf' not available" {
		t.Errorf("failed with %q", got)
	}
	r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID} })
	if got := fontNames(s.lease()); got != "Go.ttf Nowhere-Black.ttf" {
		t.Errorf("the lease has the fonts %s", got)
	}
}

func TestFontsOfTwoTeamsNeverMix(t *testing.T) {
	r := open(t)
	team, err := r.MakeTeam(t.Context(), r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "o", Role: farm.RoleAdmin})
	mine := r.addFont(r.admin, "Go.ttf", goregular.TTF)
	theirs := r.addFont(other, "go.TTF", gobold.TTF)
	for _, p := range []struct {
		farm.Principal
		not farm.Font
	}{{r.admin, theirs}, {other, mine}} {
		_, err := r.Fonts().Get(t.Context(), p.Principal, p.not.ID)
		wantCode(t, err, farm.CodeNotFound)
		wantCode(t, r.Fonts().Delete(t.Context(), p.Principal, p.not.ID), farm.CodeNotFound)
		if list, err := r.Fonts().List(t.Context(), p.Principal); err != nil || len(list) != 1 || list[0].ID == p.not.ID {
			t.Errorf("the library is %+v, %v", list, err)
		}
	}
	job, err := r.Submit(t.Context(), other, farm.Job{
		Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"}, Fonts: []string{"Go.ttf"},
		Assets: []farm.Asset{{Type: "data", LayerName: "x", Property: "Source Text.font", Value: []byte(`"GoRegular"`)}},
	})
	if err != nil || !slices.Equal(job.MissingFonts, []string{"GoRegular"}) {
		t.Fatalf("missing are %v, %v", job.MissingFonts, err)
	}
	s := r.enrol("box")
	s.connect()
	l := s.lease()
	if len(l.Fonts) != 1 || l.Fonts[0].SHA256 != theirs.File.SHA256 {
		t.Errorf("the lease has %+v", l.Fonts)
	}
	_, err = r.OpenFileFor(t.Context(), s.agent, mine.File.SHA256)
	wantCode(t, err, farm.CodeNotFound)
	s.finish(l, "film")
	if err := r.EndTeam(t.Context(), r.admin, team.ID); err != nil {
		t.Fatal(err)
	}
	if list, err := r.Fonts().List(t.Context(), other); err != nil || len(list) != 0 {
		t.Errorf("a team that was ended has the fonts %v, %v", list, err)
	}
}

func TestFontFilesStayAsLongAsALibraryHasThem(t *testing.T) {
	r := open(t)
	font := r.addFont(r.admin, "Go.ttf", goregular.TTF)
	if _, err := r.Fonts().Receive(t.Context(), "Never.ttf", bytes.NewReader(gobold.TTF)); err != nil {
		t.Fatal(err)
	}
	blobs := func() (paths []string) {
		t.Helper()
		err := filepath.WalkDir(filepath.Join(r.cfg.DataDir, "files", "blobs"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	sweep := func() []string {
		t.Helper()
		old := time.Now().Add(-2 * time.Hour)
		for _, path := range blobs() {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
		return blobs()
	}
	if left := sweep(); len(left) != 1 || filepath.Base(left[0]) != font.File.SHA256 {
		t.Errorf("kept are %v", left)
	}
	if err := r.Fonts().Delete(t.Context(), r.admin, font.ID); err != nil {
		t.Fatal(err)
	}
	if left := sweep(); len(left) != 0 {
		t.Errorf("kept are %v", left)
	}
}

func TestAFontIsMissingOnlyWhereNoFittingMachineHasIt(t *testing.T) {
	t.Parallel()
	r := open(t)
	tpl := r.uploaded(lettered(t, "GoRegular", "Nowhere-Black"))
	submit := func(edit func(*farm.Job)) farm.Job {
		return r.submit(func(j *farm.Job) { j.Template = farm.JobTemplate{ID: tpl.ID}; edit(j) })
	}
	want := func(when string, job farm.Job, fonts ...string) {
		t.Helper()
		r.eventually(when, func() bool {
			listed, _, err := r.Jobs(t.Context(), r.admin, farm.JobQuery{Sort: "newest_first", Limit: 1})
			return err == nil && slices.Equal(r.job(job.ID).MissingFonts, fonts) && len(listed) == 1 && listed[0].ID == job.ID && slices.Equal(listed[0].MissingFonts, fonts)
		})
	}
	early := submit(func(*farm.Job) {})
	want("without machines both are missing", early, "GoRegular", "Nowhere-Black")
	suite := r.enrol("suite", func(inv *farm.Inventory) {
		inv.Fonts, inv.Tags = []farm.FontUse{{PostScript: "goRegular", Family: "Go"}}, []string{"night"}
	})
	want("one machine has one", early, "Nowhere-Black")
	want("where no machine may render it, its fonts are not what is missing", submit(func(j *farm.Job) { j.NoTags = []string{"night"} }), "Nowhere-Black")
	r.enrol("bare", func(*farm.Inventory) {})
	want("a machine that may not render it counts for nothing beside one that may", submit(func(j *farm.Job) { j.NoTags = []string{"night"} }), "GoRegular", "Nowhere-Black")
	named := submit(func(j *farm.Job) { j.Fonts = []string{"GoRegular"} })
	want("a file that the job names has to be in the library", named, "GoRegular", "Nowhere-Black")
	answered := submit(func(j *farm.Job) { j.RequireTags = []string{"night"} })
	if !slices.Equal(answered.MissingFonts, []string{"Nowhere-Black"}) {
		t.Errorf("the submission is answered with %v", answered.MissingFonts)
	}
	if err := r.RetireAgent(t.Context(), r.admin, suite.agent.ID); err != nil {
		t.Fatal(err)
	}
	want("when the machine has gone", answered, "GoRegular", "Nowhere-Black")
}
