//go:build linux

package farmtest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// Card registers the small card and returns its id.
func (f *Farm) Card() string {
	f.T.Helper()
	t := f.Register("zip", SmallCard(f.T))
	if t.Status != "uploaded" {
		f.T.Fatalf("the template is %s: %s", t.Status, t.Error)
	}
	return t.ID
}

// Register registers a file and waits until the farm has read it.
func (f *Farm) Register(typ, path string) client.Template {
	f.T.Helper()
	t, err := f.CreateTemplate(f.T.Context(), typ, filepath.Base(path), path, nil)
	if err != nil {
		f.T.Fatal(err)
	}
	f.Await("the template to be read", func() bool {
		if t, err = f.Template(f.T.Context(), t.ID); err != nil {
			f.T.Fatal(err)
		}
		return t.Status == "uploaded" || t.Status == "error"
	})
	return t
}

// SubmitCard submits a job on the title card; settings may be nil.
func (f *Farm) SubmitCard(template string, settings map[string]any, assets ...map[string]any) string {
	f.T.Helper()
	body := map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": assets}
	if settings != nil {
		body["settings"] = settings
	}
	job, err := f.Submit(f.T.Context(), body)
	if err != nil {
		f.T.Fatal(err)
	}
	return job.ID
}

// Ended waits for the end of a job.
func (f *Farm) Ended(id string) client.Job {
	f.T.Helper()
	var job client.Job
	f.AwaitWithin(2*Patience, "job "+id+" to end", func() bool { // a film takes a busy machine minutes
		var err error
		if job, err = f.Job(f.T.Context(), id); err != nil {
			f.T.Fatal(err)
		}
		return job.Status.Ended()
	})
	return job
}

// Finished waits for the end of a job, which must be a good one.
func (f *Farm) Finished(id string) client.Job {
	f.T.Helper()
	job := f.Ended(id)
	if job.Status != "finished" {
		f.T.Fatalf("job %s ended as %s: %s\nits log:\n%s", id, job.Status, job.Stats.Error, f.LogOf(id))
	}
	return job
}

func (f *Farm) LogOf(id string) string {
	var b strings.Builder
	if _, err := f.Log(f.T.Context(), id, 0, &b); err != nil {
		return err.Error()
	}
	return b.String()
}

// Fetch fetches a job's result into a file of its own.
func (f *Farm) Fetch(j client.Job) string {
	f.T.Helper()
	path := filepath.Join(f.T.TempDir(), filepath.Base(j.OutputURL))
	if err := f.Download(f.T.Context(), j.OutputURL, path, nil); err != nil {
		f.T.Fatal(err)
	}
	return path
}

// Busy is an asset that has an engine take a while for each frame, so that something can befall a render: the whole card takes some four seconds.
func Busy() map[string]any { return busy(25 * time.Millisecond) }

// busy is Busy for as long as it is told. Of the engine of Plain it asks nothing.
func busy(frame time.Duration) map[string]any {
	return map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Transform.Opacity", "expression": fmt.Sprintf("value // pace %s", frame)}
}

// SubmitSlow submits a film of many frames, each of which takes a while: some ten seconds in all, where one engine draws it.
func (f *Farm) SubmitSlow(template string) string {
	f.T.Helper()
	return f.SubmitCard(template, nil, busy(70*time.Millisecond))
}

// SubmitEndless submits a film that one machine renders for longer than any test looks at it.
func (f *Farm) SubmitEndless(template string) string {
	f.T.Helper()
	job, err := f.Submit(f.T.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "sequential": true, "assets": []map[string]any{busy(5 * time.Second)},
	})
	if err != nil {
		f.T.Fatal(err)
	}
	return job.ID
}

// Rendering submits jobs until an engine is at work on the last of them, and tells which that is: beside other programs a job may end before anybody looks.
func (f *Farm) Rendering(submit func() string) (id string) {
	f.T.Helper()
	id = submit()
	f.Await("the engine to run", func() bool {
		switch job, err := f.Job(f.T.Context(), id); {
		case err != nil:
			return false
		case job.Status.Ended():
			id = submit()
			return false
		}
		return len(Processes(f.Dir, "aerender")) > 0
	})
	return id
}

// SubmitWhole submits a film of frames that take a while, which one machine renders from the first to the last.
func (f *Farm) SubmitWhole(template string, frames int) string {
	f.T.Helper()
	job, err := f.Submit(f.T.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "sequential": true,
		"settings": map[string]any{"frames": []int{0, frames - 1}}, "assets": []map[string]any{Busy()},
	})
	if err != nil {
		f.T.Fatal(err)
	}
	return job.ID
}

// Rendered submits a job on a composition and waits for its film.
func (f *Farm) Rendered(template, composition string, sequential bool, settings map[string]any) (job client.Job, took time.Duration) {
	f.T.Helper()
	began := time.Now()
	made, err := f.Submit(f.T.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": composition}, "sequential": sequential, "settings": settings,
	})
	if err != nil {
		f.T.Fatal(err)
	}
	var ended client.Job
	ctx, cancel := context.WithTimeout(f.T.Context(), 10*time.Minute)
	defer cancel()
	for !ended.Status.Ended() {
		if ended, err = f.Job(ctx, made.ID); err != nil {
			f.T.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	if ended.Status != "finished" {
		f.T.Fatalf("job %s ended as %s: %s\nits log:\n%s", ended.ID, ended.Status, ended.Stats.Error, f.LogOf(ended.ID))
	}
	return ended, time.Since(began)
}

// GoesOn checks that a farm that met something bad still renders.
func (f *Farm) GoesOn(template string) {
	f.T.Helper()
	f.Finished(f.SubmitCard(template, map[string]any{"type": "image", "frames": 30}))
}

func (f *Farm) HandOver(path string) string {
	f.T.Helper()
	src, err := f.PutFile(f.T.Context(), path, nil)
	if err != nil {
		f.T.Fatal(err)
	}
	return src
}

// NestedCard is a still of the title card as the asset of another job.
func NestedCard(template, layer string, assets ...map[string]any) map[string]any {
	return map[string]any{
		"type": "job", "layerName": layer, "template": map[string]string{"id": template, "composition": titlecard.Composition},
		"settings": map[string]any{"type": "image", "frames": 60}, "assets": assets,
	}
}

// Results are the names of the files that jobs have delivered, once nothing is on its way any more: a result gets its place a moment after its
// job has finished.
func (f *Farm) Results() []string {
	f.T.Helper()
	f.Await("what is left of attempts to be swept", func() bool { return len(Leftovers(f.T, f.Dir)) == 0 })
	entries, err := os.ReadDir(filepath.Join(f.Dir, "files", "outputs"))
	if err != nil {
		f.T.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Leftovers are files in the folders of work under way.
func Leftovers(t testing.TB, dir string) []string {
	t.Helper()
	var left []string
	for _, folder := range []string{"agent/work", "agent/outbox", "files/.incoming", "files/attempts", "scratch"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil // it went while we looked
			case err == nil && d.Type().IsRegular():
				left = append(left, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return left
}
