package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"overcrank/api"
	"overcrank/api/apitest"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/coordinator/preview"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/inbound"
)

// contract holds the traffic of all tests of this package against the interface's documents.
var contract *apitest.Contract

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == looksAtTemplate {
		if err := reader.Main(context.Background(), os.Stdin, os.Stdout, lookAt); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == drawsPreviews {
		fmt.Fprintln(os.Stderr, preview.Main(context.Background(), os.Stdin, os.Stdout, func(context.Context, preview.Opening) preview.Stage { return drawing{} }))
		os.Exit(1)
	}
	var err error
	if contract, err = apitest.Load(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// fasthttp keeps one goroutine for the Date header, and each server's cleaner sleeps up to 10 s past its end.
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			if everyTest() && code == 0 && !fulfilled() {
				code = 1
			}
			os.Exit(code)
		}),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// elsewhere lists answers that other tests see, since they take a clock or several coordinators.
var elsewhere = []string{
	"GET /api/farm/v1/events 101", "POST /api/farm/v1/jobs/{id}/delivery 410",
	"POST /api/farm/v1/cluster/invitations 201", "DELETE /api/farm/v1/cluster/invitations/{id} 204",
	"POST /api/farm/v1/cluster/transfer 204", "POST /api/farm/v1/cluster/{id}/remove 204",
}

// seenElsewhere tells whether other tests see an operation succeed.
func seenElsewhere(operation string) bool {
	return slices.ContainsFunc(elsewhere, func(answer string) bool {
		return strings.HasSuffix(operation, ": "+answer[:strings.LastIndexByte(answer, ' ')])
	})
}

// fulfilled tells whether the tests together have seen all that the documents promise.
func fulfilled() bool {
	fmt.Printf("%d answers and %d requests were held against the interface's documents\n", contract.Answers(), contract.Requests())
	operations, answers := contract.Unseen()
	operations = slices.DeleteFunc(operations, seenElsewhere)
	answers = slices.DeleteFunc(answers, func(name string) bool { return slices.Contains(elsewhere, name) })
	for _, name := range operations {
		fmt.Println("no test has seen this succeed:", name)
	}
	for _, name := range answers {
		fmt.Println("no test has seen this answer:", name)
	}
	return len(operations)+len(answers) == 0
}

// everyTest tells a run of all tests from one of a choice of them, and from fuzzing. A pattern of tests to skip is no choice when it means those
// of other packages.
func everyTest() bool {
	for _, name := range []string{"test.run", "test.fuzz"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	skip := flag.Lookup("test.skip").Value.String()
	return skip == "" || !slices.ContainsFunc(testsHere(), regexp.MustCompile(skip).MatchString)
}

// testsHere lists the names of the package's tests.
func testsHere() (names []string) {
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("the package's own tests are not in its folder: %v", err))
	}
	for _, path := range files {
		code, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w*)\(t `).FindAllSubmatch(code, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names
}

// patience is how long tests wait for what should happen: many times what it takes, since a busy machine may stall any process.
const patience = 2 * time.Minute

var plainTransport = &http.Transport{DisableKeepAlives: true}

// rig is a coordinator and its interface on a real port.
type rig struct {
	t      testing.TB
	dir    string // of all that the farm writes
	farm   *coordinator.Coordinator
	base   string
	secure string // the same over TLS
	token  string
	http   *http.Client
	logs   *safeBuffer
}

func start(t testing.TB, edit ...func(*api.Config)) *rig {
	t.Helper()
	return startOn(t, coordinator.Config{DataDir: t.TempDir()}, edit...)
}

// startOn starts the farm of a folder, or one that is set up in another way than most.
func startOn(t testing.TB, farm coordinator.Config, edit ...func(*api.Config)) *rig {
	t.Helper()
	return startBehind(t, func(*fasthttp.Server) {}, farm, edit...)
}

// startBehind is startOn behind a server with settings of its own.
func startBehind(t testing.TB, set func(*fasthttp.Server), farm coordinator.Config, edit ...func(*api.Config)) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: farm.DataDir, base: "http://" + ln.Addr().String(), logs: &safeBuffer{}}
	r.http = &http.Client{Transport: contract.Transport(t, plainTransport), Timeout: patience}
	logger := slog.New(slog.NewTextHandler(r.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	farm.DescribeJob, farm.PublicAddress, farm.MinFree = public.DescribeJob, cmp.Or(farm.PublicAddress, r.base), 1
	farm.Lease = cmp.Or(farm.Lease, time.Hour) // no test's machine says that it is still there
	r.farm, err = coordinator.Open(t.Context(), farm)
	if err != nil {
		t.Fatal(err)
	}
	if r.token, err = r.farm.FirstToken(t.Context(), func(string) error { return nil }); err != nil || r.token == "" {
		t.Fatalf("the first token is %q, %v", r.token, err)
	}
	app := api.NewApp(logger)
	set(app.Server())
	cfg := api.Config{Farm: r.farm, Version: "0.1.0-test", Logger: logger}
	for _, e := range edit {
		e(&cfg)
	}
	stop := api.Mount(app, cfg)
	served := make(chan error, 1)
	r.secure = "https://" + ln.Addr().String()
	go func() {
		served <- app.Listener(api.TLS(inbound.Listen(ln, inbound.Bounds{Total: 1 << 16}, logger), r.farm.TLS(nil, nil), logger))
	}()
	t.Cleanup(func() {
		stop()
		if err := app.ShutdownWithTimeout(patience); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if err := r.farm.Close(); err != nil {
			t.Error(err)
		}
	})
	r.eventually("the farm is ready", func() bool { return r.get("/readyz").status == http.StatusOK })
	return r
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// ignoreGone lets a search of the farm's folder go on when a file goes meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// soon makes something that ends soon, and tells when: in a second, or later when the farm gets to it too late.
func (r *rig) soon(make func(ends time.Time) bool) time.Time {
	r.t.Helper()
	for after := time.Second; after < patience; after *= 2 {
		if ends := time.Now().Add(after).UTC(); make(ends) {
			return ends
		}
	}
	r.t.Fatal("nothing is made that ends soon")
	return time.Time{}
}

// reply is what a request came to.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// into decodes the answer, which has to have the status.
func (a reply) into(status int, v any) reply {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d %s, want %d", a.status, a.body, status)
	}
	if v != nil {
		if err := json.Unmarshal(a.body, v); err != nil {
			a.t.Fatalf("%v in %s", err, a.body)
		}
	}
	return a
}

// refused checks the status of an error and that its body says all of the words.
func (a reply) refused(status int, words ...string) reply {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d %s, want %d", a.status, a.body, status)
	}
	for _, word := range words {
		if !bytes.Contains(a.body, []byte(word)) {
			a.t.Errorf("%s does not say %q", a.body, word)
		}
	}
	return a
}

// send makes a request with the administrator's token; header lines are "Name: value", and "Authorization:" removes it.
func (r *rig) send(method, path string, body any, header ...string) reply {
	r.t.Helper()
	return r.sendBy(r.http, method, path, body, header...)
}

// sendBy is send with a client that has connections of its own.
func (r *rig) sendBy(client *http.Client, method, path string, body any, header ...string) reply {
	r.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	case []byte:
		content = bytes.NewReader(b)
	case io.Reader:
		content = b
	case promised:
		unsent, end := io.Pipe()
		defer end.Close()
		content = io.MultiReader(strings.NewReader(strings.Repeat(" ", 32<<10)), unsent)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			r.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	if !strings.HasPrefix(path, "http") {
		path = r.base + path
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, path, content)
	if err != nil {
		r.t.Fatal(err)
	}
	if size, announced := body.(promised); announced {
		req.ContentLength = int64(size)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Del(name)
		if value = strings.TrimSpace(value); value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := client.Do(req)
	if _, announced := body.(promised); announced && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) {
		return r.sendBy(client, method, path, body, header...) // it was refused while its start was on the way, and the answer lost with the connection
	}
	return r.read(res, err)
}

// read reads an answer.
func (r *rig) read(res *http.Response, err error) reply {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply{r.t, res.StatusCode, res.Header, text}
}

func (r *rig) get(path string, header ...string) reply {
	r.t.Helper()
	return r.send(http.MethodGet, path, nil, header...)
}

// srcJob is a job that needs no registered template.
const srcJob = `{"template": {"src": "https://files.example/title.aep", "composition": "main"}}`

// jobAnswer is what tests read of a job.
type jobAnswer struct {
	ID         string
	TemplateID *string
	Status     string
	Progress   float64
	OutputURL  string
	Stats      *struct {
		CreatedAt, StartedAt, FinishedAt *time.Time
		TotalAssets                      int
		RenderDuration                   *float64
		Error                            *string
	}
	Assets []farm.Asset
}

func (r *rig) submit(body string) jobAnswer {
	r.t.Helper()
	var job jobAnswer
	r.send(http.MethodPost, "/api/v2/jobs", body).into(http.StatusCreated, &job)
	return job
}
