//go:build linux

package pages_test

import (
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestALogIsSearchedByKeyboard looks for a line of a finished job's log, goes to where it stands, and back to the end.
func TestALogIsSearchedByKeyboard(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Register("zip", farmtest.TitleCard(t)).ID, map[string]any{"frames": []int{60, 71}}))
	b := signedIn(t, f)
	b.open("/jobs/" + job.ID)
	b.until(`document.querySelectorAll("#log details").length > 3`)
	b.do(focus("#log-query"), chromedp.KeyEvent("the film is whole"+kb.Enter))
	b.until(`document.getElementById("log-hits").textContent === "1 hit"`)
	b.picture("job-log-found")
	b.do(focus("#log-found button"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#log-part .hit")?.textContent.includes("the film is whole") && document.activeElement.id === "log-part"`)
	b.canBeRead("/jobs/… with a part of its log")
	b.do(focus("#log-end"), chromedp.KeyEvent(kb.Enter))
	b.until(`!document.getElementById("log").hidden && document.getElementById("log-part") === null`)
}
