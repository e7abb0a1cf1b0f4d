package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Contract is what traffic is held against, and what of it was seen. It is made once for all tests of a package.
type Contract struct {
	documents []*document
	mu        sync.Mutex
	seen      map[exchange]int
	requests  int
}

// exchange is an operation of a document and a status that it answered.
type exchange struct {
	document  string
	operation string
	status    int
}

// Load reads the documents.
func Load() (*Contract, error) {
	c := &Contract{seen: map[exchange]int{}}
	var err error
	if c.documents, err = ours(); err != nil {
		return nil, err
	}
	other, err := published()
	if other != nil {
		c.documents = append(c.documents, other)
	}
	return c, err
}

// Transport sends requests by next, http.DefaultTransport when that is nil, and fails t when one or its answer is not as
// the documents say.
func (c *Contract) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return &transport{t: t, contract: c, next: next}
}

// Proxy stands before a farm at an address, for programs that bring a client of their own, and gives its own address.
func (c *Contract) Proxy(t testing.TB, farm string) string {
	t.Helper()
	to, err := url.Parse(farm)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: c.Transport(t, nil),
	})
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// Answers is how many answers were held against a document, and Requests how many bodies and queries of requests.
func (c *Contract) Answers() (answers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.seen {
		answers += n
	}
	return answers
}

// Requests is how many requests were held against the documents.
func (c *Contract) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// fromAnywhere are the statuses that every operation shares; one test for all of them is enough.
var fromAnywhere = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}

// Unseen lists the operations that never succeeded, and the answers of the farm's own documents that never came.
func (c *Contract) Unseen() (operations, answers []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range c.documents {
		for name, op := range d.operations() {
			succeeded := false
			for status := range op.Responses.Map() {
				code := 0
				if _, err := fmt.Sscan(status, &code); err != nil {
					continue
				}
				came := c.seen[exchange{d.name, name, code}] > 0
				succeeded = succeeded || came && code < 300
				if !came && d.ours && !slices.Contains(fromAnywhere, code) {
					answers = append(answers, name+" "+status)
				}
			}
			if !succeeded {
				operations = append(operations, d.name+": "+name)
			}
		}
	}
	slices.Sort(operations)
	slices.Sort(answers)
	return operations, answers
}

func (c *Contract) note(d *document, operation string, status int, request bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[exchange{d.name, operation, status}]++
	if request {
		c.requests++
	}
}

type transport struct {
	t        testing.TB
	contract *Contract
	next     http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (tr *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := copyOf(r)
	if err != nil {
		return nil, err
	}
	res, err := tr.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var body []byte
	if readable(res) {
		body, err = io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("reading the answer: %w", err)
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
	}
	for _, err := range tr.contract.check(r, sent, res, body) {
		tr.t.Errorf("%s %s answers %d: %v\n%.4000s", r.Method, r.URL.Path, res.StatusCode, err, body)
	}
	return res, nil
}

// readable tells answers that are for reading from files, which may be large.
func readable(res *http.Response) bool {
	kind := res.Header.Get("Content-Type")
	return strings.HasPrefix(kind, "application/json") || strings.HasPrefix(kind, "text/plain")
}

// copyOf is the body of a request that can be sent more than once, nil for a stream.
func copyOf(r *http.Request) ([]byte, error) {
	if r.GetBody == nil || r.ContentLength > bodyLimit {
		return nil, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// bodyLimit keeps files out of what is looked at.
const bodyLimit = 32 << 20

// checkEvery holds an answer against what goes for all of them.
func checkEvery(r *http.Request, res *http.Response, body []byte) error {
	if res.Header.Get("X-Request-Id") == "" {
		return fmt.Errorf("the answer has no X-Request-Id")
	}
	if res.StatusCode < 400 || r.Method == http.MethodHead || !strings.HasPrefix(r.URL.Path, "/api/") {
		return nil
	}
	if (res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable) && res.Header.Get("Retry-After") == "" {
		return fmt.Errorf("the answer does not say when to come again")
	}
	return CheckError(res.Header, body)
}

// CheckError holds an error against the shape that all of them have.
func CheckError(header http.Header, body []byte) error {
	if kind := header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("the error is %s, not JSON", kind)
	}
	var e struct {
		Error   *string
		BatchID *string // a batch of which every job failed is answered as a batch
		Details []struct{ Field, Message string }
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return fmt.Errorf("the error is not JSON: %w", err)
	}
	if e.BatchID == nil && (e.Error == nil || *e.Error == "") {
		return fmt.Errorf("the error has no message")
	}
	for _, d := range e.Details {
		if d.Field == "" || d.Message == "" {
			return fmt.Errorf("a detail lacks its field or message")
		}
	}
	return nil
}
