//go:build linux

package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/network"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestPagesSpeakGermanAndFrench reads the pages as somebody does whose browser prefers German, and who then chooses French. That every page can be
// read in both is seen by the walk over all of them.
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
	// Clocks are in the page's language, not in that of the browser, which is English here.
	b.until(`[...document.querySelectorAll("time[datetime]")].some((e) => e.title && e.title === new Date(e.dateTime).toLocaleString("de") && e.title !== new Date(e.dateTime).toLocaleString("en-US"))`)
	b.picture("german")
	b.open("/jobs/" + failed)
	b.shows("Die Ebene „Titel“ gibt es in der Komposition „" + titlecard.Composition + "“ nicht")
	b.picture("german-failure")

	b.open("/account")
	b.do(selectOption(`select[name=language]`, "fr"))
	b.click(`form[action="/language"] button`)
	b.until(`document.documentElement.lang === "fr" && document.readyState === "complete"`)
	b.open("/jobs")
	b.shows("File d’attente")
}
