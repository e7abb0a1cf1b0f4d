package tray

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestTheBrowserOutlivesTheIcon: an xdg-open that waits for its browser neither holds the tray at its end, nor takes the browser along.
func TestTheBrowserOutlivesTheIcon(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := "#!/bin/sh\nsleep 600 & echo \"$! $1\" >'" + started + ".new' && mv '" + started + ".new' '" + started + "'\nwait\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	ctx, leave := context.WithCancel(t.Context())
	s := &shown{failed: make(chan error)}
	s.open(ctx, "https://farm:8080/")
	var said string
	for {
		text, err := os.ReadFile(started)
		if err == nil {
			said = string(text)
			break
		}
		select {
		case err := <-s.failed:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	id, page, _ := strings.Cut(strings.TrimSpace(said), " ")
	browser, err := strconv.Atoi(id)
	if err != nil || page != "https://farm:8080/" {
		t.Fatalf("it opens %q: %v", said, err)
	}
	defer func() { _ = syscall.Kill(browser, syscall.SIGKILL) }()
	leave()
	s.opening.Wait()
	if err := syscall.Kill(browser, 0); err != nil {
		t.Errorf("the browser has ended: %v", err)
	}
}

// TestAPageThatIsNotOpenedIsTold: without a browser, for one.
func TestAPageThatIsNotOpenedIsTold(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	s := &shown{failed: make(chan error)}
	s.open(t.Context(), "https://farm:8080/")
	if err := <-s.failed; err == nil || !strings.Contains(err.Error(), "xdg-open") {
		t.Errorf("it says %v", err)
	}
	s.opening.Wait()
}
