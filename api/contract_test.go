package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// shared is a folder beside the repository, "" when it is not there.
func shared(parts ...string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
	path := filepath.Join(append([]string{dir, "..", "shared"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// checked counts the answers that were held against the contract, over all tests.
var checked atomic.Int64

// contract is the client side of the tests: it holds every answer against the published contract, and against what
// holds for all of them.
type contract struct {
	t      testing.TB
	doc    *openapi3.T // nil when the contract is not there
	router routers.Router
}

func newContract(t testing.TB, base string) *contract {
	t.Helper()
	c := &contract{t: t}
	path := shared("spec", "wire.openapi.json")
	if path == "" {
		t.Log("../shared/spec/wire.openapi.json is absent: answers are not held against the contract")
		return c
	}
	doc, err := openapi3.NewLoader().LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = openapi3.Servers{{URL: base + "/api"}}
	if c.router, err = legacy.NewRouter(doc); err != nil {
		t.Fatal(err)
	}
	c.doc = doc
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *contract) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := plainTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err := c.check(r, res, body); err != nil {
		c.t.Errorf("%s %s answers %d: %v\n%s", r.Method, r.URL.Path, res.StatusCode, err, body)
	}
	return res, nil
}

var plainTransport = &http.Transport{DisableKeepAlives: true}

func (c *contract) check(r *http.Request, res *http.Response, body []byte) error {
	if res.Header.Get("X-Request-Id") == "" {
		return fmt.Errorf("the answer has no X-Request-Id")
	}
	if res.StatusCode >= 400 && r.Method != http.MethodHead {
		if err := checkError(res, body); err != nil {
			return err
		}
	}
	if c.router == nil {
		return nil
	}
	return c.checkContract(r, res, body)
}

// checkError holds an error against the shape that all errors have.
func checkError(res *http.Response, body []byte) error {
	if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return fmt.Errorf("the error is %s, not JSON", kind)
	}
	var e struct {
		Error   string
		Details []struct{ Field, Message string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error == "" {
		return fmt.Errorf("the error has no message")
	}
	for _, d := range e.Details {
		if d.Field == "" || d.Message == "" {
			return fmt.Errorf("a detail lacks its field or message")
		}
	}
	return nil
}

// aliases lead to addresses of the contract.
var aliases = []struct {
	method string
	from   *regexp.Regexp
	to     string
}{
	{"", regexp.MustCompile(`^/api/v2/v3/`), "/api/v3/"},
	{http.MethodGet, regexp.MustCompile(`^(/api/v2/templates/[^/]+)/upload$`), "$1/download"},
}

// everywhere lists the statuses that every operation may answer beyond what the contract lists for it.
var everywhere = []int{401, 403, 409, 413, 429, 503}

func (c *contract) checkContract(r *http.Request, res *http.Response, body []byte) error {
	asked := r.Clone(context.Background())
	for _, a := range aliases {
		if a.method == "" || a.method == r.Method {
			asked.URL.Path = a.from.ReplaceAllString(asked.URL.Path, a.to)
		}
	}
	asked.URL = &url.URL{Scheme: "http", Host: r.URL.Host, Path: asked.URL.Path, RawQuery: r.URL.RawQuery}
	route, params, err := c.router.FindRoute(asked)
	if err != nil {
		return nil // not of the contract: our own addresses, and those that do not exist
	}
	if bytes.Contains(body, []byte("in this interface")) {
		return nil // of the contract, and not served
	}
	if r.Header.Get("Range") != "" && (res.StatusCode == http.StatusPartialContent || res.StatusCode == http.StatusRequestedRangeNotSatisfiable) {
		return nil // what HTTP itself adds
	}
	if route.Operation.Responses.Status(res.StatusCode) == nil && slices.Contains(everywhere, res.StatusCode) {
		return nil // checkError has looked at it
	}
	checked.Add(1)
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route},
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
}
