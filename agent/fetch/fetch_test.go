package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/farm/address"
	"overcrank/faults/leaktest"
	"overcrank/outbound"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func fetcher(t *testing.T, roots ...string) *Fetcher {
	f := New(roots, outbound.Fixed(address.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("10.66.0.0/16")}}))
	f.Backoff = time.Millisecond
	t.Cleanup(f.Close)
	return f
}

func server(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// mustFail fetches src, wants the reason, and wants no file left.
func mustFail(t *testing.T, f *Fetcher, src, want string, retry bool) {
	t.Helper()
	dir := t.TempDir()
	_, err := f.Get(t.Context(), src, filepath.Join(dir, "x"))
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, want) || e.Retry != retry {
		t.Errorf("%.60s: got %v, want %s, retry %t", src, err, want, retry)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%.60s: left behind %v, %v", src, files, err)
	}
}

func TestFilesComeFromTheWeb(t *testing.T) {
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a/pic.png" {
			w.Header().Set("Content-Type", "image/png; x=y")
			fmt.Fprint(w, "picture")
			return
		}
		http.Redirect(w, r, "/a/pic.png", http.StatusFound)
	})
	dst := filepath.Join(t.TempDir(), "x")
	found, err := fetcher(t).Get(t.Context(), base+"/moved", dst)
	if err != nil || found != (Found{Name: "pic.png", ContentType: "image/png"}) {
		t.Fatalf("%+v, %v", found, err)
	}
	if b, err := os.ReadFile(dst); err != nil || string(b) != "picture" {
		t.Fatalf("%q, %v", b, err)
	}
}

func TestRefusalsKeepTheirStatus(t *testing.T) {
	var calls atomic.Int32
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Path == "/403" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	mustFail(t, fetcher(t), base+"/403", "403", false)
	if calls.Load() != 1 {
		t.Errorf("a refusal was asked for %d times", calls.Load())
	}
	calls.Store(0)
	mustFail(t, fetcher(t), base+"/503", "503", true)
	if calls.Load() != 3 {
		t.Errorf("a failure in passing was tried %d times", calls.Load())
	}
}

func TestPassingFailureIsTriedAgain(t *testing.T) {
	var calls atomic.Int32
	base := server(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) < 3 {
			w.Header().Set("Content-Length", "100") // and fewer come: the connection breaks
			fmt.Fprint(w, "half")
			return
		}
		fmt.Fprint(w, "whole")
	})
	dst := filepath.Join(t.TempDir(), "x")
	if _, err := fetcher(t).Get(t.Context(), base, dst); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(dst); err != nil || string(b) != "whole" {
		t.Fatalf("%q, %v", b, err)
	}
}

func TestLimitsHold(t *testing.T) {
	var hung atomic.Int32
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "ftp://example.com/", http.StatusFound)
		case "/silent":
			hung.Add(1)
			<-r.Context().Done()
		case "/stall":
			hung.Add(1)
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			for range 100 {
				fmt.Fprint(w, strings.Repeat("x", 1024))
				w.(http.Flusher).Flush()
			}
		}
	})
	f := fetcher(t)
	mustFail(t, f, base+"/loop", "redirects more than", false)
	mustFail(t, f, base+"/away", "not allowed", false)
	mustFail(t, f, base+"/scheme", "only http and https", false)
	f.Limit = 1 << 10
	mustFail(t, f, base+"/large", "larger than", false)
	f.Headway.Stall = 50 * time.Millisecond
	mustFail(t, f, base+"/stall", "timed out", true)
	mustFail(t, f, base+"/silent", "timed out", true)
	if n := hung.Load(); n > 2 { // a busy machine may not have come to ask
		t.Errorf("servers that hang were asked %d times, not once each", n)
	}
}

// A server that takes connections and says nothing in them, also not for TLS, and one that never takes any.
func TestAConnectionThatHangsIsTriedOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var taken atomic.Int32
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			taken.Add(1)
			serving.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(io.Discard, conn) // until the caller has enough
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	f := fetcher(t)
	transport := f.guard.Transport()
	transport.TLSHandshakeTimeout = time.Millisecond
	f.client = f.guard.Client(transport)
	mustFail(t, f, "https://"+l.Addr().String()+"/x", "timed out", true)
	if n := taken.Load(); n > 1 {
		t.Errorf("a server that hangs in the handshake was asked %d times", n)
	}

	var dialled int
	transport = f.guard.Transport()
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		dialled++
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded} // as a dialer says that its time is over
	}
	f.client = f.guard.Client(transport)
	mustFail(t, f, "http://"+l.Addr().String()+"/x", "timed out", true)
	if dialled != 1 {
		t.Errorf("a server that takes no connection was asked %d times", dialled)
	}
}

// All tries of a file together have the time of one.
func TestTriesTogetherHaveTheTimeOfOne(t *testing.T) {
	var asked atomic.Int32
	base := server(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	f := fetcher(t)
	f.Tries, f.Headway.Stall = 12, 50*time.Millisecond
	mustFail(t, f, base, "", true)
	if n := asked.Load(); n == int32(f.Tries) {
		t.Error("a server was asked until no try was left, long after its time")
	}
}

// A server that is never silent, and never done.
func TestAServerThatTricklesIsGivenUp(t *testing.T) {
	var asked atomic.Int32
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		for asked.Add(1); r.Context().Err() == nil; {
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
		}
	})
	f := fetcher(t)
	f.Headway = outbound.Headway{Stall: time.Hour, Window: time.Millisecond, Least: f.Limit}
	mustFail(t, f, base, "too slow: less than 256 KiB a minute", true)
	if n := asked.Load(); n > 1 { // a busy machine may not have come to ask
		t.Errorf("it was asked %d times", n)
	}
}

func TestHiddenAddressesAreRefused(t *testing.T) {
	for _, host := range []string{"169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0.0.0.0", "[fd00:ec2::254]", "100.100.100.200", "224.0.0.1", "10.66.1.2"} {
		mustFail(t, fetcher(t), "http://"+host+"/x", "not allowed", false)
	}
	// The policy of an administrator is asked about the machine that a name leads to, and about each redirect.
	denied := New(nil, outbound.Fixed(address.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}))
	t.Cleanup(denied.Close)
	base := server(t, func(http.ResponseWriter, *http.Request) { t.Error("a denied machine was asked") })
	mustFail(t, denied, strings.Replace(base, "127.0.0.1", "localhost", 1), "not allowed by this farm", false)
	away := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.66.1.2/", http.StatusFound)
	})
	mustFail(t, fetcher(t), away, "not allowed by this farm", false)
}

func TestBadAddresses(t *testing.T) {
	for src, want := range map[string]string{
		"picture.png": "no scheme", "gopher://x/": "not known", "http://": "names no host", "data:nocomma": "needs a comma",
		"data:;base64,!!!": "not valid base64", "s3://bucket": "s3://bucket/key", "s3://key:secret@bucket/k": "s3://bucket/key", "s3:///k": "s3://bucket/key", "file:///etc/passwd": "not in a folder that this farm allows",
		"file://server/share": "not one of this machine", "http://[::1": "not well formed",
	} {
		mustFail(t, fetcher(t), src, want, false)
	}
}

func TestDataValues(t *testing.T) {
	for src, want := range map[string]string{"data:text/plain,a%20b": "a b", "data:image/png;base64,aGVs\nbG8=": "hello", "data:,": ""} {
		dst := filepath.Join(t.TempDir(), "x")
		if _, err := fetcher(t).Get(t.Context(), src, dst); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if b, err := os.ReadFile(dst); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", src, b, err)
		}
	}
}

func TestOwnFilesOnlyInsideAllowedFolders(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for _, p := range []string{filepath.Join(root, "in #1.png"), filepath.Join(outside, "out.png")} {
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "out.png"), filepath.Join(root, "link.png")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	address := func(parts ...string) string {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(parts...))}
		return u.String()
	}
	f := fetcher(t, root)
	dst := filepath.Join(t.TempDir(), "x")
	if found, err := f.Get(t.Context(), address(root, "in #1.png"), dst); err != nil || found.Name != "in #1.png" {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, bad := range []string{address(root, "link.png"), address(outside, "out.png"), "file://" + root + "/../" + filepath.Base(outside) + "/out.png"} {
		mustFail(t, f, bad, "not in a folder that this farm allows", false)
	}
	mustFail(t, f, address(root), "not a plain file", false)
}

func TestCancellingEndsADownload(t *testing.T) {
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		cancel(stop)
		<-r.Context().Done()
	})
	_, err := fetcher(t).Get(ctx, base, filepath.Join(t.TempDir(), "x"))
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
}
