//go:build linux

package trouble_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/client"
	"overcrank/raftstore/porttest"
)

// smallDisk mounts a disk in memory for a test; without the right to, the test is skipped.
func smallDisk(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fillDisk leaves no byte free on the disk of a folder until free is called.
func fillDisk(t *testing.T, folder string) (free func()) {
	t.Helper()
	path := filepath.Join(folder, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := 1 << 20; size > 0; size /= 4 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// startSomehow starts a coordinator that may not be able to serve yet.
func startSomehow(t *testing.T, dir, address string, flags ...string) *farmtest.Farm {
	t.Helper()
	f := &farmtest.Farm{T: t, Dir: dir, Said: &farmtest.Buffer{}, Done: make(chan struct{}), Client: &client.Client{Server: "http://" + address, HTTP: http.DefaultClient}}
	f.Cmd = exec.Command(farmtest.Program(t), append([]string{"coordinator", "--data-dir", dir, "--listen", address}, flags...)...)
	f.Cmd.Stdout, f.Cmd.Stderr = f.Said, f.Said
	if err := f.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(f.Done)
		_ = f.Cmd.Wait()
	}()
	t.Cleanup(f.Stop)
	return f
}

// readiness is what /readyz answers.
type readiness struct {
	status int
	retry  string
	Status string
	Error  string
	Checks []struct{ Name, Status, Found string }
}

// says asks an address that any caller may ask; a status of 0 says that nobody answered.
func says(f *farmtest.Farm, path string) (r readiness) {
	f.T.Helper()
	caller := http.Client{Timeout: time.Minute}
	res, err := caller.Get(f.Server + path)
	if err != nil {
		return r
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return r
	}
	if err := json.Unmarshal(text, &r); err != nil {
		f.T.Errorf("%s is answered with %d %q", path, res.StatusCode, text)
	}
	r.status, r.retry = res.StatusCode, res.Header.Get("Retry-After")
	return r
}

// TestAFarmWaitsForADiskThatTakesNothing starts a coordinator on a disk that is read-only, and on one that is full to the last
// byte after it was killed. Nobody starts it again.
func TestAFarmWaitsForADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64m")
	data, address := filepath.Join(disk, "farm"), porttest.Address(t)
	f := startSomehow(t, data, address, "--min-free", "1")
	f.Await("the farm to be ready", func() bool { return says(f, "/readyz").status == http.StatusOK })
	f.Await("its token", func() bool { _, err := os.Stat(filepath.Join(data, "admin.token")); return err == nil })
	f.Token = f.AdminToken()
	f.Await("it to know its token, which is written before that", func() bool { _, err := f.Me(t.Context()); return err == nil })
	kept, _, err := post(f, "before")
	if err != nil {
		t.Fatal(err)
	}
	remount := func(flags uintptr) func() {
		return func() {
			if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|flags, "size=64m"); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, trouble := range []struct {
		word string
		make func() (end func())
	}{
		{"read-only", func() func() { remount(syscall.MS_RDONLY)(); return remount(0) }},
		{"no space left", func() func() { return fillDisk(t, disk) }},
	} {
		f.Kill()
		end := trouble.make()
		f = startSomehow(t, data, address, "--min-free", "1")
		f.Token = f.AdminToken()
		f.Await("the farm to say what it waits for", func() bool {
			r := says(f, "/readyz")
			return r.status == http.StatusServiceUnavailable && strings.Contains(r.Error, trouble.word) && strings.Contains(r.Error, data)
		})
		if r := says(f, "/readyz"); r.retry == "" || len(r.Checks) == 0 || r.Checks[0].Status != "failed" {
			t.Errorf("%s: not ready is told as %+v", trouble.word, r)
		}
		if r := says(f, "/healthz"); r.status != http.StatusOK || r.Status != "ok" {
			t.Errorf("%s: a process that waits is alive as %+v", trouble.word, r)
		}
		for _, path := range []string{"/api/v2/jobs", "/", "/files/x"} {
			if r := says(f, path); r.status != http.StatusServiceUnavailable || r.retry == "" || !strings.Contains(r.Error, trouble.word) {
				t.Errorf("%s: %s is answered as %+v", trouble.word, path, r)
			}
		}
		end()
		f.Await("the farm to be ready again", func() bool { return says(f, "/readyz").status == http.StatusOK })
		if id, replayed, err := post(f, "before"); err != nil || id != kept || !replayed {
			t.Errorf("%s: the job that was acknowledged, %s, is now %s, %v", trouble.word, kept, id, err)
		}
	}
}
