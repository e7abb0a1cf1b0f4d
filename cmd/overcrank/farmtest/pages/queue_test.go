//go:build linux

package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAProducerMovesJobsInTheQueue moves a job by keys and another one by dragging, is told before what that does, and takes a move back.
func TestAProducerMovesJobsInTheQueue(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir()) // without a machine: everything waits
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	for _, name := range []string{"One", "Two", "Three"} {
		submitsCard(f, map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "name": name})
	}
	b := signedIn(t, f)
	b.open("/queue")
	line := `[...document.querySelectorAll("#queue tr[data-job] a.name")].map((a) => a.textContent).join(" ")`
	b.until(line + ` === "One Two Three"`)
	b.canBeRead("/queue with jobs that can be moved")
	b.size(1360, 900)

	grip := func(n int) string { return fmt.Sprintf(`#queue tr[data-job]:nth-child(%d) [data-grip]`, n) }
	b.do(focus(grip(3)), chromedp.KeyEvent(kb.ArrowUp))
	b.shows("“Three” goes before")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.textContent === "Undo"`)
	b.do(chromedp.KeyEvent(kb.Enter)) // it stays where it was
	b.until(`document.getElementById("undo").hidden && document.activeElement.matches("[data-grip]")`)
	b.do(focus(grip(3)), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	b.shows("“Three” goes before 2 jobs")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.shows("Moved. “Three” goes before 2 jobs")
	b.do(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	b.until(line + ` === "Three One Two"`)

	drag := func(kind string, row int) string {
		return fmt.Sprintf(`((row) => {
			const box = row.getBoundingClientRect();
			window.carried ||= new DataTransfer();
			row.firstElementChild.dispatchEvent(new DragEvent(%q, { bubbles: true, cancelable: true, dataTransfer: window.carried, clientX: box.left + 9, clientY: box.bottom - 2 }));
			return true;
		})(document.querySelector("#queue tr[data-job]:nth-child(%d)"))`, kind, row)
	}
	b.until(drag("dragstart", 1))
	b.until(drag("dragover", 3))
	b.shows("“Three” lets 2 jobs")
	b.picture("queue-move")
	b.until(drag("drop", 3))
	b.shows("Moved. “Three” lets 2 jobs")
	b.do(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	b.until(line + ` === "One Two Three"`)
	b.movesInGerman(grip(3))
	b.pausesALevel()
	b.givesAJobItsPlace(line)
}

// movesInGerman moves a job by keys, which Undo no longer tells of, and takes it back.
func (b *browser) movesInGerman(grip string) {
	b.t.Helper()
	b.do(network.Enable())
	b.speaks("de")
	b.open("/queue")
	b.do(focus(grip), chromedp.KeyEvent(kb.ArrowUp))
	b.shows("Eingabe verschiebt ihn, Esc lässt ihn.")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.textContent === "Rückgängig"`)
	if words := value[string](b, `document.getElementById("undo").textContent`); strings.Contains(words, "Esc") || strings.Contains(words, "moved") || !strings.Contains(words, "„Three“") {
		b.t.Errorf("in German it is said of a move: %q", words)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`document.getElementById("undo").hidden`)
	b.speaks("en")
	b.open("/queue")
}

// pausesALevel pauses a level and resumes it, by mouse and then by keyboard.
func (b *browser) pausesALevel() {
	b.t.Helper()
	const pause, resume = `form[action="/queue/levels/normal/pause"] button`, `form[action="/queue/levels/normal/resume"] button`
	marked := func(script string) string {
		return `document.readyState === "complete" && ` + script + ` && document.querySelectorAll("#queue .levels .state").length `
	}
	there := func(button string) string { return fmt.Sprintf(`!!document.querySelector(%q)`, button) }
	b.presses(pause)
	b.until(marked(there(resume)) + `=== 1`)
	b.presses(resume)
	b.until(marked(there(pause)) + `=== 0`)
	b.entersUntil(marked(there(resume))+`=== 1`, pause)
	b.entersUntil(marked(there(pause))+`=== 0`, resume)
}

// givesAJobItsPlace has the last of three jobs in line go first by its priority, with the mouse, and then the other by its level, with keys, each on its page.
func (b *browser) givesAJobItsPlace(line string) {
	b.t.Helper()
	last := func() string {
		return value[string](b, `document.querySelector("#queue tr[data-job]:last-child").dataset.job`)
	}
	comes := func(order string) {
		b.t.Helper()
		b.until(`location.pathname.startsWith("/jobs/") && document.readyState === "complete"`)
		b.open("/queue")
		b.until(line + fmt.Sprintf(` === %q`, order))
	}
	b.until(line + ` === "One Two Three"`)
	b.open("/jobs/" + last())
	b.fill(`#priority`, "50")
	b.presses(`form[action$="/order"] button:not([name])`)
	b.until(`document.getElementById("priority")?.value === "50"`)
	comes("Three One Two")
	b.open("/jobs/" + last())
	b.keysUntil(`document.getElementById("level").value === "rush"`, focus("#level"), chromedp.KeyEvent(kb.ArrowUp))
	b.do(focus("#priority"), chromedp.KeyEvent("7"+kb.Enter))
	b.until(`document.readyState === "complete" && document.querySelector("#level option[selected]")?.value === "rush"`)
	comes("Two Three One")
}
