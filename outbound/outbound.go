// Package outbound makes the HTTP clients with which coordinators and agents ask addresses that callers gave them: for
// downloads, uploads and webhooks. There is one list of what may be asked, and one place that holds every client to it.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"overcrank/farm/address"
)

// maxRedirects is how often an address may point to another.
const maxRedirects = 5

var (
	// ErrForbidden marks an address that this farm may not ask.
	ErrForbidden = errors.New("the address is not allowed by this farm")
	// ErrScheme marks an address of a kind that is not asked.
	ErrScheme = errors.New("only http and https addresses can be asked")
	// ErrRedirects marks an address that led from one to the next without end.
	ErrRedirects = fmt.Errorf("it redirects more than %d times", maxRedirects)
)

// Guard gives the policy in force. It is asked for every connection, so that a policy may change while clients live.
type Guard func() address.Policy

// Fixed is a Guard whose policy never changes.
func Fixed(p address.Policy) Guard { return func() address.Policy { return p } }

// Transport connects only to machines that the policy allows. That is decided on the address that is really dialled,
// after names were resolved, so that no name can stand for a forbidden one. Close its idle connections at the end.
func (g Guard) Transport() *http.Transport {
	dialer := &net.Dialer{Timeout: 20 * time.Second, ControlContext: g.checkPeer}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			return dialer.DialContext(context.WithValue(ctx, asked{}, at), network, at)
		},
		TLSHandshakeTimeout:    20 * time.Second,
		ResponseHeaderTimeout:  time.Minute,
		MaxResponseHeaderBytes: 256 << 10,
		MaxIdleConnsPerHost:    4,
		MaxIdleConns:           64,
		IdleConnTimeout:        30 * time.Second,
		ForceAttemptHTTP2:      true,
	}
}

// Client follows a few redirects, each held to the policy like the first address. What an address has after its question
// mark is sent as browsers send it.
func (g Guard) Client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: wellFormed{t}, CheckRedirect: g.CheckRedirect}
}

// wellFormed escapes queries: net/http sends them as they are written, and with a space in it the request is none.
type wellFormed struct{ http.RoundTripper }

func (w wellFormed) RoundTrip(req *http.Request) (*http.Response, error) {
	if query := escapeQuery(req.URL.RawQuery); query != req.URL.RawQuery {
		req = req.Clone(req.Context())
		req.URL.RawQuery = query
	}
	return w.RoundTripper.RoundTrip(req)
}

// CloseIdleConnections is what http.Client asks of its transport.
func (w wellFormed) CloseIdleConnections() {
	if t, ok := w.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// escapeQuery percent-encodes what the URL standard's query set does, and leaves escapes that are there.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c > '~' || strings.IndexByte("\"#<>", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// CheckRedirect is for http.Client: it bounds the number of redirects and refuses those to forbidden addresses. Where a
// redirect leads nobody is told whence: the address may hold a password.
func (g Guard) CheckRedirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	if len(via) > maxRedirects {
		return ErrRedirects
	}
	return g.Check(req.URL)
}

// Check refuses an address that is not of the web, or that spells out a forbidden machine. It is the only check that a
// connection through a proxy meets, and spares others the way.
func (g Guard) Check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ErrScheme
	}
	ip, spelled := address.Spelled(u.Hostname())
	if !spelled {
		return nil
	}
	if policy := g(); !policy.Allows(ip) && !isOwn(policy, ip, address.HostPort(u)) {
		return fmt.Errorf("%w: %s", ErrForbidden, ip)
	}
	return nil
}

// asked is the key of the host and port that a connection is made for, before names are resolved.
type asked struct{}

// isOwn tells whether a machine that asks itself asks the farm, which answers everybody.
func isOwn(policy address.Policy, ip netip.Addr, at string) bool {
	return ip.Unmap().IsLoopback() && policy.IsOwn(at)
}

func (g Guard) checkPeer(ctx context.Context, _, peer string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(peer)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrForbidden, peer)
	}
	policy := g()
	named, _ := ctx.Value(asked{}).(string)
	if !policy.Allows(at.Addr()) && !isOwn(policy, at.Addr(), named) {
		return fmt.Errorf("%w: %s", ErrForbidden, peer)
	}
	return nil
}

// Cause drops the address from a client's error: it may hold a signature or a password that is nobody's business.
func Cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
