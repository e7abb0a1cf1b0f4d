//go:build linux

package pages_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// noPages are addresses that give pages a part, a file or a place to go to, and nobody a page.
var noPages = []string{
	"/jobs/results.zip", "/jobs/:id/download", "/jobs/:id/proxy", "/jobs/:id/log", "/jobs/:id/log/search", "/jobs/:id/log/part", "/jobs/:id/poster",
	"/jobs/:id/thumbnails/:name", "/jobs/:id/frame-times", "/jobs/:id/samples/:name", "/jobs/:id/review/remarks",
	"/batches/:id/results.zip", "/batches/:id/results.csv", "/templates/:id/poster", "/templates/:id/file",
	"/templates/:id/reel", "/templates/:id/reels/:composition", "/new/table.csv", "/files/table", "/reports.csv", "/search/found", "/queue/move",
	"/machines/:id/frame", "/machines/:id/now", "/settings", "/settings/audit.csv", "/settings/audit.json", "/settings/fonts/:id/faces/:face",
	"/settings/studio/logo",
	"/settings/sign-in/test", // goes to the provider, and comes back to a page that TestAPersonSignsInWithTheStudiosAccount looks at
}

// tour goes over pages and notes which it has seen.
type tour struct {
	*browser
	asked []string // addresses
	seen  []string // their paths
}

// TestEveryPageIsForEverybody has axe look at every page of a farm at which something of each kind has happened.
func TestEveryPageIsForEverybody(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchProgram(t, farmtest.Under(t, farmtest.Program(t), "export OVERCRANK_PACE_FRAME=2s"), "up", t.TempDir(), "--slots", "3")
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	v := &tour{browser: newBrowser(t, f.Server)}
	v.do(network.Enable())
	v.expect("status of 40", "status of 410") // pages that say so are pages too
	v.foundsAFarm(f)
	had := furnishes(f)
	for _, chapter := range had.pages() {
		v.visits(chapter)
	}
	v.makesAReviewLink(had.finished)
	found := v.looks(allRules(t), slices.Compact(slices.Sorted(slices.Values(v.asked))))
	v.do(chromedp.Evaluate(`document.querySelector('form[action="/sign-out"]').requestSubmit(), 0`, nil), visible("#password"))
	v.visits(had.strangers())
	t.Logf("axe looked at %d pages, in %v", len(v.seen), v.looked.Round(time.Second))
	v.offersWhatRolesMayDo(f, found, "/jobs/"+had.rendering, "/queue")
	for _, route := range allPages(t) {
		if !slices.Contains(noPages, route) && !slices.ContainsFunc(v.seen, func(path string) bool { return leadsTo(route, path) }) {
			t.Errorf("nobody has looked at %s: it belongs into pages (sights_test.go), or into noPages", route)
		}
	}
}

// foundsAFarm sets a farm up in the browser, whose first administrator is signed in then.
func (v *tour) foundsAFarm(f *farmtest.Farm) {
	v.t.Helper()
	v.goesTo("/jobs") // of a farm that is new
	v.do(types("#token", f.AdminToken()+kb.Enter))
	v.shows("Set up this farm")
	v.goesTo(value[string](v.browser, `location.pathname`))
	v.portrait("setup")
	v.foundsTheFarm("correct horse battery")
	v.shows("Welcome, Northlight")
	v.asked = nil // of a farm that is new
}

// makesAReviewLink makes a link for a client, which is shown once.
func (v *tour) makesAReviewLink(job string) {
	v.t.Helper()
	v.open("/jobs/" + job)
	v.click("#new-review summary")
	v.fill("#review-for", "Acme")
	v.click(`#new-review button[type=submit]`)
	v.until(`document.getElementById("review-address") !== null`)
	v.isForTelephones("a review link that was made")
	v.isForWindows("a review link that was made")
	v.do(chromedp.Evaluate(`document.getElementById("review-address").scrollIntoView({ block: "center" })`, nil))
	v.portrait("review-made")
}

// losesTheFarm has the farm stop while its pages are open.
func (b *browser) losesTheFarm(f *farmtest.Farm) {
	b.t.Helper()
	b.expect("WebSocket connection", "ERR_", "status of 503")
	b.open("/jobs")
	b.until(`document.querySelectorAll("tbody tr").length > 3`)
	f.Stop()
	b.shows("Live updates are paused")
	b.click(`.rail a[href="/machines"]`)
	b.shows("The farm does not answer. This page opens “Machines” as soon as it does.")
	b.isForTelephones("a page without its farm")
	b.isForWindows("a page without its farm")
	b.portrait("disconnected")
}

// visits goes to each page of a chapter, and keeps its picture.
func (v *tour) visits(c chapter) {
	v.t.Helper()
	for _, s := range c.sights {
		v.goesTo(s.path)
		v.portrait(s.name)
	}
}

// goesTo has axe look at a page in light and in dark colours, in a window and on a telephone. There it is in another language, whose words are longer, and
// none may be clipped there or in a small window.
func (v *tour) goesTo(path string) {
	v.t.Helper()
	language := languages[len(v.seen)%len(languages)]
	v.speaks(language)
	v.open(path)
	v.isForTelephones(path + " (" + language + ")")
	v.speaks("en")
	v.size(1360, windowHeight)
	v.open(path)
	v.isForWindows(path)
	only, _, _ := strings.Cut(path, "?")
	v.asked, v.seen = append(v.asked, path), append(v.seen, only)
}

// isForTelephones holds what is shown to small windows, and has axe look at it on a telephone: at everything in dark colours, and at what else light ones may break.
func (b *browser) isForTelephones(page string) {
	b.t.Helper()
	b.scheme("dark")
	for _, width := range []int64{1024, 680, 320, 390} { // 680 is a window at 200 %, 320 one at 400 % (WCAG 2.2, 1.4.10)
		b.size(width, windowHeight)
		b.isNotTooWide(page, width)
		b.clipsNoWords(page, width)
	}
	b.hasNoFinding(page + ", dark on a telephone")
	b.scheme("light")
	b.keeps(page+", light on a telephone", axeColours)
}

// isForWindows is the same in a large window, the other way around.
func (b *browser) isForWindows(page string) {
	b.t.Helper()
	b.size(1360, windowHeight)
	b.isNotTooWide(page, 1360)
	b.clipsNoWords(page, 1360)
	b.scheme("dark")
	b.keeps(page+", dark in a window", axeColours)
	b.scheme("light")
	b.hasNoFinding(page)
}

// languages are those in which pages are looked at on a telephone, one after the other.
var languages = []string{"de", "fr"}

// speaks sets which language the visitor prefers.
func (b *browser) speaks(language string) {
	b.t.Helper()
	b.do(network.SetExtraHTTPHeaders(network.Headers{"Accept-Language": language}))
}

// leadsTo tells whether a route is the one of a path.
func leadsTo(route, path string) bool {
	want, got := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool {
		return w == g || strings.HasPrefix(w, ":") && !slices.Contains([]string{"add", "hours", "invite", "table"}, g)
	})
}

// furnished is what a farm has whose pages are looked at.
type furnished struct {
	template, batch, machine                             string
	finished, failed, rendering, held, approval, inBatch string // jobs
	invited, review, locked, revoked                     string // addresses that links lead to
	person, token                                        string
}

// furnishes has something of each kind happen at a farm.
func furnishes(f *farmtest.Farm) (h furnished) {
	f.T.Helper()
	h.template = f.Register("zip", farmtest.TitleCard(f.T)).ID
	if code, _, said := f.Command("templates", "replace", h.template, anotherCard(f.T), "--wait"); code != 0 {
		f.T.Fatalf("replacing the template exits with %d: %s", code, said)
	}
	card := func(more map[string]any) map[string]any {
		order := map[string]any{"template": map[string]string{"id": h.template, "composition": titlecard.Composition}, "settings": map[string]any{"frames": []int{60, 61}}}
		for field, v := range more {
			order[field] = v
		}
		return order
	}
	nowhere := map[string]any{"type": "text", "layerName": "Titel", "value": "x", "composition": titlecard.Composition}
	must := func(err error) {
		f.T.Helper()
		if err != nil {
			f.T.Fatal(err)
		}
	}
	_, err := f.CreateProject(f.T.Context(), "Spring spots", nil)
	must(err)
	opener := map[string]any{"name": "Opener", "project": "Spring spots", "tags": []string{"Acme"}}
	if picturesWanted() != "" {
		opener["settings"] = map[string]any{"frames": []int{50, 73}} // something to play and to comment on
	}
	h.finished = submitsCard(f, card(opener))
	h.failed = submitsCard(f, card(map[string]any{"name": "Closer", "assets": []any{nowhere}}))
	batch, err := f.CreateBatch(f.T.Context(), []map[string]any{card(map[string]any{"name": "German"}), card(map[string]any{"name": "French", "assets": []any{nowhere}})})
	must(err)
	h.batch, h.inBatch = batch.BatchID, batch.Jobs[0].ID
	h.approval = submitsCard(f, card(map[string]any{"name": "For approval", "approve": true}))
	f.Await("the job to wait for approval", func() bool {
		list, err := f.Samples(f.T.Context(), h.approval)
		return err == nil && len(list.Items) > 0
	})
	for _, id := range []string{h.finished, h.failed, batch.Jobs[0].ID, batch.Jobs[1].ID} {
		f.Ended(id)
	}
	h.held = submitsCard(f, card(map[string]any{"name": "Held", "hold": true}))
	machines, err := f.Agents(f.T.Context(), "", "")
	must(err)
	h.machine = machines.Items[0].ID
	font := filepath.Join(f.T.TempDir(), "Go-Regular.ttf")
	must(os.WriteFile(font, goregular.TTF, 0o600))
	_, err = f.AddFont(f.T.Context(), font, nil)
	must(err)
	_, err = f.SetSecret(f.T.Context(), "stock-footage", "tungsten", nil)
	must(err)
	shop, err := f.CreateToken(f.T.Context(), client.NewAccess{Name: "Shop", Role: "artist"})
	must(err)
	h.token = shop.ID
	_, err = f.Invite(f.T.Context(), client.NewJoinToken{})
	must(err)
	h.linksLeadTo(f)
	if picturesWanted() != "" {
		h.enlivens(f)
		defer h.queues(f)
	}
	h.rendering = submitsCard(f, card(map[string]any{"name": "Feature", "settings": map[string]any{}, "sequential": true}))
	return h
}

// linksLeadTo makes links for somebody who was invited, and for clients who review the finished film.
func (h *furnished) linksLeadTo(f *farmtest.Farm) {
	f.T.Helper()
	path := func(address string, err error) string {
		f.T.Helper()
		if err != nil {
			f.T.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil {
			f.T.Fatal(err)
		}
		return u.Path
	}
	mia, err := f.CreatePerson(f.T.Context(), client.NewAccess{Name: "Mia", Role: "artist", Email: "mia@northlight.example"})
	h.invited, h.person = path(mia.SignIn.URL, err), mia.ID
	open, err := f.CreateReview(f.T.Context(), h.finished, client.NewReview{For: "Acme", Download: true, Takes: true})
	h.review = path(open.URL, err)
	locked, err := f.CreateReview(f.T.Context(), h.finished, client.NewReview{For: "Acme’s agency", Password: "tungsten"})
	h.locked = path(locked.URL, err)
	gone, err := f.CreateReview(f.T.Context(), h.finished, client.NewReview{For: "Nobody"})
	h.revoked = path(gone.URL, err)
	if err := f.RevokeReview(f.T.Context(), h.finished, gone.ID); err != nil {
		f.T.Fatal(err)
	}
}
