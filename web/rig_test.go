package web_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.uber.org/goleak"

	"overcrank/api"
	"overcrank/api/public"
	"overcrank/api/throttle"
	"overcrank/coordinator"
	"overcrank/coordinator/reader"
	"overcrank/coordinator/singlesignon"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
	"overcrank/web"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == looksAtTemplate {
		if err := reader.Main(context.Background(), os.Stdin, os.Stdout, lookAt); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// fasthttp keeps one goroutine for the Date header, and each server's cleaner sleeps up to 10 s past its end.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// patience is how long tests wait for what should happen: many times what it takes, since a busy machine may stall any process.
const patience = 2 * time.Minute

// staff are the people of the farm under test: their tokens' secrets are their names.
var staff = []farm.Token{
	{ID: "01JD7000000000000000000001", Team: "01JD7000000000000000000010", Name: "ada", Role: farm.RoleAdmin},
	{ID: "01JD7000000000000000000002", Team: "01JD7000000000000000000010", Name: "art", Role: farm.RoleArtist},
	{ID: "01JD7000000000000000000003", Team: "01JD7000000000000000000010", Name: "vic", Role: farm.RoleViewer},
	{ID: "01JD7000000000000000000006", Team: "01JD7000000000000000000010", Name: "pro", Role: farm.RoleProducer},
	{ID: "01JD7000000000000000000005", Team: "01JD7000000000000000000010", Name: "ops", Role: farm.RoleOperator},
	{ID: "01JD7000000000000000000004", Team: "01JD7000000000000000000020", Name: "zoe", Role: farm.RoleAdmin},
}

// rig is a farm of two teams and its dashboard on a real port.
type rig struct {
	t    testing.TB
	dir  string
	farm *coordinator.Coordinator
	base string

	public string // address of the farm, base when empty
	teams  *throttle.Throttle
	follow throttle.Followers
	reader []string // see coordinator.Config.Reader
	signOn *singlesignon.Settings
	now    func() time.Time
}

func start(t testing.TB, edit ...func(*rig)) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	for _, e := range edit {
		e(r)
	}
	r.people()
	stop := r.serve("127.0.0.1:0")
	t.Cleanup(func() { stop() })
	return r
}

// people makes the tokens, before the farm opens.
func (r *rig) people() {
	r.t.Helper()
	store, err := raftstore.Open(r.t.Context(), raftstore.Config{Dir: filepath.Join(r.dir, "state"), MinFree: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.t.Fatal(err)
	}
	defer store.Close()
	// A farm that finds a state without its key does not open.
	if err := os.WriteFile(filepath.Join(r.dir, "farm.key"), []byte(strings.Repeat("0f", 32)), 0o600); err != nil {
		r.t.Fatal(err)
	}
	known := map[string]bool{}
	// A farm without people shows visitors how it is set up.
	person := farm.Token{ID: "01JD7000000000000000000009", Team: staff[len(staff)-1].Team, Name: "eve", Role: farm.RoleViewer, Person: true}
	for _, p := range append(slices.Clone(staff), person) {
		if !known[p.Team] {
			known[p.Team] = true
			r.apply(store, command.PutTeam{Team: farm.Team{ID: p.Team, Name: p.Team, CreatedAt: time.Now()}})
		}
		sum := sha256.Sum256([]byte(p.Name))
		p.Hash, p.CreatedAt = hex.EncodeToString(sum[:]), time.Now()
		r.apply(store, command.PutToken{Token: p})
	}
}

func (r *rig) apply(store *raftstore.Store, cmd command.Command) {
	r.t.Helper()
	if _, err := store.Apply(r.t.Context(), cmd); err != nil {
		r.t.Fatal(err)
	}
}

// century is when a farm takes addresses and values out of its jobs: some here ended long ago.
const century = 100 * 365 * 24 * time.Hour

// serve opens the farm at an address until stop is called.
func (r *rig) serve(address string) (stop func()) {
	r.t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.base = "http://" + ln.Addr().String()
	logger := slog.New(slog.DiscardHandler)
	r.farm, err = coordinator.Open(r.t.Context(), coordinator.Config{
		DataDir: r.dir, PublicAddress: cmp.Or(r.public, r.base), Logger: logger, MinFree: 1, RedactAfter: century, DescribeJob: public.DescribeJob,
		Reader: r.reader, SingleSignOn: r.signOn, Now: r.now,
		Lease: time.Hour, // no test's machine says that it is still there
	})
	if err != nil {
		r.t.Fatal(err)
	}
	app := api.NewApp(logger)
	stopAPI := api.Mount(app, api.Config{Farm: r.farm, Version: "1.2.3", Logger: logger})
	stopWeb := web.Mount(app, web.Config{Farm: r.farm, Version: "1.2.3", Logger: logger, Teams: r.teams, Followers: r.follow})
	served := make(chan error, 1)
	go func() { served <- app.Listener(ln) }()
	r.eventually("the farm is ready", func() bool { return r.farm.Ready() == nil })
	return func() {
		stopWeb()
		stopAPI()
		if err := app.ShutdownWithTimeout(patience); err != nil {
			r.t.Error(err)
		}
		if err := <-served; err != nil {
			r.t.Error(err)
		}
		if err := r.farm.Close(); err != nil {
			r.t.Error(err)
		}
	}
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// principal is the person of a name.
func (r *rig) principal(name string) farm.Principal {
	r.t.Helper()
	p, err := r.farm.Authenticate(r.t.Context(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// submit orders a render in a person's name.
func (r *rig) submit(who, name string) farm.Job {
	r.t.Helper()
	job, err := r.farm.Submit(r.t.Context(), r.principal(who), farm.Job{
		Name: name, Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return job
}

// visitor is a browser without scripts.
type visitor struct {
	*rig
	client *http.Client
	origin string // that its forms come from
	reads  string // the languages that it prefers, as browsers send them
}

func (r *rig) visit() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	v := &visitor{rig: r, client: &http.Client{Jar: jar, Timeout: patience}, origin: r.base}
	r.t.Cleanup(v.client.CloseIdleConnections)
	return v
}

// as is a visitor who has signed in.
func (r *rig) as(name string) *visitor {
	r.t.Helper()
	v := r.visit()
	v.post("/sign-in", url.Values{"token": {name}}).is(http.StatusOK, "<h1>Overview</h1>")
	return v
}

// answer is a page.
type answer struct {
	t      testing.TB
	path   string // where it came from, behind redirects
	status int
	header http.Header
	body   string
}

// copy is a visitor with the cookies that v has now, as somebody who has copied them.
func (v *visitor) copy() *visitor {
	v.t.Helper()
	base, err := url.Parse(v.base)
	if err != nil {
		v.t.Fatal(err)
	}
	other := v.visit()
	other.client.Jar.SetCookies(base, v.client.Jar.Cookies(base))
	return other
}

func (v *visitor) get(path string) answer { return v.ask(http.MethodGet, path) }

func (v *visitor) ask(method, path string) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	return v.do(req)
}

func (v *visitor) post(path string, form url.Values) answer {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if v.origin != "" {
		req.Header.Set("Origin", v.origin)
	}
	return v.do(req)
}

func (v *visitor) do(req *http.Request) answer {
	v.t.Helper()
	if v.reads != "" {
		req.Header.Set("Accept-Language", v.reads)
	}
	res, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	a := answer{t: v.t, path: res.Request.URL.RequestURI(), status: res.StatusCode, header: res.Header, body: string(body)}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		a.wellFormed()
	}
	return a
}

var idAttribute = regexp.MustCompile(` id="([^"]*)"`)

// inlineTag is where an element within a sentence begins or ends.
var inlineTag = regexp.MustCompile(`<(/?)(?:time|b|a|code|span)\b[^>]*>`)

// gluedWords finds text that touches that of an element beside it: templates leave out the white space where lines end.
func gluedWords(body string) (glued []string) {
	touches := func(r rune, marks string) bool {
		return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune(marks, r)
	}
	for _, at := range inlineTag.FindAllStringSubmatchIndex(body, -1) {
		before, _ := utf8.DecodeLastRuneInString(body[:at[0]])
		after, _ := utf8.DecodeRuneInString(body[at[1]:])
		if ends := at[2] < at[3]; ends && touches(after, "(“·") || !ends && touches(before, ".,:;)”·") {
			glued = append(glued, body[max(0, at[0]-60):min(len(body), at[1]+60)])
		}
	}
	return glued
}

// wellFormed holds a page to what all pages promise.
func (a answer) wellFormed() {
	a.t.Helper()
	policy := a.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		a.t.Errorf("%s has the content policy %q", a.path, policy)
	}
	for _, inline := range []string{" style=", " onclick=", "javascript:"} {
		if strings.Contains(a.body, inline) {
			a.t.Errorf("%s has inline code: %q", a.path, inline)
		}
	}
	for _, m := range gluedWords(a.body) {
		a.t.Errorf("%s has words without a space between them: %s", a.path, m)
	}
	seen := map[string]bool{}
	for _, m := range idAttribute.FindAllStringSubmatch(a.body, -1) {
		if seen[m[1]] {
			a.t.Errorf("%s has two elements with the id %q", a.path, m[1])
		}
		seen[m[1]] = true
	}
}

// is holds an answer to its status and to words that it shows.
func (a answer) is(status int, words ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s answers %d, want %d: %.300s", a.path, a.status, status, a.body)
	}
	for _, w := range words {
		if !strings.Contains(a.body, w) {
			a.t.Errorf("%s does not say %q; to be read there is: %.2000s", a.path, w, a.reads())
		}
	}
	return a
}

var markup = regexp.MustCompile(`(?s)<[^>]*>`)

// reads is what can be read in the main part of a page, or the whole answer of another kind.
func (a answer) reads() string {
	if _, main, ok := strings.Cut(a.body, "<main"); ok {
		return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString("<main"+main, " "))), " ")
	}
	return a.body
}

// lacks holds an answer to words that it doesn't show.
func (a answer) lacks(words ...string) answer {
	a.t.Helper()
	for _, w := range words {
		if strings.Contains(a.body, w) {
			a.t.Errorf("%s says %q", a.path, w)
		}
	}
	return a
}
