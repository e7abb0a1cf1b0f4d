//go:build linux

package pages_test

import (
	"bytes"
	"os"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// failsForAFont is a job that has failed for want of a font, which it names by its file.
func failsForAFont(f *farmtest.Farm, template, file string) client.Job {
	f.T.Helper()
	job, err := f.Submit(f.T.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 60}, "fonts": []string{file},
	})
	if err != nil {
		f.T.Fatal(err)
	}
	if job = f.Ended(job.ID); job.Status != "error" {
		f.T.Fatalf("a job that names a font which is not there is %s", job.Status)
	}
	return job
}

// withoutItsFont registers the title card's project with a title in Exter-Bold, a font that nobody has.
func withoutItsFont(f *farmtest.Farm) {
	f.T.Helper()
	path, _ := cardInParts(f.T)
	project, err := os.ReadFile(path)
	if err != nil {
		f.T.Fatal(err)
	}
	wide := func(name string) (out []byte) {
		for _, b := range []byte(name) {
			out = append(out, 0, b)
		}
		return out
	}
	changed := bytes.ReplaceAll(bytes.ReplaceAll(project, []byte("Inter-Bold"), []byte("Exter-Bold")), wide("Inter-Bold"), wide("Exter-Bold"))
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		f.T.Fatal(err)
	}
	f.Register("aep", path)
}

// choosesAnotherFont has the one font of the library stand in for Exter-Bold, which a template lacks, on the page of fonts, and on that of failures for the
// file for want of which a job has failed: the picture is made.
func (b *browser) choosesAnotherFont(f *farmtest.Farm, file string) {
	b.t.Helper()
	b.open("/settings/fonts")
	b.fill(`form:has([name=name][value="Exter-Bold"]) [name=font]`, "GoRegular")
	b.click(`form:has([name=name][value="Exter-Bold"]) button`)
	b.until(`location.hash.startsWith("#font-") && document.querySelector(location.hash).innerText.includes("a copy of GoRegular")`)
	b.until(`document.querySelector(location.hash + " img.specimen").naturalWidth > 100`)

	b.open("/failures")
	b.shows("1 job needs the font “" + file + "”")
	b.canBeRead("/failures for want of a font")
	b.picture("failures-font")
	b.fill(`form.stand-in [name=font]`, "GoRegular")
	b.click(`form.stand-in button`)
	b.until(`location.pathname.startsWith("/batches/")`)
	batch, err := f.Batch(b.t.Context(), strings.TrimPrefix(value[string](b, `location.pathname`), "/batches/"))
	if err != nil || len(batch.Jobs) != 1 {
		b.t.Fatalf("the jobs that are submitted again are %+v, %v", batch.Jobs, err)
	}
	f.Finished(batch.Jobs[0].ID)
	b.open("/failures")
	b.shows("Nothing needs you")
}
