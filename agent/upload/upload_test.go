package upload

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/upload/s3test"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/faults/leaktest"
	"overcrank/outbound"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const bucket = "renders"

// uploader is impatient.
func uploader(t *testing.T) *Uploader {
	u := New(outbound.Fixed(address.Policy{}))
	u.Pause, u.Patience, u.Silence = 10*time.Millisecond, 2*time.Minute, 2*time.Minute
	t.Cleanup(u.Close)
	return u
}

// object is a file of so many bytes, to be put below address.
func object(t *testing.T, size int, address string) (Object, []byte) {
	t.Helper()
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(rand.Uint32())
	}
	path := filepath.Join(t.TempDir(), "result.mp4")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return Object{
		Path: path, Size: int64(size), ContentType: "video/mp4", KeyID: s3test.KeyID, Secret: s3test.Secret,
		To: farm.RemoteObject{Endpoint: address, Region: s3test.Region, Bucket: bucket, Key: "a/ b+ü/J.mp4", Insecure: true},
	}, content
}

// arrived wants the object to be there, byte for byte.
func arrived(t *testing.T, s *s3test.Server, o Object, want []byte) {
	t.Helper()
	got, kind, err := s.Read(t.Context(), o.To.Bucket, o.To.Key)
	if err != nil || !bytes.Equal(got, want) || kind != "video/mp4" {
		t.Fatalf("%d bytes of %s arrived, %v; want %d", len(got), kind, err, len(want))
	}
}

// between stands between the uploader and the real server.
type between struct {
	address string
	mu      sync.Mutex
	asked   []*http.Request
	// spoil, when it answers true, has dealt with a request itself.
	spoil func(n int, w http.ResponseWriter, r *http.Request) bool
}

func standBetween(t *testing.T, s *s3test.Server, spoil func(n int, w http.ResponseWriter, r *http.Request) bool) *between {
	b := &between{spoil: spoil}
	to := &url.URL{Scheme: "http", Host: s.Address}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // it is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.asked = append(b.asked, r)
		n := len(b.asked)
		b.mu.Unlock()
		if b.spoil == nil || !b.spoil(n, w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	b.address = strings.TrimPrefix(server.URL, "http://")
	return b
}

func (b *between) requests() []*http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.asked
}

func TestANameThatNoStorageTakesIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	o, _ := object(t, 10, "127.0.0.1:9")
	for name, edit := range map[string]func(*Object){
		"bucket": func(o *Object) { o.To.Bucket = "b" }, "object": func(o *Object) { o.To.Key = "a\xff" },
	} {
		wrong := o
		edit(&wrong)
		var failed *Error
		_, err := uploader(t).Put(t.Context(), wrong, nil, func(string) { t.Errorf("%s: tried again", name) })
		if !errors.As(err, &failed) || failed.Retry || !strings.Contains(failed.Reason, "not allowed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAResultArrives(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	between := standBetween(t, s, nil)
	for name, size := range map[string]int{"empty": 0, "small": 1000, "in parts": 40 << 20} {
		o, content := object(t, size, between.address)
		o.ACL = "private"
		var sent []int64
		if inHost, err := uploader(t).Put(t.Context(), o, func(n int64) { sent = append(sent, n) }, nil); err != nil || inHost {
			t.Fatalf("%s: %v", name, err)
		}
		arrived(t, s, o, content)
		if size > 0 && (len(sent) == 0 || sent[len(sent)-1] != o.Size) {
			t.Errorf("%s: the progress was %v", name, sent)
		}
	}
	var parts int
	for _, r := range between.requests() {
		begins := r.Method == http.MethodPost && r.URL.Query().Has("uploads") || r.Method == http.MethodPut && !r.URL.Query().Has("partNumber")
		if begins && r.Header.Get("x-amz-acl") != "private" {
			t.Errorf("%s %s goes without its acl", r.Method, r.URL)
		}
		if r.URL.Query().Has("partNumber") {
			parts++
		}
	}
	if parts != 3 {
		t.Errorf("40 MiB went in %d parts", parts)
	}
}

// Neither a key nor anything that the server says of it is in an error.
func TestRefusalsAreSaidAndNotRepeated(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	for want, change := range map[string]func(*Object){
		"the bucket does not exist (404)":                          func(o *Object) { o.To.Bucket = "nowhere" },
		"the access key is not known there (404)":                  func(o *Object) { o.KeyID = "somebody-else" },
		"the access key's secret is wrong, or the region is (403)": func(o *Object) { o.Secret = "a-wrong-secret" },
	} {
		for _, size := range []int{1000, 17 << 20} {
			between := standBetween(t, s, nil)
			o, _ := object(t, size, between.address)
			change(&o)
			_, err := uploader(t).Put(t.Context(), o, nil, func(string) { t.Errorf("%s: tried again", want) })
			var failed *Error
			if !errors.As(err, &failed) || failed.Retry || failed.Reason != want || failed.Bucket != o.To.Bucket || failed.Key != o.To.Key {
				t.Errorf("got %v, want %s", err, want)
			}
			for _, hidden := range []string{o.KeyID, o.Secret} {
				if err != nil && strings.Contains(err.Error(), hidden) {
					t.Errorf("%v holds a credential", err)
				}
			}
			if n := len(between.requests()); n != 1 {
				t.Errorf("%s: %d requests", want, n)
			}
		}
	}
}

func TestWhatFailsInPassingIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	for name, spoil := range map[string]func(http.ResponseWriter){
		"busy":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"broken":    func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"cut short": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		var mu sync.Mutex
		left := 7 // more than the client's own tries
		between := standBetween(t, s, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			mu.Lock()
			left--
			bad := left >= 0
			mu.Unlock()
			if bad {
				spoil(w)
			}
			return bad
		})
		o, content := object(t, 17<<20, between.address)
		var again []string
		if _, err := uploader(t).Put(t.Context(), o, nil, func(reason string) { again = append(again, reason) }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		arrived(t, s, o, content)
		if len(again) == 0 {
			t.Errorf("%s: nothing was said of another try", name)
		}
	}
}

func TestAServerThatIsKilledAndComesBack(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	o, content := object(t, 40<<20, s.Address)
	u := uploader(t)
	killed := false
	_, err := u.Put(t.Context(), o, func(sent int64) {
		if sent > 20<<20 && !killed {
			killed = true
			s.Kill()
		}
	}, func(string) {
		if s.Down() {
			s.Restart()
		}
	})
	if err != nil || !killed {
		t.Fatalf("%v, killed %t", err, killed)
	}
	arrived(t, s, o, content)
}

func TestAServerThatStaysAwayEndsThePatience(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	s.Kill()
	o, _ := object(t, 1000, s.Address)
	u := uploader(t)
	u.Patience = 50 * time.Millisecond
	var failed *Error
	if _, err := u.Put(t.Context(), o, nil, nil); !errors.As(err, &failed) || !failed.Retry || failed.Reason != "connection refused" {
		t.Fatalf("got %v", err)
	}
}

func TestAStorageThatWasNeverThereIsLeftSooner(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	s.Kill()
	o, _ := object(t, 1000, s.Address)
	u := uploader(t)
	u.Patience, u.Silence = 24*time.Hour, 50*time.Millisecond
	var failed *Error
	if _, err := u.Put(t.Context(), o, nil, nil); !errors.As(err, &failed) || !failed.Retry || failed.Reason != "connection refused" {
		t.Fatalf("got %v", err)
	}
}

func TestAStorageThatTakesNothingIsLeft(t *testing.T) {
	t.Parallel()
	quit := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select { // without reading the body
		case <-quit:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(quit) })
	o, _ := object(t, 15<<20, strings.TrimPrefix(server.URL, "http://"))
	u := uploader(t)
	u.Patience, u.Headway.Stall = 50*time.Millisecond, 200*time.Millisecond
	var failed *Error
	if _, err := u.Put(t.Context(), o, nil, nil); !errors.As(err, &failed) || !failed.Retry || failed.Reason != "timed out" {
		t.Fatalf("got %v", err)
	}
}

// A storage that is always about to take the next byte.
func TestAStorageThatHardlyTakesAnythingIsLeft(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := r.Body.Read(make([]byte, 1)); err != nil {
				<-r.Context().Done()
			}
		}
	}))
	t.Cleanup(server.Close)
	o, _ := object(t, 1<<20, strings.TrimPrefix(server.URL, "http://"))
	u := uploader(t)
	u.Patience, u.Headway = 50*time.Millisecond, outbound.Headway{Stall: time.Hour, Window: 100 * time.Millisecond, Least: 1 << 40}
	var failed *Error
	if _, err := u.Put(t.Context(), o, nil, nil); !errors.As(err, &failed) || !failed.Retry || failed.Reason != "too slow: less than 256 KiB a minute" {
		t.Fatalf("got %v", err)
	}
}

func TestCancellingEndsAnUpload(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	o, _ := object(t, 40<<20, s.Address)
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	if _, err := uploader(t).Put(ctx, o, func(int64) { cancel(stop) }, nil); !errors.Is(err, stop) {
		t.Fatalf("got %v", err)
	}
}

func TestForbiddenMachinesAreNotAsked(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	byName := strings.Replace(s.Address, "127.0.0.1", "localhost", 1)
	denied := address.Policy{Deny: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
	for endpoint, policy := range map[string]address.Policy{s.Address: denied, byName: denied, "169.254.169.254": {}} {
		u := New(outbound.Fixed(policy))
		t.Cleanup(u.Close)
		o, _ := object(t, 1000, endpoint)
		var failed *Error
		if _, err := u.Put(t.Context(), o, nil, nil); !errors.As(err, &failed) || failed.Retry || failed.Reason != outbound.ErrForbidden.Error() {
			t.Errorf("%s: got %v", endpoint, err)
		}
	}
}

// A storage that knows buckets by hosts only says so; the real server behind it is asked by host.
func TestTheOtherStyleIsTriedWhenTheFirstIsRefused(t *testing.T) {
	t.Parallel()
	s := s3test.Start(t, bucket)
	between := standBetween(t, s, func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.Host, bucket+".") {
			return false
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
		return true
	})
	_, port, _ := strings.Cut(between.address, ":")
	s.Domain = "s3.localhost:" + port
	s.Kill()
	s.Restart()
	u := uploader(t)
	u.transport.DialContext = dialTo(between.address)
	o, content := object(t, 1000, s.Domain)
	inHost, err := u.Put(t.Context(), o, nil, nil)
	if err != nil || !inHost {
		t.Fatalf("taken with the bucket in the host: %t, %v", inHost, err)
	}
	arrived(t, s, o, content)
	if r := between.requests(); len(r) != 2 || !strings.HasPrefix(r[0].URL.Path, "/"+bucket+"/") || r[1].Host != bucket+"."+s.Domain {
		t.Errorf("%d requests, the first for %s, the last at %s", len(r), r[0].URL.Path, r[len(r)-1].Host)
	}
}

// dialTo answers every name with one server, as a name server of a studio would.
func dialTo(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}
