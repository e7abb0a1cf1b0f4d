package agent

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// firstFrame takes a machine's first frame, unless uploads are to be refused.
func (p *peer) firstFrame(w http.ResponseWriter, r *http.Request) {
	if !p.authorised(w, r) {
		return
	}
	b, err := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refusals > 0 || err != nil {
		p.refusals--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	p.frames = append(p.frames, string(b))
	w.WriteHeader(http.StatusNoContent)
}

// showing starts an agent that renders its first frame with render, and stops it when the test ends.
func showing(t *testing.T, p *peer, dir, token string, render func(context.Context) ([]byte, error)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Config{DataDir: dir, Coordinators: []string{p.server.URL}, JoinToken: token, Name: "suite-4", CacheSize: 1 << 30,
			FirstFrame: render, FrameAgain: time.Millisecond, Logger: slog.New(slog.DiscardHandler)})
	}()
	var once atomic.Bool
	stop = func() {
		if once.Swap(true) {
			return
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// TestAMachineThatWasInstalledShowsItsFirstFrameOnce: whatever fails before is told and tried again, and a later start shows nothing.
func TestAMachineThatWasInstalledShowsItsFirstFrameOnce(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p, dir := newPeer(t), t.TempDir()
	p.refusals = 1
	if err := os.WriteFile(filepath.Join(dir, JoinTokenFile), []byte(joinToken(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	var broken atomic.Bool
	broken.Store(true)
	stop := showing(t, p, dir, "", func(context.Context) ([]byte, error) {
		if broken.Load() {
			return nil, errors.New("the engine is not there")
		}
		return []byte("a frame"), nil
	})
	p.eventually("the farm to hear why there is no frame", func() bool { return p.available.NoFrame == "the engine is not there" })
	broken.Store(false)
	p.eventually("the frame, and no reason any more", func() bool { return len(p.frames) == 1 && p.available.NoFrame == "" })
	owes := func() bool {
		_, err := os.Lstat(filepath.Join(dir, firstFrameMark))
		return err == nil
	}
	p.eventually("the machine to owe nothing", func() bool { return !owes() })
	stop()

	showing(t, p, dir, "", func(context.Context) ([]byte, error) {
		t.Error("a machine that has shown its frame renders it again")
		return nil, nil
	})
	p.eventually("the second greeting", func() bool { return len(p.hellos) == 2 })
}

// TestAMachineThatWasStartedByHandShowsNoFrame: nobody waits for it on a page, and rendering would only take time from work.
func TestAMachineThatWasStartedByHandShowsNoFrame(t *testing.T) {
	t.Parallel()
	p, dir := newPeer(t), t.TempDir()
	showing(t, p, dir, joinToken(t), func(context.Context) ([]byte, error) {
		t.Error("it renders a frame")
		return nil, nil
	})
	p.eventually("heartbeats after the welcome", func() bool { return len(p.presences) > 2 })
}
