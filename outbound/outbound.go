// Package outbound makes the HTTP clients for addresses that callers gave: for downloads, uploads and webhooks. Every client checks
// each address against the farm's policy, so that no caller can reach machines that the policy forbids.
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

// maxRedirects is how many redirects are followed.
const maxRedirects = 5

var (
	// ErrForbidden is the error of an address that the policy forbids.
	ErrForbidden = errors.New("the address is not allowed by this farm")
	// ErrScheme is the error of an address that is not http or https.
	ErrScheme = errors.New("only http and https addresses can be asked")
	// ErrRedirects is the error of too many redirects.
	ErrRedirects = fmt.Errorf("it redirects more than %d times", maxRedirects)
)

// Guard returns the policy in force. It is called for every connection, so that the policy can change while clients are in use.
type Guard func() address.Policy

// Fixed is a Guard whose policy never changes.
func Fixed(p address.Policy) Guard { return func() address.Policy { return p } }

// Transport makes a transport that connects only to machines that the policy allows. It checks the IP address that is dialled, after the
// name was resolved, so that no name can lead to a forbidden machine. Its owner closes the idle connections at the end.
func (g Guard) Transport() *http.Transport {
	dialer := &net.Dialer{Timeout: 20 * time.Second, ControlContext: g.checkPeer}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			return dialer.DialContext(context.WithValue(ctx, requestedAddress{}, at), network, at)
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

// Client makes a client that checks each redirect like the first address, and escapes queries as browsers do.
func (g Guard) Client(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: queryEscaper{t}, CheckRedirect: g.CheckRedirect}
}

// queryEscaper escapes the queries of requests. net/http sends them as they are, and a space makes the request invalid.
type queryEscaper struct{ http.RoundTripper }

func (w queryEscaper) RoundTrip(req *http.Request) (*http.Response, error) {
	if query := escapeQuery(req.URL.RawQuery); query != req.URL.RawQuery {
		req = req.Clone(req.Context())
		req.URL.RawQuery = query
	}
	return w.RoundTripper.RoundTrip(req)
}

// CloseIdleConnections is called by http.Client.
func (w queryEscaper) CloseIdleConnections() {
	if t, ok := w.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// escapeQuery percent-encodes the characters of the URL standard's query percent-encode set, and keeps escapes that are there.
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

// CheckRedirect is for http.Client: it limits the number of redirects and refuses those to forbidden addresses. It removes the header
// Referer, since the address before the redirect may hold a password.
func (g Guard) CheckRedirect(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	if len(via) > maxRedirects {
		return ErrRedirects
	}
	return g.Check(req.URL)
}

// Check refuses an address that is not http or https, or whose host is the IP address of a forbidden machine. It comes before the check
// of Transport and saves connecting; for requests through a proxy it is the only check.
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

// requestedAddress is the context key of the host and port that a connection is made for, before names are resolved.
type requestedAddress struct{}

// isOwn reports whether a loopback address is that of the farm itself, which anybody may ask.
func isOwn(policy address.Policy, ip netip.Addr, at string) bool {
	return ip.Unmap().IsLoopback() && policy.IsOwn(at)
}

func (g Guard) checkPeer(ctx context.Context, _, peer string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(peer)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrForbidden, peer)
	}
	policy := g()
	named, _ := ctx.Value(requestedAddress{}).(string)
	if !policy.Allows(at.Addr()) && !isOwn(policy, at.Addr(), named) {
		return fmt.Errorf("%w: %s", ErrForbidden, peer)
	}
	return nil
}

// Cause removes the address from the error of a client, since it may hold a signature or a password.
func Cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
