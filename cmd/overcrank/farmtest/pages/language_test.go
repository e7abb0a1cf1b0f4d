//go:build linux

package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/network"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestPagesSpeakGermanAndFrench reads the pages as somebody does whose browser prefers German, and who then chooses French.
func TestPagesSpeakGermanAndFrench(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	job := f.SubmitCard(template, map[string]any{"type": "image", "frames": 2})
	failed := f.SubmitCard(template, nil, map[string]any{"type": "text", "layerName": "Titel", "value": "x", "composition": titlecard.Composition})
	f.Finished(job)
	f.Ended(failed)
	b := signedIn(t, f)
	b.do(network.Enable(), network.SetExtraHTTPHeaders(network.Headers{"Accept-Language": "de-AT,de;q=0.9"}))

	b.open("/jobs")
	b.shows("Fertig")
	b.until(`document.documentElement.lang === "de" && document.querySelector(".rail").innerText.includes("Warteschlange")`)
	b.until(`[...document.querySelectorAll("time[datetime]")].some((e) => e.textContent.startsWith("vor ") || e.textContent === "gerade eben")`) // the script's words
	for _, path := range []string{"/", "/jobs", "/jobs/" + job, "/jobs/" + failed, "/queue", "/batches", "/templates", "/templates/" + template, "/machines", "/failures", "/reports",
		"/settings/sharing", "/settings/people", "/settings/audit", "/account", "/new?template=" + template, "/new/table?template=" + template} {
		b.open(path)
		b.until(`document.documentElement.lang === "de"`)
		b.canBeRead(path + " in German")
	}
	b.picture("german")
	b.open("/jobs/" + failed)
	b.shows("Die Ebene „Titel“ gibt es in der Komposition „" + titlecard.Composition + "“ nicht")
	b.picture("german-failure")

	b.open("/account")
	b.do(selectOption(`select[name=language]`, "fr"))
	b.click(`form[action="/language"] button`)
	b.until(`document.documentElement.lang === "fr" && document.readyState === "complete"`)
	for _, path := range []string{"/", "/jobs", "/jobs/" + job, "/jobs/" + failed, "/failures", "/queue", "/machines", "/settings/sharing", "/new?template=" + template} {
		b.open(path)
		b.until(`document.documentElement.lang === "fr"`)
		b.canBeRead(path + " in French")
	}
	b.open("/jobs")
	b.shows("File d’attente")
}
