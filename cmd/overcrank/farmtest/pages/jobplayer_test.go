//go:build linux

package pages_test

import (
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAProducerComparesTakes goes through a film frame by frame, beside another take of it: by keyboard, then by mouse.
func TestAProducerComparesTakes(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	first := f.Finished(f.SubmitCard(template, map[string]any{"frames": []int{60, 71}}))
	b := signedIn(t, f)
	b.open("/jobs/" + first.ID)
	b.do(chromedp.Evaluate(`window.sent = window.two = false; fetch("/jobs/change", {method: "POST", body: new URLSearchParams({do: "resubmit", id: location.pathname.split("/").pop()})}).then((r) => { window.sent = r.ok; }); null`, nil))
	b.until(`window.sent`)
	b.until(`fetch(location.pathname + "/review").then((r) => r.text()).then((t) => { window.two = t.includes("&#34;number&#34;:2"); }), window.two`)
	b.open("/jobs/" + first.ID)
	b.until(`document.getElementById("player")?.readyState >= 2 && document.getElementById("viewer").dataset.frame === "0"`)
	b.do(focus("#main"), chromedp.KeyEvent("."), chromedp.KeyEvent("."), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(","))
	b.until(`document.getElementById("viewer").dataset.frame === "2" && document.getElementById("place").textContent.startsWith("Frame 62 of 71 · 00:00:00:02")`)
	b.do(focus("#other"), chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.getElementById("stage").dataset.compare === "side" && document.querySelectorAll("#stage video").length === 2`)
	b.do(focus("#way"), chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.getElementById("stage").dataset.compare === "wipe" && document.getElementById("wipe").checkVisibility() && document.querySelector("#stage [style*='50%']") !== null`)
	b.do(focus("#wipe"), chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector("#stage [style*='inset(0px 0px 0px 0%)'], #stage [style*='inset(0 0 0 0%)']") !== null`)
	b.dragUntil("#wipe", 0.02, 60, `Number(document.getElementById("wipe").value) > 5`)
	b.do(focus("#way"), chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.getElementById("stage").dataset.compare === "difference"`)
	b.canBeRead("/jobs/… with a take beside it")
	b.comparesByMouse()
}

// comparesByMouse steps through the film, plays it, and looks at the takes beside each other, without keys.
func (b *browser) comparesByMouse() {
	b.t.Helper()
	for _, way := range []string{"side", "wipe", "difference"} {
		b.do(selectOption("#way", way))
		b.until(`document.getElementById("stage").dataset.compare === "` + way + `"`)
	}
	at := value[string](b, `document.getElementById("viewer").dataset.frame`)
	b.click("#ahead")
	b.until(`Number(document.getElementById("viewer").dataset.frame) === ` + at + ` + 1`)
	b.click("#back")
	b.until(`document.getElementById("viewer").dataset.frame === "` + at + `"`)
	b.click("#play")
	b.until(`document.getElementById("viewer").dataset.frame !== "` + at + `"`)
	b.do(selectOption("#other", ""))
	b.until(`document.querySelectorAll("#stage video").length === 1`)
}
