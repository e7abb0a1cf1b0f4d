package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/gorilla/websocket"

	"overcrank/api"
	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/inbound"
	"overcrank/inbound/inboundtest"
)

// undisturbed has one party do something that goes on, and makes sure that another's requests are answered while it does.
func (r *rig) undisturbed(do func(), goesOn func() bool, path string, header ...string) {
	r.t.Helper()
	do()
	for range 11 {
		inboundtest.Promptly(r.t, func() { r.get(path, header...).into(http.StatusOK, nil) })
	}
	if !goesOn() {
		r.t.Error("others were answered when what holds them up had ended")
	}
}

func TestOneWhoFollowsAsMuchAsAllowedLeavesOthersRoom(t *testing.T) {
	const each = 40
	people := inbound.NewGate(each, 0)
	r := start(t, func(cfg *api.Config) {
		cfg.Followers = throttle.Followers{People: people, Addresses: inbound.NewGate(each+1, 0)}
	})
	other := bearer(r.makeToken("artist", "").Secret)
	third := bearer(r.makeToken("viewer", "").Secret)
	follow := func() {
		for i := range each {
			if i%2 == 0 {
				r.stream("").opens()
			} else {
				r.socket("").opens()
			}
		}
	}
	r.undisturbed(func() {
		follow()
		for range 100 {
			a := r.get(pathEvents).refused(http.StatusTooManyRequests, "40 times already")
			if a.header.Get("Retry-After") != "30" {
				t.Fatalf("Retry-After is %q", a.header.Get("Retry-After"))
			}
		}
		r.submit(srcJob) // told to all of them
	}, func() bool { return people.Open() == each }, "/api/v2/jobs", other)
	r.stream("", other).opens()
	r.get(pathEvents, third).refused(http.StatusTooManyRequests, "this address")
	if people.Open() != each+1 {
		t.Errorf("%d are counted, want %d", people.Open(), each+1)
	}
}

func TestWhoFollowsNoMoreIsNotCounted(t *testing.T) {
	people := inbound.NewGate(2, 0)
	r := start(t, func(cfg *api.Config) { cfg.Followers.People = people })
	for range 3 { // of a handshake that comes to nothing
		_, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(r.base, "http")+pathEvents,
			http.Header{"Authorization": {"Bearer " + r.token}, "Origin": {"https://elsewhere.example"}})
		if err == nil || res.StatusCode != http.StatusForbidden {
			t.Fatalf("a page of another site gets %v, %v", res, err)
		}
	}
	for range 3 {
		ctx, cut := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+pathEvents, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+r.token)
		res, err := r.http.Do(req)
		if err != nil || res.StatusCode != http.StatusOK || people.Open() != 1 {
			t.Fatalf("%v, %v; %d are counted, want 1", res, err, people.Open())
		}
		cut()
		res.Body.Close()
		r.eventually("who has gone is not counted", func() bool {
			r.submit(srcJob) // it shows when something is sent
			return people.Open() == 0
		})
	}
}

func TestOnlyATrustedProxySaysWhereARequestComesFrom(t *testing.T) {
	for _, test := range []struct {
		proxies []netip.Prefix
		want    string
	}{{nil, "0.0.0.0"}, {[]netip.Prefix{netip.MustParsePrefix("0.0.0.0/32")}, "198.51.100.7"}} {
		app := api.NewApp(nil, test.proxies...)
		app.Get("/", func(c *fiber.Ctx) error { return c.SendString(request.Origin(c)) })
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.Header.Add("X-Forwarded-For", "1.1.1.1")
		req.Header.Add("X-Forwarded-For", "2.2.2.2, 198.51.100.7")
		res, err := app.Test(req) // whose connection says that it comes from 0.0.0.0
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); err != nil || string(got) != test.want {
			t.Errorf("proxies %v: from %q, %v; want %s", test.proxies, got, err, test.want)
		}
		res.Body.Close()
	}
}
