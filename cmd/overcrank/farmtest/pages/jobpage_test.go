//go:build linux

package pages_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/titlecard"
)

// TestAJobsPageShowsItsFamilyAndCallsAgain follows a job with a nested one and a webhook on its page.
func TestAJobsPageShowsItsFamilyAndCallsAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer hook.Close()
	f := farmtest.Up(t, t.TempDir())
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 60},
		"assets": []any{farmtest.NestedCard(template, titlecard.PictureLayer)}, "webhook": map[string]any{"url": hook.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.open("/jobs/" + job.ID)
	b.shows("Renders first")
	b.until(`document.querySelector(".nested .strip.finished") !== null`)
	b.shows("Delivered")
	b.canBeRead("/jobs/…")
	b.do(chromedp.Evaluate(`window.before = true`, nil)) // tells this page from the one that comes after the form
	b.do(focus(`form[action$="/call-again"] button`), chromedp.KeyEvent(kb.Enter))
	f.Await("the second call", func() bool { return calls.Load() >= 2 })
	b.until(`window.before === undefined && document.readyState === "complete"`)
	b.until(`document.querySelector('form[action$="/call-again"]') !== null && document.querySelector("dl .state.finished") !== null`)

	b.painted()
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	b.until(`document.getElementById("palette").open`)
	b.do(types("#palette-search", "API reference"+kb.Enter))
	b.until(`location.pathname === "/api/reference" && document.readyState === "complete"`)
	b.canBeRead("/api/reference")

	b.open("/machines")
	b.painted()
	b.keysUntil(`document.getElementById("palette").open`, chromedp.KeyEvent("/"))
	b.do(types("#palette-search", job.ID))
	b.until(`document.querySelector('#palette-found a[href="/jobs/` + job.ID + `"]') !== null`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname === "/jobs/` + job.ID + `" && document.readyState === "complete"`)

	b.open("/search?q=" + job.ID)
	b.canBeRead("/search")
	b.do(focus("#find"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname === "/jobs/` + job.ID + `"`)
}
