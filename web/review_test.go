package web_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/api/throttle"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/inbound"
)

// shared makes a review link of a job, and gives its path.
func (r *rig) shared(job string, edit ...func(*reviews.NewLink)) (link farm.ReviewLink, path string) {
	r.t.Helper()
	in := reviews.NewLink{Job: job}
	for _, e := range edit {
		e(&in)
	}
	r.eventually("the farm keeps review links", func() bool {
		made, address, err := r.farm.Reviews().Create(r.t.Context(), r.principal("ada"), in)
		if err != nil && !strings.Contains(err.Error(), "later release") {
			r.t.Fatal(err)
		}
		link, path = made, strings.TrimPrefix(address, r.farm.PublicAddress())
		return err == nil
	})
	return link, path
}

// follows opens the socket of a review page.
func (v *visitor) follows(path string) *websocket.Conn {
	v.t.Helper()
	conn, _, err := v.socket(path + "/live")
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		v.t.Fatal(err)
	}
	return conn
}

// isToldToLook waits until a review page is told that something is new.
func isToldToLook(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	for {
		_, message, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(message), `"look":true`) {
			return
		}
	}
}

// closes waits until a socket is closed, and gives the code.
func closes(t *testing.T, conn *websocket.Conn) int {
	t.Helper()
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			var closed *websocket.CloseError
			if !errors.As(err, &closed) {
				t.Fatal(err)
			}
			return closed.Code
		}
	}
}

func TestReviewPagesAreToldOfWhatIsSaid(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Opener")
	link, path := r.shared(job.ID)
	guest, member := r.visit().follows(path), r.as("ada").follows("/jobs/"+job.ID+"/review")
	isToldToLook(t, guest) // what came between the page and its socket
	isToldToLook(t, member)
	if _, err := r.farm.Reviews().Say(t.Context(), r.principal("ada"), reviews.Said{Take: job.ID, Text: "Warmer"}); err != nil {
		t.Fatal(err)
	}
	isToldToLook(t, guest)
	isToldToLook(t, member)
	r.visit().get(path+"/remarks").is(http.StatusOK, "Warmer")
	if err := r.farm.Reviews().Revoke(t.Context(), r.principal("ada"), job.ID, link.ID); err != nil {
		t.Fatal(err)
	}
	if code := closes(t, guest); code != websocket.ClosePolicyViolation {
		t.Errorf("the page of a revoked link is closed with %d", code)
	}
	isToldToLook(t, member)
	for name, conn := range map[string]*websocket.Conn{
		"a link that is none": r.visit().follows("/review/" + strings.Repeat("A", 26)), "a revoked link": r.visit().follows(path),
		"nobody": r.visit().follows("/jobs/" + job.ID + "/review"), "another team": r.as("zoe").follows("/jobs/" + job.ID + "/review"),
	} {
		if code := closes(t, conn); code != websocket.ClosePolicyViolation {
			t.Errorf("%s: closed with %d", name, code)
		}
	}
}

func TestALinkWithAPasswordIsFollowedOnlyWithIt(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Opener")
	_, path := r.shared(job.ID, func(in *reviews.NewLink) { in.Password = "tungsten" })
	v := r.visit()
	if code := closes(t, v.follows(path)); code != websocket.ClosePolicyViolation {
		t.Errorf("without the password it is closed with %d", code)
	}
	v.post(path+"/enter", url.Values{"password": {"tungsten"}}).is(http.StatusOK)
	isToldToLook(t, v.follows(path))
}

func TestPagesOfALinkAreBounded(t *testing.T) {
	r := start(t, func(r *rig) {
		r.follow = throttle.Followers{People: inbound.NewGate(2, 0)}
	})
	job := r.submit("ada", "Opener")
	_, path := r.shared(job.ID)
	for range 2 {
		isToldToLook(t, r.visit().follows(path))
	}
	if code := closes(t, r.visit().follows(path)); code != websocket.CloseTryAgainLater {
		t.Errorf("one page more is closed with %d", code)
	}
	_, other := r.shared(job.ID)
	isToldToLook(t, r.visit().follows(other))
}

func TestALinkThatIsRefusedIsSaidAtItsField(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Opener")
	ask := url.Values{"for": {"Acme"}, "days": {"30"}, "password": {"abc"}, "takes": {"1"}}
	r.as("ada").post("/jobs/"+job.ID+"/reviews", ask).is(http.StatusBadRequest, `<details id="new-review" open`, `value="Acme"`, `value="30"`, `value="abc"`,
		`name="takes" value="1" checked`, `id="password-wrong"`, "6 to 200 characters")
	ask.Set("password", "")
	ask.Set("days", "400")
	r.as("ada").post("/jobs/"+job.ID+"/reviews", ask).is(http.StatusBadRequest, `value="400"`, `id="expiresAt-wrong"`, "366 days")
}
