//go:build linux

package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
)

// TestAJobIsMadeByKeyboard fills the form in without a pointer, from the first field to Ctrl+Enter.
func TestAJobIsMadeByKeyboard(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)
	b.open("/new?template=" + template)
	b.do(visible("textarea"))
	b.until(`document.querySelector("[data-preview]").dataset.drawn !== undefined`)

	// Space plays while nothing else has the keyboard.
	b.keysUntil(`document.querySelector("[data-play]").textContent === "Pause"`, chromedp.KeyEvent(" "))
	b.keysUntil(`document.querySelector("[data-play]").textContent === "Play"`, chromedp.KeyEvent(" "))

	b.do(focus("[data-output] summary"))
	b.keysUntil(`document.querySelector("[data-output]").open`, chromedp.KeyEvent(kb.Enter))
	b.do(focus("[name=first]"), chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("4"))
	b.until(`document.querySelector("[data-said]").textContent.includes("frames 2 to 4")`)
	b.fill("#preset-name", "Three frames")
	b.do(focus("#preset-name"), chromedp.KeyEvent(kb.Enter))
	b.shows("Saved “Three frames”")

	b.do(focus("[data-call] summary"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("call").textContent.includes("OVERCRANK_TOKEN") && document.getElementById("call").textContent.includes('"frames"')`)
	b.do(focus("#call-curl"), chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("call").textContent.startsWith("import json")`)
	b.picture("new-job-open")
	b.canBeRead("/new, with everything open")

	b.do(focus("#name"), chromedp.KeyEvent("By hand"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
	b.until(`location.pathname.startsWith("/jobs/")`)
	b.shows("By hand")
	b.open("/new?template=" + template)
	b.shows("Three frames")
}
