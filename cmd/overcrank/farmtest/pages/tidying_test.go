//go:build linux

package pages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// entersUntil goes to a button and presses Enter on it, until a script says true: a part of a page that is drawn anew takes the keys away. A button that is
// gone before the script says true has been pressed.
func (b *browser) entersUntil(script, button string) {
	b.t.Helper()
	b.painted()
	b.keysUntil(script, chromedp.ActionFunc(func(ctx context.Context) error {
		var focused bool
		ready := untilTrue(fmt.Sprintf(`(%s) || ((e) => { e?.focus(); return !!e && document.activeElement === e; })(document.querySelector(%q))`, script, button))
		if err := ready.Do(ctx); err != nil {
			return err
		}
		at := fmt.Sprintf(`!!document.activeElement?.matches(%q)`, button)
		if err := chromedp.Evaluate(at, &focused).Do(ctx); err != nil || !focused { // the page changes at this moment
			return nil
		}
		return chromedp.KeyEvent(kb.Enter).Do(ctx)
	}))
}

// TestAProducerTidiesUp retires, brings back and deletes a template, and keeps and deletes a secret, each by mouse and by keyboard.
func TestAProducerTidiesUp(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	b := signedIn(t, f)
	template := f.Register("zip", farmtest.TitleCard(t)).ID

	b.open("/templates/" + template)
	b.presses(`form[action$="/retire"] button`)
	b.shows("It takes no new jobs")
	b.entersUntil(`!!document.querySelector('form[action$="/retire"] button[name=retired]')`, `form[action$="/retire"] button`)
	b.entersUntil(`document.body.innerText.includes("It takes no new jobs")`, `form[action$="/retire"] button[name=retired]`)
	b.presses(`form[action$="/retire"] button`)
	b.until(`!document.body.innerText.includes("It takes no new jobs")`)
	b.presses(`form[action$="/delete"] button`) // the browser asks, and is told yes
	b.until(`location.pathname === "/templates"`)
	another := f.Register("zip", farmtest.TitleCard(t)).ID
	b.open("/templates/" + another)
	b.entersUntil(`location.pathname === "/templates"`, `form[action$="/delete"] button`)
	b.until(`!document.getElementById("template-` + template + `") && !document.getElementById("template-` + another + `")`)

	b.open("/settings/secrets")
	b.fill("#name", "BUCKET_KEY")
	b.fill("#value", "abc")
	b.presses(`form[action="/settings/secrets"] button`)
	b.shows("BUCKET_KEY")
	b.do(types("#name", "HOOK"), types("#value", "def"+kb.Enter))
	b.shows("HOOK")
	b.until(`document.querySelectorAll("tbody tr").length === 2 && !document.body.innerText.includes("abc")`)
	b.presses(`tbody tr:first-child form button`)
	b.until(`document.querySelectorAll("tbody tr").length === 1`)
	b.entersUntil(`document.querySelectorAll("tbody tr").length === 0`, `tbody tr form button`)
	b.shows("No secrets yet")
	b.bringsAFamily(f)
}

// bringsAFamily has the library take several fonts at once, of which one is none, and a place for one file refuse two.
func (b *browser) bringsAFamily(f *farmtest.Farm) {
	b.t.Helper()
	dir := b.t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.t.Fatal(err)
		}
		return path
	}
	fonts := func() int {
		list, err := f.Fonts(b.t.Context())
		if err != nil {
			b.t.Fatal(err)
		}
		return len(list.Items)
	}
	const field = `[data-drop=font] input[type=file]`
	regular, bold, none := file("Go-Regular.ttf", goregular.TTF), file("Go-Bold.ttf", gobold.TTF), file("Notes.ttf", []byte("no font"))
	b.expect("status of 40")
	b.open("/settings/fonts")
	b.do(chooseFiles(field, none, regular))
	b.shows("Notes.ttf: ")
	b.until(`document.querySelector("#fonts tbody")?.textContent.includes("Go-Regular.ttf") && document.querySelector("[data-drop=font] [data-say]").textContent.includes("Notes.ttf: ")`)
	if n := fonts(); n != 1 {
		b.t.Errorf("the library has %d fonts of the one that was taken", n)
	}
	b.open("/settings/fonts")
	b.do(chooseFiles(field, bold, regular))
	b.until(`document.readyState === "complete" && document.querySelectorAll("main table tbody tr").length >= 2`)
	if n := fonts(); n != 2 {
		b.t.Errorf("the library has %d fonts of two that were brought", n)
	}
	b.open("/templates")
	b.until(`document.readyState === "complete"`)
	b.do(chromedp.Evaluate(`(() => {
		const files = new DataTransfer();
		for (const name of ["One.aep", "Two.aep"]) files.items.add(new File(["x"], name));
		document.querySelector("[data-drop=template]").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
	})()`, nil))
	b.shows("This takes one file at a time.")
}

// TestAnAdministratorLooksAfterTheTeam revokes tokens and removes people, moves somebody to another team and back, replaces the key of webhooks, and names the studio: by mouse and by keyboard.
func TestAnAdministratorLooksAfterTheTeam(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	b := signedIn(t, f)
	for _, list := range []string{"/settings/api-tokens", "/settings/people"} {
		b.open(list)
		for _, name := range []string{"First", "Second"} {
			b.fill("#name", name)
			b.presses(`form[action="` + list + `"] button[type=submit]`)
			b.until(`[...document.querySelectorAll("td.name")].some((e) => e.textContent.includes("` + name + `"))`)
		}
		b.open(list)
		row := func(name string) string {
			return `[id="` + value[string](b, `[...document.querySelectorAll("tbody tr")].find((e) => e.querySelector("td.name").textContent.includes("`+name+`")).id`) + `"] form[action$="/revoke"] button`
		}
		gone := func(name string) string {
			return `document.readyState === "complete" && ![...document.querySelectorAll("td.name")].some((e) => e.textContent.includes("` + name + `"))`
		}
		b.presses(row("First"))
		b.until(gone("First"))
		b.entersUntil(gone("Second"), row("Second"))
	}
	b.movesSomebody()
	b.readsListsWhole()
	b.keepsBackupsUnderThePointer(func() {
		if code, _, errs := f.Command("backup", filepath.Join(t.TempDir(), "farm.ocbackup"), "--without-keys"); code != 0 {
			t.Errorf("the backup ends with %d: %s", code, errs)
		}
	})
	b.replacesTheKeyOfWebhooks()
	b.showsClientsTheStudio()
}

// keepsBackupsUnderThePointer points at a backup while another comes, which the page of coordinators says, and shows when the reader asks for it.
func (b *browser) keepsBackupsUnderThePointer(another func()) {
	b.t.Helper()
	const first = `document.querySelector("tr[id^=backup-]")`
	b.open("/settings/coordinators")
	another()
	b.until(first + ` !== null`)
	b.do(chromedp.Evaluate(first+`.scrollIntoView({ block: "center" })`, nil))
	b.movesOnto(first)
	another()
	b.until(`!document.getElementById("changes").hidden && document.querySelectorAll("tr[id^=backup-]").length === 1`)
	b.click("#changes")
	b.until(`document.getElementById("changes").hidden && document.querySelectorAll("tr[id^=backup-]").length === 2`)
}

// movesSomebody brings a person into another team by mouse, and back by keyboard.
func (b *browser) movesSomebody() {
	b.t.Helper()
	b.open("/settings/teams")
	b.fill("#team-name", "Trailers")
	b.presses(`form[action="/settings/teams"] button`)
	b.until(`[...document.querySelectorAll("#teams h2")].some((e) => e.textContent === "Trailers")`)
	b.open("/settings/people")
	b.fill("#name", "Mia")
	b.presses(`form[action="/settings/people"] button[type=submit]`)
	b.shows("Send this link to Mia")
	b.presses(`tbody tr:has(td.name) a.button[aria-label="Edit Mia"]`)
	b.until(`document.querySelector("h1").textContent === "Mia" && !!document.querySelector("#team")`)
	b.canBeRead("a person who may be moved")
	b.do(chromedp.SetValue("#team", value[string](b, `[...document.querySelectorAll("#team option")].find((e) => e.textContent === "Trailers").value`), chromedp.ByQuery))
	b.presses(`form.card button.primary`)
	b.shows("Mia is in the team Trailers now.")
	b.until(`![...document.querySelectorAll("td.name")].some((e) => e.textContent.includes("Mia"))`)

	b.entersUntil(`document.querySelector("h1").textContent === "People of Trailers" && document.readyState === "complete"`, `.note a[href*="team="]`)
	b.entersUntil(`document.querySelector("h1").textContent === "Mia" && document.readyState === "complete"`, `a.button[aria-label="Edit Mia"]`)
	b.do(chromedp.Focus("#team", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowUp))
	b.until(`document.querySelector("#team").selectedOptions[0].textContent !== "Trailers"`)
	b.entersUntil(`document.body.innerText.includes("Mia is in the team")`, `form.card button.primary`)
	b.open("/settings/people")
	b.until(`[...document.querySelectorAll("td.name")].some((e) => e.textContent.includes("Mia"))`)
}

// readsListsWhole has the lists of settings fit their cards in windows between a telephone and a desk, in languages with longer words than English has.
func (b *browser) readsListsWhole() {
	b.t.Helper()
	const wide = `[...document.querySelectorAll("main .sheet")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.scrollWidth + " in " + e.clientWidth).join("; ")`
	b.do(network.Enable())
	for _, language := range languages {
		b.speaks(language)
		for _, path := range []string{"/settings/people", "/settings/api-tokens", "/settings/coordinators", "/machines"} {
			b.open(path)
			for _, width := range []int64{721, 1024, 1180} {
				b.size(width, 900)
				if scrolls := value[string](b, wide); scrolls != "" {
					b.t.Errorf("%s in %q, %d pixels wide, has lists that are wider than their cards: %s", path, language, width, scrolls)
				}
			}
		}
	}
	b.speaks("en")
	b.size(1360, 900)
}

// replacesTheKeyOfWebhooks has webhooks signed with another key, twice.
func (b *browser) replacesTheKeyOfWebhooks() {
	b.t.Helper()
	const key, button = `document.querySelector("code.secret").textContent`, `form[action="/settings/webhooks"] button`
	b.open("/settings/webhooks")
	first := value[string](b, key)
	b.presses(button) // the browser asks, and is told yes
	second := value[string](b, key)
	b.entersUntil(fmt.Sprintf(`document.readyState === "complete" && ![%q, %q].includes(%s)`, first, second, key), button)
	if third := value[string](b, key); first == second || len(third) < 32 || value[string](b, `document.querySelector("[data-copy]").dataset.copy`) != third {
		b.t.Errorf("webhooks are signed with %q, then %q, then %q", first, second, third)
	}
}

// showsClientsTheStudio gives the team another name and a logo, as clients see them, and takes the logo away.
func (b *browser) showsClientsTheStudio() {
	b.t.Helper()
	const seen, chooses, removes = `document.querySelector(".clients-see")`, `[data-drop="logo"] [data-choose]`, `form[action$="/logo/remove"] button`
	logo := picturePath(b.t, morningColours)
	b.choosesFiles(logo)
	b.open("/settings/studio")
	b.fill("#name", "Northlight")
	b.presses(`form[action="/settings/studio"] button`)
	b.until(seen + `.textContent.trim() === "Northlight"`)
	b.fill("#name", "")
	b.do(types("#name", "Südlicht"+kb.Enter))
	b.until(seen + `?.textContent.trim() === "Südlicht"`)
	b.painted()

	b.points(chooses)
	b.until(seen + `?.querySelector("img")?.naturalWidth > 0`)
	b.presses(removes)
	b.until(seen + `.textContent.trim() === "Südlicht"`)
	b.entersUntil(seen+`?.querySelector("img")?.naturalWidth > 0`, chooses)
	b.entersUntil(`document.readyState === "complete" && `+seen+`?.textContent.trim() === "Südlicht"`, removes)
}

// TestAProducerNamesABatch gives a batch a name and a due time, by mouse and by keyboard.
func TestAProducerNamesABatch(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	held := map[string]any{"template": map[string]any{"id": f.Card(), "composition": titlecard.Composition}, "hold": true, "name": "Spot"}
	made, err := f.CreateBatch(t.Context(), []map[string]any{held, held})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.open("/batches/" + made.BatchID)
	b.click("#batch details summary")
	b.fill("#batch-name", "Spring spots")
	b.fill("#due", "2030-04-01T18:00")
	b.presses(`form[action$="/label"] button`)
	b.until(`document.querySelector("h1").textContent === "Spring spots"`)
	b.shows("Due ")
	b.entersUntil(`document.querySelector("#batch details").open`, "#batch details summary")
	b.fill("#batch-name", "Summer spots")
	b.fill("#due", "")
	b.do(focus("#batch-name"), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("h1").textContent === "Summer spots" && !document.querySelector("#batch .due")`)
}

// TestAJobIsEditedAndResubmitted changes the title of a job that has ended, and renders it again under another name: by mouse, and by keyboard.
func TestAJobIsEditedAndResubmitted(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Card(), map[string]any{"frames": []int{0, 1}}))
	b := signedIn(t, f)
	edits := func(name string) {
		b.click(`a[href^="/new?again="]`)
		b.until(`location.pathname === "/new"`)
		b.painted()
		b.do(visible("textarea"))
		b.fill("textarea", "Once more, "+name)
		b.fill("#name", name)
	}
	named := func(name string) string {
		return `location.pathname.startsWith("/jobs/") && document.querySelector("h1")?.textContent === "` + name + `"`
	}
	b.open("/jobs/" + job.ID)
	edits("Second")
	b.click(`button.primary[aria-keyshortcuts="Control+Enter"]`)
	b.until(named("Second"))
	b.painted()
	edits("Third")
	b.do(focus("#name"), chromedp.KeyEvent(kb.Enter))
	b.until(named("Third"))
	b.painted()
	b.click(`a[href^="/new?again="]`)
	b.until(`document.querySelector("textarea")?.value === "Once more, Third"`)
}
