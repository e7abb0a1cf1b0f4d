package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// livePage is an open page as its script sees it.
type livePage struct {
	t    testing.TB
	conn *websocket.Conn
}

// part is a message to a page.
type part struct {
	ID    string
	HTML  string            // of rows too, where only those were sent
	Rows  map[string]string // drawn anew, by their ids
	Lines []string
	Next  int64
	Reset bool
	// Notice is what the browser is to show.
	Notice *struct{ Text, Path, Tag string }
}

func (v *visitor) live(topic string) *livePage { return v.liveIn("", topic) }

// liveIn is live for a page in a language, "" for that of whoever looks at it.
func (v *visitor) liveIn(language, topic string) *livePage {
	v.t.Helper()
	conn, _, err := v.open(topic, language)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { conn.Close() })
	return &livePage{t: v.t, conn: conn}
}

// dial gives the status that a page's live connection is answered with.
func (v *visitor) dial(topic string) int {
	v.t.Helper()
	conn, status, err := v.open(topic, "")
	if err == nil {
		conn.Close()
	}
	return status
}

func (v *visitor) open(topic, language string) (*websocket.Conn, int, error) {
	v.t.Helper()
	return v.socket("/live?" + url.Values{"topic": {topic}, "language": {language}}.Encode())
}

// socket opens a socket at a path, with the cookies that the visitor has there.
func (v *visitor) socket(path string) (*websocket.Conn, int, error) {
	v.t.Helper()
	address, err := url.Parse(v.base + path)
	if err != nil {
		v.t.Fatal(err)
	}
	header := http.Header{"Origin": {v.base}}
	if v.reads != "" {
		header.Set("Accept-Language", v.reads)
	}
	for _, c := range v.client.Jar.Cookies(address) {
		header.Add("Cookie", c.String())
	}
	conn, res, err := websocket.DefaultDialer.DialContext(v.t.Context(), "ws://"+address.Host+path, header)
	if res == nil {
		v.t.Fatal(err)
	}
	res.Body.Close()
	return conn, res.StatusCode, err
}

// isSentAway waits until the farm closes the page, as one whose reader may read on no more.
func (l *livePage) isSentAway() {
	l.t.Helper()
	err := l.conn.SetReadDeadline(time.Now().Add(patience))
	for err == nil {
		_, _, err = l.conn.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		l.t.Errorf("the open page ended with %v", err)
	}
}

// next waits for a message that is wanted.
func (l *livePage) next(wanted func(part) bool) part {
	l.t.Helper()
	if err := l.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		l.t.Fatal(err)
	}
	for {
		_, raw, err := l.conn.ReadMessage()
		if err != nil {
			l.t.Fatalf("the message never came: %v", err)
		}
		var p part
		if err := json.Unmarshal(raw, &p); err != nil {
			l.t.Fatal(err)
		}
		for _, row := range p.Rows {
			p.HTML += row
		}
		if wanted(p) {
			return p
		}
	}
}

func (l *livePage) shows(id, words string) {
	l.t.Helper()
	l.next(func(p part) bool { return p.ID == id && strings.Contains(p.HTML, words) })
}

func TestAnOpenPageFollowsTheFarm(t *testing.T) {
	r := start(t)
	v := r.as("ada")
	home, jobs := v.live("home"), v.live("jobs:")
	home.shows("home", "Nothing has been rendered yet")
	jobs.shows("jobs", "No jobs yet")

	job := r.submit("ada", "Spring spot")
	jobs.shows("jobs", "Spring spot")
	home.shows("pulse", "<b>1</b> waiting")
	one := v.live("job:" + job.ID)
	one.shows("job", "Waiting")
	if _, err := r.farm.CancelJobs(t.Context(), r.principal("ada"), []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	one.shows("job", "Cancelled")
	jobs.shows("jobs", "Cancelled before it finished")
}

func TestLivePartsAreInTheLanguageOfTheirPage(t *testing.T) {
	v := start(t).as("ada")
	for _, page := range []struct{ language, says string }{{"de", "Noch keine Jobs"}, {"fr", "Aucun job"}, {"xx", "No jobs yet"}} {
		v.liveIn(page.language, "jobs:").shows("jobs", page.says)
	}
}

func TestAnotherTeamsJobDoesNotComeThroughALivePage(t *testing.T) {
	r := start(t)
	job := r.submit("ada", "Secret spot")
	zoe := r.as("zoe")
	one, list := zoe.live("job:"+job.ID), zoe.live("jobs:")
	other := r.submit("zoe", "Own spot")
	for _, l := range []*livePage{one, list} {
		l.next(func(p part) bool {
			if strings.Contains(p.HTML, "Secret") || p.ID == "job" {
				t.Errorf("zoe's page got %s: %s", p.ID, p.HTML)
			}
			return strings.Contains(p.HTML, other.Name) || strings.Contains(p.HTML, "<b>1</b> waiting")
		})
	}
}

func TestAPageIsNotUpdatedMoreThanFourTimesASecond(t *testing.T) {
	r := start(t)
	l := r.as("ada").live("jobs:")
	begin := time.Now()
	const many = 40
	var submitting sync.WaitGroup
	defer submitting.Wait()
	submitting.Go(func() {
		for i := range many {
			r.submit("ada", fmt.Sprintf("Spot %d.", i))
		}
	})
	updates := 0
	l.next(func(p part) bool {
		if p.ID == "jobs" {
			updates++
		}
		return strings.Contains(p.HTML, fmt.Sprintf("Spot %d.", many-1))
	})
	if most := int(time.Since(begin)/(250*time.Millisecond)) + 2; updates > most {
		t.Errorf("%d updates in %s, want at most %d", updates, time.Since(begin), most)
	}
}

func TestALivePageEndsWithTheSession(t *testing.T) {
	l := start(t).visit().live("home")
	if err := l.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	_, _, err := l.conn.ReadMessage()
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		t.Errorf("a page of nobody's ended with %v", err)
	}
}
