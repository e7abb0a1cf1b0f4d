//go:build linux

package trouble_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
)

// holding are the files below dir that hold a word, or are called by it.
func holding(t *testing.T, dir, word string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil // it went while we looked
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(word)) || strings.Contains(path, word) {
			found = append(found, path)
		}
		if os.IsNotExist(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestNothingOfAJobFromTheCustomersStorageStaysOnTheMachine kills the farm while it renders a project that it may not keep,
// lets it render again, and looks at every byte that the workstation's side has written.
func TestNothingOfAJobFromTheCustomersStorageStaysOnTheMachine(t *testing.T) {
	t.Parallel()
	const word = "zq-nobody-else-writes-this-zq"
	project, err := os.ReadFile(farmtest.SmallCard(t))
	if err != nil {
		t.Fatal(err)
	}
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(project) }))
	defer storage.Close()
	scratch := t.TempDir()
	dir := t.TempDir()
	f := farmtest.LaunchProgram(t, farmtest.Under(t, farmtest.Program(t), "export TMPDIR='"+scratch+"'"), "up", dir, "--lease", "15s")
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	submit := func() string {
		job, err := f.Submit(t.Context(), map[string]any{
			"template": map[string]string{"src": storage.URL + "/" + word + ".zip", "composition": titlecard.Composition},
			"settings": map[string]any{"frames": []int{0, 60}},
			"assets": []any{
				farmtest.Busy(),
				map[string]any{"type": "static", "name": word + ".txt", "src": "data:text/plain," + word},
				map[string]any{"type": "static", "name": "more.txt", "src": storage.URL + "/" + word + ".txt"},
				map[string]any{"type": "text", "layerName": "Title", "value": word},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return job.ID
	}
	agent := filepath.Join(dir, "agent")
	signal := func(s syscall.Signal) {
		for _, pid := range farmtest.Processes(dir) {
			_ = syscall.Kill(pid, s)
		}
	}
	var id string
	f.Await("the machine to be caught with something of it", func() bool {
		id = f.Rendering(submit)
		signal(syscall.SIGSTOP) // none goes before another one: an agent whose farm does would tidy up
		if len(holding(t, agent, word)) > 0 {
			return true
		}
		signal(syscall.SIGCONT)
		f.Finished(id)
		return false
	})
	signal(syscall.SIGKILL)
	f.Kill()
	f = farmtest.Up(t, dir, "--lease", "15s")
	f.Finished(id)
	f.Await("the machine to be done with it", func() bool { return len(farmtest.Leftovers(t, dir)) == 0 })
	for _, place := range []string{agent, scratch} {
		if found := holding(t, place, word); len(found) != 0 {
			t.Errorf("what stays: %v", found)
		}
	}
}
