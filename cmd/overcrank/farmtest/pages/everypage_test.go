//go:build linux

package pages_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// noPages are addresses that give pages a part, a file or a place to go to, and nobody a page.
var noPages = []string{
	"/jobs/results.zip", "/jobs/:id/download", "/jobs/:id/proxy", "/jobs/:id/log", "/jobs/:id/log/search", "/jobs/:id/log/part", "/jobs/:id/poster",
	"/jobs/:id/thumbnails/:name", "/jobs/:id/tasks", "/jobs/:id/samples/:name", "/jobs/:id/review", "/jobs/:id/review/remarks",
	"/batches/:id/results.zip", "/batches/:id/results.csv", "/batches/:id/download", "/templates/:id/poster", "/templates/:id/file",
	"/templates/:id/reel", "/templates/:id/reels/:composition", "/new/table.csv", "/files/table", "/reports.csv", "/search/found", "/queue/move",
	"/machines/:id/frame", "/machines/:id/now", "/settings", "/settings/audit.csv", "/settings/audit.json", "/settings/fonts/:id/faces/:face",
	"/settings/studio/logo",
	"/settings/sign-in/test", // goes to the provider, and comes back to a page that TestAPersonSignsInWithTheStudiosAccount looks at
}

// tour goes over pages and notes which it has seen.
type tour struct {
	*browser
	seen []string // the paths of addresses
}

// TestEveryPageIsForEverybody has axe look at every page of a farm at which something of each kind has happened.
func TestEveryPageIsForEverybody(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchProgram(t, farmtest.Under(t, farmtest.Variant(t, "paced"), "export OVERCRANK_PACE_FRAME=2s"), "up", t.TempDir(), "--slots", "3")
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	v := &tour{browser: newBrowser(t, f.Server)}
	v.expect("status of 40", "status of 410") // pages that say so are pages too
	v.foundsAFarm(f)
	had := furnishes(f)
	for _, path := range had.pages() {
		v.goesTo(path)
	}
	v.do(chromedp.Evaluate(`document.querySelector('form[action="/sign-out"]').requestSubmit(), 0`, nil), chromedp.WaitVisible("#password", chromedp.ByQuery))
	for _, path := range had.forStrangers {
		v.goesTo(path)
	}
	t.Logf("axe looked at %d pages, three times each, in %v", len(v.seen), v.looked.Round(time.Second))
	for _, route := range allPages(t) {
		if !slices.Contains(noPages, route) && !slices.ContainsFunc(v.seen, func(path string) bool { return leadsTo(route, path) }) {
			t.Errorf("nobody has looked at %s: it belongs into furnished.pages, or into noPages", route)
		}
	}
}

// foundsAFarm sets a farm up in the browser, whose first administrator is signed in then.
func (v *tour) foundsAFarm(f *farmtest.Farm) {
	v.t.Helper()
	v.goesTo("/jobs") // of a farm that is new
	v.do(chromedp.SendKeys("#token", f.AdminToken()+kb.Enter, chromedp.ByQuery))
	v.shows("Set up this farm")
	v.goesTo(value[string](v.browser, `location.pathname`))
	v.foundsTheFarm("correct horse battery")
	v.shows("Welcome, Northlight")
}

// goesTo opens a page, and has it looked at in both colours and on a telephone.
func (v *tour) goesTo(path string) {
	v.t.Helper()
	v.open(path)
	v.canBeRead(path)
	v.scheme("dark")
	v.hasNoFinding(path + ", dark")
	only, _, _ := strings.Cut(path, "?")
	v.seen = append(v.seen, only)
}

// allPages are the routes of everything that a browser can ask for once somebody is signed in, as web/matrix_test.go lists them.
func allPages(t *testing.T) (routes []string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(aeptest.Repository(t), "web", "matrix_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`"GET (/[^"]*)": `).FindAllStringSubmatch(string(list), -1) {
		routes = append(routes, found[1])
	}
	if len(routes) < 50 {
		t.Fatalf("web/matrix_test.go lists the pages %v", routes)
	}
	return routes
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
	forStrangers                                         []string
}

// pages are the addresses of everything that somebody sees who is signed in.
func (h furnished) pages() []string {
	return []string{
		"/jobs/" + h.rendering, "/", "/?of=team", "/welcome", "/account", "/jobs", "/jobs?state=failed", "/jobs?sort=oldest", "/jobs?name=nothing-is-called-so", "/jobs/" + h.finished, "/jobs/" + h.failed,
		"/jobs/" + h.held, "/jobs/" + h.approval, "/jobs/" + h.inBatch, "/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/batches", "/batches/" + h.batch, "/batches/" + h.batch + "?state=failed", "/batches/" + h.batch + "/edit",
		"/templates", "/templates/" + h.template, "/new", "/new?template=" + h.template, "/new/table", "/new/table?template=" + h.template, "/failures", "/reports", "/wall", "/projects", "/search", "/search?q=card", "/queue",
		"/machines", "/machines?view=wall", "/machines/" + h.machine, "/machines/hours?id=" + h.machine, "/machines/add", "/machines/add?for=deb", "/machines/invite",
		"/settings/api-tokens", "/settings/people", "/settings/audit", "/settings/sign-in", "/settings/sharing", "/settings/updates", "/settings/fonts", "/settings/fonts/named?font=GoRegular",
		"/settings/secrets", "/settings/studio", "/settings/coordinators", "/settings/webhooks", "/api/reference", "/no-such-page",
	}
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
	h.finished = submitsCard(f, card(map[string]any{"name": "Opener", "project": "Spring spots", "tags": []string{"Acme"}}))
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
	_, err = f.CreateToken(f.T.Context(), client.NewAccess{Name: "Shop", Role: "artist"})
	must(err)
	_, err = f.Invite(f.T.Context(), client.NewJoinToken{})
	must(err)
	h.forStrangers = strangersSee(f, h.finished)
	h.rendering = submitsCard(f, card(map[string]any{"name": "Feature", "settings": map[string]any{}, "sequential": true}))
	return h
}

// strangersSee are the addresses for those who are not signed in: with links for somebody who was invited, and for a client who reviews a film.
func strangersSee(f *farmtest.Farm, film string) []string {
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
	invited := path(mia.SignIn.URL, err)
	open, err := f.CreateReview(f.T.Context(), film, client.NewReview{For: "Acme", Download: true, Takes: true})
	forAll := path(open.URL, err)
	locked, err := f.CreateReview(f.T.Context(), film, client.NewReview{For: "Acme’s agency", Password: "tungsten"})
	withPassword := path(locked.URL, err)
	gone, err := f.CreateReview(f.T.Context(), film, client.NewReview{For: "Nobody"})
	revoked := path(gone.URL, err)
	if err := f.RevokeReview(f.T.Context(), film, gone.ID); err != nil {
		f.T.Fatal(err)
	}
	return []string{"/sign-in", "/sign-in?with=secret", invited, "/sign-in/not-a-link", "/setup/not-a-link", forAll, withPassword, revoked}
}
