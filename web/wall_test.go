package web_test

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/coordinator/people"
	"overcrank/web"
)

// TestAScreenOnTheWallStaysSignedIn looks at pages in sessions that end in two days and whose cookies are due: only the wall has its own last longer.
func TestAScreenOnTheWallStaysSignedIn(t *testing.T) {
	const vic, left, day = "01JD7000000000000000000003", 48 * time.Hour, 24 * time.Hour
	var ahead atomic.Int64
	r := start(t, func(r *rig) { r.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) } })
	base, err := url.Parse(r.base)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]time.Duration{"/jobs": left - 13*time.Hour, "/wall": 14 * day} {
		session, err := r.farm.BeginSession(t.Context(), vic, people.Browser{}, left)
		if err != nil {
			t.Fatal(err)
		}
		ahead.Add(int64(13 * time.Hour))
		v := r.visit()
		v.client.Jar.SetCookies(base, []*http.Cookie{{Name: "overcrank_session", Value: web.SealSession(r.farm, vic, session)}})
		a := v.get(path).is(http.StatusOK)
		var lasts time.Duration
		for _, c := range (&http.Response{Header: a.header}).Cookies() {
			if c.Name == "overcrank_session" {
				lasts = c.Expires.Sub(r.now())
			}
		}
		if off := lasts - want; off.Abs() > time.Hour {
			t.Errorf("behind %s the session lasts for %v, want %v", path, lasts, want)
		}
	}
}
