//go:build linux

package pages_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestAnOperatorFindsAndSteersMachines sorts and narrows the list of machines down, by mouse and by keys, drains some, takes that back, and looks
// at the wall of pictures while one renders.
func TestAnOperatorFindsAndSteersMachines(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)
	token := b.invites("The studio's machines")
	farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "suite-4"), token, "--slots", "1", "--tags", "gpu", "--hours", "00:00-24:00")
	b.open("/machines")
	b.until(`document.querySelector("#machines tbody .state.free") !== null`)
	token = b.invites("Another one")
	farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "attic"), token, "--slots", "1", "--tags", "night")

	b.open("/machines")
	b.until(`document.querySelectorAll("#machines tbody .state.free").length === 2`)
	b.until(`[...document.querySelectorAll("#machines tbody tr")].every((r) => r.innerText.includes(" of ") && r.innerText.includes("GiB"))`) // memory and disk
	names := `[...document.querySelectorAll("#machines td a.name")].map((a) => a.textContent).join(" ")`
	b.until(names + ` === "attic suite-4"`)
	b.presses(`a.sorts[href*="sort=name"]`)
	b.until(names + ` === "suite-4 attic" && location.search.includes("order=down")`)
	b.canBeRead("/machines sorted")
	b.size(1360, 900)

	b.do(focus(`#filters [name=q]`), chromedp.KeyEvent("nig"))
	b.until(names + ` === "attic" && location.search.includes("q=nig")`)
	b.do(chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.Backspace))
	b.until(names + ` === "suite-4 attic"`)

	b.keysUntil(`document.querySelectorAll("[data-pick]:checked").length === 2`, focus("#pick-all"), chromedp.KeyEvent(" "))
	b.shows("2 machines selected")
	b.canBeRead("/machines with selected rows")
	b.size(1360, 900)
	b.click(`#selection button[value=drain]`)
	b.shows("2 machines will be drained.")
	b.until(`document.activeElement.textContent === "Undo"`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.shows("2 machines selected")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.picks(2, false)
	b.click(`#selection button[value=drain]`)
	b.shows("1 machine drained.")
	b.until(`document.querySelector("#machines tbody .state.draining")?.closest("tr").innerText.includes("attic")`)

	job, err := f.Submit(t.Context(), map[string]any{
		"name": "Spring spot", "template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": []map[string]any{farmtest.Busy()},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.click(`nav[aria-label=Look] a[href*="view=wall"]`)
	b.until(`document.querySelectorAll(".tile").length === 2`)
	b.until(`((i) => i !== null && i.naturalWidth > 100)(document.querySelector(".tile img"))`)
	b.shows("Spring spot")
	b.canBeRead("/machines as pictures")
	b.size(1360, 900)
	b.picture("machine-wall")
	f.Finished(job.ID)
	b.until(`document.querySelectorAll(".tile img").length === 0`)
	b.marksHours()
}

// marksHours gives both machines one hour of the week that is far from now, by pointer and by keys, and sees that they take no work.
func (b *browser) marksHours() {
	b.t.Helper()
	b.open("/machines")
	b.until(`document.querySelectorAll("#machines tbody tr").length === 2`)
	b.keysUntil(`document.querySelectorAll("[data-pick]:checked").length === 2`, focus("#pick-all"), chromedp.KeyEvent(" "))
	b.click(`#selection button[formaction="/machines/hours"]`)
	b.until(`location.pathname === "/machines/hours" && document.readyState === "complete"`)
	b.shows("2 machines are selected.")
	b.until(`document.querySelectorAll("table.hours input:checked").length === 168`) // always
	b.canBeRead("/machines/hours")
	b.looksRight("/machines/hours", "machine-hours")
	b.size(1360, 1100)
	for day := range 7 {
		b.click(fmt.Sprintf(`[data-day="%d"]`, day))
	}
	b.until(`document.querySelectorAll("table.hours input:checked").length === 0`)
	b.expect("status of 400") // a week without hours is refused
	b.click(`[data-hours] button[type=submit]`)
	b.shows("Mark at least one hour.")
	b.dragsOverHours()
	far := (time.Now().Hour() + 12) % 24
	b.do(focus(`table.hours input`))
	for range far {
		b.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	b.until(fmt.Sprintf(`document.activeElement.value === "1-%d"`, far))
	b.do(chromedp.KeyEvent(" "))
	b.until(`document.querySelectorAll("table.hours input:checked").length === 1`)
	b.click(`[data-hours] button[type=submit]`)
	b.until(`location.pathname === "/machines"`)
	b.until(`document.querySelector("#machines tbody .state.away") !== null || document.body.innerText.includes("outside the hours")`)
	b.click(`#machines td a.name`)
	b.shows(fmt.Sprintf("The farm gives it work mon %02d:00-", far))
	b.canBeRead("/machines/… with hours")
	b.looksRight("/machines/… with hours", "machine-with-hours")
}

// dragsOverHours marks hours of a week without any by dragging over them, and takes them back in the same way.
func (b *browser) dragsOverHours() {
	b.t.Helper()
	const marked = `[...document.querySelectorAll("table.hours input:checked")].map((i) => i.value).join()`
	drag := func(before string, begins int, brings string) {
		b.t.Helper()
		farmtest.Await(b.t, "dragging over Tuesday to bring "+brings, func() bool {
			b.do(chromedp.Evaluate(fmt.Sprintf(`for (const i of document.querySelectorAll("table.hours input")) i.checked = %s; scrollTo(0, 0)`, before), nil))
			at := func(hour int) (x, y float64) {
				place := value[struct{ X, Y float64 }](b, fmt.Sprintf(`(({ left, top, width, height }) => ({ X: left + width / 2, Y: top + height / 2 }))(
					document.querySelector('table.hours input[value="2-%d"]').getBoundingClientRect())`, hour))
				return place.X, place.Y
			}
			x, y := at(begins)
			b.do(chromedp.MouseEvent(input.MousePressed, x, y, chromedp.ButtonLeft))
			for hour := begins + 1; hour <= 6; hour++ {
				x, y = at(hour)
				b.do(chromedp.MouseEvent(input.MouseMoved, x, y, chromedp.ButtonLeft))
			}
			b.do(chromedp.MouseEvent(input.MouseReleased, x, y, chromedp.ButtonLeft))
			return value[string](b, marked) == brings
		})
	}
	drag("false", 3, "2-3,2-4,2-5,2-6")
	drag(`/^2-[3-6]$/.test(i.value)`, 4, "2-3")
	b.click(`table.hours input[value="2-3"]`)
	b.until(marked + ` === ""`)
	// A click that comes so soon behind a drag that no timer has run between them marks an hour too.
	b.do(chromedp.Evaluate(`(() => {
		const hour = (h) => document.querySelector(`+"`table.hours input[value=\"2-${h}\"]`"+`);
		const fire = (kind, box, buttons) => {
			const { left, top, width, height } = box.getBoundingClientRect();
			box.dispatchEvent(new PointerEvent(kind, { bubbles: true, buttons, clientX: left + width / 2, clientY: top + height / 2 }));
		};
		fire("pointerdown", hour(3), 1); fire("pointermove", hour(4), 1); fire("pointerup", hour(4), 0);
		fire("pointerdown", hour(6), 1); fire("pointerup", hour(6), 0); hour(6).click();
	})()`, nil))
	b.until(marked + ` === "2-3,2-4,2-6"`)
	for _, hour := range []int{3, 4, 6} {
		b.click(fmt.Sprintf(`table.hours input[value="2-%d"]`, hour))
	}
	b.until(marked + ` === ""`)
}
