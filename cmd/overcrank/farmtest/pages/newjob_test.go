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
	b.do(chromedp.WaitVisible("textarea", chromedp.ByQuery))
	b.until(`document.querySelector("[data-preview]").dataset.drawn !== undefined`)

	// Space plays while nothing else has the keyboard.
	b.keysUntil(`document.querySelector("[data-play]").textContent === "Pause"`, chromedp.KeyEvent(" "))
	b.keysUntil(`document.querySelector("[data-play]").textContent === "Play"`, chromedp.KeyEvent(" "))

	b.do(chromedp.Focus("[data-output] summary", chromedp.ByQuery))
	b.keysUntil(`document.querySelector("[data-output]").open`, chromedp.KeyEvent(kb.Enter))
	b.do(chromedp.Focus("[name=first]", chromedp.ByQuery), chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("4"))
	b.until(`document.querySelector("[data-said]").textContent.includes("frames 2 to 4")`)
	b.fill("#preset-name", "Three frames")
	b.do(chromedp.Focus("#preset-name", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.shows("Saved “Three frames”")

	b.do(chromedp.Focus("[data-call] summary", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("call").textContent.includes("OVERCRANK_TOKEN") && document.getElementById("call").textContent.includes('"frames"')`)
	b.do(chromedp.Focus("#call-curl", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("call").textContent.startsWith("import json")`)
	b.picture("new-job-open")
	b.canBeRead("/new, with everything open")

	b.do(chromedp.Focus("#name", chromedp.ByQuery), chromedp.KeyEvent("By hand"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
	b.until(`location.pathname.startsWith("/jobs/")`)
	b.shows("By hand")
	b.open("/new?template=" + template)
	b.shows("Three frames")
}
