//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/api/apitest"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/titlecard"
)

// binary is the real program, built once for all tests.
var binary string

// contract holds what the tests send and get against the interface's documents.
var contract *apitest.Contract

func TestMain(m *testing.M) {
	var err error
	if contract, err = apitest.Load(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	dir, err := os.MkdirTemp("", "overcrank-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "overcrank")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// makeCard writes the title card beside the binary, once: to paint its picture takes long under the race detector.
var makeCard = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(filepath.Dir(binary), "card.zip")
	return path, writeTo(path, titlecard.WriteZip)
})

// titleCardZip is the title card's project, for reading only.
func titleCardZip(t testing.TB) string {
	t.Helper()
	path, err := makeCard()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runningFarm is an `overcrank up` under test.
type runningFarm struct {
	*client.Client
	t    testing.TB
	dir  string
	cmd  *exec.Cmd
	said *lockedBuffer
	done chan struct{}
}

// lockedBuffer may be written by a process while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startUp starts a farm in dir and waits until it is ready. It is stopped when the test ends.
func startUp(t testing.TB, dir string, flags ...string) *runningFarm {
	t.Helper()
	f := launch(t, dir, flags...)
	f.await("the farm to be ready", func() bool { return ready(t.Context(), f.Server) == nil })
	return f
}

// launch starts a farm in dir and waits until it says where it is.
func launch(t testing.TB, dir string, flags ...string) *runningFarm {
	t.Helper()
	return launchAs(t, "up", dir, flags...)
}

// launchAs is launch by another command: coordinator, for a farm without an agent.
func launchAs(t testing.TB, command, dir string, flags ...string) *runningFarm {
	t.Helper()
	return launchProgram(t, binary, command, dir, flags...)
}

// launchProgram is launchAs by another build of the program.
func launchProgram(t testing.TB, program, command, dir string, flags ...string) *runningFarm {
	t.Helper()
	f, address := startProgram(t, program, command, dir, flags...)
	f.Client = &client.Client{Server: address, Token: f.token(), HTTP: &http.Client{Transport: contract.Transport(t, nil)}}
	return f
}

// startProgram starts a farm in dir, or one of its coordinators, and waits until it says where it is.
func startProgram(t testing.TB, program, command, dir string, flags ...string) (f *runningFarm, address string) {
	t.Helper()
	f = &runningFarm{t: t, dir: dir, said: &lockedBuffer{}, done: make(chan struct{})}
	args := append([]string{command, "--data-dir", dir, "--listen", "127.0.0.1:0"}, flags...)
	f.cmd = exec.Command(program, args...)
	f.cmd.Stderr = f.said
	stdout, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := make(chan string, 1)
	go func() {
		defer close(f.done)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, a, ok := strings.Cut(lines.Text(), " is at "); ok {
				a, _, _ = strings.Cut(a, ",") // one of several says behind it what it waits for
				at <- a
			}
		}
		_ = f.cmd.Wait()
	}()
	t.Cleanup(func() {
		f.stop()
		if t.Failed() {
			t.Logf("the farm in %s said:\n%s", dir, f.said)
		}
	})
	select {
	case address = <-at:
	case <-f.done:
		t.Fatalf("the farm ended at once:\n%s", f.said)
	case <-time.After(30 * time.Second):
		t.Fatalf("the farm said no address:\n%s", f.said)
	}
	return f, address
}

// token is what the farm keeps for its administrator.
func (f *runningFarm) token() string {
	raw, err := os.ReadFile(filepath.Join(f.dir, "admin.token"))
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// stop ends the farm in order and waits for it.
func (f *runningFarm) stop() {
	_ = f.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-f.done:
	case <-time.After(30 * time.Second):
		f.t.Errorf("the farm did not stop within 30 s:\n%s", f.said)
		f.kill()
	}
}

// kill ends the farm without a word, and everything that it started.
func (f *runningFarm) kill() {
	_ = f.cmd.Process.Kill()
	<-f.done
	for _, pid := range processes(f.dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// await waits until what it waits for is true.
func (f *runningFarm) await(what string, ok func() bool) {
	f.t.Helper()
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if ok() {
			return
		}
	}
	f.t.Fatalf("waited in vain for %s; the farm said:\n%s", what, f.said)
}

// ended waits for the end of a job.
func (f *runningFarm) ended(id string) client.Job {
	f.t.Helper()
	var job client.Job
	f.await("job "+id+" to end", func() bool {
		var err error
		if job, err = f.Job(f.t.Context(), id); err != nil {
			f.t.Fatal(err)
		}
		return job.Ended()
	})
	return job
}

// finished waits for the end of a job, which must be a good one.
func (f *runningFarm) finished(id string) client.Job {
	f.t.Helper()
	job := f.ended(id)
	if job.Status != "finished" {
		f.t.Fatalf("job %s ended as %s: %s\nits log:\n%s", id, job.Status, why(job), f.log(id))
	}
	return job
}

func why(j client.Job) string {
	if j.Stats.Error == nil {
		return ""
	}
	return *j.Stats.Error
}

func (f *runningFarm) log(id string) string {
	var b strings.Builder
	if _, err := f.Log(f.t.Context(), id, 0, &b); err != nil {
		return err.Error()
	}
	return b.String()
}

// card registers the title card and returns its id.
func (f *runningFarm) card() string {
	f.t.Helper()
	t := f.template("zip", titleCardZip(f.t))
	if t.Status != "uploaded" {
		f.t.Fatalf("the template is %s: %s", t.Status, t.Error)
	}
	return t.ID
}

// template registers a file and waits until the farm has read it.
func (f *runningFarm) template(typ, path string) client.Template {
	f.t.Helper()
	t, err := f.CreateTemplate(f.t.Context(), typ, filepath.Base(path), path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.await("the template to be read", func() bool {
		if t, err = f.Template(f.t.Context(), t.ID); err != nil {
			f.t.Fatal(err)
		}
		return t.Status == "uploaded" || t.Status == "error"
	})
	return t
}

// submitCard submits a job on the title card; settings may be nil.
func (f *runningFarm) submitCard(template string, settings map[string]any, assets ...map[string]any) string {
	f.t.Helper()
	body := map[string]any{"template": map[string]string{"id": template, "composition": titlecard.Composition}, "assets": assets}
	if settings != nil {
		body["settings"] = settings
	}
	job, err := f.Submit(f.t.Context(), body)
	if err != nil {
		f.t.Fatal(err)
	}
	return job.ID
}

// processes are those whose command line names dir, and the word if there is one.
func processes(dir string, words ...string) []int {
	entries, _ := os.ReadDir("/proc")
	var pids []int
next:
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || !bytes.Contains(line, []byte(dir)) {
			continue
		}
		for _, w := range words {
			if !bytes.Contains(line, []byte(w)) {
				continue next
			}
		}
		pids = append(pids, pid)
	}
	return pids
}

// command runs the program as a person would and returns its exit code and what it said.
func (f *runningFarm) command(args ...string) (code int, stdout, stderr string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "OVERCRANK_SERVER="+contract.Proxy(f.t, f.Server), "OVERCRANK_TOKEN_FILE="+filepath.Join(f.dir, "admin.token"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.t.Fatalf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// probe tells codec, size, number of frames and length of a film, as ffprobe does.
func probe(t *testing.T, path string) (codec string, width, height, frames int, audio bool) {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries",
		"stream=codec_type,codec_name,width,height,nb_read_frames", "-of", "compact=p=0", path).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", path, err)
	}
	field := func(line, name string) string {
		m := regexp.MustCompile(`(?:^|\|)` + name + `=([^|]*)`).FindStringSubmatch(line)
		if m == nil {
			return ""
		}
		return m[1]
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if field(line, "codec_type") == "audio" {
			audio = true
			continue
		}
		codec = field(line, "codec_name")
		width, _ = strconv.Atoi(field(line, "width"))
		height, _ = strconv.Atoi(field(line, "height"))
		frames, _ = strconv.Atoi(field(line, "nb_read_frames"))
	}
	return codec, width, height, frames, audio
}

// download fetches a job's result into a file of its own.
func (f *runningFarm) download(j client.Job) string {
	f.t.Helper()
	path := filepath.Join(f.t.TempDir(), filepath.Base(j.OutputURL))
	if err := f.Download(f.t.Context(), j.OutputURL, path, nil); err != nil {
		f.t.Fatal(err)
	}
	return path
}
