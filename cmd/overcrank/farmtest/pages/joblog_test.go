//go:build linux

package pages_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestALogIsSearched looks for a line of a finished job's log, goes to where it stands, and back to the end: by keyboard, then by mouse.
func TestALogIsSearched(t *testing.T) {
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
	b.fill("#log-query", "the film is whole") // by mouse
	b.click(`#log-search button[type=submit]`)
	b.until(`document.getElementById("log-hits").textContent === "1 hit"`)
	b.click("#log-found button")
	b.until(`document.querySelector("#log-part .hit")?.textContent.includes("the film is whole")`)
	b.click("#log-end")
	b.until(`!document.getElementById("log").hidden && document.getElementById("log-part") === null`)
}

// TestALogOf100MBStaysSmooth opens the page of a job with a very long log, scrolls through its end and through earlier parts, and searches it: the
// browser is given stretches only, and is never busy for long.
func TestALogOf100MBStaysSmooth(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Register("zip", farmtest.TitleCard(t)).ID, map[string]any{"frames": []int{60, 61}}))
	lengthen(t, filepath.Join(f.Dir, "files", "logs", job.ID+".log"))
	b := signedIn(t, f)
	b.open("/jobs/" + job.ID)
	b.until(`document.querySelectorAll("#log span").length > 1000`)
	b.do(chromedp.Evaluate(`window.busy = 0; new PerformanceObserver((l) => { for (const e of l.getEntries()) busy = Math.max(busy, e.duration); }).observe({ type: "longtask", buffered: true })`, nil))
	b.do(chromedp.Evaluate(scrollThrough("log"), nil))
	b.until(`window.scrolled === "log"`)

	for range 3 {
		b.do(chromedp.Evaluate(`window.first = document.querySelector("#log-part span")?.textContent`, nil), focus("#log-earlier"), chromedp.KeyEvent(kb.Enter))
		b.until(`document.querySelector("#log-part span") && document.querySelector("#log-part span").textContent !== window.first`)
	}
	b.do(chromedp.Evaluate(scrollThrough("log-part"), nil))
	b.until(`window.scrolled === "log-part"`)

	b.do(focus("#log-query"), chromedp.KeyEvent("line 400000 of"+kb.Enter))
	b.until(`document.getElementById("log-hits").textContent === "1 hit"`)
	b.do(focus("#log-found button"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("#log-part .hit")?.textContent.includes("line 400000 of")`)
	b.do(focus("#log-query"), chromedp.Evaluate(`document.getElementById("log-query").value = ""`, nil), chromedp.KeyEvent("a long render"+kb.Enter))
	b.until(`document.getElementById("log-hits").textContent === "The first 200 hits"`)

	if n := value[int](b, `document.querySelectorAll("#log span, #log-part span, #log-found li").length`); n > 12_000 {
		t.Errorf("the page holds %d lines", n)
	}
	largest := value[int](b, `Math.max(...performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).filter((e) => e.name.includes("/jobs/")).map((e) => e.decodedBodySize))`)
	requests := value[int](b, `performance.getEntriesByType("resource").filter((e) => e.name.includes("/log/search")).length`)
	if largest > 2<<20 || requests > 20 {
		t.Errorf("the largest answer has %d bytes, and %d requests searched", largest, requests)
	}
	longest := value[float64](b, `window.busy`)
	t.Logf("the largest answer has %d bytes; the browser was busy for %.0f ms at most", largest, longest)
	if longest > 1000 { // measured: 53 ms at a load of 11
		t.Errorf("the browser was busy for %.0f ms", longest)
	}
}

// lengthen makes a log 100 MB long, with numbered lines.
func lengthen(t *testing.T, path string) {
	t.Helper()
	log, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	to := bufio.NewWriter(log)
	for n, size := 0, 0; size < 100<<20 && err == nil; n++ {
		var wrote int
		wrote, err = fmt.Fprintf(to, "PROGRESS: line %06d of a long render, in which nothing but this happens for a while, and then again, and again, and again\n", n)
		size += wrote
	}
	if err := errors.Join(err, to.Flush(), log.Close()); err != nil {
		t.Fatal(err)
	}
}

// scrollThrough scrolls an element from its beginning to its end in sixty frames, and says so in window.scrolled.
func scrollThrough(id string) string {
	return `(() => {
		const box = document.getElementById("` + id + `"), step = (n) => {
			box.scrollTop = (box.scrollHeight - box.clientHeight) * n / 60;
			if (n < 60) requestAnimationFrame(() => step(n + 1)); else window.scrolled = "` + id + `";
		};
		step(0);
	})()`
}
