package api_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/farm"
)

// serve gives a client of an application that has routes of a test's own.
func serve(t *testing.T, route func(*fiber.App)) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, base: "http://" + ln.Addr().String(), token: "none", logs: &safeBuffer{}}
	r.http = &http.Client{Transport: contract.Transport(t, plainTransport), Timeout: patience}
	app := api.NewApp(slog.New(slog.NewTextHandler(r.logs, nil)))
	route(app)
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestErrorsBecomeAnswers(t *testing.T) {
	var failure error
	r := serve(t, func(app *fiber.App) {
		app.Get("/api/fail", func(*fiber.Ctx) error { return failure })
	})
	for _, test := range []struct {
		err        error
		status     int
		says       string
		retryAfter bool
	}{
		{farm.Errorf(farm.CodeInvalid, "not so"), 400, "not so", false},
		{farm.Errorf(farm.CodeUnauthorized, "who are you"), 401, "who are you", false},
		{farm.Errorf(farm.CodeForbidden, "not you"), 403, "not you", false},
		{farm.Errorf(farm.CodeNotFound, "no such thing"), 404, "no such thing", false},
		{farm.Errorf(farm.CodeConflict, "taken"), 409, "taken", false},
		{farm.Errorf(farm.CodeGone, "gone"), 410, "gone", false},
		{farm.Errorf(farm.CodeTooLarge, "too large"), 413, "too large", false},
		{farm.Errorf(farm.CodeRateLimited, "slowly"), 429, "slowly", true},
		{farm.Errorf(farm.CodeUnavailable, "no leader"), 503, "no leader", true},
		{fmt.Errorf("wrapped: %w", farm.Errorf(farm.CodeGone, "gone")), 410, "gone", false},
		{fiber.NewError(418, "a teapot"), 418, "a teapot", false},
		{errors.New("the disk said: password=hunter2"), 500, "its log says why", false},
		{farm.Errorf(farm.CodeInternal, "hunter2"), 500, "its log says why", false},
	} {
		failure = test.err
		a := r.get("/api/fail").refused(test.status, test.says)
		if got := a.header.Get("Retry-After") != ""; got != test.retryAfter {
			t.Errorf("%v: Retry-After is %q", test.err, a.header.Get("Retry-After"))
		}
		if strings.Contains(string(a.body), "hunter2") {
			t.Errorf("the answer %s tells what is the log's", a.body)
		}
	}
	if !strings.Contains(r.logs.String(), "hunter2") {
		t.Errorf("the log does not tell why a request failed:\n%s", r.logs)
	}
}

func TestAPanicIsAnAnswerAndALineInTheLog(t *testing.T) {
	r := serve(t, func(app *fiber.App) {
		app.Get("/api/panic", func(*fiber.Ctx) error { panic("as asked") })
	})
	a := r.get("/api/panic").refused(http.StatusInternalServerError, "its log says why")
	id := a.header.Get("X-Request-Id")
	if !strings.Contains(string(a.body), id) || !strings.Contains(r.logs.String(), "request="+id) || !strings.Contains(r.logs.String(), "as asked") {
		t.Errorf("the answer is %s, the log\n%s", a.body, r.logs)
	}
}

func TestPagesGetTheirFormsWhole(t *testing.T) {
	r := serve(t, func(app *fiber.App) {
		app.Post("/page", func(c *fiber.Ctx) error { return c.SendString(c.FormValue("word") + string(c.Body())) })
	})
	for name, body := range map[string]any{"with a length": "word=hello", "chunked": io.MultiReader(strings.NewReader("word=hello"))} {
		a := r.send(http.MethodPost, "/page", body, "Content-Type: application/x-www-form-urlencoded").into(http.StatusOK, nil)
		if string(a.body) != "helloword=hello" {
			t.Errorf("%s: the page read %q", name, a.body)
		}
	}
	long := io.MultiReader(strings.NewReader("word=" + strings.Repeat("x", 1<<20)))
	r.send(http.MethodPost, "/page", long).refused(http.StatusRequestEntityTooLarge, "1 MiB")
}

func TestAnAnswerOfTheInterfaceIsNotKeptOrGuessed(t *testing.T) {
	r := serve(t, func(app *fiber.App) {
		app.Get("/api/thing", func(c *fiber.Ctx) error { return c.JSON("x") })
	})
	header := r.get("/api/thing").into(http.StatusOK, nil).header
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Server": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestReadinessSaysWhyNot(t *testing.T) {
	head, err := coordinator.Open(t.Context(), coordinator.Config{DataDir: t.TempDir(), PublicAddress: "http://farm.test", MinFree: 1, DescribeJob: public.DescribeJob})
	if err != nil {
		t.Fatal(err)
	}
	if err := head.Close(); err != nil {
		t.Fatal(err)
	}
	r := serve(t, func(app *fiber.App) {
		t.Cleanup(api.Mount(app, api.Config{Farm: head}))
	})
	a := r.get("/readyz").refused(http.StatusServiceUnavailable)
	if a.header.Get("Retry-After") == "" {
		t.Error("the answer does not say when to come again")
	}
	r.get("/healthz").into(http.StatusOK, nil)
}
