//go:build linux

package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestAProducerKeepsJobsInProjects makes a project by mouse and one by keyboard, renders for it, and sees it counted and listed.
func TestAProducerKeepsJobsInProjects(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)

	b.open("/projects")
	b.fill("#name-", "Spring spots")
	b.fill("#hours-", "40")
	b.click(`section[aria-labelledby=new-project] button[type=submit]`)
	b.until(`document.querySelectorAll("#projects li[data-row]").length === 1`)
	b.shows("0 h of 40 machine hours this month")
	b.do(focus("#name-"), chromedp.KeyEvent("Autumn"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll("#projects li[data-row]").length === 2`)
	spring := value[string](b, `[...document.querySelectorAll("#projects li[data-row]")].find((e) => e.textContent.includes("Spring spots")).id`)

	b.open("/new?template=" + template)
	b.do(visible("textarea"))
	b.fill("#name", "Opener")
	b.until(`((field) => { field.value = "` + spring + `"; return field.dispatchEvent(new Event("change", { bubbles: true })); })(document.getElementById("project"))`)
	b.click(`button.primary[aria-keyshortcuts="Control+Enter"]`)
	b.until(`location.pathname.startsWith("/jobs/")`)
	b.shows("Spring spots")
	f.Finished(strings.TrimPrefix(value[string](b, `location.pathname`), "/jobs/"))

	b.open("/projects")
	counts := func(figure, n string) {
		t.Helper()
		b.until(`[...document.getElementById("` + spring + `").querySelectorAll("dl div")].find((e) => e.textContent.startsWith("` + figure + `")).querySelector("dd").textContent === "` + n + `"`)
	}
	counts("Finished", "1")
	b.do(chromedp.Evaluate(`document.querySelector("main").dataset.before = "1"`, nil))
	submitsCard(f, map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "hold": true, "project": "Spring spots"})
	counts("Waiting or rendering", "1")
	b.until(`document.querySelector("main").dataset.before === "1"`) // the farm told the page, which was not loaded again
	b.canBeRead("/projects")
	b.looksRight("/projects", "projects")

	// A project gets another name, is archived and reopened: by mouse, and by keyboard.
	within := func(selector string) string { return `[id="` + spring + `"] ` + selector }
	b.click(within("details summary"))
	b.fill(within("[name=name]"), "Spring films")
	b.presses(within("form.inline button[type=submit]"))
	b.until(`document.querySelector('` + within("h2") + `').textContent === "Spring films"`)
	b.entersUntil(`document.querySelector('`+within("details")+`').open`, within("details summary"))
	b.fill(within("[name=name]"), "Spring spots")
	b.do(focus(within("[name=name]")), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector('` + within("h2") + `').textContent === "Spring spots"`)
	b.click(within("details summary"))
	b.presses(within(`form[action$="/archive"] button`))
	b.click("#projects > details summary")
	b.presses(within(`form[action$="/reopen"] button`))
	b.entersUntil(`document.querySelector('`+within("details")+`').open`, within("details summary"))
	b.entersUntil(`!!document.querySelector('`+within(`form[action$="/reopen"]`)+`')`, within(`form[action$="/archive"] button`))
	b.entersUntil(`document.querySelector("#projects > details").open`, "#projects > details summary")
	b.entersUntil(`!!document.querySelector('`+within(`form[action$="/archive"]`)+`')`, within(`form[action$="/reopen"] button`))

	// The keyboard leads from a project to its jobs.
	b.do(focus(`[id="` + spring + `"] a`)) // an id may begin with a digit, which #id may not
	b.keysUntil(`location.pathname === "/jobs" && location.search === "?project=`+spring+`"`, chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll("tbody tr").length === 2`)
	b.shows("Opener")
	b.open("/jobs")
	b.chooses("project", `[...document.querySelector("#filters [name=project]").options].find((o) => o.textContent === "Autumn").value`)
	b.until(`location.search.startsWith("?project=") && document.querySelectorAll("tbody tr").length === 0`)
	b.chooses("project", `"`+spring+`"`)
	b.until(`document.querySelectorAll("tbody tr").length === 2`)
}
