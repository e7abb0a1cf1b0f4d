package api_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"overcrank/api"
	"overcrank/api/apitest"
)

// connect opens a connection that ends with the test, and that no test waits on for ever.
func (r *rig) connect() net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// next reads one answer.
func next(t testing.TB, from *bufio.Reader, method string) reply {
	t.Helper()
	res, err := http.ReadResponse(from, &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{t, res.StatusCode, res.Header, body}
}

// exchange sends the lines of a request as they are, with the administrator's token, and reads its answer.
func (r *rig) exchange(lines, body string) reply {
	r.t.Helper()
	conn := r.connect()
	if _, err := io.WriteString(conn, lines+"\r\nHost: farm\r\nAuthorization: Bearer "+r.token+"\r\n\r\n"+body); err != nil {
		r.t.Fatal(err)
	}
	method, _, _ := strings.Cut(lines, " ")
	return next(r.t, bufio.NewReader(conn), method)
}

// leaks are words of the program that no caller should read.
var leaks = []string{".go:", "goroutine", "panic", "json:", "unmarshal", "Unmarshal", "struct", "interface {", "map[", "*api", "farm.", "coordinator.", "raftstore", "bbolt", "fasthttp", "/tmp/", "%!"}

// isError checks that an answer is an error in the shape of all errors, and tells nothing of the program.
func (a reply) isError(what string) {
	a.t.Helper()
	if a.header.Get("X-Request-Id") == "" {
		a.t.Errorf("%s: the answer has no X-Request-Id", what)
	}
	if err := apitest.CheckError(a.header, a.body); err != nil {
		a.t.Errorf("%s: %v: %.300s", what, err, a.body)
	}
	for _, leak := range leaks {
		if bytes.Contains(a.body, []byte(leak)) {
			a.t.Errorf("%s: the answer tells of %q: %.500s", what, leak, a.body)
		}
	}
	if len(a.body) > 40_000 {
		a.t.Errorf("%s: the answer holds %d bytes", what, len(a.body))
	}
}

func TestStrangeRequestsGetAPlainAnswer(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob).ID
	for _, test := range []struct {
		lines  string
		status int
	}{
		// One rule for paths: each address has one spelling, and a slash behind it does no harm.
		{"GET /api/v2/jobs HTTP/1.1", 200},
		{"GET /api/v2/jobs/ HTTP/1.1", 200},
		{"GET /api/v2/jobs/" + job + "/ HTTP/1.1", 200},
		{"GET /api/v2//jobs HTTP/1.1", 200}, // a base address that ends in a slash
		{"GET /api/v2///jobs HTTP/1.1", 404},
		{"GET //api/v2/jobs HTTP/1.1", 404},
		{"GET /api/v2/./jobs HTTP/1.1", 404},
		{"GET /api/v2/../v2/jobs HTTP/1.1", 404},
		{"GET /api/v2/jobs/../templates HTTP/1.1", 404},
		{"GET /api/v2/jobs/%2e%2e/templates HTTP/1.1", 404},
		{"GET /api/v2/jobs%2f" + job + " HTTP/1.1", 404},
		{"GET /api/v2/jobs/" + job + "%2flogs HTTP/1.1", 404},
		{"GET /api/v2/jobs/" + job + "//logs HTTP/1.1", 404},
		{"GET /api/v2/%6aobs HTTP/1.1", 404},
		{"GET /API/V2/JOBS HTTP/1.1", 404},
		{"GET /api/v2/jobs/" + strings.ToLower(job) + " HTTP/1.1", 404},
		{"GET /../../etc/passwd HTTP/1.1", 404},
		{"GET /outputs/..%2f..%2fetc%2fpasswd HTTP/1.1", 404},
		{"GET /files/templates/..%2f..%2fadmin.token HTTP/1.1", 403},

		// Ids that no record has.
		{"GET /api/v2/jobs/%zz HTTP/1.1", 404},
		{"GET /api/v2/jobs/% HTTP/1.1", 404},
		{"GET /api/v2/jobs/a%00b HTTP/1.1", 404},
		{"GET /api/v2/jobs/\xff\xfe HTTP/1.1", 404},
		{"GET /api/v2/jobs/\u00e9\u202e HTTP/1.1", 404},
		{"GET /api/v2/jobs/" + strings.Repeat("z", 10_000) + " HTTP/1.1", 404},
		{"GET /api/v2/jobs?limit=%zz HTTP/1.1", 400},
		{"GET /api/v2/jobs?tags=%00 HTTP/1.1", 200},
		{"GET http://elsewhere/api/v2/jobs HTTP/1.1", 200},

		// Too long, and no HTTP at all.
		{"GET /api/v2/jobs/" + strings.Repeat("z", 20_000) + " HTTP/1.1", 431},
		{"GET /api/v2/jobs HTTP/1.1\r\nX-Long: " + strings.Repeat("a", 20_000), 431},
		{"GET /api/v2/jobs HTTP/1.1\r\nno header", 400},
		{"GET /api/v2/jobs HTTP/1.1\r\nX Y: space", 400},
		{"NOTHING", 400},

		// Methods.
		{"HEAD /api/v2/jobs HTTP/1.1", 200},
		{"OPTIONS /api/v2/jobs HTTP/1.1", 404},
		{"OPTIONS * HTTP/1.1", 404},
		{"TRACE /api/v2/jobs HTTP/1.1", 404},
		{"CONNECT farm:80 HTTP/1.1", 404},
		{"BREW /api/v2/jobs HTTP/1.1", 404},
		{"get /api/v2/jobs HTTP/1.1", 404},
		{strings.Repeat("A", 300) + " /api/v2/jobs HTTP/1.1", 404},

		// Lengths that lie.
		{"POST /api/v2/jobs HTTP/1.1\r\nContent-Length: -1", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nContent-Length: 5x", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nContent-Length: 99999999999999999999", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400},
		{"POST /api/v2/jobs HTTP/1.1\r\nTransfer-Encoding: gzip, chunked", 400},
		{"GET /api/v2/jobs HTTP/1.1\r\nHost: another", 400},
	} {
		what := fmt.Sprintf("%.100q", test.lines)
		a := r.exchange(test.lines, "0\r\n\r\n")
		if a.status != test.status {
			t.Errorf("%s answers %d, want %d: %.200s", what, a.status, test.status, a.body)
		}
		if a.status >= 400 {
			a.isError(what)
		}
		if bytes.Contains(a.body, []byte(r.token)) {
			t.Errorf("%s: the answer repeats the token", what)
		}
	}
	if strings.Contains(r.logs.String(), r.token) {
		t.Error("the log holds the token")
	}
}

func TestTwoLengthsHideNoSecondRequest(t *testing.T) {
	r := start(t)
	hidden := "GET /api/v2/hidden HTTP/1.1\r\nHost: farm\r\n\r\n"
	for _, lengths := range []string{
		fmt.Sprintf("Content-Length: %d\r\nContent-Length: 0", len(hidden)),
		fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked", len(hidden)),
		"Transfer-Encoding: xchunked",
	} {
		got := r.raw("POST /healthz HTTP/1.1\r\nHost: farm\r\n"+lengths+"\r\n\r\n0\r\n\r\n"+hidden, 2)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || strings.Contains(got, "hidden") || strings.Count(got, "HTTP/1.1 ") != 1 {
			t.Errorf("%q: %q", lengths, got)
		}
	}
}

func TestHeadAnswersAsGetWithoutTheBody(t *testing.T) {
	r := start(t)
	job := r.submit(srcJob).ID
	for _, path := range []string{"/api/v2/jobs", "/api/v2/jobs/" + job, "/api/v3/templates", "/healthz", "/api/v2/jobs/" + unknownID} {
		get, head := r.get(path), r.send(http.MethodHead, path, nil)
		if head.status != get.status || len(head.body) != 0 || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
			t.Errorf("HEAD %s answers %d %q with a body of %d bytes, GET %d %q", path, head.status, head.header.Get("Content-Type"), len(head.body), get.status, get.header.Get("Content-Type"))
		}
	}
}

func TestPagesOfOtherSitesGetNothing(t *testing.T) {
	r := start(t)
	for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost} {
		a := r.send(method, "/api/v2/jobs", nil, "Origin: https://evil.example", "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
		for name := range a.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s answers %s: %s", method, name, a.header.Get(name))
			}
		}
	}
}

func TestBodiesAreJSONWhateverTheirTypeIsCalled(t *testing.T) {
	r := start(t)
	for _, kind := range []string{"", "application/json", "application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "nonsense", "application/xml"} {
		r.send(http.MethodPost, "/api/v2/jobs", srcJob, "Content-Type: "+kind).into(http.StatusCreated, nil)
	}
	r.send(http.MethodPost, "/api/v2/jobs", "template=x", "Content-Type: application/x-www-form-urlencoded").refused(http.StatusBadRequest, "JSON")
	r.send(http.MethodPost, "/api/v2/jobs", []byte("\x1f\x8b\x08\x00\x00\x00"), "Content-Encoding: gzip").refused(http.StatusBadRequest, "gzip")
	for _, encoding := range []string{"gzip", "br, gzip;q=0", "identity;q=0", "*"} {
		a := r.get("/api/v2/jobs", "Accept-Encoding: "+encoding).into(http.StatusOK, nil)
		if got := a.header.Get("Content-Encoding"); got != "" {
			t.Errorf("an answer for %q is encoded as %q", encoding, got)
		}
	}
}

func TestRequestsInAPipelineAreAnsweredInOrder(t *testing.T) {
	r := start(t)
	const many = 300
	conn := r.connect()
	failed := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < many && err == nil; i++ {
			request := fmt.Sprintf("GET /api/v2/jobs HTTP/1.1\r\nHost: farm\r\nX-Request-Id: n%d\r\nAuthorization: Bearer %s\r\n\r\n", i, r.token)
			if i%3 == 0 {
				request = fmt.Sprintf("POST /api/v2/jobs HTTP/1.1\r\nHost: farm\r\nX-Request-Id: n%d\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", i, r.token, len(srcJob), srcJob)
			}
			_, err = io.WriteString(conn, request)
		}
		failed <- err
	}()
	answers := bufio.NewReader(conn)
	for i := range many {
		a, want := next(t, answers, ""), http.StatusOK
		if i%3 == 0 {
			want = http.StatusCreated
		}
		if a.status != want || a.header.Get("X-Request-Id") != fmt.Sprint("n", i) {
			t.Fatalf("answer %d is %d of request %s", i, a.status, a.header.Get("X-Request-Id"))
		}
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

func TestServersHaveAnEndToTheirPatience(t *testing.T) {
	server := api.NewApp(nil).Server()
	for what, got := range map[string]time.Duration{"a request": server.ReadTimeout, "an answer": server.WriteTimeout, "the next request": server.IdleTimeout} {
		if got <= 0 || got > 2*time.Minute {
			t.Errorf("the server waits %s for %s", got, what)
		}
	}
}

// hasty is a server that waits only a moment.
func hasty(t *testing.T, route func(*fiber.App)) *rig {
	return serve(t, func(app *fiber.App) {
		server := app.Server()
		server.ReadTimeout, server.WriteTimeout, server.IdleTimeout = 200*time.Millisecond, 200*time.Millisecond, 200*time.Millisecond
		route(app)
	})
}

func TestSlowSendersAreCutOff(t *testing.T) {
	r := hasty(t, func(app *fiber.App) {
		app.Post("/api/echo", func(c *fiber.Ctx) error { return c.SendStatus(fiber.StatusNoContent) })
	})
	for name, beginning := range map[string]string{
		"nothing at all":          "",
		"headers drop by drop":    "GET /healthz HTTP/1.1\r\nHost: farm\r\n",
		"a body drop by drop":     "POST /api/echo HTTP/1.1\r\nHost: farm\r\nContent-Length: 4000\r\n\r\n",
		"chunks drop by drop":     "POST /api/echo HTTP/1.1\r\nHost: farm\r\nTransfer-Encoding: chunked\r\n\r\n",
		"an idle open connection": "POST /api/echo HTTP/1.1\r\nHost: farm\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn := r.connect()
			if _, err := io.WriteString(conn, beginning); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = io.Copy(io.Discard, conn) // until the server closes it
			}()
			drop := time.NewTicker(20 * time.Millisecond)
			defer drop.Stop()
			deadline := time.After(patience)
			for {
				select {
				case <-ended:
					return
				case <-deadline:
					t.Fatal("the server still holds the connection")
				case <-drop.C:
					if strings.Contains(name, "drop") {
						_, _ = io.WriteString(conn, "X") // fails once the server has closed it
					}
				}
			}
		})
	}
}

func TestSlowReadersAreCutOff(t *testing.T) {
	const size = 64 << 20
	var server *fasthttp.Server
	r := hasty(t, func(app *fiber.App) {
		server = app.Server()
		server.ReadTimeout, server.IdleTimeout = patience, patience // the request may be late
		app.Get("/api/large", func(c *fiber.Ctx) error { return c.Send(make([]byte, size)) })
	})
	var conn net.Conn
	r.eventually("an answer to begin", func() bool { // the server may stand still for as long as it has patience before it writes anything
		conn = r.connect()
		if _, err := io.WriteString(conn, "GET /api/large HTTP/1.1\r\nHost: farm\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		_, err := io.ReadFull(conn, make([]byte, 1000))
		return err == nil
	})
	// No more is read before the server has given up.
	r.eventually("the server lets go", func() bool { return server.GetOpenConnectionsCount() == 0 })
	if n, _ := io.Copy(io.Discard, conn); n >= size-1000 {
		t.Errorf("all of the %d bytes came through", n)
	}
}
