//go:build linux

package farmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/cmd/overcrank/exit"
)

// ExitNotFound is the exit code of a command that names what is not there.
const ExitNotFound = exit.NotFound

// Command runs the program as a person at the farm would, and returns its exit code and what it said.
func (f *Farm) Command(args ...string) (code int, stdout, stderr string) {
	f.T.Helper()
	return run(f.T, []string{"OVERCRANK_SERVER=" + Contract(f.T).Proxy(f.T, f.Server), "OVERCRANK_TOKEN_FILE=" + filepath.Join(f.Dir, "admin.token")}, args)
}

// Run is Command without a farm.
func Run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return run(t, nil, args)
}

func run(t testing.TB, environment, args []string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, Plain(t), args...)
	cmd.Env = append(os.Environ(), environment...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), said.String()
}

// Refusal is what `up` says when it does not start.
func Refusal(t testing.TB, args ...string) string {
	t.Helper()
	program := Program(t) // built first, which may take longer than a refusal may
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"up"}, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Fatalf("up %v did not refuse to start (%v); it said:\n%s", args, err, said.String())
	}
	return said.String()
}

// Answer is what an address of the interface answers, whatever its status.
func (f *Farm) Answer(path string) []byte {
	f.T.Helper()
	_, text := f.ask(http.MethodGet, path, "")
	return text
}

// FarmAPI asks the farm's own interface, and gives the answer, which must not be a refusal.
func (f *Farm) FarmAPI(method, path, body string) []byte {
	f.T.Helper()
	status, text := f.ask(method, "/api/farm/v1"+path, body)
	if status >= http.StatusMultipleChoices {
		f.T.Fatalf("%s %s was answered %d: %.500s", method, path, status, text)
	}
	return text
}

// Post POSTs a request and decodes its answer, which must not be a refusal, into out, unless that is nil.
func (f *Farm) Post(path string, body, out any) {
	f.T.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		f.T.Fatal(err)
	}
	status, text := f.ask(http.MethodPost, path, string(raw))
	if status >= http.StatusMultipleChoices {
		f.T.Fatalf("POST %s was answered %d: %.500s", path, status, text)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(text, out); err != nil {
		f.T.Fatal(err)
	}
}

// ask sends a request with the administrator's token, and reads the whole answer. A coordinator that has waited in vain for a leader is asked again, as by
// Rig.AskPatiently, unless something may have been changed.
func (f *Farm) ask(method, path, body string) (status int, text []byte) {
	f.T.Helper()
	for end := time.Now().Add(Patience); ; time.Sleep(25 * time.Millisecond) {
		status, text = f.askOnce(method, path, body)
		vain := status == http.StatusServiceUnavailable && waitedForLeader.Match(text) && (method == http.MethodGet || !mayBeDone.Match(text))
		if !vain || time.Now().After(end) {
			return status, text
		}
	}
}

func (f *Farm) askOnce(method, path, body string) (status int, text []byte) {
	f.T.Helper()
	req, err := http.NewRequestWithContext(f.T.Context(), method, f.Server+path, strings.NewReader(body))
	if err != nil {
		f.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err = io.ReadAll(resp.Body); err != nil {
		f.T.Fatal(err)
	}
	return resp.StatusCode, text
}
