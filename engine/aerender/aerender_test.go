package aerender

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"overcrank/aep"
	"overcrank/engine/expression"
)

func TestFilmOfAProject(t *testing.T) {
	project := lay(t, sample())
	output := filepath.Join(t.TempDir(), "film.mp4")
	thumbs := t.TempDir()
	t.Setenv("OVERCRANK_THUMBS", thumbs)
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", output, "-OMtemplate", "video_h264_vbr_5mbps",
		"-RStemplate", "Best Settings", "-mfr", "ON", "90", "-mem_usage", "50", "90", "-sound", "ON", "-v", "ERRORS_AND_PROGRESS",
		"-close", "DO_NOT_SAVE_CHANGES")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	has(t, out, "aerender version ", "PROGRESS: Launching After Effects...\n", "PROGRESS: ...After Effects successfully launched\n",
		"PROGRESS:  Start: 0:00:00:00\n", "PROGRESS:  End: 0:00:01:24\n", "PROGRESS:  Duration: 0:00:02:00\n",
		"PROGRESS:  Frame Rate: 25.00 (comp)\n", "PROGRESS:  0:00:00:10 (11): 0 Seconds\n", "PROGRESS:  0:00:01:24 (50): ",
		`Finished composition "main".`, "PROGRESS:  Total Time Elapsed: ",
		"WARNING:After Effects warning: font 'AvenirNext-Bold' is not installed: drawn with ")
	if n := len(regexp.MustCompile(`(?m)^PROGRESS:  \d+:\d\d:\d\d:\d\d \(\d+\): \d+ Seconds$`).FindAllString(out, -1)); n != 50 {
		t.Errorf("%d lines of progress, want 50", n)
	}
	s := look(t, output)
	if len(s) != 2 || s[0].Codec != "h264" || s[0].Width != width || s[0].Height != height || s[0].Frames != "50" || s[0].Rate != "25/1" || s[1].Codec != "aac" {
		t.Errorf("streams %+v", s)
	}
	checkThumbnails(t, thumbs, 50)
}

func checkThumbnails(t *testing.T, dir string, frames int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < min(frames, 12) || len(entries) > maxThumbnails {
		t.Errorf("%d small pictures of %d frames", len(entries), frames)
	}
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		img, kind, err := image.Decode(f)
		_ = f.Close()
		if err != nil || kind != "jpeg" || img.Bounds().Dx() > thumbnailWidth {
			t.Errorf("%s: %v, %s", e.Name(), err, kind)
		}
	}
	if entries[0].Name() != "0.jpg" {
		t.Errorf("the first is %s", entries[0].Name())
	}
}

func TestFrameShowsWhatTheProjectSays(t *testing.T) {
	project := lay(t, sample())
	output := filepath.Join(t.TempDir(), "still.png")
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", output, "-s", "25", "-e", "25", "-OMtemplate", "PNG Sequence")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, c := range []struct {
		what    string
		x, y    int
		r, g, b int
	}{
		{"half red on the blue background", 3, 85, 128, 0, 128},
		{"the bar, where its expression puts it after a second", 75, 45, 0, 255, 0},
		{"where the bar was", 5, 45, 128, 0, 128},
		{"the picture", 140, 20, 255, 255, 255},
	} {
		got := colorAt(t, output, c.x, c.y)
		for _, d := range []int{int(got.R) - c.r, int(got.G) - c.g, int(got.B) - c.b} {
			if d < -3 || d > 3 {
				t.Errorf("%s is %v", c.what, got)
				break
			}
		}
	}
}

func TestAPictureOfThePublicInterfaceIsTransparentWhereTheCompositionIs(t *testing.T) {
	output := filepath.Join(t.TempDir(), "still.png")
	code, out := start(t, t.Context(), "-project", lay(t, sample()), "-comp", "main", "-output", output, "-s", "25", "-e", "25", "-OMtemplate", "image_png")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if got := colorAt(t, output, 3, 85); got != (color.NRGBA{255, 0, 0, 128}) {
		t.Errorf("half red on nothing is %v", got)
	}
}

func TestPicturesHaveTheNumbersOfTheComposition(t *testing.T) {
	p := sample()
	p.Items[0].Comp.DisplayStart = 4 // frame 100
	project := lay(t, p)
	dir := t.TempDir()
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(dir, "f_[####].png"),
		"-s", "103", "-e", "200", "-i", "20", "-OMtemplate", "PNG Sequence", "-mfr", "OFF", "50")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	has(t, out, "PROGRESS:  Start: 0:00:04:03\n", "PROGRESS:  0:00:04:03 (1): ", "PROGRESS:  0:00:04:23 (2): ")
	entries, _ := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"f_0103.png", "f_0123.png", "f_0143.png"}; !slices.Equal(names, want) {
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

func TestScriptChangesTheProject(t *testing.T) {
	project := lay(t, sample())
	script := put(t, filepath.Join(filepath.Dir(project), "job.jsx"), `
		var comp = app.project.item(1);
		comp.layer("bar").property("Position").expression = "";
		comp.layer("bar").property("Position").setValue([80, 45]);
		comp.layer("back").enabled = false;
		$.writeln("changed " + comp.name);
	`)
	output := filepath.Join(t.TempDir(), "still.png")
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", output, "-s", "0", "-e", "0", "-r", script, "-OMtemplate", "PNG Sequence")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	has(t, out, "INFO:script: changed main\n")
	if c := colorAt(t, output, 80, 45); c.G < 250 {
		t.Errorf("the bar is not where the script put it: %v", c)
	}
	if c := colorAt(t, output, 3, 85); c.R > 3 || c.B < 250 {
		t.Errorf("the background is %v", c)
	}
}

func TestAScriptMayComeByStandardInput(t *testing.T) {
	project := lay(t, sample())
	output := filepath.Join(t.TempDir(), "still.png")
	args := []string{"-project", project, "-comp", "main", "-output", output, "-s", "0", "-e", "0", "-r", "-", "-OMtemplate", "PNG Sequence"}
	run := func(script io.Reader) (int, string) {
		var out, errs bytes.Buffer
		code := Main(t.Context(), "test", args, script, &out, &errs)
		return code, out.String()
	}
	code, out := run(strings.NewReader("\ufeffapp.project.item(1).layer('back').enabled = false; $.writeln('heard');"))
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	has(t, out, "INFO:script: heard\n")
	if c := colorAt(t, output, 3, 85); c.R > 3 || c.B < 250 {
		t.Errorf("the background is %v", c)
	}
	for _, script := range []io.Reader{strings.NewReader("throw new Error('no')"), iotest.ErrReader(errors.New("broken pipe")), io.LimitReader(blanks{}, maxScript+1)} {
		if code, out := run(script); code != exitScript {
			t.Errorf("exit code %d:\n%s", code, out)
		}
	}
}

// blanks never ends.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestPreviewIsHalfTheSize(t *testing.T) {
	output := filepath.Join(t.TempDir(), "p.mp4")
	code, out := start(t, t.Context(), "-project", lay(t, sample()), "-comp", "main", "-output", output, "-RStemplate", "Overcrank Preview")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	if s := look(t, output); s[0].Width != width/2 || s[0].Height != height/2+1 || s[0].Frames != "50" {
		t.Errorf("streams %+v", s) // 45 rows become 46: H.264 needs even sizes
	}
}

func TestEndsTellWhatWentWrong(t *testing.T) {
	project := lay(t, sample())
	dir := filepath.Dir(project)
	broken := put(t, filepath.Join(dir, "broken.aep"), "RIFX")
	throws := put(t, filepath.Join(dir, "throws.jsx"), "throw new Error(\"Layer 'x' not found in composition 'main' (asset 2)\\nand more\");")
	syntax := put(t, filepath.Join(dir, "syntax.jsx"), "var = ;")
	output := filepath.Join(t.TempDir(), "o.mp4")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown flag", []string{"-nonsense"}, 2, "aerender ERROR: flag -nonsense: unknown flag"},
		{"flag without value", []string{"-project"}, 2, "aerender ERROR: flag -project: a value is missing"},
		{"no project", nil, 7, "aerender ERROR: No project was given"},
		{"missing project", []string{"-project", filepath.Join(dir, "none.aep")}, 7, "does not exist"},
		{"broken project", []string{"-project", broken}, 7, "aerender ERROR: The project 'broken.aep' can't be opened: "},
		{"no composition", []string{"-project", project}, 7, "name one with -comp"},
		{"unknown composition", []string{"-project", project, "-comp", "other"}, 7, "aerender ERROR: No comp was found with the given name.\n"},
		{"unknown render settings", []string{"-project", project, "-comp", "main", "-RStemplate", "x"}, 7,
			"aerender ERROR: No render settings template was found with the given name.\n"},
		{"unknown output module", []string{"-project", project, "-comp", "main", "-OMtemplate", "x"}, 7,
			"aerender ERROR: No output module template was found with the given name.\n"},
		{"no output", []string{"-project", project, "-comp", "main"}, 7, "needs output file but none provided"},
		{"frames beyond the end", []string{"-project", project, "-comp", "main", "-output", output, "-s", "60", "-e", "70"}, 7,
			"not in the composition, which has the frames 0 to 49"},
		{"script throws", []string{"-project", project, "-comp", "main", "-output", output, "-r", throws}, 5,
			"aerender ERROR: Error: Layer 'x' not found in composition 'main' (asset 2) and more\n"},
		{"script is none", []string{"-project", project, "-comp", "main", "-output", output, "-r", syntax}, 5, "aerender ERROR: SyntaxError"},
		{"script is missing", []string{"-project", project, "-comp", "main", "-output", output, "-r", filepath.Join(dir, "none.jsx")}, 5, "The script can't be read"},
		{"folder is missing", []string{"-project", project, "-comp", "main", "-output", "/nowhere/o.mp4"}, 9, "aerender ERROR: After Effects error: writing 'o.mp4'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out := start(t, t.Context(), c.args...)
			if code != c.code || !strings.Contains(strings.Replace(out, "ERROR: Layer", "ERROR: Error: Layer", 1), c.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, c.code, c.want, out)
			}
			if n := strings.Count(out, "aerender ERROR"); n != 1 {
				t.Errorf("%d errors are printed", n)
			}
		})
	}
	if entries, _ := os.ReadDir(filepath.Dir(output)); len(entries) != 0 {
		t.Errorf("failed runs left %v", entries)
	}
}

func TestLogFileHoldsTheLinesAndRaisesTheCode(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.txt")
	code, out := start(t, t.Context(), "-project", lay(t, sample()), "-comp", "other", "-log", log)
	if code != 8 {
		t.Errorf("exit code %d, want 8", code)
	}
	if raw, err := os.ReadFile(log); err != nil || string(raw) != out {
		t.Errorf("the log differs from the output: %v\n%s", err, raw)
	}
}

func TestMissingFootage(t *testing.T) {
	project := lay(t, sample())
	if err := os.Remove(filepath.Join(filepath.Dir(project), "(Footage)", "picture.png")); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(t.TempDir(), "still.png")
	args := []string{"-project", project, "-comp", "main", "-output", output, "-s", "0", "-e", "0"}
	code, out := start(t, t.Context(), args...)
	if code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	has(t, out, "aerender ERROR: Could not read from source: missing footage 'picture.png', used by layer 'picture' in composition 'main'.\n")
	code, out = start(t, t.Context(), append(args, "-continueOnMissingFootage")...)
	if code != 0 {
		t.Errorf("exit code %d with -continueOnMissingFootage", code)
	}
	has(t, out, "WARNING:After Effects warning: missing footage 'picture.png', used by layer 'picture' in composition 'main': colour bars are drawn in its place")
	if left, right := colorAt(t, output, 131, 20), colorAt(t, output, 148, 20); left != (color.NRGBA{191, 191, 191, 255}) || right != (color.NRGBA{0, 0, 191, 255}) {
		t.Errorf("in the place of the picture there are %v and %v", left, right)
	}
}

func TestOnlyFootageInUseCounts(t *testing.T) {
	p := sample()
	for _, l := range p.Items[0].Comp.Layers {
		if l.Name == "picture" || l.Name == "sound" {
			l.Enabled, l.AudioEnabled = false, false
		}
	}
	p.Items = append(p.Items, file(77, "never.mov", aep.Footage{Width: 9, Height: 9, HasVideo: true, HasAudio: true, Duration: 3, FrameRate: 25}))
	project := lay(t, p)
	for _, name := range []string{"picture.png", "sound.wav"} {
		if err := os.Remove(filepath.Join(filepath.Dir(project), "(Footage)", name)); err != nil {
			t.Fatal(err)
		}
	}
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(t.TempDir(), "s.png"), "-s", "0", "-e", "0")
	if code != 0 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestBrokenFootageIsNamed(t *testing.T) {
	project := lay(t, sample())
	put(t, filepath.Join(filepath.Dir(project), "(Footage)", "film.mp4"), "no film")
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(t.TempDir(), "s.png"), "-s", "0", "-e", "0")
	if code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	has(t, out, "aerender ERROR: Could not read from source: 'film.mp4' can't be read: ", "used by layer 'film' in composition 'main'")
}

func TestFailingExpressionIsOneWarning(t *testing.T) {
	p := sample()
	p.Items[0].Comp.Layers[1].Props.Find("ADBE Transform Group", "ADBE Position").Expression = "1;\nnoSuchThing()"
	code, out := start(t, t.Context(), "-project", lay(t, p), "-comp", "main", "-output", filepath.Join(t.TempDir(), "f.mp4"), "-e", "9")
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	var found []string
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "WARNING:") && strings.Contains(line, "'bar'") {
			found = append(found, line)
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], "Position") || !strings.Contains(found[0], "line 2") {
		t.Errorf("warnings %q", found)
	}
}

func TestScriptAndExpressionsStayInTheJobsFolder(t *testing.T) {
	project := lay(t, sample())
	secret := put(t, filepath.Join(t.TempDir(), "secret.png"), "\x89PNG")
	script := put(t, filepath.Join(filepath.Dir(project), "job.jsx"),
		"app.project.importFile(new ImportOptions(new File("+quote(secret)+")));")
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(t.TempDir(), "s.png"),
		"-s", "0", "-e", "0", "-r", script)
	if code != 5 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	own := absolute(filepath.Dir(project))
	folder := expression.Folder{Path: own, Beside: own}
	for _, path := range []string{secret, "../" + filepath.Base(filepath.Dir(secret)) + "/secret.png", "(Footage)"} {
		if data, err := folder.Read(path); err == nil {
			t.Errorf("%s was read: %d bytes", path, len(data))
		}
	}
	for _, path := range []string{filepath.Join(own, "job.jsx"), "job.jsx", "/Users/someone/nm05/job.jsx", `C:\work\job.jsx`} {
		if data, err := folder.Read(path); err != nil || len(data) == 0 {
			t.Errorf("a file of the job, named %s: %v", path, err)
		}
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }

// hook runs a function when a line of progress is written.
type hook struct {
	out bytes.Buffer
	at  string
	do  func()
}

func (h *hook) Write(p []byte) (int, error) {
	if strings.Contains(string(p), h.at) {
		h.do()
	}
	return h.out.Write(p)
}

func TestCancelledRenderLeavesNothing(t *testing.T) {
	p := sample()
	p.Items[0].Comp.Duration, p.Items[0].Comp.WorkAreaDuration = 600, 600
	for _, l := range p.Items[0].Comp.Layers {
		l.Out = 600
	}
	project := lay(t, p)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	out := &hook{at: "(20): ", do: cancel}
	code := Main(ctx, "test", []string{"-project", project, "-comp", "main", "-output", filepath.Join(dir, "o.mp4")}, nil, out, &bytes.Buffer{})
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	has(t, out.out.String(), "INFO:Render aborted.\n")
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the folder holds %v", entries)
	}
}

func TestVersionAndHelp(t *testing.T) {
	if code, out := start(t, t.Context(), "-version"); code != 0 || !strings.HasPrefix(out, "aerender version ") {
		t.Errorf("%d %q", code, out)
	}
	if code, out := start(t, t.Context(), "-help"); code != 0 || !strings.Contains(out, "-OMtemplate") {
		t.Errorf("%d %q", code, out)
	}
}

func TestQuietRunPrintsErrorsAlone(t *testing.T) {
	code, out := start(t, t.Context(), "-project", lay(t, sample()), "-comp", "main", "-v", "ERRORS", "-s", "0", "-e", "1",
		"-output", filepath.Join(t.TempDir(), "o.mp4"))
	if code != 0 || strings.Contains(out, "PROGRESS") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestSpan(t *testing.T) {
	comp := aep.Composition{FrameRate: 25, Duration: 4, WorkAreaStart: 1, WorkAreaDuration: 2, DisplayStart: 0.4}
	n := func(v int) *int { return &v }
	for _, c := range []struct {
		name        string
		start, end  *int
		first, last int
		fails       bool
	}{
		{"work area", nil, nil, 25, 74, false},
		{"range", n(20), n(30), 10, 20, false},
		{"start only", n(40), nil, 30, 74, false},
		{"start behind the work area", n(100), nil, 90, 90, false},
		{"end only", nil, n(50), 25, 40, false},
		{"clamped", n(-5), n(900), 0, 99, false},
		{"backwards", n(30), n(20), 0, 0, true},
		{"behind the end", n(500), n(600), 0, 0, true},
	} {
		s, err := chooseSpan(&comp, flags{start: c.start, end: c.end, step: 1})
		if (err != nil) != c.fails || err == nil && (s.first != c.first || s.last != c.last) {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	if _, err := chooseSpan(&aep.Composition{}, flags{step: 1}); err == nil {
		t.Error("a composition without length has frames")
	}
}

func TestTimecode(t *testing.T) {
	for _, c := range []struct {
		n    int
		rate float64
		drop bool
		want string
	}{
		{0, 25, false, "0:00:00:00"}, {35, 25, false, "0:00:01:10"}, {90000, 25, false, "1:00:00:00"},
		{199, 60, false, "0:00:03:19"}, {1799, 29.97, true, "0;00;59;29"}, {1800, 29.97, true, "0;01;00;02"},
		{17982, 29.97, true, "0;10;00;00"}, {107892, 29.97, true, "1;00;00;00"}, {3600, 59.94, true, "0;01;00;04"},
		{1800, 29.97, false, "0:01:00:00"}, {24, 23.976, true, "0:00:01:00"}, {-30, 25, false, "-0:00:01:05"},
	} {
		if got := timecode(c.n, c.rate, c.drop); got != c.want {
			t.Errorf("frame %d at %g is %s, want %s", c.n, c.rate, got, c.want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0 Seconds", 88 * time.Second: "1 Min, 28 Sec", 3725 * time.Second: "1 Hr, 2 Min, 5 Sec"} {
		if got := elapsed(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	f, err := parseFlags(strings.Fields("-project a -COMP b -mfr OFF 80 -s 3 -e -2 -i 4 -reuse -mp -rqindex 1 -close SAVE_CHANGES -sound OFF"))
	if err != nil {
		t.Fatal(err)
	}
	if f.project != "a" || f.comp != "b" || f.workers != 1 || *f.start != 3 || *f.end != -2 || f.step != 4 || len(f.notes) != 2 {
		t.Errorf("%+v", f)
	}
	for _, bad := range []string{"-s x", "-i 0", "-i 101", "-mfr MAYBE", "-mem_usage 5", "-mem_usage a b", "-v LOUD", "-close", "-e 99999999999"} {
		if _, err := parseFlags(strings.Fields(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestWhatAFileOfOutlinesLacksIsWarnedOf(t *testing.T) {
	project := lay(t, sample())
	content := `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><filter id="f"><feTurbulence/></filter><rect width="64" height="64" fill="#00f" filter="url(#f)"/>
		<text font-family="Nobody Has It" y="50">A</text></svg>`
	if err := os.WriteFile(filepath.Join(filepath.Dir(project), "(Footage)", "picture.png"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", filepath.Join(t.TempDir(), "still.png"), "-s", "0", "-e", "0")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	has(t, out, "WARNING:After Effects warning: layer 'picture' in composition 'main': filters with 'feTurbulence' in the vector file 'picture.png' is not drawn by the embedded engine",
		"font 'Nobody Has It' is not installed: drawn with '")
}
