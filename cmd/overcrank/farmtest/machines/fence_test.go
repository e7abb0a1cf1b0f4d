//go:build linux

package machines_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// fencedFarm is a coordinator whose leases are short, and the agents of two machines.
func fencedFarm(t *testing.T) (f *farmtest.Farm, desks [2]string) {
	t.Helper()
	f = farmtest.LaunchAs(t, "coordinator", t.TempDir(), "--lease", "15s") // long enough for an agent that a busy machine keeps waiting
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite", "--uses", "2")
	if code != 0 {
		t.Fatalf("inviting two machines: %d: %s", code, said)
	}
	for i, name := range []string{"desk-one", "desk-two"} {
		desks[i] = filepath.Join(t.TempDir(), name)
		w := farmtest.StartAgent(t, f, desks[i], strings.TrimSpace(token))
		f.Await(name+" to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	}
	return f, desks
}

// stopped submits a film until one of the desks is stopped while its engine runs, and tells which: beside other programs a film may be done before anybody
// looks.
func stopped(f *farmtest.Farm, desks [2]string) (id, busy, other string) {
	f.T.Helper()
	template := f.Card()
	submit := func() string { return f.SubmitWhole(template, titlecard.Frames) }
	id = submit()
	f.Await("a machine to be stopped while it renders", func() bool {
		if over(f, id) {
			id = submit()
		}
		busy, other = desks[0], desks[1]
		if len(farmtest.Processes(desks[1], "aerender")) > 0 {
			busy, other = desks[1], desks[0]
		}
		if len(farmtest.Processes(busy, "aerender")) == 0 {
			return false
		}
		signalAll(busy, syscall.SIGSTOP)
		if len(farmtest.Processes(busy, "aerender")) > 0 {
			return true
		}
		signalAll(busy, syscall.SIGCONT)
		return false
	})
	return id, busy, other
}

func over(f *farmtest.Farm, id string) bool {
	job, err := f.Job(f.T.Context(), id)
	return err == nil && job.Status.Ended()
}

func signalAll(dir string, s syscall.Signal) {
	for _, pid := range farmtest.Processes(dir) {
		_ = syscall.Kill(pid, s)
	}
}

// oneResult checks that the farm holds the job's one result, and that nothing is on its way any more.
func oneResult(f *farmtest.Farm, job client.Job, desks ...string) {
	f.T.Helper()
	results := f.Results()
	if others := slices.DeleteFunc(slices.Clone(results), func(name string) bool { return strings.HasPrefix(name, job.ID) }); len(results)-len(others) != 1 {
		f.T.Errorf("the results of job %s are among %v", job.ID, results)
	}
	for _, desk := range desks {
		f.Await("the outbox of "+desk+" to be empty", func() bool {
			waiting, _ := os.ReadDir(filepath.Join(desk, "outbox"))
			return len(waiting) == 0
		})
	}
}

func TestATaskOfAKilledMachineIsDeliveredOnceByAnother(t *testing.T) {
	t.Parallel()
	f, desks := fencedFarm(t)
	id, busy, other := stopped(f, desks) // so that the agent tells nobody that its engine has gone before it
	signalAll(busy, syscall.SIGKILL)
	job := f.Finished(id)
	oneResult(f, job, other)
	later := regexp.MustCompile(`attempt [2-9] on ` + filepath.Base(other))
	if log := f.LogOf(id); !strings.Contains(log, "not been heard of") || !later.MatchString(log) {
		t.Errorf("the log does not tell what happened:\n%s", log)
	}
}

// TestAFrozenMachineWakesToALeaseThatIsOver freezes a machine with its engine until another one has delivered its task.
func TestAFrozenMachineWakesToALeaseThatIsOver(t *testing.T) {
	t.Parallel()
	f, desks := fencedFarm(t)
	id, busy, other := stopped(f, desks)
	job := f.Finished(id)
	signalAll(busy, syscall.SIGCONT)
	f.Await("the woken engine to be ended", func() bool { return len(farmtest.Processes(busy, "aerender")) == 0 })
	f.Await("the woken machine's work to be dropped", func() bool {
		left, err := os.ReadDir(filepath.Join(busy, "work"))
		return err == nil && len(left) == 0
	})
	oneResult(f, job, busy, other)
	if again := f.Finished(id); again.OutputURL != job.OutputURL {
		t.Errorf("the result was at %s and is at %s", job.OutputURL, again.OutputURL)
	}
}

// TestALostAcknowledgementIsAskedForAgain loses what the farm says to its agent while a result is on its way, on the connection that
// carries reports, so that the report arrives and its acknowledgement does not. An agent gives a silent link up within seconds, so the
// silence begins as late as it can: the result is held up until the engine has ended, and let go with the silence.
func TestALostAcknowledgementIsAskedForAgain(t *testing.T) {
	t.Parallel()
	const tries = 20 // each of which leaves a farm behind until the end
	for range tries {
		if acknowledgementGetsLost(t) {
			return
		}
	}
	t.Fatal("each time the agent kept no report, though none was acknowledged, or took the silence for a dead link before its result had arrived")
}

// acknowledgementGetsLost is false when the agent took the silence for a dead link before it had reported: this machine was too busy for
// a small result to be delivered within seconds, or for anybody to look while it rendered. The programs are built without the race detector for the same
// reason. It is false, too, when the newest connection was another one than the session's.
func acknowledgementGetsLost(t *testing.T) bool {
	t.Helper()
	f := farmtest.LaunchProgram(t, farmtest.Program(t), "coordinator", t.TempDir(), "--lease", "5m")
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	r := newRelay(t, strings.TrimPrefix(f.Server, "http://"))
	_, token, _ := f.Command("agents", "invite")
	desk := filepath.Join(t.TempDir(), "desk")
	behind := &farmtest.Farm{Client: &client.Client{Server: "http://" + r.address()}}
	w := farmtest.StartAgentOf(t, farmtest.Program(t), behind, desk, strings.TrimSpace(token))
	f.Await("the machine to be linked", func() bool { return strings.Contains(w.Said.String(), "linked to the farm") })
	session := r.newest()
	id := f.SubmitWhole(f.Card(), titlecard.Frames)
	f.Await("the engine to run", func() bool { return len(farmtest.Processes(desk, "aerender")) > 0 || over(f, id) })
	release := r.holdAllBut(session)
	f.Await("the engine to have ended", func() bool { return len(farmtest.Processes(desk, "aerender")) == 0 })
	f.Await("the result to be on its way", func() bool { return r.holdsSomething() || over(f, id) })
	if over(f, id) {
		return false
	}
	session.deafen()
	release()
	job := f.Finished(id)
	waiting, err := os.ReadDir(filepath.Join(desk, "outbox"))
	if err != nil {
		t.Fatal(err)
	}
	if len(waiting) == 0 {
		t.Logf("the agent keeps no report; it said:\n%s", w.Said)
		return false
	}
	session.cut()
	oneResult(f, job, desk)
	if log := f.LogOf(id); strings.Contains(log, "attempt 2") {
		t.Errorf("the task was given out again:\n%s", log)
	}
	return true
}

// relay passes connections on to a farm.
type relay struct {
	tb       testing.TB
	listener net.Listener
	farm     string
	work     sync.WaitGroup

	mu    sync.Mutex
	wires []*relayed    // open ones, in the order of their opening
	gate  chan struct{} // closed: what agents say passes; nil when it was never held
	free  *relayed      // the one that passes a gate
	held  int           // what waits at the gate
}

// relayed is one connection that a relay passes on.
type relayed struct {
	agent, farm net.Conn
	mu          sync.Mutex
	deaf        bool // what the farm says is lost
}

func newRelay(t *testing.T, farm string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{tb: t, listener: listener, farm: farm}
	r.work.Go(r.run)
	t.Cleanup(func() {
		_ = listener.Close()
		r.mu.Lock()
		for _, w := range r.wires {
			w.cut()
		}
		r.mu.Unlock()
		r.work.Wait()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) run() {
	for {
		agent, err := r.listener.Accept()
		if err != nil {
			return
		}
		farm, err := net.DialTimeout("tcp", r.farm, 10*time.Second)
		if err != nil {
			_ = agent.Close()
			continue
		}
		w := &relayed{agent: agent, farm: farm}
		r.mu.Lock()
		r.wires = append(r.wires, w)
		r.mu.Unlock()
		r.work.Go(func() {
			defer w.cut()
			_, _ = io.Copy(gated{r, w}, agent)
		})
		r.work.Go(func() {
			defer r.drop(w)
			w.pass()
		})
	}
}

func (r *relay) drop(w *relayed) {
	w.cut()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, o := range r.wires {
		if o == w {
			r.wires = append(r.wires[:i:i], r.wires[i+1:]...)
			return
		}
	}
}

// newest is the connection that was opened last: right after an agent was linked, that of its session.
func (r *relay) newest() *relayed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wires[len(r.wires)-1]
}

// holdAllBut keeps from the farm what agents say on other connections than free, until it is released.
func (r *relay) holdAllBut(free *relayed) (release func()) {
	gate := make(chan struct{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate, r.free = gate, free
	open := sync.OnceFunc(func() { close(gate) })
	r.tb.Cleanup(open)
	return open
}

func (r *relay) holdsSomething() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held > 0
}

// gated hands on what an agent says once the relay's gate is open.
type gated struct {
	relay *relay
	wire  *relayed
}

func (g gated) Write(said []byte) (int, error) {
	r := g.relay
	r.mu.Lock()
	gate := r.gate
	if gate == nil || r.free == g.wire {
		r.mu.Unlock()
		return g.wire.farm.Write(said)
	}
	r.held++
	r.mu.Unlock()
	<-gate
	r.mu.Lock()
	r.held--
	r.mu.Unlock()
	return g.wire.farm.Write(said)
}

// pass hands on what the farm says, or loses it.
func (w *relayed) pass() {
	buf := make([]byte, 32<<10)
	for {
		n, err := w.farm.Read(buf)
		if err != nil {
			return
		}
		w.mu.Lock()
		deaf := w.deaf
		w.mu.Unlock()
		if deaf {
			continue
		}
		if _, err := w.agent.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (w *relayed) deafen() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
}

func (w *relayed) cut() {
	_ = w.agent.Close()
	_ = w.farm.Close()
}
