//go:build linux

package films_test

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"overcrank/aep"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

func TestAnUnknownLayerFailsTheJobByName(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	job := f.Ended(f.SubmitCard(template, nil,
		map[string]any{"type": "text", "layerName": "Title", "value": "x"},
		map[string]any{"type": "text", "layerName": "Titel", "value": "x", "composition": titlecard.Composition}))
	if job.Status != "error" || !strings.Contains(job.Stats.Error, "Layer 'Titel' not found in composition 'Title Card'") || !strings.Contains(job.Stats.Error, "1") {
		t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
	}
	if f.LogOf(job.ID) == "" {
		t.Error("there is no log to read")
	}
	f.GoesOn(template)
}

func TestAnUnknownCompositionIsRefusedOrFailsByName(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	job, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": template, "composition": "Nope"}})
	if err == nil {
		job = f.Ended(job.ID)
		if job.Status != "error" || !strings.Contains(job.Stats.Error, "Composition 'Nope' not found") {
			t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
		}
	} else if !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "Composition 'Nope' not found") {
		t.Errorf("submit: %v", err)
	}
	src := f.HandOver(farmtest.SmallCard(t))
	job, err = f.Submit(t.Context(), map[string]any{"template": map[string]string{"src": src, "composition": "Nope"}})
	if err != nil {
		t.Fatal(err)
	}
	if job = f.Ended(job.ID); job.Status != "error" || !strings.Contains(job.Stats.Error, "Composition 'Nope' not found") {
		t.Errorf("the job on a project that is not kept is %s: %q", job.Status, job.Stats.Error)
	}
	f.GoesOn(template)
}

// lonelyCard registers the title card without its picture.
func lonelyCard(f *farmtest.Farm) client.Template {
	f.T.Helper()
	path := filepath.Join(f.T.TempDir(), "lonely.aep")
	if err := durable.Write(path, 0o600, func(w io.Writer) error { return aep.Write(w, titlecard.Project()) }); err != nil {
		f.T.Fatal(err)
	}
	return f.Register("aep", path)
}

func TestColourBarsAreDrawnForMissingFootageOfAJobThatAllowsIt(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	id := f.SubmitCard(lonelyCard(f).ID, map[string]any{"type": "image", "frames": titlecard.Frames / 2, "missingFootage": "bars"})
	path := filepath.Join(t.TempDir(), "still.png")
	if err := f.Download(t.Context(), f.Finished(id).OutputURL, path, nil); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	cyan := 0 // pixels of the colour of one bar, which the card has nowhere else
	for y := range titlecard.Height {
		for x := range titlecard.Width {
			if r, g, b, _ := picture.At(x, y).RGBA(); r>>8 < 40 && g>>8 > 120 && b>>8 > 120 {
				cyan++
			}
		}
	}
	if cyan < titlecard.Width*titlecard.Height/10 {
		t.Errorf("%d pixels are of the colour of a bar", cyan)
	}
	if log := f.LogOf(id); !strings.Contains(log, "picture.png") || !strings.Contains(log, "colour bars are drawn in its place") {
		t.Errorf("the job's log does not say what was drawn:\n%s", log)
	}
}

func TestMissingFootageFailsTheJobByName(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	lonely := lonelyCard(f)
	body := map[string]any{"template": map[string]string{"id": lonely.ID, "composition": titlecard.Composition}}
	if _, err := f.Submit(t.Context(), body); !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "picture.png") {
		t.Errorf("a strict submission was answered %v", err)
	}
	var taken client.Job
	f.Post("/api/v2/jobs", body, &taken)
	job := f.Ended(taken.ID)
	if job.Status != "error" || !strings.Contains(job.Stats.Error, "picture.png") {
		t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
	}
	f.GoesOn(f.Card())
}

func TestANewFarmRefusesFilesThatItsMachineMayNotRead(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	body := map[string]any{"template": map[string]string{"src": "file:///etc/passwd", "composition": "main"}}
	f.Await("the farm's machine", func() bool {
		machines, err := f.Agents(t.Context(), "", "")
		return err == nil && len(machines.Items) == 1
	})
	f.Await("the machine's folders to count", func() bool { // it tells them before the new farm is at the level that records them
		_, err := f.Submit(t.Context(), body)
		return client.IsStatus(err, http.StatusBadRequest) && strings.Contains(err.Error(), "--root")
	})
}

func TestANamedFontThatIsNotThereFailsTheJob(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "fonts": []string{"Nope.ttf"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if job = f.Ended(job.ID); job.Status != "error" || job.Stats.Error != "Font 'Nope.ttf' not available" {
		t.Errorf("the job is %s: %q", job.Status, job.Stats.Error)
	}
	f.GoesOn(template)
}

func TestMediaThatCannotBeDrawnFailsTheJob(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	var picture bytes.Buffer
	if err := png.Encode(&picture, titlecard.Picture(titlecard.Night)); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short.png")
	if err := os.WriteFile(short, picture.Bytes()[:picture.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for src, words := range map[string]string{
		f.HandOver(short):          "'short.png' can't be read: it is broken",
		"data:application/json,{}": "is no picture, film or sound",
		"data:text/plain,hello":    "can't be read",
	} {
		job := f.Ended(f.SubmitCard(template, map[string]any{"type": "image", "frames": 30},
			map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": src}))
		if job.Status != "error" || !strings.Contains(job.Stats.Error, words) || !strings.Contains(job.Stats.Error, "(asset 0)") {
			t.Errorf("%s: the job is %s: %q", src, job.Status, job.Stats.Error)
		}
	}
	f.GoesOn(template)
}

func TestABrokenProjectIsExplained(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	var project bytes.Buffer
	if err := aep.Write(&project, titlecard.Project()); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"half.aep": project.Bytes()[:project.Len()/2], "noise.aep": bytes.Repeat([]byte("not a project "), 99),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		got := f.Register("aep", path)
		if got.Status != "error" || got.Error == "" {
			t.Errorf("%s: the template is %s: %q", name, got.Status, got.Error)
		}
		if _, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": got.ID, "composition": "x"}}); !client.IsStatus(err, http.StatusBadRequest) {
			t.Errorf("%s: a job on it: %v, want 400", name, err)
		}
	}
	f.GoesOn(f.Card())
}

func TestAnEmptyProjectIsRefused(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	path := filepath.Join(t.TempDir(), "empty.aep")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CreateTemplate(t.Context(), "aep", "empty", path, nil); !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty file: %v, want 400 that says so", err)
	}
}

func TestATruncatedUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	path := farmtest.SmallCard(t)
	template, err := f.CreateTemplate(t.Context(), "zip", "cut short", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := f.RenewUpload(t.Context(), template.ID)
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	st, err := body.Stat()
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fresh.URL, io.MultiReader(io.LimitReader(body, 1000), brokenPipe{}))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = st.Size()
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
		if resp.StatusCode < 400 {
			t.Errorf("an upload that ended early was answered %s", resp.Status)
		}
	}
	f.Await("the first file to be read", func() bool {
		got, err := f.Template(t.Context(), template.ID)
		return err == nil && got.Status == "uploaded"
	})
	f.GoesOn(template.ID)
}

func TestStalledUploadsDoNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template, err := f.CreateTemplate(t.Context(), "zip", "slow", farmtest.SmallCard(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := f.RenewUpload(t.Context(), template.ID)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(f.Server, "http://")
	for range 20 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: farm\r\nContent-Length: 1000000\r\n\r\n%s", strings.TrimPrefix(fresh.URL, f.Server), strings.Repeat("x", 50_000))
	}
	incoming := func() int {
		entries, err := os.ReadDir(filepath.Join(f.Dir, "files", ".incoming"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	f.Await("the uploads to begin", func() bool { return incoming() == 20 })
	f.Stop()
	if code := f.Cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the farm ended with exit code %d:\n%s", code, f.Said)
	}
	if n := incoming(); n != 0 {
		t.Errorf("%d unfinished files were left behind", n)
	}
}

// brokenPipe is a body that ends in the middle.
type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAFullDiskRefusesWorkAndSaysSo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	template := f.Card()
	f.Stop()
	full := farmtest.Launch(t, dir, "--min-free", "1152921504606846976") // an exbibyte: every disk is too full
	full.Await("the farm to say that its disk is full", func() bool {
		err := client.Ready(t.Context(), full.Server)
		return err != nil && strings.Contains(err.Error(), "free")
	})
	_, err := full.Submit(t.Context(), map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}})
	if !client.IsStatus(err, http.StatusServiceUnavailable) || !strings.Contains(err.Error(), "free") {
		t.Errorf("submit on a full disk: %v, want 503 that tells of free space", err)
	}
	full.Stop()
	farmtest.Up(t, dir).GoesOn(template)
}

func TestARenderingJobIsStoppedWithAllItsProcesses(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	id := f.SubmitEndless(template)
	f.Await("the engine to run", func() bool { return len(farmtest.Processes(f.Dir, "aerender")) > 0 })
	if _, err := f.Cancel(t.Context(), []string{id}, false); !client.IsStatus(err, http.StatusConflict) {
		t.Errorf("cancel of a rendering job: %v, want 409", err)
	}
	if _, err := f.Cancel(t.Context(), []string{id}, true); err != nil {
		t.Fatal(err)
	}
	if job := f.Ended(id); job.Status != "manually_cancelled" {
		t.Errorf("the job is %s", job.Status)
	}
	f.Await("the engine to be gone", func() bool { return len(farmtest.Processes(f.Dir, "aerender")) == 0 })
	f.GoesOn(template)
}
