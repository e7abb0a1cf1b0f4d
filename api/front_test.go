package api_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api"
	"overcrank/farm"
)

// waitsFor are the checks of a node that waits for something.
func waitsFor(what string) func() []farm.Check {
	return func() []farm.Check {
		return []farm.Check{farm.Failed("start", farm.Errorf(farm.CodeUnavailable, "%s", what))}
	}
}

// named is an application that says its name, and what it was sent.
func named(name string) *fiber.App {
	app := api.NewApp(nil)
	app.Post("/files/:rest", func(c *fiber.Ctx) error {
		body, err := io.ReadAll(c.Context().RequestBodyStream())
		if err != nil {
			return err
		}
		return c.SendString(fmt.Sprint(name, " took ", len(body)))
	})
	app.Get("/:rest", func(c *fiber.Ctx) error { return c.SendString(name) })
	return app
}

// openFront is a front on a port.
func openFront(t *testing.T) (f *api.Front, address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f = api.NewFront(slog.New(slog.DiscardHandler), waitsFor("the first"))
	served := make(chan error, 1)
	go func() { served <- f.Serve(ln) }()
	t.Cleanup(func() {
		if err := f.Shutdown(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return f, ln.Addr().String()
}

// asks sends a request on a connection that may be kept, and reads the answer.
func asks(client *http.Client, method, url string, body io.Reader) (status int, text string, header http.Header, err error) {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		return 0, "", nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	read, err := io.ReadAll(res.Body)
	return res.StatusCode, string(read), res.Header, err
}

func TestAFrontServesWhatStandsBehindIt(t *testing.T) {
	f, address := openFront(t)
	var client http.Client
	defer client.CloseIdleConnections()
	waiting := make(chan string, 1)
	go func() {
		_, text, _, err := asks(&client, http.MethodGet, "http://"+address+"/x", nil)
		waiting <- fmt.Sprint(text, err)
	}()
	if status, _, _, err := asks(&client, http.MethodGet, "http://"+address+"/healthz", nil); status != http.StatusOK || err != nil {
		t.Errorf("a process with nothing behind it is alive with %d, %v", status, err)
	}
	if status, text, header, err := asks(&client, http.MethodGet, "http://"+address+"/readyz", nil); status != http.StatusServiceUnavailable || !strings.Contains(text, "the first") || header.Get("Retry-After") == "" || err != nil {
		t.Errorf("it is ready with %d %s %v, %v", status, text, header, err)
	}
	f.Open(named("one"))
	if got := <-waiting; got != "one<nil>" {
		t.Errorf("who waited for the first got %q", got)
	}
	f.Hold(waitsFor("the second"))(t.Context())
	f.Despair(waitsFor("a disk"))
	status, text, header, err := asks(&client, http.MethodPost, "http://"+address+"/files/x", strings.NewReader("hello"))
	if status != http.StatusServiceUnavailable || !strings.Contains(text, "a disk") || header.Get("Retry-After") == "" || err != nil {
		t.Errorf("without hope the answer is %d %s %v, %v", status, text, header, err)
	}
	f.Open(named("two"))
	if _, text, _, err := asks(&client, http.MethodPost, "http://"+address+"/files/x", strings.NewReader("hello")); text != "two took 5" || err != nil {
		t.Errorf("the second says %q, %v", text, err)
	}
}

// TestNoRequestFailsWhileApplicationsChange changes what stands behind a front under clients that keep their connections.
func TestNoRequestFailsWhileApplicationsChange(t *testing.T) {
	f, address := openFront(t)
	f.Open(named("0"))
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			var client http.Client
			defer client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i++ {
				body := strings.NewReader(strings.Repeat("x", i%5000))
				if status, text, _, err := asks(&client, http.MethodPost, "http://"+address+"/files/x", body); status != http.StatusOK || !strings.HasSuffix(text, fmt.Sprint(" took ", i%5000)) || err != nil {
					t.Errorf("%d %s, %v", status, text, err)
					return
				}
			}
		})
	}
	for i := range 50 {
		drained, stop := context.WithTimeout(t.Context(), patience)
		f.Hold(waitsFor("the next"))(drained)
		if drained.Err() != nil {
			t.Error("a request did not end")
		}
		stop()
		f.Open(named(fmt.Sprint(i + 1)))
		time.Sleep(time.Millisecond)
	}
	cancel()
	work.Wait()
}

// TestLongBodiesAreWaitedFor sends half of an upload, and changes the application when the rest has come.
func TestLongBodiesAreWaitedFor(t *testing.T) {
	f, address := openFront(t)
	f.Open(named("one"))
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	half := strings.Repeat("x", 1<<20)
	if _, err := fmt.Fprintf(conn, "POST /files/x HTTP/1.1\r\nHost: farm\r\nContent-Length: %d\r\n\r\n%s", 2<<20, half); err != nil {
		t.Fatal(err)
	}
	soon := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		f.AwaitUploads(ctx)
		return ctx.Err()
	}
	for end := time.Now().Add(patience); soon() == nil; {
		if time.Now().After(end) {
			t.Fatal("an upload that is under way is not waited for")
		}
	}
	if _, err := io.WriteString(conn, half); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); string(text) != fmt.Sprint("one took ", 2<<20) || err != nil {
		t.Errorf("the upload is answered with %q, %v", text, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if f.AwaitUploads(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("uploads are waited for when there are none")
	}
}
