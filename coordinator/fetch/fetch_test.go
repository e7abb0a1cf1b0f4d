package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/fetch"
	"overcrank/farm/address"
	"overcrank/faults/leaktest"
	"overcrank/outbound"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func server(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/film.aep", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a project") })
	mux.HandleFunc("/trickle", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/secret", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/film.aep", http.StatusFound) })
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func fetcher(t *testing.T) *fetch.Fetcher {
	f := fetch.New(outbound.Fixed(address.Policy{}))
	t.Cleanup(f.Close)
	return f
}

// TestBucketAddress checks only the host that is asked: nobody owns the bucket.
func TestBucketAddress(t *testing.T) {
	f := fetch.New(func() address.Policy { t.Error("a machine was asked"); return address.Policy{} })
	t.Cleanup(f.Close)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Open(ctx, "s3://bucket/a.aep"); !errors.Is(err, context.Canceled) {
		t.Errorf("an object of a bucket: %v", err)
	}
	if _, err := f.Open(t.Context(), "s3://bucket"); err == nil || !strings.Contains(err.Error(), "s3://bucket/key") {
		t.Errorf("a bucket alone: %v", err)
	}
}

func TestDownloads(t *testing.T) {
	s, f := server(t), fetcher(t)
	tests := []struct{ src, content, name string }{
		{s.URL + "/film.aep?signature=1", "a project", "film.aep"},
		{s.URL + "/away", "a project", "film.aep"},
		{"data:text/plain,a%20b", "a b", ""},
		{"data:image/png;base64,aGVsbG8=", "hello", ""},
		{"data:;base64,aGVsbG8", "hello", ""},
	}
	for _, tt := range tests {
		body, err := f.Open(t.Context(), tt.src)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
			continue
		}
		got, err := io.ReadAll(body)
		if err := errors.Join(err, body.Close()); err != nil || string(got) != tt.content || body.Name != tt.name {
			t.Errorf("%s: got %q named %q, %v", tt.src, got, body.Name, err)
		}
	}
}

func TestAServerThatTricklesIsGivenUp(t *testing.T) {
	f := fetcher(t)
	f.Headway = outbound.Headway{Stall: time.Hour, Window: time.Millisecond, Least: 20 << 30}
	body, err := f.Open(t.Context(), server(t).URL+"/trickle")
	if err == nil { // it began in time
		_, err = io.Copy(io.Discard, body)
		if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
	if !errors.Is(err, outbound.ErrTooSlow) {
		t.Errorf("got %v", err)
	}
}

// A server that takes a connection and says nothing, also not for TLS.
func TestAServerThatHangsBeforeItsAnswerIsGivenUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the system takes connections before anybody accepts them
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := fetcher(t)
	f.Headway.Stall = 50 * time.Millisecond
	for _, scheme := range []string{"http://", "https://"} {
		if _, err := f.Open(t.Context(), scheme+l.Addr().String()+"/film.aep"); !errors.Is(err, outbound.ErrStalled) {
			t.Errorf("%s: got %v", scheme, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	s, f := server(t), fetcher(t)
	tests := []struct {
		src  string
		want error
	}{
		{"file:///etc/passwd", outbound.ErrScheme},
		{"ftp://example.org/x", outbound.ErrScheme},
		{"film.aep", outbound.ErrScheme},
		{"http://169.254.169.254/latest/meta-data", outbound.ErrForbidden},
		{"http://[fe80::1]/", outbound.ErrForbidden},
		{"http://[fd00:ec2::254]/", outbound.ErrForbidden},
		{"http://[::ffff:169.254.169.254]/", outbound.ErrForbidden},
		{"http://0.0.0.0/", outbound.ErrForbidden},
		{s.URL + "/inside", outbound.ErrForbidden},
		{s.URL + "/file", outbound.ErrScheme},
	}
	for _, tt := range tests {
		if _, err := f.Open(t.Context(), tt.src); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.src, err, tt.want)
		}
	}
	for _, src := range []string{s.URL + "/round", "data:no-comma", "data:;base64,!!", "http://\x00"} {
		if _, err := f.Open(t.Context(), src); err == nil {
			t.Errorf("%q was accepted", src)
		}
	}
}

func TestStatusError(t *testing.T) {
	_, err := fetcher(t).Open(t.Context(), server(t).URL+"/secret?token=hidden")
	var status *fetch.StatusError
	if !errors.As(err, &status) || status.Status != http.StatusForbidden {
		t.Fatalf("got %v, want status 403", err)
	}
}

func TestErrorsHideTheAddress(t *testing.T) {
	_, err := fetcher(t).Open(t.Context(), "http://169.254.0.1/?token=hidden")
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}
