package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/film"
	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/internal/signedintest"
	"overcrank/engine/aerender"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/faults/leaktest"
	"overcrank/ffmpeg"
)

// TestMain lets the test's own program be the engines. The embedded one is itself unless a part is to be played.
func TestMain(m *testing.M) {
	aerenderdouble.PlayIfAsked()
	signedintest.ServeIfAsked()
	if len(os.Args) > 1 && os.Args[1] == "aerender" {
		stop, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := aerender.Main(stop, "test", os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		end()
		os.Exit(code)
	}
	leaktest.Main(m)
}

// writers are this machine's ffmpeg and its encoders, which is asked once for all agents of the tests.
var writers = func() func(context.Context) (ffmpeg.Build, []string, error) {
	var once sync.Once
	var build ffmpeg.Build
	var encoders []string
	var err error
	return func(context.Context) (ffmpeg.Build, []string, error) {
		once.Do(func() { build, encoders, err = film.Writers(context.Background()) })
		return build, encoders, err
	}
}()

// peer is the farm's end of the protocol, played step by step, to show an agent what a well-behaved farm cannot be made
// to do: refuse, vanish, lead elsewhere, forget.
type peer struct {
	t      *testing.T
	server *httptest.Server

	mu       sync.Mutex
	conn     *websocket.Conn
	secret   string        // stands in certificates that it makes, and accepts; "" refuses everyone
	earlier  string        // secret of a machine that enrolled with an earlier release
	used     bool          // nobody can join with the token any more
	deaf     int           // so many answers to enrolments are lost
	life     time.Duration // of certificates, from now
	age      time.Duration // of certificates, when they are new
	bearers  []string      // that were shown
	keys     []string      // for which certificates were made
	refused  int           // sessions
	renewed  int
	redirect string
	speaks   int // version of the protocol, if agents of others are served updates alone
	drop     []wire.Attempt
	silent   bool // reports are not settled
	hellos   []wire.Hello
	stock    []farm.Inventory // as they came
	cached   [][]string       // the lists of cached files in heartbeats
	got      []wire.Message

	available farm.Availability // as the last heartbeat had it
	sending   []wire.Attempt    // the same
	presences []farm.Presence   // of all heartbeats

	by     *vouching     // the farm's authority
	others []string      // addresses of all coordinators, as it tells
	gossip *wire.Gossip  // as it tells
	mute   bool          // it hears and does not answer, as a machine that was frozen
	cut    int           // so many bytes of the next file come, and then nothing any more
	ranges []string      // that were asked for
	gone   chan struct{} // closed when what stands still should end

	files    map[string][]byte
	outputs  map[string][]byte // by task, attempt and name, the last of each
	contents map[string][]byte // of all outputs, by hash
	refusals int               // answers 503 to so many uploads
	thumbs   int
	times    []farm.FrameTimes
	frames   []string // first frames, as they came
	enrolled int
	left     int // machines that have left
	leaving  int // status with which leaving is answered, 0 for 204
}

func newPeer(t *testing.T) *peer { return newPeerOf(t, authorityOf(t)) }

// newPeerOf is a coordinator of the farm with an authority.
func newPeerOf(t *testing.T, by *vouching) *peer {
	p := &peer{t: t, by: by, gone: make(chan struct{}), secret: "s1", files: make(map[string][]byte), outputs: make(map[string][]byte), contents: make(map[string][]byte)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.PathEnrol, p.enrol)
	mux.HandleFunc("GET "+wire.PathSession, p.session)
	mux.HandleFunc("GET "+wire.PathFiles+"{sha}", p.file)
	mux.HandleFunc("PUT "+wire.PathOutput+"{task}/{attempt}/{name}", p.output)
	mux.HandleFunc("PUT "+wire.PathThumbnail+"{task}/{attempt}/{frame}", p.thumbnail)
	mux.HandleFunc("PUT "+wire.PathTimes+"{task}/{attempt}", p.frameTimes)
	mux.HandleFunc("PUT "+wire.PathProxy+"{task}/{attempt}", p.proxy)
	mux.HandleFunc("PUT "+wire.PathFrame, p.firstFrame)
	mux.HandleFunc("POST "+wire.PathRenew, p.renew)
	mux.HandleFunc("POST "+wire.PathProve, p.prove)
	mux.HandleFunc("POST "+wire.PathLeave, p.leave)
	p.server = httptest.NewUnstartedServer(mux)
	p.server.TLS = by.config(t)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(p.die)
	return p
}

// die ends the coordinator, and all connections with it.
func (p *peer) die() {
	p.mu.Lock()
	select {
	case <-p.gone:
	default:
		close(p.gone)
	}
	p.mu.Unlock()
	p.server.Listener.Close()
	p.hangUp()
	p.server.CloseClientConnections()
	p.server.Close()
}

func (p *peer) reply(w io.Writer, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		p.t.Error(err)
	}
}

func (p *peer) session(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	for {
		var m wire.Message
		if conn.ReadJSON(&m) != nil {
			return
		}
		if p.muted() {
			<-p.gone
			return
		}
		p.mu.Lock()
		err := p.answer(conn, m)
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// answer acts on a message. p.mu is held.
func (p *peer) answer(conn *websocket.Conn, m wire.Message) error {
	switch {
	case m.Hello != nil && p.redirect != "":
		return conn.WriteJSON(wire.Message{Redirect: &wire.Redirect{Leader: p.redirect}})
	case m.Hello != nil && p.speaks != 0 && p.speaks != m.Hello.Version:
		p.hellos = append(p.hellos, *m.Hello)
		p.conn = conn
		return conn.WriteJSON(wire.Message{OtherVersion: &wire.OtherVersion{Version: p.speaks, HeartbeatSeconds: 0.05, Coordinators: p.others}})
	case m.Hello != nil:
		p.hellos = append(p.hellos, *m.Hello)
		p.conn = conn
		return conn.WriteJSON(wire.Message{Welcome: &wire.Welcome{Coordinators: p.others, Gossip: p.gossip, HeartbeatSeconds: 0.05, LeaseSeconds: 10, Drop: p.drop, WantInventory: len(p.stock) == 0 || p.stock[len(p.stock)-1].Hash() != m.Hello.Inventory}})
	case m.Heartbeat != nil:
		p.available, p.sending = m.Heartbeat.Availability, m.Heartbeat.Sending
		p.presences = append(p.presences, p.available.Presence)
		if m.Heartbeat.Cached != nil {
			p.cached = append(p.cached, m.Heartbeat.Cached)
		}
		return nil
	case m.Inventory != nil:
		p.stock = append(p.stock, *m.Inventory)
		return nil
	}
	p.got = append(p.got, m)
	if m.Finished != nil && !p.silent {
		return conn.WriteJSON(wire.Message{Settled: &wire.Settled{Attempt: m.Finished.Attempt}})
	}
	if m.Failed != nil && !p.silent {
		return conn.WriteJSON(wire.Message{Settled: &wire.Settled{Attempt: m.Failed.Attempt}})
	}
	return nil
}

// send sends a message to the agent.
func (p *peer) send(m wire.Message) {
	p.t.Helper()
	p.eventually("a session is open", func() bool { return p.conn != nil })
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.conn.WriteJSON(m); err != nil {
		p.t.Fatal(err)
	}
}

// hangUp breaks the connection, as a pulled plug does.
func (p *peer) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		p.conn.NetConn().Close()
		p.conn = nil
	}
}

func (p *peer) file(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	p.mu.Lock()
	b, ok := p.files[r.PathValue("sha")]
	cut := p.cut
	p.cut = 0
	p.mu.Unlock()
	asked := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ranges = append(p.ranges, r.Header.Get("Range"))
	}
	switch {
	case !ok:
		w.WriteHeader(http.StatusNotFound)
	case cut > 0:
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		w.Write(b[:cut])
		w.(http.Flusher).Flush()
		asked() // when that much is on its way
		<-p.gone
	default:
		asked()
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}
}

func (p *peer) muted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mute
}

func (p *peer) output(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	b, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusals > 0 {
		p.refusals--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if err != nil {
		return
	}
	key := r.PathValue("task") + "/" + r.PathValue("attempt") + "/" + r.PathValue("name")
	p.outputs[key], p.contents[hashOf(b)] = b, b
	p.reply(w, farm.OutputRef{FileRef: farm.FileRef{SHA256: hashOf(b), Size: int64(len(b))}, Key: key})
}

func (p *peer) thumbnail(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	b, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && len(b) > 0 {
		p.thumbs++
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *peer) frameTimes(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	var times farm.FrameTimes
	err := json.NewDecoder(r.Body).Decode(&times)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.times = append(p.times, times)
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *peer) proxy(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	b, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.outputs[r.PathValue("task")+"/"+r.PathValue("attempt")+"/proxy"] = b
	}
	w.WriteHeader(http.StatusNoContent)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// keep puts a file into the farm's store.
func (p *peer) keep(name string, b []byte) farm.FileRef {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[hashOf(b)] = b
	return farm.FileRef{SHA256: hashOf(b), Size: int64(len(b)), Name: name}
}

// hangs is after how long a test that waits is taken to wait for ever. It is no bound of what is waited for: a busy machine may need a minute
// for twenty-five pictures.
const hangs = 2 * time.Minute

// eventually waits for something that holds under p.mu.
func (p *peer) eventually(what string, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(hangs); ; time.Sleep(5 * time.Millisecond) {
		p.mu.Lock()
		holds := ok()
		p.mu.Unlock()
		if holds {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("never: %s", what)
		}
	}
}

// report waits for the report of an attempt.
func (p *peer) report(at wire.Attempt) (report wire.Message) {
	p.t.Helper()
	p.eventually("a report of "+at.Task, func() bool {
		for _, m := range p.got {
			if m.Finished != nil && m.Finished.Attempt == at || m.Failed != nil && m.Failed.Attempt == at {
				report = m
				return true
			}
		}
		return false
	})
	return report
}

// logged is the log of an attempt so far.
func (p *peer) logged(at wire.Attempt) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, m := range p.got {
		if m.Log != nil && m.Log.Attempt == at {
			lines = append(lines, m.Log.Lines...)
		}
	}
	return strings.Join(lines, "\n")
}

// says waits until a line of an attempt's log holds a text.
func (p *peer) says(at wire.Attempt, text string) {
	p.t.Helper()
	p.eventually("the log says that "+text, func() bool {
		return slices.ContainsFunc(p.got, func(m wire.Message) bool {
			return m.Log != nil && m.Log.Attempt == at && strings.Contains(strings.Join(m.Log.Lines, "\n"), text)
		})
	})
}

// running is an agent under test.
type running struct {
	engine string
	stop   func()
	done   chan error
}

// start runs an agent whose engine plays the named part.
func start(t *testing.T, p *peer, part, dir string) *running {
	t.Helper()
	engine := aerenderdouble.Program(t, part)
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{engine: engine, stop: cancel, done: make(chan error, 1)}
	go func() {
		r.done <- Run(ctx, Config{DataDir: dir, Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "test-machine", Engine: engine, Writers: writers, CacheSize: 1 << 30, Logger: slog.New(slog.DiscardHandler)})
		close(r.done)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	return r
}

// startSlots runs an agent with the embedded engine and gives its slots.
func startSlots(t *testing.T, p *peer) *slots {
	t.Helper()
	s, _ := startChanged(t, p, "", t.TempDir(), func(*agent) {})
	return s
}

// startChanged runs an agent that is changed before it runs, whose engine plays the named part, "" for the embedded one.
func startChanged(t *testing.T, p *peer, part, dir string, change func(*agent)) (s *slots, stop func()) {
	t.Helper()
	return startOf(t, Config{
		DataDir: dir, Engine: aerenderdouble.Program(t, part), Writers: writers, Coordinators: []string{p.server.URL}, JoinToken: joinToken(t), Name: "test-machine", CacheSize: 1 << 30,
		Logger: slog.New(slog.DiscardHandler),
	}, change)
}

// startOf runs an agent with these settings that is changed before it runs. It hands over what is done however long that takes: a machine that is
// busy with other tests may stand still.
func startOf(t *testing.T, cfg Config, change func(*agent)) (s *slots, stop func()) {
	t.Helper()
	if err := cfg.Complete(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	a.machine.Pace.Pictures, a.machine.Pace.Return = time.Minute, time.Minute
	change(a)
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the agent ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return a.slots, stop
}
