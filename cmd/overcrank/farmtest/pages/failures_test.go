//go:build linux

package pages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// TestAProducerCuresFailures has jobs fail for want of a file and of a font while the page of failures is open, brings both, and resubmits one cause by
// mouse and one by keyboard. Of two jobs that lack the file one takes it, and the page says so before and after. What failed after all is dismissed.
func TestAProducerCuresFailures(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	project, others := cardInParts(t)
	bare := map[string]string{"id": f.Register("aep", project).ID, "composition": titlecard.Composition}
	b := signedIn(t, f)
	b.open("/failures")
	b.shows("Nothing needs you")
	b.do(chromedp.Evaluate(`document.querySelector("main").dataset.before = "1"`, nil))

	var taken struct{ ID string }
	f.Post("/api/v2/jobs", map[string]any{"template": bare, "settings": map[string]any{"frames": []int{0, 1}}}, &taken) // which a strict submission refuses
	lacks := f.Ended(taken.ID)
	b.shows("1 job lacks the file")
	const card = `#failures section:has([data-drop=asset])`
	b.until(`document.querySelector("` + card + ` .lines a").getAttribute("href") === "/jobs/` + lacks.ID + `"`)
	f.Post("/api/v2/jobs", map[string]any{ // nobody can tell what it lacks: it may put its own file anywhere
		"template": bare, "name": "Own file", "settings": map[string]any{"frames": []int{0, 1}}, "assets": []any{map[string]any{"type": "static", "src": "data:text/plain,words", "name": "words.txt"}},
	}, &taken)
	f.Ended(taken.ID)
	b.shows("2 jobs lack the file")
	b.shows("1 job does not take it: The job brings scripts, functions or files of its own")
	b.shows("the jobs that can be given it are submitted again")
	failsForAFont(f, f.Card(), "Gotham-Bold.ttf")
	b.shows("1 job needs the font “Gotham-Bold.ttf”")
	b.until(`document.querySelector("main").dataset.before === "1"`) // the farm told the page, which was not loaded again

	missing := value[string](b, `document.querySelector("`+card+` [data-drop] b").textContent`)
	file, known := others[missing]
	if !known {
		t.Fatalf("the page asks for %q, which the card has not: %v", missing, others)
	}
	b.do(chooseFiles(card+` input[type=file]`, file))
	b.shows(missing + " has arrived. “Resubmit 1 job with this file” is left to press.")
	b.canBeRead("/failures with a file that has arrived")
	b.size(1360, 900)
	b.do(focus(card+` button.primary`), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.startsWith("/batches/")`)

	b.open("/failures")
	b.shows("None of these jobs can be given a file here.")
	b.until(`document.querySelector("#failures [data-drop=asset]") === null && document.querySelector('#failures a[href="/jobs/` + taken.ID + `"]') !== null`)
	b.shows("1 job needs the font")
	font := filepath.Join(t.TempDir(), "Gotham-Bold.ttf")
	if err := os.WriteFile(font, goregular.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	b.do(chooseFiles(`#failures [data-drop=font] input[type=file]`, font))
	b.shows("The library has this font now. Resubmit")
	b.until(`document.querySelector("#failures [data-drop=font]") === null`)
	b.presses(`#failures section:has(a[href="/settings/fonts"]) button.primary`)
	b.until(`location.pathname.startsWith("/batches/")`)
	b.shows("1 of 1 finished")

	f.Ended(submitsCard(f, map[string]any{
		"template": map[string]string{"id": f.Card(), "composition": titlecard.Composition}, "name": "Nowhere", "settings": map[string]any{"frames": []int{0, 1}},
		"assets": []any{map[string]any{"type": "data", "layerName": titlecard.TitleLayer, "property": "Effects.Nothing.Color", "value": 1}},
	}))
	b.open("/failures")
	b.shows("Nowhere")
	const nowhere = `#failures section:has(.lines a):not(:has([data-drop])) form[action="/failures/dismiss"] button`
	b.until(`document.querySelectorAll('` + nowhere + `').length > 0`)
	for b.painted(); value[bool](b, `document.querySelector('#failures form[action="/failures/dismiss"]') !== null`); b.painted() {
		b.presses(`#failures form[action="/failures/dismiss"] button`)
	}
	b.shows("Nothing needs you")
}
