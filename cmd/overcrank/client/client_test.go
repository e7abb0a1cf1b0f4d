package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// moody is a server that behaves as each next step says; the last step goes on.
type moody struct {
	mu       sync.Mutex
	steps    []http.HandlerFunc
	requests []recorded
}

type recorded struct {
	method, path, key, token, body string
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.requests = append(m.requests, recorded{r.Method, r.URL.RequestURI(), r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization"), string(body)})
	step := m.steps[min(len(m.requests), len(m.steps))-1]
	m.mu.Unlock()
	step(w, r)
}

// sent are the requests so far.
func (m *moody) sent() []recorded {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// answers gives a step that answers so.
func answers(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// breaks is a step that ends the connection instead of answering.
func breaks(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

func start(t *testing.T, steps ...http.HandlerFunc) (*Client, *moody) {
	t.Helper()
	m := &moody{steps: steps}
	srv := httptest.NewServer(m)
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	return &Client{Server: srv.URL, Token: "secret", HTTP: &http.Client{Transport: transport}}, m
}

// TestResultsAreAskedForWithTheTokenAtTheFarmAlone covers a farm that gives results to those who are signed in, under the name that
// its caller knows it by and under another.
func TestResultsAreAskedForWithTheTokenAtTheFarmAlone(t *testing.T) {
	result := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			answers(401, `{"error":"needs a token"}`)(w, r)
			return
		}
		answers(200, "film")(w, r)
	}
	for _, name := range []string{"127.0.0.1", "localhost"} {
		client, server := start(t, result)
		var got strings.Builder
		address := strings.Replace(client.Server, "127.0.0.1", name, 1) + "/outputs/J-x.mp4"
		if err := client.DownloadTo(t.Context(), address, &got, nil); err != nil || got.String() != "film" {
			t.Errorf("%s: %q, %v", name, got.String(), err)
		}
		var tokens []string
		for _, r := range server.sent() {
			tokens = append(tokens, r.token)
		}
		if !slices.Equal(tokens, []string{"", "Bearer secret"}) {
			t.Errorf("%s: the tokens sent are %q", name, tokens)
		}
	}
}

// TestTheRootOfAVersionIsAnAddressToo covers an address that is set for other clients of the interface as well.
func TestTheRootOfAVersionIsAnAddressToo(t *testing.T) {
	for _, behind := range []string{"", "/", "/api/v2", "/api/v2/"} {
		client, server := start(t, answers(200, job))
		client.Server += behind
		if _, err := client.Job(t.Context(), "J"); err != nil || server.sent()[0].path != "/api/v2/jobs/J" {
			t.Errorf("%q: %+v, %v", behind, server.sent(), err)
		}
	}
}

const job = `{"id":"J","status":"queued","outputUrl":"x","stats":{}}`

func TestARequestIsSentAgainWhereThatIsSafe(t *testing.T) {
	ctx := context.Background()
	get := func(c *Client) error { _, err := c.Job(ctx, "J"); return err }
	post := func(c *Client) error { _, err := c.Submit(ctx, map[string]string{"a": "b"}); return err }
	put := func(c *Client) error { _, err := c.SetSecret(ctx, "N", "V", nil); return err }
	remove := func(c *Client) error { return c.DeleteFont(ctx, "F") }
	token := func(c *Client) error { _, err := c.CreateToken(ctx, NewAccess{Name: "n"}); return err }
	busy := answers(503, `{"error":"no leader"}`, "Retry-After", "0")
	limited := answers(429, `{"error":"slow down"}`, "Retry-After", "0")
	fine := answers(200, job)
	for _, c := range []struct {
		name  string
		call  func(*Client) error
		steps []http.HandlerFunc
		sent  int
		works bool
	}{
		{"get, no leader", get, []http.HandlerFunc{busy, busy, fine}, 3, true},
		{"post, too many", post, []http.HandlerFunc{limited, fine}, 2, true},
		{"put, no leader", put, []http.HandlerFunc{busy, fine}, 2, true},
		{"get, broken", get, []http.HandlerFunc{breaks, fine}, 2, true},
		{"post, broken: the key makes it safe", post, []http.HandlerFunc{breaks, breaks, fine}, 3, true},
		{"put, broken", put, []http.HandlerFunc{breaks, fine}, 1, false},
		{"delete, broken", remove, []http.HandlerFunc{breaks, fine}, 1, false},
		{"post of a secret, broken", token, []http.HandlerFunc{breaks, fine}, 1, false},
		{"refused", post, []http.HandlerFunc{answers(400, `{"error":"no"}`), fine}, 1, false},
		{"failed", get, []http.HandlerFunc{answers(500, `{"error":"no"}`), fine}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, server := start(t, c.steps...)
			client.answered.Store(true)
			err := c.call(client)
			if (err == nil) != c.works || len(server.sent()) != c.sent {
				t.Errorf("sent %d times, want %d; error %v", len(server.sent()), c.sent, err)
			}
			for _, r := range server.sent() {
				if r.key != server.sent()[0].key || r.body != server.sent()[0].body {
					t.Errorf("the repetition differs: %+v after %+v", r, server.sent()[0])
				}
				if r.token != "Bearer secret" {
					t.Errorf("sent with %q", r.token)
				}
			}
		})
	}
}

func TestEveryPostHasAKeyOfItsOwn(t *testing.T) {
	c, server := start(t, answers(200, job))
	for range 2 {
		if _, err := c.Submit(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CreateToken(t.Context(), NewAccess{}); err != nil {
		t.Fatal(err)
	}
	keys := []string{server.sent()[0].key, server.sent()[1].key, server.sent()[2].key}
	if len(keys[0]) < 20 || keys[0] == keys[1] || keys[2] != "" {
		t.Errorf("the keys are %q", keys)
	}
}

func TestAFarmThatNeverAnsweredIsNotWaitedFor(t *testing.T) {
	c, server := start(t, breaks)
	_, err := c.Job(t.Context(), "J")
	var lost *UnreachableError
	if !errors.As(err, &lost) || len(server.sent()) != 1 {
		t.Errorf("asked %d times: %v", len(server.sent()), err)
	}
}

func TestPatienceEnds(t *testing.T) {
	c, server := start(t, answers(503, `{"error":"no leader"}`, "Retry-After", "3600"))
	if _, err := c.Job(t.Context(), "J"); !IsStatus(err, 503) || len(server.sent()) != 1 {
		t.Errorf("asked %d times: %v", len(server.sent()), err)
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	c, _ := start(t, answers(503, `{"error":"no leader"}`, "Retry-After", "20"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Job(ctx, "J"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended with %v", err)
	}
}

func TestAFileIsSentAnewFromItsBeginning(t *testing.T) {
	c, server := start(t, breaks, answers(201, `{"src":"farm://x","size":5,"sha256":"y"}`))
	c.answered.Store(true)
	path := filepath.Join(t.TempDir(), "a file.png")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := c.KeepFile(t.Context(), path, nil)
	if err != nil || kept.Src != "farm://x" || len(server.sent()) != 2 || server.sent()[1].body != "hello" {
		t.Errorf("kept %+v, %v; requests %+v", kept, err, server.sent())
	}
}

func TestAFontIsSentAsAForm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Brand.ttf")
	if err := os.WriteFile(path, bytes.Repeat([]byte("f"), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	var name string
	var size int
	m := &http.ServeMux{}
	m.HandleFunc("POST /api/v2/fonts", func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("font")
		if err != nil {
			t.Error(err)
			return
		}
		raw, _ := io.ReadAll(file)
		name, size = header.Filename, len(raw)
		_, _ = io.WriteString(w, `{"id":"F"}`)
	})
	srv := httptest.NewServer(m)
	defer srv.Close()
	font, err := (&Client{Server: srv.URL, HTTP: srv.Client()}).AddFont(t.Context(), path, nil)
	if err != nil || font.ID != "F" || name != "Brand.ttf" || size != 5000 {
		t.Errorf("font %+v, %v; the farm got %s of %d bytes", font, err, name, size)
	}
}

func TestListsGoOverPagesAndStayAsWritten(t *testing.T) {
	page := func(items string, next string) http.HandlerFunc {
		if next == "" {
			return answers(200, items)
		}
		return answers(200, items, "Link", `</api/v2/jobs?cursor=`+next+`>; rel="next"`)
	}
	c, server := start(t, page(`[{"id":"1", "x":1.0},{"id":"2"}]`, "a"), page("[{\"id\":\"3\"},\n{\"id\":\"4\"}]\n", "b"), page(`[{"id":"5"}]`, ""))
	all, err := c.Jobs(t.Context(), url.Values{}, 0)
	if err != nil || len(all.Items) != 5 || string(all.JSON()) != `[{"id":"1", "x":1.0},{"id":"2"},{"id":"3"},{"id":"4"},{"id":"5"}]` || all.Next != "" {
		t.Errorf("got %d, %s, next %q, %v", len(all.Items), all.JSON(), all.Next, err)
	}
	if got := server.sent()[1].path; got != "/api/v2/jobs?cursor=a" {
		t.Errorf("the second page is asked for at %s", got)
	}
	c, _ = start(t, page(`[{"id":"1"},{"id":"2"}]`, "a"), page(`[{"id":"3"},{"id":"4"}]`, "b"))
	some, err := c.Jobs(t.Context(), url.Values{}, 3)
	if err != nil || len(some.Items) != 3 || string(some.JSON()) != `[{"id":"1"},{"id":"2"},{"id":"3"}]` || some.Next == "" {
		t.Errorf("of three: got %d, %s, next %q, %v", len(some.Items), some.JSON(), some.Next, err)
	}
}

func TestABatchThatWasRefusedWholeTellsOfEachJob(t *testing.T) {
	c, _ := start(t, answers(400, `{"batchId":"B","status":"error","totalJobs":1,"successCount":0,"jobs":[],"errors":[{"index":0,"error":"no layer"}]}`))
	b, err := c.CreateBatch(t.Context(), []map[string]any{{}})
	if err != nil || len(b.Errors) != 1 || b.Errors[0].Error != "no layer" || len(b.JSON()) == 0 {
		t.Errorf("got %+v, %v", b, err)
	}
	c, _ = start(t, answers(400, `{"error":"too many jobs"}`))
	if _, err := c.CreateBatch(t.Context(), nil); !IsStatus(err, 400) {
		t.Errorf("got %v", err)
	}
}

func TestTheTokenStaysWithTheFarm(t *testing.T) {
	c, _ := start(t, answers(200, ""))
	var seen string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = r.Header.Get("Authorization") + r.Header.Get("Idempotency-Key")
	}))
	defer other.Close()
	if err := c.DownloadTo(t.Context(), other.URL+"/api/film.mp4", io.Discard, nil); err != nil || seen != "" {
		t.Errorf("another server was given %q (%v)", seen, err)
	}
}

func TestADownloadThatBreaksGoesOn(t *testing.T) {
	film := bytes.Repeat([]byte("0123456789"), 20_000)
	tries := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries++
		w.Header().Set("ETag", `"v1"`)
		from := 0
		if given := r.Header.Get("Range"); given != "" && r.Header.Get("If-Range") == `"v1"` {
			from, _ = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(given, "bytes="), "-"))
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(film)-1, len(film)))
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(film)-from))
		if from > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		end := len(film)
		if tries < 3 {
			end = from + (len(film)-from)/2
		}
		_, _ = w.Write(film[from:end])
	}))
	defer srv.Close()
	path := filepath.Join(t.TempDir(), "film.mp4")
	c := &Client{Server: srv.URL, HTTP: srv.Client()}
	if err := c.Download(t.Context(), srv.URL+"/outputs/x", path, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, film) || tries != 3 {
		t.Errorf("after %d tries %d bytes of %d are there (%v)", tries, len(got), len(film), err)
	}
}

func TestNextLink(t *testing.T) {
	for header, want := range map[string]string{
		`</a?cursor=1>; rel="next"`:                    "/a?cursor=1",
		`</b>; rel="prev", </c>; rel="next"`:           "/c",
		`</api/v3/templates>; rel="successor-version"`: "",
		``:                                "",
		`</d> ; title="x" ; rel = "next"`: "/d",
	} {
		if got := nextLink([]string{header}); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func TestErrorsTellWhatTheFarmSaid(t *testing.T) {
	c, _ := start(t, answers(400, `{"error":"the job is wrong","details":[{"field":"template.id","message":"is missing"}]}`))
	_, err := c.Submit(t.Context(), nil)
	if err == nil || err.Error() != "the job is wrong\n  template.id: is missing" {
		t.Errorf("got %v", err)
	}
	c, _ = start(t, answers(502, `<html>`))
	if _, err = c.Job(t.Context(), "J"); err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("got %v", err)
	}
}

// TestARequestThatIsRepeatedForLongSaysWhy: once, and not while an election would still go on.
func TestARequestThatIsRepeatedForLongSaysWhy(t *testing.T) {
	full := answers(503, `{"error":"the disk is full"}`, "Retry-After", "1")
	client, _ := start(t, full, full, full, full, answers(200, `[]`))
	var said []string
	ctx := WithWaits(t.Context(), func(reason error, rest time.Duration) {
		said = append(said, reason.Error())
		if rest <= 0 || rest >= defaultPatience {
			t.Errorf("it goes on for %v", rest)
		}
	})
	if _, err := client.Secrets(ctx); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "the disk is full") {
		t.Errorf("it says %q", said)
	}
	quick, _ := start(t, full, answers(200, `[]`))
	said = nil
	if _, err := quick.Secrets(ctx); err != nil || len(said) > 0 {
		t.Errorf("one repetition says %q, %v", said, err)
	}
}
