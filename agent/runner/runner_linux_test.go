package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"overcrank/agent/aerender"
	"overcrank/agent/internal/aerenderdouble"
	"overcrank/agent/internal/signedintest"
	"overcrank/agent/presence"
	"overcrank/agent/runner"
)

func TestMain(m *testing.M) {
	aerenderdouble.PlayIfAsked()
	signedintest.ServeIfAsked()
	if path := os.Getenv(envFalseService); path != "" {
		serveFalsely(path)
	}
	os.Exit(m.Run())
}

// machine is a machine with an agent's service and people.
type machine struct {
	*runner.Sessions
	dir     string
	engines []string
	who     atomic.Pointer[presence.Person] // nil for nobody
	stop    func()
}

func newMachine(t *testing.T, engines ...string) *machine {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: it has runners of other accounts")
	}
	dir := filepath.Join(signedintest.Folder(t), "agent")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return newMachineOn(t, dir, engines...)
}

// newMachineOn is newMachine on the data folder of an earlier service.
func newMachineOn(t *testing.T, dir string, engines ...string) *machine {
	t.Helper()
	m := &machine{dir: dir, engines: engines}
	m.Sessions = runner.Open(runner.Config{
		DataDir: m.dir, Version: signedintest.Version, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Engines: func() []string { return m.engines },
		Who: func(context.Context) (presence.Person, bool, error) {
			if who := m.who.Load(); who != nil {
				return *who, true, nil
			}
			return presence.Person{}, false, nil
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	var stopped atomic.Bool
	m.stop = func() {
		if stopped.Swap(true) {
			return
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}
	t.Cleanup(m.stop)
	return m
}

// signIn has a person sit down before the machine.
func (m *machine) signIn(uid int) {
	m.who.Store(&presence.Person{ID: strconv.Itoa(uid)})
}

// patience is after how long what a test waits for counts as what never comes.
const patience = 2 * time.Minute

// lacks waits until the service says that After Effects cannot run for this reason; "" for none.
func (m *machine) lacks(t *testing.T, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = m.State().Lacks; got == want {
			return
		}
	}
	t.Fatalf("the service says %q, want %q", got, want)
}

const noRunner = "Overcrank does not run in the session of who is signed in"

// render is a request for an engine in a person's session.
func render(t *testing.T, m *machine, program, dir string) aerender.Request {
	t.Helper()
	seat, err := m.Enter()
	if err != nil {
		t.Fatal(err)
	}
	start, end := 0, 49
	return aerender.Request{Host: seat, Program: []string{program}, Dir: dir, Project: "/x.aep", Composition: "main", Start: &start, End: &end, Frames: 50}
}

func TestAfterEffectsRunsInTheSessionOfWhoIsSignedIn(t *testing.T) {
	program := signedintest.Program(t, "plays-noise")
	m := newMachine(t, program)
	m.lacks(t, runner.NobodySignedIn)
	if _, err := m.Enter(); !errors.As(err, new(*aerender.GoneError)) {
		t.Fatalf("with nobody signed in: %v", err)
	}
	m.signIn(signedintest.UID)
	m.lacks(t, noRunner)
	own := signedintest.Program(t, "runner")
	signedintest.Start(t, own, m.dir, signedintest.UID, "ok", program)
	m.lacks(t, "")
	var lines []string
	req := render(t, m, program, "/")
	req.OnLine = func(line string) { lines = append(lines, line) }
	res, err := aerender.Run(t.Context(), req)
	if err != nil || res.Frames != 50 {
		t.Fatalf("%+v, %v; it said %q", res, err, lines)
	}
	// The runner says it every second, and what it said does not count for long.
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if idle, known := m.Idle(0); known && idle >= time.Hour && idle < 2*time.Hour {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the session's last input was %v ago (%v)", idle, known)
		}
	}
	if len(m.Processes()) != 1 {
		t.Errorf("its runners are %v", m.Processes())
	}
	seat, err := m.Enter()
	if err != nil {
		t.Fatal(err)
	}
	since := time.Now().Truncate(time.Second).UTC()
	if err := seat.Discard(since); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(signedintest.Cleared(own, signedintest.UID)); err != nil || string(b) != since.Format(time.RFC3339) {
		t.Errorf("the caches were cleared since %s, %v", b, err)
	}
}

// A runner starts After Effects and nothing else, whatever the service asks for; and the service asks for nothing that is not in its own
// inventory.
func TestNothingButAfterEffectsIsStarted(t *testing.T) {
	program := signedintest.Program(t, "plays-normal")
	m := newMachine(t, program, "/bin/sh")
	m.signIn(signedintest.UID)
	r := signedintest.Start(t, signedintest.Program(t, "runner"), m.dir, signedintest.UID, "ok", program)
	m.lacks(t, "")
	_, err := aerender.Run(t.Context(), render(t, m, "/bin/sh", "/"))
	if err == nil || !strings.Contains(err.Error(), `"/bin/sh" is no After Effects of this machine`) {
		t.Errorf("the runner: %v\n%s", err, r.Log())
	}
	r.Logged(t, "not starting a program")
	_, err = aerender.Run(t.Context(), render(t, m, "/bin/true", "/"))
	if err == nil || !strings.Contains(err.Error(), "/bin/true is no After Effects of this machine") {
		t.Errorf("the service: %v", err)
	}
	req := render(t, m, program, "/")
	req.Program = append(req.Program, "-r", "/tmp/x.jsx")
	if _, err = aerender.Run(t.Context(), req); err == nil || !strings.Contains(err.Error(), `a render with the flag "-r" is not allowed`) {
		t.Errorf("a flag that is none of a render's: %v", err)
	}
	req = render(t, m, program, "here")
	if _, err = aerender.Run(t.Context(), req); err == nil || !strings.Contains(err.Error(), "not a working folder") {
		t.Errorf("a folder somewhere: %v", err)
	}
}

// begin starts an engine that hangs half way with a child of its own, and waits until both run.
func begin(t *testing.T, m *machine, program string) (ended <-chan error) {
	t.Helper()
	half := make(chan struct{})
	req := render(t, m, program, "/")
	req.OnProgress = func(p aerender.Progress) {
		if p.Done == 25 {
			close(half)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := aerender.Run(context.Background(), req)
		done <- err
	}()
	select {
	case <-half:
	case err := <-done:
		t.Fatalf("the engine ended early: %v", err)
	}
	return done
}

// running is how many processes there are of a program.
func running(t *testing.T, program string) int {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, exe := range list {
		if path, err := os.Readlink(exe); err == nil && strings.HasPrefix(path, program) {
			n++
		}
	}
	return n
}

func nothingRuns(t *testing.T, program string) {
	t.Helper()
	for end := time.Now().Add(patience); running(t, program) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d processes of the engine still run", running(t, program))
		}
	}
}

func TestWhatRunsInASessionEndsWithIt(t *testing.T) {
	own := signedintest.Program(t, "runner")
	for name, tt := range map[string]struct {
		end   func(m *machine, r *signedintest.Runner)
		want  string
		after string
	}{
		"the runner is killed": {func(_ *machine, r *signedintest.Runner) { r.Kill() }, "the session in which After Effects ran has ended", noRunner},
		"another person's session is in front": {func(m *machine, _ *signedintest.Runner) { m.signIn(signedintest.UID + 1) },
			"another person's session is in front now", noRunner},
		"the person signs out": {func(m *machine, _ *signedintest.Runner) { m.who.Store(nil) }, "another person's session is in front now", runner.NobodySignedIn},
		"the service stops":    {func(m *machine, _ *signedintest.Runner) { m.stop() }, "the agent is stopping", "the agent is stopping"},
	} {
		t.Run(name, func(t *testing.T) {
			program := signedintest.Program(t, "plays-child-then-hang")
			m := newMachine(t, program)
			m.signIn(signedintest.UID)
			r := signedintest.Start(t, own, m.dir, signedintest.UID, "ok", program)
			m.lacks(t, "")
			ended := begin(t, m, program)
			tt.end(m, r)
			var gone *aerender.GoneError
			if err := <-ended; !errors.As(err, &gone) || gone.Reason != tt.want {
				t.Errorf("the engine ended with %v, want %q", err, tt.want)
			}
			nothingRuns(t, program)
			m.lacks(t, tt.after)
		})
	}
}

// A cancelled task ends its engine in the session, and another one can begin; a runner that comes back serves on.
func TestARunnerServesOn(t *testing.T) {
	program, own := signedintest.Program(t, "plays-child-then-hang"), signedintest.Program(t, "runner")
	m := newMachine(t, program)
	m.signIn(signedintest.UID)
	first := signedintest.Start(t, own, m.dir, signedintest.UID, "ok", program)
	m.lacks(t, "")
	ctx, cancel := context.WithCancelCause(t.Context())
	req := render(t, m, program, "/")
	req.OnProgress = func(p aerender.Progress) {
		if p.Done == 25 {
			cancel(errors.New("cancelled"))
		}
	}
	if _, err := aerender.Run(ctx, req); err == nil || err.Error() != "cancelled" {
		t.Fatalf("cancelled: %v", err)
	}
	nothingRuns(t, program)
	first.Kill()
	m.lacks(t, noRunner)
	signedintest.Start(t, own, m.dir, signedintest.UID, "ok", program)
	m.lacks(t, "")
	m.stop()
	again := newMachineOn(t, m.dir, program) // as a service that is started anew: the runner finds it by itself
	again.signIn(signedintest.UID)
	again.lacks(t, "")
}

// Somebody else's runner does not speak for who is before the machine, however it calls itself.
func TestARunnerSpeaksForItsOwnAccountAlone(t *testing.T) {
	program, own := signedintest.Program(t, "plays-normal"), signedintest.Program(t, "runner")
	m := newMachine(t, program)
	m.signIn(signedintest.UID)
	signedintest.Start(t, own, m.dir, signedintest.UID+1, "ok", program)
	for end := time.Now().Add(patience); len(m.Processes()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the runner never came")
		}
	}
	m.lacks(t, noRunner)
	if seat, err := m.Enter(); err == nil {
		t.Fatalf("After Effects may run for account %s", seat.Owner())
	}
	if _, known := m.Idle(0); known {
		t.Error("somebody else says when the artist used the machine last")
	}
}

const envFalseService = "RUNNER_FALSE_SERVICE"

// serveFalsely listens where a runner looks for its service until its standard input ends, and tells by its exit code whether one spoke to it.
func serveFalsely(dir string) {
	m := &machine{dir: dir}
	m.Sessions = runner.Open(runner.Config{DataDir: dir, Version: signedintest.Version, Log: slog.Default(), Engines: func() []string { return nil },
		Who: func(context.Context) (presence.Person, bool, error) {
			return presence.Person{ID: strconv.Itoa(signedintest.UID)}, true, nil
		}})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	go func() {
		for {
			if len(m.Processes()) > 0 {
				os.Exit(7)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := m.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A service of another account, in a folder of that account's, is not obeyed.
func TestAFalseServiceIsNotObeyed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: it has runners of other accounts")
	}
	const liar = signedintest.UID + 2
	dir := filepath.Join(signedintest.Folder(t), "agent")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, liar, liar)); err != nil {
		t.Fatal(err)
	}
	own := signedintest.Program(t, "runner")
	service := exec.Command(own)
	service.Env = append(os.Environ(), envFalseService+"="+dir)
	service.Dir, service.Stderr = "/", t.Output()
	service.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: liar, Gid: liar}}
	stop, err := service.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(stop.Close(), service.Wait()); err != nil {
			t.Errorf("the false service ended with %v (7: a runner spoke to it)", err)
		}
	}()
	signedintest.Start(t, own, dir, signedintest.UID, "ok").Logged(t, "belongs to account "+strconv.Itoa(liar))
}

// What is given to a person is theirs for that time, and nothing else is; what comes back is plain files.
func TestFilesAreGivenAndTakenBack(t *testing.T) {
	program, own := signedintest.Program(t, "plays-normal"), signedintest.Program(t, "runner")
	m := newMachine(t, program)
	m.signIn(signedintest.UID)
	signedintest.Start(t, own, m.dir, signedintest.UID, "ok", program)
	m.lacks(t, "")
	seat, err := m.Enter()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(signedintest.Folder(t), "attempt")
	for _, sub := range []string{"", "p", "p/deep", "raw", "in", "out"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"p/show.aep", "p/deep/logo.png", "in/original", "secret"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	as := func(script string) error {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: signedintest.UID, Gid: signedintest.UID}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if as("cat "+dir+"/p/show.aep") == nil {
		t.Error("it could be read before it was given")
	}
	takeBack, err := seat.Give(dir, "p", "raw")
	if err != nil {
		t.Fatal(err)
	}
	err = as("cd " + dir + "/raw && cat ../p/show.aep ../p/deep/logo.png && echo film >raw_film.mov && ln -s ../secret raw_link && echo twice >raw_twice && ln raw_twice raw_other" +
		" && ln -s /etc ../p/deep/etc && mkfifo ../p/pipe && mkdir ../p/new && chmod 0 ../p/new")
	if err != nil {
		t.Fatalf("what was given: %v", err)
	}
	for _, other := range []string{"cat in/original", "cat secret", "ls .", "echo >new", "mv raw war", "ls in", "ls out", "ls " + m.dir} {
		if as("cd "+dir+" && "+other) == nil {
			t.Errorf("'%s' works though it was not given", other)
		}
	}
	if err := seat.Collect(dir, "raw/raw_film.mov", "out/raw_film.mov"); err != nil {
		t.Error(err)
	}
	for _, trap := range []string{"raw_link", "raw_twice"} {
		if err := seat.Collect(dir, "raw/"+trap, "out/"+trap); err == nil {
			t.Errorf("%s was taken for a film", trap)
		}
		if _, err := os.Lstat(filepath.Join(dir, "out", trap)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is where results are: %v", trap, err)
		}
	}
	if err := takeBack(); err != nil {
		t.Fatal(err)
	}
	if as("ls "+dir+"/p") == nil || as("ls "+dir) == nil {
		t.Error("it could be read after it was taken back")
	}
	err = filepath.WalkDir(filepath.Join(dir, "p"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Sys().(*syscall.Stat_t).Uid != 0 || !d.IsDir() && !d.Type().IsRegular() {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := takeBack(); err != nil {
		t.Errorf("taken back twice: %v", err)
	}
}
