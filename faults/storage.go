package faults

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// StorageFault is what is wrong with storage behind a network.
type StorageFault int

// The faults of storage.
const (
	StorageWell   StorageFault = iota
	StorageStalls              // requests, and answers that have begun, are held
	StorageResets              // connections are cut
	StorageErrs                // each request is answered 500
)

// String names the fault.
func (f StorageFault) String() string {
	switch f {
	case StorageWell:
		return "well"
	case StorageStalls:
		return "stalls"
	case StorageResets:
		return "resets connections"
	case StorageErrs:
		return "answers 500"
	default:
		return fmt.Sprintf("fault %d", int(f))
	}
}

// Storage is a proxy before an HTTP server, such as S3-compatible storage, that misbehaves on demand. It is safe for
// concurrent use.
type Storage struct {
	proxy *httputil.ReverseProxy

	mu      sync.Mutex
	fault   StorageFault
	only    func(*http.Request) bool
	changed chan struct{} // closed with each change
	held    int
}

// NewStorage is a proxy for the server at target, a base URL. It forwards requests unchanged, including the host that
// they name, since that is part of what is signed.
func NewStorage(target *url.URL) *Storage {
	s := &Storage{changed: make(chan struct{})}
	s.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
		},
		ModifyResponse: func(res *http.Response) error {
			res.Body = stalling{res.Body, s, res.Request}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:     log.New(io.Discard, "", 0),
	}
	return s
}

// Set sets the storage's fault, for the requests for which only is true, or for all when only is nil. Requests that were
// held continue.
func (s *Storage) Set(fault StorageFault, only func(*http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.only = fault, only
	close(s.changed)
	s.changed = make(chan struct{})
}

// Held is how many requests and answers are waiting for the fault to end.
func (s *Storage) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// now is the fault for a request, and a channel that is closed with the next change.
func (s *Storage) now(r *http.Request) (StorageFault, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.only != nil && !s.only(r) {
		return StorageWell, s.changed
	}
	return s.fault, s.changed
}

// stall waits while storage stalls for a request, and returns the fault after that.
func (s *Storage) stall(r *http.Request) StorageFault {
	for {
		fault, changed := s.now(r)
		if fault != StorageStalls {
			return fault
		}
		s.hold(1)
		select {
		case <-changed:
		case <-r.Context().Done():
		}
		s.hold(-1)
		if r.Context().Err() != nil {
			return StorageResets
		}
	}
}

func (s *Storage) hold(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += by
}

// ServeHTTP implements http.Handler.
func (s *Storage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch s.stall(r) {
	case StorageResets:
		reset(w)
	case StorageErrs:
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InternalError</Code><Message>out of order</Message></Error>`) // fails only if the client has gone
	default:
		s.proxy.ServeHTTP(w, r)
	}
}

// reset cuts the connection, so that the peer sees an error rather than a regular end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // also ends the connection, though more politely
	}
	if tcp, is := conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0) // it is closed either way
	}
	_ = conn.Close()
}

// stalling is the body of an answer, which stalls while the storage does.
type stalling struct {
	io.ReadCloser
	s *Storage
	r *http.Request
}

// Read implements io.Reader.
func (b stalling) Read(p []byte) (int, error) {
	if b.s.stall(b.r) == StorageResets {
		return 0, io.ErrUnexpectedEOF
	}
	return b.ReadCloser.Read(p)
}
