package client

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// coordinators are servers that behave as their steps say, and a client that knows them all.
func coordinators(t *testing.T, nodes ...*moody) (*Client, []*httptest.Server) {
	t.Helper()
	c := &Client{Token: "t"}
	servers := make([]*httptest.Server, len(nodes))
	for i, node := range nodes {
		servers[i] = httptest.NewServer(node)
		t.Cleanup(servers[i].Close)
		if i > 0 {
			c.Server += ", "
		}
		c.Server += servers[i].URL + "/"
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return c, servers
}

func TestTheNextCoordinatorIsAskedWhenOneIsGone(t *testing.T) {
	first, second := &moody{steps: []http.HandlerFunc{answers(200, job)}}, &moody{steps: []http.HandlerFunc{answers(200, job)}}
	c, servers := coordinators(t, first, second)
	servers[0].Close()
	for range 2 { // also before the farm has ever answered
		if _, err := c.Job(t.Context(), "J1"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(second.sent()); n != 2 {
		t.Errorf("the second coordinator was asked %d times, want 2", n)
	}
	servers[1].Close()
	c.Patience = 1
	if _, err := c.Job(t.Context(), "J1"); err == nil {
		t.Error("a farm without any coordinator answers")
	}
}

func TestACoordinatorWithoutALeaderIsPassedOver(t *testing.T) {
	cut := &moody{steps: []http.HandlerFunc{answers(503, `{"error":"no leader"}`, "Retry-After", "3600")}}
	whole := &moody{steps: []http.HandlerFunc{answers(201, job)}}
	c, _ := coordinators(t, cut, whole)
	if _, err := fetch[Job](t.Context(), c, http.MethodPost, "/api/v2/jobs", nil, map[string]string{}); err != nil {
		t.Fatal(err)
	}
	if a, b := cut.sent(), whole.sent(); len(a) != 1 || len(b) != 1 || a[0].key == "" || a[0].key != b[0].key {
		t.Errorf("the coordinators were sent %+v and %+v, want one request with one key", a, b)
	}
}

func TestAnAnswerThatBreaksOffIsAskedForElsewhere(t *testing.T) {
	dying := &moody{steps: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"uid":`))
	}}}
	other := &moody{steps: []http.HandlerFunc{answers(201, job)}}
	c, _ := coordinators(t, dying, other)
	if _, err := fetch[Job](t.Context(), c, http.MethodPost, "/api/v2/jobs", nil, map[string]string{}); err != nil {
		t.Fatal(err)
	}
	if a, b := dying.sent(), other.sent(); len(b) != 1 || a[0].key != b[0].key {
		t.Errorf("the coordinators were sent %+v and %+v, want the same request", a, b)
	}
}

func TestAResultAtACoordinatorThatIsGoneIsFetchedFromAnother(t *testing.T) {
	gone, other := &moody{steps: []http.HandlerFunc{answers(200, job)}}, &moody{steps: []http.HandlerFunc{answers(200, job)}}
	c, servers := coordinators(t, gone, other)
	if _, err := c.Job(t.Context(), "J1"); err != nil {
		t.Fatal(err)
	}
	servers[0].Close()
	address, err := url.JoinPath(servers[0].URL, "outputs", "film.mp4")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.DownloadTo(t.Context(), address, t.Output(), nil); err != nil {
		t.Fatal(err)
	}
	if sent := other.sent(); len(sent) != 1 || sent[0].path != "/outputs/film.mp4" || sent[0].token != "" {
		t.Errorf("the other coordinator was sent %+v", sent)
	}
}

func TestWithoutALeaderTheErrorSaysSo(t *testing.T) {
	cut := &moody{steps: []http.HandlerFunc{answers(503, `{"error":"the farm has no leader at the moment"}`)}}
	c, servers := coordinators(t, cut, &moody{})
	servers[1].Close()
	c.Patience = 1
	_, err := c.Job(t.Context(), "J1")
	if !IsStatus(err, http.StatusServiceUnavailable) || !strings.Contains(err.Error(), "no leader at the moment") || !strings.Contains(err.Error(), "no answer from "+servers[1].URL) {
		t.Errorf("got %v", err)
	}
}

func TestAnAuthorityThatIsNotKnownIsNamed(t *testing.T) {
	farm := httptest.NewUnstartedServer(&moody{})
	farm.Config.ErrorLog = log.New(io.Discard, "", 0)
	farm.StartTLS()
	defer farm.Close()
	c := &Client{Server: farm.URL, Token: "t", Patience: 1}
	if _, err := c.Job(t.Context(), "J1"); err == nil || !strings.Contains(err.Error(), "--ca-file") || strings.Contains(err.Error(), "is the farm running") {
		t.Errorf("got %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
