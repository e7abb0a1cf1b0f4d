//go:build linux

package pages_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestAProducerDecidesOnFirstFrames approves a job by keyboard, and rejects one with a reason by mouse.
func TestAProducerDecidesOnFirstFrames(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Card()
	b := signedIn(t, f)
	asks := func(name string) string {
		id := submitsCard(f, map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "name": name, "settings": map[string]any{"frames": []int{0, 5}}, "previewFirst": true, "approve": true,
		})
		b.open("/jobs/" + id)
		b.shows("Approve these frames to render the rest")
		return id
	}
	good := asks("Good")
	b.do(focus(`form[action$="/approve"] button`))
	b.keysUntil(`!document.querySelector('form[action$="/approve"]')`, chromedp.KeyEvent(kb.Enter))
	f.Finished(good)
	b.open("/jobs/" + good)
	b.shows("Approved by")

	asks("Dark")
	b.fill("#reason", "The title is too dark")
	b.presses(`form[action$="/reject"] button`)
	b.shows("The title is too dark")
	b.until(`!document.querySelector('form[action$="/reject"]')`)
	b.until(`document.querySelector("#reviews").textContent.includes("The title is too dark")`) // kept as a verdict, as those of the review page are

	asks("Grey")
	b.do(types("#reason", "The logo is the old one"+kb.Enter))
	b.until(`!document.querySelector('form[action$="/reject"]')`)
	b.shows("The logo is the old one")
}
