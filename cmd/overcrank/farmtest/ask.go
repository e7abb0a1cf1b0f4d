//go:build linux

package farmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, Program(t), append([]string{"up"}, args...)...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err == nil || ctx.Err() != nil {
		t.Fatalf("up %v did not refuse to start (%v); it said:\n%s", args, err, said.String())
	}
	return said.String()
}

// Answer is what an address of the interface answers.
func (f *Farm) Answer(path string) []byte {
	f.T.Helper()
	req, err := http.NewRequestWithContext(f.T.Context(), http.MethodGet, f.Server+path, nil)
	if err != nil {
		f.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		f.T.Fatal(err)
	}
	return text
}

// FarmAPI asks the farm's own interface.
func (f *Farm) FarmAPI(method, path, body string) []byte {
	f.T.Helper()
	req, err := http.NewRequestWithContext(f.T.Context(), method, f.Server+"/api/farm/v1"+path, strings.NewReader(body))
	if err != nil {
		f.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+f.Token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		f.T.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		f.T.Fatalf("%s %s: %d %s, %v", method, path, res.StatusCode, text, err)
	}
	return text
}

// Ready tells what keeps a farm from serving, nil when nothing does.
func Ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reason, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: %s", res.Status, reason), err)
	}
	return err
}

// Post POSTs a request and decodes its answer into out, unless that is nil.
func (f *Farm) Post(path string, body, out any) {
	f.T.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		f.T.Fatal(err)
	}
	req, err := http.NewRequestWithContext(f.T.Context(), http.MethodPost, f.Server+path, bytes.NewReader(raw))
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
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		f.T.Fatalf("POST %s was answered %s, %v: %.500s", path, resp.Status, err, answer)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(answer, out); err != nil {
		f.T.Fatal(err)
	}
}
