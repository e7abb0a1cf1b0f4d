package coordinator_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/faults/leaktest"
)

// holdsTemplate makes the tests' own program a reader of one template's file, which waits with archives.
const holdsTemplate = "hold-template"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == holdsTemplate {
		if err := readHeld(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if strings.Join(os.Args[1:], " ") == looksAtTemplate {
		if err := reader.Main(context.Background(), os.Stdin, os.Stdout, lookAt); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	leaktest.Main(m)
}

// underWay is behind the name of a file that holds the reading of archives, once one is held.
const underWay = ".under-way"

// heldBy has templates read in a process of its own, and none of them that is an archive while there is a file.
func heldBy(t testing.TB, held string) func(*coordinator.Config) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *coordinator.Config) { cfg.Reader = []string{self, holdsTemplate, held} }
}

// readHeld is the process of heldBy.
func readHeld(held string) error {
	var job reader.Job
	text := &bytes.Buffer{}
	if err := json.NewDecoder(io.TeeReader(os.Stdin, text)).Decode(&job); err != nil {
		return err
	}
	if job.Type == "zip" {
		if err := os.WriteFile(held+underWay, nil, 0o600); err != nil {
			return err
		}
		for _, err := os.Stat(held); err == nil; _, err = os.Stat(held) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	return reader.Main(context.Background(), io.MultiReader(text, os.Stdin), os.Stdout, nil)
}

// rig is a coordinator on a folder of its own, with its first administrator.
type rig struct {
	*coordinator.Coordinator
	t     testing.TB
	cfg   coordinator.Config
	admin farm.Principal
}

const publicAddress = "http://farm.test"

// open opens a coordinator whose leases outlast any test: stations do not say that they are still there, however slow the machine is.
func open(t testing.TB, edit ...func(*coordinator.Config)) *rig {
	t.Helper()
	cfg := coordinator.Config{DataDir: t.TempDir(), PublicAddress: publicAddress, MinFree: 1, Lease: 10 * time.Minute, DescribeJob: describe}
	for _, e := range edit {
		e(&cfg)
	}
	r := &rig{t: t, cfg: cfg}
	r.start()
	secret, err := r.FirstToken(t.Context(), func(string) error { return nil })
	if err != nil || secret == "" {
		t.Fatalf("first token: %q, %v", secret, err)
	}
	if r.admin, err = r.Authenticate(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	return r
}

func (r *rig) start() {
	r.t.Helper()
	c, err := coordinator.Open(r.t.Context(), r.cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Coordinator = c
	r.eventually("the coordinator is ready", func() bool { return c.Ready() == nil })
}

func (r *rig) stop() {
	r.t.Helper()
	if err := r.Close(); err != nil {
		r.t.Errorf("closing: %v", err)
	}
}

// restart closes the coordinator and opens it again on the same folder.
func (r *rig) restart() {
	r.t.Helper()
	r.stop()
	r.start()
}

// patience is after how long what a test waits for counts as what never comes. It is no bound of what is waited for: a busy machine takes its time.
const patience = 2 * time.Minute

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// submit takes a job that needs no registered template.
func (r *rig) submit(edit ...func(*farm.Job)) farm.Job {
	r.t.Helper()
	job := farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"}}
	for _, e := range edit {
		e(&job)
	}
	job, err := r.Submit(r.t.Context(), r.admin, job)
	if err != nil {
		r.t.Fatal(err)
	}
	return job
}

func (r *rig) job(id string) farm.Job {
	r.t.Helper()
	job, err := r.Job(r.t.Context(), r.admin, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return job
}

// log is what a job's log says so far.
func (r *rig) log(job string) string {
	r.t.Helper()
	f, err := r.JobLog(r.t.Context(), r.admin, job)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return ""
	}
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *rig) output(job farm.Job) string {
	r.t.Helper()
	f, err := r.Results().Open(r.t.Context(), job.OutputName)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// station is an agent as the coordinator sees it: a peer that speaks the protocol and decides nothing by itself.
type station struct {
	r         *rig
	agent     farm.Agent
	shown     *x509.Certificate
	inventory farm.Inventory
	up        time.Duration // of its process, as it says
	says      string        // its name, as it says with each hello; "" for that of its agent
	speaks    int           // version of the protocol; 0 for that of this release
	*link
}

// link is one connection of a station.
type link struct {
	fromAgent, toAgent chan wire.Message
	trials             chan wire.Trial    // that came, beside everything else
	standings          chan wire.Standing // in the same way
	lists              chan []string      // of coordinators, in the same way
	gone               chan struct{}
	once               sync.Once
	reason             string // of the coordinator, for the end; read behind gone
	served             chan error
}

func (l *link) Read() (wire.Message, error) {
	select {
	case m := <-l.fromAgent:
		return m, nil
	case <-l.gone:
		return wire.Message{}, io.EOF
	}
}

func (l *link) Write(m wire.Message) error {
	if m.Trial != nil {
		l.trials <- *m.Trial
		return nil
	}
	if m.Coordinators != nil && l.lists != nil {
		l.lists <- m.Coordinators.Addresses
		return nil
	}
	if m.Standing != nil && l.standings != nil {
		l.standings <- *m.Standing
		return nil
	}
	select {
	case l.toAgent <- m:
		return nil
	case <-l.gone:
		return io.ErrClosedPipe
	}
}

func (l *link) Close(reason string) error {
	l.once.Do(func() {
		l.reason = reason
		close(l.gone)
	})
	return nil
}

func (l *link) RemoteAddr() string { return "10.0.0.7:4711" }

var embedded = farm.EngineInfo{Kind: "embedded", Version: "0.1.0"}

// enrol makes a machine an agent of the farm, without connecting it.
func (r *rig) enrol(name string, edit ...func(*farm.Inventory)) *station {
	r.t.Helper()
	inv := farm.Inventory{OS: "linux", Slots: 1, Engines: []farm.EngineInfo{embedded}}
	for _, e := range edit {
		e(&inv)
	}
	enrolled, err := r.Enrol(r.t.Context(), r.invite(), wire.Enrol{Name: name, Inventory: inv, Request: request(r.t)})
	if err != nil {
		r.t.Fatal(err)
	}
	shown := certificate(r.t, enrolled)
	agent, err := r.AuthenticateAgent(r.t.Context(), shown)
	if err != nil {
		r.t.Fatal(err)
	}
	return &station{r: r, agent: agent, shown: shown, inventory: inv}
}

// connect opens a session and says hello; what the coordinator answers is returned.
func (s *station) connect(holding ...wire.Attempt) wire.Welcome {
	s.r.t.Helper()
	m := s.ask(holding...)
	if m.Welcome == nil {
		s.r.t.Fatalf("hello was answered with %+v", m)
	}
	if m.Welcome.WantInventory {
		s.say(wire.Message{Inventory: &s.inventory})
	}
	return *m.Welcome
}

// ask opens a session and says hello.
func (s *station) ask(holding ...wire.Attempt) wire.Message {
	s.r.t.Helper()
	l := &link{fromAgent: make(chan wire.Message), toAgent: make(chan wire.Message, 1000), trials: make(chan wire.Trial, 100), standings: make(chan wire.Standing, 100), lists: make(chan []string, 100), gone: make(chan struct{}), served: make(chan error, 1)}
	c := s.r.Coordinator
	go func() { l.served <- c.ServeAgent(s.r.t.Context(), s.agent, l) }()
	s.link = l
	s.r.t.Cleanup(s.hangUp)
	select {
	case s.fromAgent <- wire.Message{Hello: &wire.Hello{Version: cmp.Or(s.speaks, wire.Version), Name: cmp.Or(s.says, s.agent.Name), Inventory: s.inventory.Hash(), Holding: holding, UpSeconds: s.up.Seconds()}}:
		return s.hear()
	case m := <-s.toAgent: // a node that does not lead says so at once
		return m
	}
}

// hangUp cuts the connection and waits until the coordinator has noticed.
func (s *station) hangUp() {
	_ = s.Close("")
	select {
	case err := <-s.served:
		s.served <- err
	case <-time.After(patience):
		s.r.t.Error("the session does not end")
	}
}

func (s *station) say(m wire.Message) {
	s.r.t.Helper()
	select {
	case s.fromAgent <- m:
	case <-s.gone:
		s.r.t.Fatal("the coordinator has closed the session")
	case <-time.After(patience):
		s.r.t.Fatal("the coordinator does not read")
	}
}

func (s *station) hear() wire.Message {
	s.r.t.Helper()
	select {
	case m := <-s.toAgent:
		return m
	case <-time.After(patience):
		s.r.t.Fatal("nothing comes from the coordinator")
		return wire.Message{}
	}
}

func (s *station) lease() wire.Lease {
	s.r.t.Helper()
	m := s.hear()
	if m.Lease == nil {
		s.r.t.Fatalf("got %+v instead of a lease", m)
	}
	return *m.Lease
}

func (s *station) settled(at wire.Attempt) {
	s.r.t.Helper()
	if m := s.hear(); m.Settled == nil || m.Settled.Attempt != at {
		s.r.t.Fatalf("got %+v instead of settled %v", m, at)
	}
}

// silent makes sure that the coordinator has sent nothing. A heartbeat that is followed by nothing proves that what came
// before it has been taken in.
func (s *station) silent() {
	s.r.t.Helper()
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{}})
	s.say(wire.Message{Heartbeat: &wire.Heartbeat{}})
	select {
	case m := <-s.toAgent:
		s.r.t.Fatalf("got %+v", m)
	default:
	}
}

// render uploads a result for a lease.
func (s *station) render(l wire.Lease, content string) farm.OutputRef {
	s.r.t.Helper()
	out, err := s.r.Results().Receive(s.r.t.Context(), s.agent, l.Attempt, "out."+l.Ext, strings.NewReader(content), int64(len(content)), "")
	if err != nil {
		s.r.t.Fatal(err)
	}
	return out
}

// finish uploads a result, reports it, and waits until the farm has it.
func (s *station) finish(l wire.Lease, content string) {
	s.r.t.Helper()
	s.say(wire.Message{Finished: &wire.Finished{Attempt: l.Attempt, Output: s.render(l, content)}})
	s.settled(l.Attempt)
}

func (s *station) fail(l wire.Lease, message string, retry bool) {
	s.r.t.Helper()
	s.say(wire.Message{Failed: &wire.Failed{Attempt: l.Attempt, Message: message, Retry: retry}})
	s.settled(l.Attempt)
}

// clock is a time that only a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now()} }

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) config(cfg *coordinator.Config) { cfg.Now = c.read }

func wantCode(t testing.TB, err error, code farm.Code) {
	t.Helper()
	if farm.CodeOf(err) != code {
		t.Errorf("got %v (%q), want code %q", err, farm.CodeOf(err), code)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
