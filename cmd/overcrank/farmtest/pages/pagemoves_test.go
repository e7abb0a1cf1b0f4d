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
	b := signedIn(t, leader)
	b.expect("ERR_", "WebSocket", "Failed to load resource") // the coordinator is killed on purpose
	host := func(n *farmtest.Farm) string {
		u, err := url.Parse(n.Server)
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	b.open("/settings/api-tokens")
	b.do(chromedp.SendKeys(`input[name="name"]`, "nightly renders"))
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

	b.do(chromedp.Evaluate(`location.href = "/settings/coordinators"`, nil))
	b.shows("Does not answer")
	b.shows("he farm stops working if one more coordinator fails")
	b.picture("coordinators")
}
