//go:build linux

package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestAProducerFindsJobs looks for jobs by the machine that rendered them and by date, in a browser whose clock is in another time zone.
func TestAProducerFindsJobs(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	submit := func(name string, more map[string]any) string {
		job := map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "name": name}
		for field, value := range more {
			job[field] = value
		}
		return submitsCard(f, job)
	}
	rendered := submit("Beta", map[string]any{"settings": map[string]any{"frames": []int{0, 1}}})
	f.Finished(rendered)
	submit("Alpha", map[string]any{"hold": true})
	b := signedIn(t, f)
	b.do(emulation.SetTimezoneOverride("Pacific/Kiritimati"))

	b.open("/jobs")
	b.until(`document.querySelectorAll("tbody tr").length === 2`)
	b.chooses("machine", `document.querySelector("#filters [name=machine] option:last-child").value`)
	b.until(`location.search.startsWith("?machine=") && document.querySelectorAll("tbody tr").length === 1`)
	b.shows("Beta")
	b.canBeRead("/jobs of a machine")

	b.open("/jobs")
	const names = `[...document.querySelectorAll("tbody a.name")].map((e) => e.textContent.trim()).join()`
	b.until(names + ` === "Alpha,Beta"`)
	b.keysUntil(`location.search === "?sort=name-down" && `+names+` === "Beta,Alpha"`, chromedp.Evaluate(`[...document.querySelectorAll("thead a.sorts")][0].focus()`, nil), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("th[aria-sort=descending] a").textContent === "Job"`)
	b.click(`thead th:nth-child(7) a.sorts`)
	b.until(`location.search === "" && ` + names + ` === "Alpha,Beta"`)
	b.chooses("sort", `"oldest"`)
	b.until(`location.search === "?sort=oldest" && ` + names + ` === "Beta,Alpha"`)
	b.canBeRead("/jobs sorted")

	b.open("/jobs?sort=oldest&state=waiting")
	b.click(`.views summary`)
	b.fill(`.views form[action="/jobs/views"] [name=name]`, "What waits")
	b.presses(`.views form[action="/jobs/views"] button`)
	b.until(`document.querySelector(".views a[aria-current]").textContent === "What waits" && location.search === "?sort=oldest&state=waiting"`)
	b.canBeRead("/jobs with a view")
	b.open("/machines")
	b.until(`[...document.querySelectorAll("#palette a")].some((a) => a.textContent === "Jobs: What waits" && a.search === "?sort=oldest&state=waiting")`)

	// Kiritimati is 14 hours ahead of UTC: its day ends where the list begins.
	b.open("/jobs")
	const today = `new Date(Date.now() + 14 * 3600000).toISOString().slice(0, 10)`
	b.chooses("at", today)
	b.until(`new URLSearchParams(location.search).get("zone") === "Pacific/Kiritimati" && document.querySelectorAll("tbody tr").length === 2`)
	b.shows("Dates are in the time zone Pacific/Kiritimati.")
	b.chooses("at", `"2020-01-01"`)
	b.until(`location.search.includes("at=2020-01-01") && document.querySelectorAll("tbody tr").length === 0`)
	b.open("/jobs?from=tomorrow")
	b.shows("is not a date")
	b.canBeRead("/jobs with a date that is none")
}

// chooses gives a field of the filters a value, which is an expression, as choosing one does, once the page's scripts listen.
func (b *browser) chooses(field, value string) {
	b.t.Helper()
	b.until(`document.readyState === "complete" && ((field) => { field.value = ` + value + `; return field.dispatchEvent(new Event("change", { bubbles: true })); })(document.querySelector("#filters [name=` + field + `]"))`)
}
