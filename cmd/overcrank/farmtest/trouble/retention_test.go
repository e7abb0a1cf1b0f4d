//go:build linux

package trouble_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/titlecard"
	"overcrank/raftstore/porttest"
)

// call is one webhook as a receiver got it.
type call struct{ id, signature, body string }

// TestWebhookSurvivesAKill kills the farm while a receiver has its webhook in hand.
func TestWebhookSurvivesAKill(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var calls []call
	first, killed := make(chan struct{}), make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		calls = append(calls, call{r.Header.Get("X-Delivery-Id"), r.Header.Get("X-Signature"), string(body)})
		n := len(calls)
		mu.Unlock()
		if n == 1 {
			close(first)
			<-killed
		}
	}))
	defer hook.Close()
	dir := t.TempDir()
	flags := []string{"--lease", "15s", "--listen", porttest.Address(t)} // results keep their addresses, which stand in the body
	f := farmtest.Up(t, dir, flags...)
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"id": f.Card(), "composition": titlecard.Composition}, "settings": map[string]any{"type": "image", "frames": 1},
		"webhook": map[string]any{"url": hook.URL, "data": map[string]int{"order": 7}},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-first
	f.Kill()
	close(killed)
	f = farmtest.Up(t, dir, flags...)
	f.Await("the webhook to be delivered", func() bool { return strings.Contains(f.LogOf(job.ID), "webhook: delivered") })
	mu.Lock()
	defer mu.Unlock()
	// A receiver that is slow to answer is called once more.
	if len(calls) < 2 || slices.ContainsFunc(calls, func(c call) bool { return c != calls[0] }) || calls[0].id != job.ID || !strings.Contains(calls[0].body, `"status":"finished"`) || !strings.Contains(calls[0].body, `"order":7`) {
		t.Errorf("the receiver got %+v", calls)
	}
}

// TestAPrivateProjectLeavesNothing renders a project that the farm must not keep and searches every file of coordinator and agent.
func TestAPrivateProjectLeavesNothing(t *testing.T) {
	t.Parallel()
	project, err := os.ReadFile(farmtest.SmallCard(t))
	if err != nil {
		t.Fatal(err)
	}
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(project)
	}))
	defer client.Close()
	const marker = "Marigold-4711"
	dir := t.TempDir()
	f := farmtest.Up(t, dir, "--log-level", "debug")
	job, err := f.Submit(t.Context(), map[string]any{
		"template": map[string]string{"src": client.URL + "/" + marker + "/card.zip?key=" + marker, "composition": titlecard.Composition},
		"settings": map[string]any{"type": "image", "frames": 1},
		"assets":   []map[string]any{{"type": "text", "layerName": "Title", "value": marker}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Finished(job.ID)
	middle := project[len(project)/2 : len(project)/2+64]
	var left []string
	f.Await("everything of the project to be gone", func() bool {
		left = nil
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return ignoreGone(err)
			}
			content, err := os.ReadFile(path)
			if bytes.Contains(content, []byte(marker)) || bytes.Contains(content, middle) {
				left = append(left, path)
			}
			return ignoreGone(err)
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(left) == 0
	})
	if strings.Contains(f.Said.String(), marker) {
		t.Error("the farm's own log tells of it")
	}
	if log := f.LogOf(job.ID); log == "" || strings.Contains(log, marker) {
		t.Errorf("the job's log is %q", log)
	}
}

// ignoreGone lets a walk go on when the farm removes files behind its back.
func ignoreGone(err error) error {
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
