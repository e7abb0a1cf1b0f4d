package internode

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/faults/leaktest"
	"overcrank/inbound"
	"overcrank/inbound/inboundtest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func newAuthority(t *testing.T) *authority.Authority {
	t.Helper()
	a, err := authority.Load(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// open opens a port that presents certificate and accepts a's.
func open(t *testing.T, a *authority.Authority, certificate func() (*tls.Certificate, error)) *Port {
	t.Helper()
	return openIn(t, a, certificate, "")
}

func openIn(t *testing.T, a *authority.Authority, certificate func() (*tls.Certificate, error), era string) *Port {
	t.Helper()
	p, err := Open(Config{Bind: "127.0.0.1:0", Certificate: certificate, Authorities: a.Pool, Era: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func node(t *testing.T, a *authority.Authority, id string) *Port {
	t.Helper()
	return nodeOf(t, a, id, "")
}

func nodeOf(t *testing.T, a *authority.Authority, id, era string) *Port {
	t.Helper()
	p := openIn(t, a, a.Node(id, time.Now).Certificate, era)
	p.Handle("GET /who", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, PeerOf(r)) })
	p.Serve()
	return p
}

// who asks a node for the id of the caller.
func who(ctx context.Context, from, to *Port) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+to.Address()+"/who", nil)
	if err != nil {
		return "", err
	}
	res, err := from.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

func TestPeerIsKnownByItsCertificate(t *testing.T) {
	a := newAuthority(t)
	one, two := node(t, a, "ONE"), node(t, a, "TWO")
	if got, err := who(t.Context(), one, two); err != nil || got != "ONE" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestRaftConnections(t *testing.T) {
	a := newAuthority(t)
	one, two := node(t, a, "ONE"), node(t, a, "TWO")
	out, err := one.Raft().Dial(two.Address(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in, err := two.Raft().Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.Write([]byte("vote")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := io.ReadFull(in, got); err != nil || string(got) != "vote" {
		t.Fatalf("got %q, %v", got, err)
	}
}

func TestOnlyCoordinatorsOfTheFarmAreAccepted(t *testing.T) {
	a := newAuthority(t)
	server := node(t, a, "ONE")
	agent := func() (*tls.Certificate, error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{OrganizationalUnit: []string{authority.CoordinatorUnit}}}, key)
		if err != nil {
			return nil, err
		}
		request, err := authority.ReadRequest(csr)
		if err != nil {
			return nil, err
		}
		der, err := a.Agent(request, "test", "AGENT", time.Now(), time.Now().Add(time.Hour))
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
	}
	stranger := newAuthority(t)
	for name, certificate := range map[string]func() (*tls.Certificate, error){
		"an agent of the farm":          agent,
		"a coordinator of another farm": stranger.Node("ONE", time.Now).Certificate,
		"a coordinator's web server":    a.Server([]string{"farm.local"}, time.Now).Certificate,
		"nobody":                        func() (*tls.Certificate, error) { return &tls.Certificate{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := who(t.Context(), open(t, a, certificate), server); err == nil {
				t.Fatalf("was let in as %q", got)
			}
		})
	}
}

func TestNodeConnectsOnlyToCoordinatorsOfTheFarm(t *testing.T) {
	a := newAuthority(t)
	other := node(t, newAuthority(t), "ONE")
	if _, err := who(t.Context(), node(t, a, "TWO"), other); err == nil || !strings.Contains(err.Error(), "no coordinator of this farm") {
		t.Fatalf("got %v", err)
	}
}

func TestErasAreSeparate(t *testing.T) {
	a := newAuthority(t)
	before, after := node(t, a, "ONE"), nodeOf(t, a, "TWO", "b2")
	for _, way := range [][2]*Port{{before, after}, {after, before}} {
		if conn, err := way[0].Raft().Dial(way[1].Address(), time.Second); err == nil {
			_ = conn.Close()
			t.Error("a node of another era was heard")
		}
	}
	if got, err := who(t.Context(), before, after); err != nil || got != "ONE" {
		t.Errorf("nobody can be told of it: %q, %v", got, err)
	}
}

// A node that listens on all addresses gives others the name of its machine.
func TestWildcardListenerAdvertisesTheMachinesName(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	a := newAuthority(t)
	p, err := Open(Config{Bind: "0.0.0.0:0", Certificate: a.Node("one", time.Now).Certificate, Authorities: a.Pool})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if host, port, err := net.SplitHostPort(p.Address()); err != nil || host != name || port == "0" {
		t.Errorf("others are told %s, %v", p.Address(), err)
	}
}

// A stranger opens connections that send nothing, while one coordinator asks another.
func TestStrangersDoNotBlockCoordinators(t *testing.T) {
	a := newAuthority(t)
	strangers := inbound.NewGate(8, 0)
	logs := &bytes.Buffer{}
	server, err := Open(Config{
		Bind: "127.0.0.1:0", Certificate: a.Node("ONE", time.Now).Certificate, Authorities: a.Pool, Strangers: strangers,
		Logger: slog.New(slog.NewTextHandler(logs, nil)), handshake: time.Hour, // so that no stranger goes by itself
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Handle("GET /who", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, PeerOf(r)) })
	server.Serve()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}}
	var silent []net.Conn
	for range 100 {
		conn, err := dialer.Dial("tcp", server.Address())
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, conn)
	}
	for strangers.Refused() < 92 {
		time.Sleep(time.Millisecond)
	}
	for range 9 {
		other := node(t, a, "TWO") // with a connection of its own
		inboundtest.Promptly(t, func() {
			if got, err := who(t.Context(), other, server); err != nil || got != "TWO" {
				t.Fatalf("got %q, %v", got, err)
			}
		})
	}
	if strangers.Open() < 8 {
		t.Errorf("%d silent connections are open; coordinators were answered when strangers had gone", strangers.Open())
	}
	for _, conn := range silent {
		conn.Close()
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if strangers.Open() != 0 {
		t.Errorf("%d connections are counted after the end", strangers.Open())
	}
	if n := strings.Count(logs.String(), "\n"); n > 2 {
		t.Errorf("the log has %d lines of one stranger:\n%s", n, logs)
	}
}
