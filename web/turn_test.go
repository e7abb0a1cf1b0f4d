package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/api/throttle"
	"overcrank/inbound"
)

func TestTheDashboardCountsForItsTeam(t *testing.T) {
	r := start(t, func(r *rig) { r.teams = throttle.New(throttle.Limit{PerSecond: 0.001, Burst: 6}) })
	ada, zoe := r.as("ada"), r.as("zoe")
	passed := 0
	for ada.get("/jobs").status == http.StatusOK {
		passed++
	}
	if passed > 5 {
		t.Errorf("%d pages were shown to a team that may ask six times", passed)
	}
	if a := ada.get("/jobs"); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
	ada.post("/theme", url.Values{"theme": {"dark"}}).is(http.StatusTooManyRequests, "sends more requests")
	zoe.get("/jobs").is(http.StatusOK, "No jobs yet")
}

func TestAPageWaitsAMomentForItsTurn(t *testing.T) {
	r := start(t, func(r *rig) { r.teams = throttle.New(throttle.Limit{PerSecond: 50, Burst: 1}) })
	ada := r.as("ada")
	for range 20 {
		ada.get("/jobs").is(http.StatusOK, "No jobs yet")
	}
}

// TestAReaderWithTooManyPagesIsTold: the page stays as it is, and says why.
func TestAReaderWithTooManyPagesIsTold(t *testing.T) {
	people := inbound.NewGate(3, 0)
	r := start(t, func(r *rig) { r.follow = throttle.Followers{People: people} })
	ada := r.as("ada")
	open := []*livePage{ada.live("home"), ada.live("home"), ada.live("home")}
	for _, page := range open {
		page.shows("home", "Nothing has been rendered yet")
	}
	refused := ada.live("home")
	if err := refused.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	_, _, err := refused.conn.ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !strings.Contains(err.Error(), "3 times already") {
		t.Errorf("the fourth page ended with %v", err)
	}
	r.as("zoe").live("home").shows("home", "Nothing has been rendered yet")
	open[0].conn.Close()
	r.eventually("a page that was closed is not counted", func() bool { return people.Open() == 3 }) // two of ada's and one of zoe's
	ada.live("home").shows("home", "Nothing has been rendered yet")
}
