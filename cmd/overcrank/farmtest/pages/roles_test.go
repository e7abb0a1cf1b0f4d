//go:build linux

package pages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp/kb"

	"overcrank/aep/aeptest"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
)

// rule is a line of the list of web/matrix_test.go: who may ask for a page, or send a form.
type rule struct {
	method, route string
	least         farm.Role
	first         bool // members of the farm's first team alone
}

// may says whether somebody with a role is let in.
func (r rule) may(role farm.Role, first bool) bool {
	return role.Allows(r.least) && (first || !r.first)
}

// allRules reads the list of web/matrix_test.go, which is held to the routes that there are.
func allRules(t *testing.T) (rules []rule) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(aeptest.Repository(t), "web", "matrix_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	grants := map[string]rule{}
	for _, found := range regexp.MustCompile(`(?m)^\t(\w+)\s+= grant\{(?:role: )?farm\.Role(\w+)(, true)?\}`).FindAllStringSubmatch(string(list), -1) {
		grants[found[1]] = rule{least: farm.Role(strings.ToLower(found[2])), first: found[3] != ""}
	}
	for _, found := range regexp.MustCompile(`"(GET|POST) (/[^"]*)": (\w+)`).FindAllStringSubmatch(string(list), -1) {
		r, known := grants[found[3]]
		if !known {
			t.Fatalf("web/matrix_test.go: %s %s is open to %q", found[1], found[2], found[3])
		}
		r.method, r.route = found[1], found[2]
		rules = append(rules, r)
	}
	if len(grants) < 5 || len(rules) < 150 {
		t.Fatalf("web/matrix_test.go has %d grants and %d rules", len(grants), len(rules))
	}
	return rules
}

// allPages are the routes of everything that a browser can ask for once somebody is signed in.
func allPages(t *testing.T) (routes []string) {
	t.Helper()
	for _, r := range allRules(t) {
		if r.method == "GET" {
			routes = append(routes, r.route)
		}
	}
	return routes
}

// ruleOf is the rule of an address, of several routes the one with the most words.
func ruleOf(rules []rule, method, path string) (best rule, known bool) {
	for _, r := range rules {
		if r.method == method && leadsTo(r.route, path) && (!known || strings.Count(r.route, ":") < strings.Count(best.route, ":")) {
			best, known = r, true
		}
	}
	return best, known
}

// forEverybody begins the addresses that are open to those who have no account too.
var forEverybody = []string{"/sign-in", "/review/", "/api/", "/panel/", "/static/", "/readyz"}

// whatPagesOffer asks for pages, and lists for each what it lets its reader ask the farm for: by links, by forms with their buttons, by places for files.
// What scripts ask for on their own is heard of when the page is opened.
const whatPagesOffer = `(async (paths) => {
	const drops = { font: "POST /files/font", logo: "POST /files/logo", asset: "POST /files/handover", template: "POST /templates" };
	const offers = (page, path) => {
		const found = new Set(), add = (method, address) => {
			const to = new URL(address, new URL(path, location.origin));
			if (method !== "dialog" && to.origin === location.origin && /^https?:/.test(to.protocol)) found.add(method.toUpperCase() + " " + to.pathname);
		};
		for (const form of page.querySelectorAll("form")) {
			const own = form.getAttribute("action") ?? path, how = form.getAttribute("method") ?? "get";
			const of = (e) => form.contains(e) && !e.hasAttribute("form") || form.id && e.getAttribute("form") === form.id;
			const buttons = [...page.querySelectorAll("button:not([type=button]):enabled")].filter(of);
			for (const b of buttons) add(b.getAttribute("formmethod") ?? how, b.getAttribute("formaction") ?? own);
			if (!buttons.length && [...page.querySelectorAll("input:not([type=hidden]):enabled")].some(of)) add(how, own); // Enter sends it
		}
		for (const a of page.querySelectorAll("a[href]")) if (!a.getAttribute("href").startsWith("#")) add("get", a.getAttribute("href"));
		for (const e of page.querySelectorAll("[data-to]")) add("get", e.dataset.to);
		for (const e of page.querySelectorAll("[data-times]")) add("get", e.dataset.times);
		for (const e of page.querySelectorAll("[data-drop]")) found.add(e.dataset.replaces ? "POST " + e.dataset.replaces : drops[e.dataset.drop] ?? "drop " + e.dataset.drop);
		if (page.querySelector("[data-grip]")) found.add("POST /queue/move");
		if (page.querySelector("[data-preview]")) found.add("POST /new/preview");
		return [...found];
	};
	const out = {};
	for (const path of paths) {
		const answer = await fetch(path, { headers: { Accept: "text/html" } });
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		out[path] = { Status: answer.status, Heading: page.querySelector("h1")?.textContent ?? "", Trouble: page.querySelector("article.trouble") !== null, Offers: offers(page, path) };
	}
	return out;
})(%s)`

// offered is a page as somebody with a role gets it.
type offered struct {
	Status  int
	Heading string
	Trouble bool     // it says why there is no page
	Offers  []string // methods and addresses
}

// looks asks for pages as they are for who is signed in, and gives for each what it offers, by the routes of rules.
func (b *browser) looks(rules []rule, paths []string) map[string]offered {
	b.t.Helper()
	list, err := json.Marshal(paths)
	if err != nil {
		b.t.Fatal(err)
	}
	pages := value[map[string]offered](b, fmt.Sprintf(whatPagesOffer, list))
	for path, page := range pages {
		var routes []string
		for _, offer := range page.Offers {
			method, address, _ := strings.Cut(offer, " ")
			if r, known := ruleOf(rules, method, address); known {
				routes = append(routes, method+" "+r.route)
			} else if !slices.ContainsFunc(forEverybody, func(begin string) bool { return strings.HasPrefix(address, begin) }) {
				b.t.Errorf("%s leads to %s, which is no page and no form", path, offer)
			}
		}
		slices.Sort(routes)
		page.Offers = slices.Compact(routes)
		pages[path] = page
	}
	return pages
}

// visitors are those who see pages otherwise than the farm's administrators.
var visitors = []struct {
	name  string
	role  farm.Role
	guest bool // of another team than the farm's first one
}{{"Zoe", farm.RoleAdmin, true}, {"Vera", farm.RoleViewer, false}, {"Arno", farm.RoleArtist, false}, {"Petra", farm.RoleProducer, false}, {"Otis", farm.RoleOperator, false}}

// offersWhatRolesMayDo has people of each role look at the pages that an administrator has looked at. No page offers what the farm would refuse, none keeps
// back a form that it would take, unless it is of what moves on meanwhile, and pages that are not for them say so. Each page that no other role has in the
// same form is opened, and axe looks at it.
func (v *tour) offersWhatRolesMayDo(f *farmtest.Farm, admin map[string]offered, moving ...string) {
	v.t.Helper()
	t, rules, paths := v.t, allRules(v.t), slices.Sorted(maps.Keys(admin))
	forms := map[string]bool{}
	for _, page := range admin {
		for _, offer := range page.Offers {
			forms[offer] = strings.HasPrefix(offer, "POST ")
		}
	}
	maps.DeleteFunc(forms, func(_ string, sent bool) bool { return !sent })
	if len(forms) < 60 {
		t.Fatalf("the pages offer an administrator only %q", slices.Sorted(maps.Keys(forms)))
	}
	other, err := f.CreateTeam(t.Context(), "Otherlight")
	if err != nil {
		t.Fatal(err)
	}
	b, opened := newBrowser(t, f.Server), map[string][]string{}
	b.expect("status of 404", "status of 410")
	for _, who := range visitors {
		access, reader := client.NewAccess{Name: who.name, Role: string(who.role)}, who.name+", "+string(who.role)
		if who.guest {
			access.Team = other.ID
		}
		b.entersAs(f, access)
		for path, page := range b.looks(rules, paths) {
			only, _, _ := strings.Cut(path, "?")
			if r, known := ruleOf(rules, "GET", only); known && !r.may(who.role, !who.guest) {
				b.expect("status of 403 (Forbidden) " + b.server + only)
				if page.Status != 403 || !page.Trouble || page.Heading != "You don’t have access to this page" {
					t.Errorf("%s, which is not for %s, answers %d, “%s”", path, reader, page.Status, page.Heading)
				}
			} else if page.Status == 403 || !who.guest && page.Status != admin[path].Status {
				t.Errorf("%s answers %s with %d", path, reader, page.Status)
			}
			for _, offer := range page.Offers {
				method, route, _ := strings.Cut(offer, " ")
				if r, _ := ruleOf(rules, method, route); !r.may(who.role, !who.guest) {
					t.Errorf("%s offers %s to %s, who may not do that", path, offer, reader)
				}
			}
			for _, offer := range admin[path].Offers {
				method, route, _ := strings.Cut(offer, " ")
				if r, _ := ruleOf(rules, method, route); method == "POST" && page.Status == 200 && !slices.Contains(moving, path) && !who.guest && r.may(who.role, true) && !slices.Contains(page.Offers, offer) {
					t.Errorf("%s does not offer %s to %s, who may do that", path, offer, reader)
				}
			}
			if form := strings.Join(append(page.Offers, fmt.Sprint(page.Status)), "\n"); !who.guest && !slices.Contains(opened[path], form) {
				opened[path] = append(opened[path], form)
				b.open(path)
				b.keeps(path+" for "+reader, axeBesideColours)
			}
		}
		if who.role == farm.RoleViewer {
			b.open("/settings/people")
			b.isForTelephones("a page that is not for everybody")
			b.isForWindows("a page that is not for everybody")
			b.portrait("forbidden")
		}
	}
	v.expect("ERR_") // its page loses the farm too
	b.losesTheFarm(f)
}

// entersAs signs a new person in, in place of who was signed in.
func (b *browser) entersAs(f *farmtest.Farm, access client.NewAccess) {
	b.t.Helper()
	person, err := f.CreatePerson(b.t.Context(), access)
	if err != nil {
		b.t.Fatal(err)
	}
	link, err := url.Parse(person.SignIn.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(network.ClearBrowserCookies())
	b.open(link.Path)
	b.do(types("#password", "correct horse battery"+kb.Enter))
	b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(".whoname")?.textContent.trim() === %q`, access.Name))
}
