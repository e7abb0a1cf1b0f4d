//go:build linux

package pages_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/xuri/excelize/v2"
)

// TestAProducerSeesEachFilmBeforeItIsOrdered goes from an Excel workbook with a mistake to a batch with a name and a due time, by keys.
func TestAProducerSeesEachFilmBeforeItIsOrdered(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir(), "--slots", "2")
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)
	b.open("/new/table?template=" + template)

	book := excelize.NewFile()
	for y, row := range [][]any{{"Title", "@priority", "@frames", "@name"}, {"Spring", 1, "40-44", "A"}, {"Summer", "high", "40-44", "B"}, {"Autumn", 3, "40-44", "C"}} {
		for x, cell := range row {
			place, err := excelize.CoordinatesToCellName(x+1, y+1)
			if err == nil {
				err = book.SetCellValue("Sheet1", place, cell)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "films.xlsx")
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	b.do(chooseFiles("#sheet", path))
	b.until(`document.querySelectorAll("[data-contacts] .contact[data-drawn]").length === 2`)
	b.shows("not a whole number")
	b.canBeRead("/new/table, with a contact sheet and a mistake")

	// The cell is mended where it stands; leaving it has the table looked at.
	b.fill(`[name="cell:3:1"]`, "")
	b.do(focus(`[name="cell:3:1"]`), chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Tab))
	b.until(`document.querySelectorAll("[data-contacts] .contact[data-drawn]").length === 3 && document.querySelector("#cells").value.includes("Summer,2,")`)
	b.until(`new Set([...document.querySelectorAll("[data-contacts] img")].map((i) => i.src)).size === 3 && [...document.querySelectorAll("[data-contacts] img")].every((i) => i.src.startsWith("blob:") && i.naturalWidth > 100)`)
	b.until(`!document.querySelector("button[value=order]").disabled`)
	// Another time of all films, by a key.
	b.do(chromedp.Evaluate(`before = document.querySelector("[data-contacts] img").src, 0`, nil), focus("[data-frame]"), chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelectorAll("[data-contacts] .contact[data-drawn]").length === 3 && document.querySelector("[data-contacts] img").src !== before`)

	b.fill("#batch", "Season films")
	b.do(chromedp.Evaluate(`(() => {
		const due = document.querySelector("#due");
		due.value = "`+time.Now().Add(72*time.Hour).Format("2006-01-02T15:04")+`";
		due.dispatchEvent(new Event("input", { bubbles: true })); due.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, nil))
	b.until(`document.querySelector("#batch").value === "Season films" && document.querySelector("#due").value !== ""`)
	b.size(1360, 1700)
	b.picture("contactsheet")
	for _, width := range []int64{390, 1024} {
		b.size(width, 900)
		b.canBeRead("/new/table with a contact sheet, narrow")
		b.until(`document.documentElement.scrollWidth <= innerWidth`)
	}
	b.do(focus(`button[value=order]`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.startsWith("/batches/") && document.querySelector("h1").textContent === "Season films"`)
	b.shows("Due")
	b.shows("3 of 3 finished")
	b.open("/batches")
	b.shows("Season films")
	b.until(`[...document.querySelectorAll("#batches td.pic img")].some((i) => i.naturalWidth > 0)`)
	b.canBeRead("/batches, with a due time")

	// The list is narrowed down to the reader's own by mouse, and to a state by keys.
	b.click(`#filters a.button`)
	b.until(`new URLSearchParams(location.search).get("by") !== null && document.querySelector("#batches td.name") !== null`)
	b.shows("Season films")
	b.do(focus(`#batches .chips a[href*="state=failures"]`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.search.includes("state=failures") && location.search.includes("by=")`)
	b.shows("have failures")
	b.canBeRead("/batches, with nothing that fits")
	b.do(focus(`#batches .empty a.button`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname === "/batches" && location.search === ""`)
	b.shows("Season films")
}

// TestAFailedRowIsMendedInItsPlace goes from a batch of which a row failed, by keys, to one of which all rows are finished.
func TestAFailedRowIsMendedInItsPlace(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir(), "--slots", "2")
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)
	b.open("/new/table?template=" + template)
	b.fill("#cells", "@name,Title,@frames,Title:Transform.Nowhere\nA,Spring,40-44,\nB,Summer,40-44,5\n")
	b.until(`document.querySelectorAll("[data-contacts] .contact[data-drawn]").length === 2 && !document.querySelector("button[value=order]").disabled`)
	// A card leads to its row.
	b.do(focus(`#contact-3 a`), chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.name === "cell:3:1"`)
	b.do(focus(`button[value=order]`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.startsWith("/batches/")`)
	b.shows("1 of 2 finished, 1 failed")
	b.click(`a[href$="/edit"]`)
	b.until(`location.pathname.endsWith("/edit") && document.querySelectorAll("[data-contacts] .contact").length === 1`)
	b.shows("Failed: ")
	b.canBeRead("/batches/:id/edit, with a failed row")
	for _, width := range []int64{390, 1024, 1440} {
		b.size(width, 900)
		b.canBeRead("/batches/:id/edit, in several widths")
		b.until(`document.documentElement.scrollWidth <= innerWidth`)
	}
	b.do(focus(`td textarea[aria-label^="Title:Transform"]`), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent(kb.Tab))
	b.until(`!document.querySelector(".asrows").textContent.includes("Failed: ")`)
	b.do(focus(`button[value=order]`), chromedp.KeyEvent(kb.Enter))
	b.until(`/^\/batches\/[0-9A-Z]+$/.test(location.pathname)`)
	b.shows("2 of 2 finished")
}
