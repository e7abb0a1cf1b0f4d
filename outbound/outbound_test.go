package outbound_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"overcrank/farm/address"
	"overcrank/faults/leaktest"
	"overcrank/outbound"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func get(t *testing.T, g outbound.Guard, src string) error {
	t.Helper()
	transport := g.Transport()
	defer transport.CloseIdleConnections()
	resp, err := g.Client(transport).Get(src)
	if err == nil {
		err = resp.Body.Close()
	}
	return err
}

func policy(t *testing.T, allow, deny string) outbound.Guard {
	t.Helper()
	split := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }
	p, err := address.ParsePolicy(split(allow), split(deny))
	if err != nil {
		t.Fatal(err)
	}
	return outbound.Fixed(p)
}

func TestOnlyAllowedMachinesAreAsked(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	defer s.Close()
	byName := strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	for name, tc := range map[string]struct {
		allow, deny, src string
		want             error
	}{
		"nothing said":                {"", "", s.URL, nil},
		"allowed network":             {"127.0.0.0/8", "", s.URL, nil},
		"allowed machine":             {"127.0.0.1", "", s.URL, nil},
		"allowed by name":             {"127.0.0.0/8,::1", "", byName, nil},
		"other network allowed":       {"10.0.0.0/8", "", s.URL, outbound.ErrForbidden},
		"denied network":              {"", "127.0.0.0/8,::1/128", s.URL, outbound.ErrForbidden},
		"denied although allowed":     {"127.0.0.0/8", "127.0.0.1", s.URL, outbound.ErrForbidden},
		"name of a denied machine":    {"", "127.0.0.0/8,::1", byName, outbound.ErrForbidden},
		"metadata although allowed":   {"169.254.0.0/16", "", "http://169.254.169.254/", outbound.ErrForbidden},
		"metadata in a v6 address":    {"", "", "http://[::ffff:169.254.169.254]/", outbound.ErrForbidden},
		"redirect to metadata":        {"", "", s.URL + "?to=http://169.254.169.254/", outbound.ErrForbidden},
		"redirect to a denied name":   {"127.0.0.1", "", s.URL + "?to=http://[::1]:1/", outbound.ErrForbidden},
		"redirect to a file":          {"", "", s.URL + "?to=file:///etc/passwd", outbound.ErrScheme},
		"redirect that stays allowed": {"127.0.0.1", "", s.URL + "?to=/", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if err := get(t, policy(t, tc.allow, tc.deny), tc.src); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
	if asked.Load() == 0 {
		t.Error("the server was never asked")
	}
}

func TestRedirectsEnd(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/again", http.StatusFound)
	}))
	defer s.Close()
	if err := get(t, policy(t, "", ""), s.URL); !errors.Is(err, outbound.ErrRedirects) {
		t.Errorf("got %v", err)
	}
}

func TestARedirectDoesNotTellWhereItCameFrom(t *testing.T) {
	var told atomic.Pointer[http.Header]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
			return
		}
		told.Store(&r.Header)
	}))
	defer s.Close()
	if err := get(t, policy(t, "", ""), s.URL+"/?token=hidden"); err != nil {
		t.Fatal(err)
	}
	if h := told.Load(); h == nil || h.Get("Referer") != "" {
		t.Errorf("the second server was told %v", h)
	}
}

func TestPolicyMayChangeWhileClientsLive(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	var now atomic.Pointer[address.Policy]
	now.Store(&address.Policy{})
	g := outbound.Guard(func() address.Policy { return *now.Load() })
	if err := get(t, g, s.URL); err != nil {
		t.Fatal(err)
	}
	now.Store(&address.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err := get(t, g, s.URL); !errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("got %v", err)
	}
}

func TestCauseHidesTheAddress(t *testing.T) {
	err := outbound.Cause(&url.Error{Op: "Get", URL: "http://u:hidden@x/", Err: outbound.ErrScheme})
	if !errors.Is(err, outbound.ErrScheme) || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

func TestQueriesAreSentAsBrowsersSendThem(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		if r.URL.Path == "/from" {
			w.Header().Set("Location", "/to?name=two words")
			w.WriteHeader(http.StatusFound)
		}
	}))
	defer s.Close()
	for _, src := range []string{"/a b.png?x=a b&ü=🎬", "/p?signed=a%20b%2Fc+d&e='~\"<>", "/from"} {
		if err := get(t, policy(t, "", ""), s.URL+src); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
	want := []string{"/a%20b.png?x=a%20b&%C3%BC=%F0%9F%8E%AC", "/p?signed=a%20b%2Fc+d&e='~%22%3C%3E", "/from", "/to?name=two%20words"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for\n%q, not\n%q", asked, want)
	}
}

func TestTheFarmsOwnAddressMayBeAskedFromItsOwnMachine(t *testing.T) {
	farm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer farm.Close()
	_, port, err := net.SplitHostPort(farm.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	policy := address.Policy{}.WithoutLoopback()
	policy.Own = []string{"localhost:" + port} // a name, as that of most farms is, which its machine resolves to itself
	g := outbound.Fixed(policy)
	transport := g.Transport()
	defer transport.CloseIdleConnections()
	c := g.Client(transport)
	if resp, err := c.Get("http://localhost:" + port); err != nil {
		t.Error(err)
	} else {
		_ = resp.Body.Close()
	}
	if resp, err := c.Get(farm.URL); !errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("another spelling of this machine: %v, %v", resp, err)
	}
}
