//go:build linux

package pages_test

import (
	"fmt"
	"strconv"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAProducerSteersManyJobs selects rows of the list by pointer and keys, takes a cancellation back, steers one by the menu of its row, and narrows the list down.
func TestAProducerSteersManyJobs(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir()) // without a machine: everything waits
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	submit := func(name, tag string) {
		submitsCard(f, map[string]any{
			"template": map[string]string{"id": template, "composition": titlecard.Composition}, "name": name, "tags": []string{tag},
		})
	}
	for _, name := range []string{"Spring spot, English", "Spring spot, French", "Spring spot, German", "Spring trailer"} {
		submit(name, "spring sale")
	}
	b := signedIn(t, f)
	b.open("/jobs")
	b.until(`document.querySelectorAll("tbody tr").length === 4`)
	b.canBeRead("/jobs with filters")
	b.size(1360, 900)

	b.picks(1, false)
	b.picks(3, true)
	b.shows("3 jobs selected")
	b.until(`document.getElementById("pick-all").indeterminate`)
	b.canBeRead("/jobs with selected rows")
	b.size(1360, 900)
	b.picture("jobs")
	submit("Autumn spot", "harvest")
	b.shows("1 change – show")
	b.until(`document.querySelectorAll("tbody tr").length === 4`)
	b.click("#changes")
	b.until(`document.querySelectorAll("tbody tr").length === 5 && document.querySelectorAll("[data-pick]:checked").length === 3`)

	b.rowsByKeys()

	b.unhurried(func() {
		b.click(`#selection button[value=cancel]`)
		b.shows("3 jobs will be cancelled.")
		b.until(`document.activeElement.textContent === "Undo"`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.shows("3 jobs selected")
	})
	b.fill(`#selection [name=priority]`, "9")
	b.click(`#selection button[value=priority]`)
	b.shows("3 jobs changed.")
	b.open("/jobs?state=cancelled")
	b.shows("No jobs in this state")

	b.open("/jobs")
	b.click(`[data-title="Spring trailer"]`)
	b.until(menuIsOpen + `&& document.activeElement.textContent === "Hold"`)
	b.canBeRead("/jobs with the menu of a row")
	b.size(320, 700)
	b.isNotTooWide("/jobs with the menu of a row", 320)
	b.until(menuIsOpen + `&& (({ left, right, top, bottom }) => left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight)(document.getElementById("row-menu").getBoundingClientRect())`)
	b.picture("row-menu-320")
	b.size(1360, 900)
	b.picture("row-menu")
	b.click(`[data-title="Autumn spot"]`) // the menu goes over to another row
	b.until(menuIsOpen + `&& document.getElementById("row-menu-of").textContent === "Autumn spot"`)
	b.keysUntil("!"+menuIsOpen, chromedp.KeyEvent(kb.Escape))
	b.until(`document.activeElement.dataset.title === "Autumn spot"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(menuIsOpen)
	b.unhurried(func() {
		b.fill(`#row-menu [name=priority]`, "3")
		b.click(`#row-menu button[value=priority]`)
		b.shows("Autumn spot will be given another priority.")
		b.until(`document.activeElement.textContent === "Undo" && document.querySelector("tr.going a.name").textContent === "Autumn spot"`)
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until(`document.activeElement.dataset.title === "Autumn spot" && document.querySelector("tr.going") === null`)
	})
	b.click(`[data-title="Autumn spot"]`)
	b.fill(`#row-menu [name=priority]`, "5")
	b.click(`#row-menu button[value=priority]`)
	b.shows("1 job changed.")
	b.shows("Priority 5")
	b.click(`[data-title="Autumn spot"]`)
	b.click(`#row-menu button[value=hold]`)
	b.shows("1 job held.")
	b.until(`document.querySelector('[data-title="Autumn spot"]').dataset.acts.includes("release")`)
	b.click(`[data-title="Autumn spot"]`)
	b.click(`#row-menu button[value=release]`)
	b.shows("1 job released.")

	b.open("/jobs")
	b.fill(`#filters [name=q]`, "spot spring")
	b.do(focus(`#filters [name=q]`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.search === "?q=spot+spring" && document.querySelectorAll("tbody tr").length === 3`)
	b.keysUntil(`document.querySelectorAll("[data-pick]:checked").length === 3`, focus("#pick-all"), chromedp.KeyEvent(" "))
	b.click(`#selection [name=all]`)
	b.click(`#selection button[value=cancel]`)
	b.shows("All jobs that match will be cancelled.")
	b.open("/jobs?state=cancelled") // leaving the page sends what was asked for
	b.until(`document.querySelectorAll("tbody tr").length === 3`)
	b.open("/jobs?state=waiting&tag=spring+sale")
	b.until(`document.querySelectorAll("tbody tr").length === 1`)
	b.shows("Spring trailer")
	b.canBeRead("/jobs of a tag")
}

// unhurried goes through steps while the page lets what they change be taken back for as long as they take: six seconds are few on a busy machine.
func (b *browser) unhurried(steps func()) {
	b.t.Helper()
	b.do(chromedp.Evaluate(`window.soon = setTimeout; window.setTimeout = (does, ms, ...more) => soon(does, ms === 6000 ? 2 ** 31 - 1 : ms, ...more); null`, nil))
	steps()
	b.do(chromedp.Evaluate(`window.setTimeout = soon; null`, nil))
}

// menuIsOpen says whether the menu of a row is open.
const menuIsOpen = `document.getElementById("row-menu").matches(":popover-open")`

// picks clicks the box of a row of the list, with the Shift key or without it.
func (b *browser) picks(row int, shift bool) {
	b.t.Helper()
	b.until(fmt.Sprintf(`((box) => box !== null && box.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: %t })))(
		document.querySelector("tbody tr:nth-child(%d) [data-pick]"))`, shift, row))
}

// rowsByKeys goes through the rows of a list by keys, and selects one and leaves it.
func (b *browser) rowsByKeys() {
	b.t.Helper()
	const row = `[...document.querySelectorAll("tbody tr")].indexOf(document.activeElement.closest("tr"))`
	picked := func(state string) string {
		return `document.activeElement.closest("tr").querySelector("[data-pick]").checked === ` + state
	}
	b.do(chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.KeyEvent("j"))
	b.until(row + ` === 0 && document.activeElement.matches("a.name")`)
	b.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"), chromedp.KeyEvent("k"), chromedp.KeyEvent("k"))
	b.until(row + ` === 0`)
	was := value[bool](b, picked("true"))
	b.do(chromedp.KeyEvent("x"))
	b.until(picked(strconv.FormatBool(!was)))
	b.do(chromedp.KeyEvent("x"))
	b.until(picked(strconv.FormatBool(was)))
	b.do(chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.KeyEvent("k"))
	b.until(row + ` === document.querySelectorAll("tbody tr").length - 1`)
}
