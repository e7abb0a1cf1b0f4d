//go:build linux

package main

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

	"overcrank/aep"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// goesOn checks that a farm that met something bad still renders.
func (f *runningFarm) goesOn(template string) {
	f.t.Helper()
	f.finished(f.submitCard(template, map[string]any{"type": "image", "frames": 30}))
}

func TestAnUnknownLayerFailsTheJobByName(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	job := f.ended(f.submitCard(template, nil,
		map[string]any{"type": "text", "layerName": "Title", "value": "x"},
		map[string]any{"type": "text", "layerName": "Titel", "value": "x", "composition": titlecard.Composition}))
	if job.Status != "error" || !strings.Contains(why(job), "Layer 'Titel' not found in composition 'Title Card'") || !strings.Contains(why(job), "1") {
		t.Errorf("the job is %s: %q", job.Status, why(job))
	}
	if f.log(job.ID) == "" {
		t.Error("there is no log to read")
	}
	f.goesOn(template)
}

func TestAnUnknownCompositionIsRefusedOrFailsByName(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	job, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": template, "composition": "Nope"}})
	if err == nil {
		job = f.ended(job.ID)
		if job.Status != "error" || !strings.Contains(why(job), "Composition 'Nope' not found") {
			t.Errorf("the job is %s: %q", job.Status, why(job))
		}
	} else if !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "Composition 'Nope' not found") {
		t.Errorf("submit: %v", err)
	}
	src := f.handOver(titleCardZip(t))
	job, err = f.Submit(t.Context(), map[string]any{"template": map[string]string{"src": src, "composition": "Nope"}})
	if err != nil {
		t.Fatal(err)
	}
	if job = f.ended(job.ID); job.Status != "error" || !strings.Contains(why(job), "Composition 'Nope' not found") {
		t.Errorf("the job on a project that is not kept is %s: %q", job.Status, why(job))
	}
	f.goesOn(template)
}

func TestMissingFootageFailsTheJobByName(t *testing.T) {
	f := startUp(t, t.TempDir())
	path := filepath.Join(t.TempDir(), "lonely.aep")
	if err := writeTo(path, func(w io.Writer) error { return aep.Write(w, titlecard.Project()) }); err != nil {
		t.Fatal(err)
	}
	lonely := f.template("aep", path)
	body := map[string]any{"template": map[string]string{"id": lonely.ID, "composition": titlecard.Composition}}
	if _, err := f.Submit(t.Context(), body); !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "picture.png") {
		t.Errorf("a strict submission was answered %v", err)
	}
	var taken client.Job
	f.ask(t, "/api/v2/jobs", body, &taken)
	job := f.ended(taken.ID)
	if job.Status != "error" || !strings.Contains(why(job), "picture.png") {
		t.Errorf("the job is %s: %q", job.Status, why(job))
	}
	f.goesOn(f.card())
}

func TestANewFarmRefusesFilesThatItsMachineMayNotRead(t *testing.T) {
	f := startUp(t, t.TempDir())
	body := map[string]any{"template": map[string]string{"src": "file:///etc/passwd", "composition": "main"}}
	f.await("the farm's machine", func() bool {
		machines, err := f.Agents(t.Context(), "", "")
		return err == nil && len(machines.Items) == 1
	})
	f.await("the machine's folders to count", func() bool { // it tells them before the new farm is at the level that records them
		_, err := f.Submit(t.Context(), body)
		return client.IsStatus(err, http.StatusBadRequest) && strings.Contains(err.Error(), "--root")
	})
}

func TestANamedFontThatIsNotThereFailsTheJob(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "fonts": []string{"Nope.ttf"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if job = f.ended(job.ID); job.Status != "error" || why(job) != "Font 'Nope.ttf' not available" {
		t.Errorf("the job is %s: %q", job.Status, why(job))
	}
	f.goesOn(template)
}

func TestMediaThatCannotBeDrawnFailsTheJob(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	var picture bytes.Buffer
	if err := png.Encode(&picture, titlecard.Picture(titlecard.Night)); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short.png")
	if err := os.WriteFile(short, picture.Bytes()[:picture.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	for src, words := range map[string]string{
		f.handOver(short):          "'short.png' can't be read: it is broken",
		"data:application/json,{}": "is no picture, film or sound",
		"data:text/plain,hello":    "can't be read",
	} {
		job := f.ended(f.submitCard(template, map[string]any{"type": "image", "frames": 30},
			map[string]any{"type": "image", "layerName": titlecard.PictureLayer, "src": src}))
		if job.Status != "error" || !strings.Contains(why(job), words) || !strings.Contains(why(job), "(asset 0)") {
			t.Errorf("%s: the job is %s: %q", src, job.Status, why(job))
		}
	}
	f.goesOn(template)
}

func TestABrokenProjectIsExplained(t *testing.T) {
	f := startUp(t, t.TempDir())
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
		got := f.template("aep", path)
		if got.Status != "error" || got.Error == "" {
			t.Errorf("%s: the template is %s: %q", name, got.Status, got.Error)
		}
		if _, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": got.ID, "composition": "x"}}); !client.IsStatus(err, http.StatusBadRequest) {
			t.Errorf("%s: a job on it: %v, want 400", name, err)
		}
	}
	f.goesOn(f.card())
}

func TestAnEmptyProjectIsRefused(t *testing.T) {
	f := startUp(t, t.TempDir())
	path := filepath.Join(t.TempDir(), "empty.aep")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.CreateTemplate(t.Context(), "aep", "empty", path, nil); !client.IsStatus(err, http.StatusBadRequest) || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty file: %v, want 400 that says so", err)
	}
}

func TestATruncatedUploadLeavesNothing(t *testing.T) {
	f := startUp(t, t.TempDir())
	path := titleCardZip(t)
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
	f.await("the first file to be read", func() bool {
		got, err := f.Template(t.Context(), template.ID)
		return err == nil && got.Status == "uploaded"
	})
	f.goesOn(template.ID)
}

func TestStalledUploadsDoNotHoldUpTheEnd(t *testing.T) {
	f := startUp(t, t.TempDir())
	template, err := f.CreateTemplate(t.Context(), "zip", "slow", titleCardZip(t), nil)
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
		entries, err := os.ReadDir(filepath.Join(f.dir, "files", ".incoming"))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	f.await("the uploads to begin", func() bool { return incoming() == 20 })
	f.stop()
	if code := f.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the farm ended with exit code %d:\n%s", code, f.said)
	}
	if n := incoming(); n != 0 {
		t.Errorf("%d unfinished files were left behind", n)
	}
}

// brokenPipe is a body that ends in the middle.
type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAFullDiskRefusesWorkAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	f := startUp(t, dir)
	template := f.card()
	f.stop()
	full := launch(t, dir, "--min-free", "1152921504606846976") // an exbibyte: every disk is too full
	full.await("the farm to say that its disk is full", func() bool {
		err := ready(t.Context(), full.Server)
		return err != nil && strings.Contains(err.Error(), "free")
	})
	_, err := full.Submit(t.Context(), map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}})
	if !client.IsStatus(err, http.StatusServiceUnavailable) || !strings.Contains(err.Error(), "free") {
		t.Errorf("submit on a full disk: %v, want 503 that tells of free space", err)
	}
	full.stop()
	startUp(t, dir).goesOn(template)
}

func TestARenderingJobIsStoppedWithAllItsProcesses(t *testing.T) {
	f := startUp(t, t.TempDir())
	template := f.card()
	id := f.submitCard(template, nil)
	f.await("the engine to run", func() bool { return len(processes(f.dir, "aerender")) > 0 })
	if _, err := f.Cancel(t.Context(), []string{id}, false); !client.IsStatus(err, http.StatusConflict) {
		t.Errorf("cancel of a rendering job: %v, want 409", err)
	}
	if _, err := f.Cancel(t.Context(), []string{id}, true); err != nil {
		t.Fatal(err)
	}
	if job := f.ended(id); job.Status != "manually_cancelled" {
		t.Errorf("the job is %s", job.Status)
	}
	f.await("the engine to be gone", func() bool { return len(processes(f.dir, "aerender")) == 0 })
	f.goesOn(template)
}

func (f *runningFarm) handOver(path string) string {
	f.t.Helper()
	src, err := f.PutFile(f.t.Context(), path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return src
}
