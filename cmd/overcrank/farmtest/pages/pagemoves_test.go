//go:build linux

package pages_test

import (
	"fmt"
	"net/url"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"github.com/chromedp/chromedp"
)

func TestAPageGoesOnAtAnotherCoordinator(t *testing.T) {
	t.Parallel()
	s := farmtest.StartSeveral(t)
	leader, _ := s.Parted()
	s.Await("the farm to use all that its release has, sign-ins among it", func() bool {
		_, err := leader.CreateProject(t.Context(), "Spring spots", nil)
		return err == nil
	})
	b := signedIn(t, leader)
	b.expect("ERR_", "WebSocket", "Failed to load resource") // the coordinator is killed on purpose
	host := func(n *farmtest.Farm) string {
		u, err := url.Parse(n.Server)
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	b.handsTheLeadOnAndBack(s, leader)
	b.open("/settings/api-tokens")
	b.do(types(`input[name="name"]`, "nightly renders"))
	b.until(`elsewhere.others.length === 2`)
	leader.Kill()
	b.until(fmt.Sprintf(`location.host !== %q && document.readyState === "complete"`, host(leader)))
	if at := value[string](b, `location.pathname + location.search + location.hash`); at != "/settings/api-tokens" {
		t.Errorf("the page went on at %s", at)
	}
	b.until(`document.querySelector('input[name="name"]').value === "nightly renders"`)
	// It is a page like any other: what was filled in is sent, and the farm takes it.
	b.click(`form[action="/settings/api-tokens"] button[type="submit"]`)
	b.shows("nightly renders")
	b.until(`lost === false`)
	b.ignoresCraftedFields()

	b.do(chromedp.Evaluate(`location.href = "/settings/coordinators"`, nil))
	b.shows("Does not answer")
	b.shows("he farm stops working if one more coordinator fails")
	b.picture("coordinators")

	// One coordinator of three is no majority: nobody leads, and pages that are there stay and say so.
	for _, n := range s.Nodes {
		if n != leader && host(n) != value[string](b, `location.host`) {
			n.Kill()
		}
	}
	b.do(chromedp.Evaluate(`location.href = "/jobs"`, nil))
	b.shows("The coordinators are choosing a leader.")
	b.looksRight("/jobs without a leader", "leaderless")
	b.portrait("leaderless")
}

// ignoresCraftedFields opens a link that ends as the address of a page that goes on elsewhere. Anybody can make one, and without the farm's word
// for it nothing is filled in, hidden fields least of all.
func (b *browser) ignoresCraftedFields() {
	b.t.Helper()
	b.do(chromedp.Evaluate(`location.href = "/settings/api-tokens?crafted#filled=ABCDEFGH." + encodeURIComponent(JSON.stringify(
		[[0, "/settings/api-tokens", [["name", "text", "crafted", false], ["crafted", "hidden", "crafted", false]]]]))`, nil))
	b.until(`location.search === "?crafted" && location.hash === "" && document.readyState === "complete"`)
	if got := value[string](b, `document.querySelector('input[name="name"]').value + [...document.querySelectorAll('input[name="crafted"]')].length`); got != "0" {
		b.t.Errorf("a crafted link filled in %q", got)
	}
}

// handsTheLeadOnAndBack makes another coordinator the leader by a click on the page of the coordinators, and then the first one again.
func (b *browser) handsTheLeadOnAndBack(s *farmtest.Several, first *farmtest.Farm) {
	b.t.Helper()
	id := func(n *farmtest.Farm) string {
		for i, node := range s.Nodes {
			if node == n {
				return s.IDs[i]
			}
		}
		b.t.Fatal("the coordinator is none of the farm's")
		return ""
	}
	other := s.Nodes[0]
	if other == first {
		other = s.Nodes[1]
	}
	b.open("/settings/coordinators")
	b.shows("The farm continues when 1 more coordinator cannot be reached.")
	b.shows("The farm knows of no backup.")
	b.canBeRead("/settings/coordinators of three")
	b.looksRight("/settings/coordinators of three", "coordinators-three")
	for _, next := range []*farmtest.Farm{other, first} {
		button := fmt.Sprintf(`[id="coordinator-%s"] button[name="coordinator"]`, id(next))
		b.until(fmt.Sprintf(`document.querySelector(%q) !== null`, button))
		b.do(chromedp.Evaluate(`confirm = (words) => words.startsWith("Hand the lead to")`, nil))
		b.click(button)
		b.until(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(%q) === null && document.getElementById(%q).innerText.includes("Leads")`,
			button, "coordinator-"+id(next)))
		var view struct{ Leader string }
		s.Await("the coordinator to lead", func() bool { s.Read(next, "/cluster", &view); return view.Leader == id(next) })
	}
}
