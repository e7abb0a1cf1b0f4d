package joblog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/files"
)

// stalling is shared storage that takes no file until it is told to.
type stalling struct {
	files.Shared
	asked chan string   // gets the key of each file that it holds up
	well  chan struct{} // closed when it works
}

// stall has a node's storage stall until the test calls well.
func (n *node) stall(t *testing.T, c *cluster) (asked <-chan string, well func()) {
	t.Helper()
	s := &stalling{Shared: n.shared, asked: make(chan string, 16), well: make(chan struct{})}
	n.Logs = n.over(c, s)
	return s.asked, func() { close(s.well) }
}

// Put implements files.Store.
func (s *stalling) Put(ctx context.Context, key string, r io.Reader, lim files.Limits) (files.Object, error) {
	select {
	case <-s.well:
		return s.Shared.Put(ctx, key, r, lim)
	default:
	}
	s.asked <- key
	<-s.well
	return s.Shared.Put(ctx, key, r, lim)
}

// patience is how long a test waits for what comes at once, unless it never comes.
const patience = 2 * time.Minute

// soon fails the test when something is not done in the end.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s waits for the storage", what)
	}
}

// TestLinesAreWrittenWhileTheStorageStalls: who writes a line hears agents, or hands on what the farm decided, and waits for no storage.
func TestLinesAreWrittenWhileTheStorageStalls(t *testing.T) {
	c := newCluster(t)
	n := c.open(t, t.TempDir(), "n1")
	asked, well := n.stall(t, c)
	var want strings.Builder
	add := func(line string) {
		n.add(t, line)
		want.WriteString(line)
	}
	add("one\n")
	stored := make(chan error, 1)
	go func() { stored <- n.Store(t.Context(), "job") }()
	<-asked
	soon(t, "a line", func() {
		for i := range 100 { // enough for several segments
			add(fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 8<<10)))
		}
	})
	soon(t, "a reader", func() {
		if got := n.read(t); got != want.String() {
			t.Errorf("meanwhile it reads %d bytes, want %d in the order in which they came", len(got), want.Len())
		}
	})
	well()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if got := n.read(t); got != want.String() {
		t.Errorf("read %d bytes, want %d in the order in which they came", len(got), want.Len())
	}
	if err := n.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	if got := c.open(t, t.TempDir(), "n9").read(t); got != want.String() {
		t.Errorf("another node reads %d bytes, want %d", len(got), want.Len())
	}
}

// TestALogIsReadWholeWhileItIsStored: nothing is missed that goes from this machine to the storage.
func TestALogIsReadWholeWhileItIsStored(t *testing.T) {
	n := newCluster(t).open(t, t.TempDir(), "n1")
	var whole strings.Builder
	for i := range 80 { // each eight of which fill a segment
		fmt.Fprintf(&whole, "%d %s\n", i, strings.Repeat("x", 32<<10))
	}
	text := whole.String()
	written := make(chan error, 1)
	go func() {
		for line := range strings.Lines(text) {
			if err := errors.Join(n.Add("job", []byte(line)), n.Store(context.Background(), "job")); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for before := 0; len(written) == 0; {
		got := n.read(t)
		if len(got) < before || !strings.HasPrefix(text, got) {
			t.Fatalf("read %d bytes after %d, which are how the log begins: %t", len(got), before, strings.HasPrefix(text, got))
		}
		before = len(got)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if got := n.read(t); got != text {
		t.Errorf("read %d bytes of %d at the end", len(got), len(text))
	}
}

// TestLinesAreWrittenWhileALogIsRewritten: they follow what was rewritten, as they are.
func TestLinesAreWrittenWhileALogIsRewritten(t *testing.T) {
	c := newCluster(t)
	n := c.open(t, t.TempDir(), "n1")
	n.add(t, "a stored secret\n")
	if err := n.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	asked, well := n.stall(t, c)
	n.add(t, "a secret\n")
	rewritten := make(chan error, 1)
	go func() {
		rewritten <- n.Rewrite(t.Context(), "job", func(to io.Writer, from io.Reader) error {
			text, err := io.ReadAll(from)
			if err == nil {
				_, err = io.WriteString(to, strings.ReplaceAll(string(text), "secret", "***"))
			}
			return err
		})
	}()
	<-asked
	soon(t, "a line", func() { n.add(t, "a line of meanwhile\n") })
	well()
	if err := <-rewritten; err != nil {
		t.Fatal(err)
	}
	want := "a stored ***\na ***\na line of meanwhile\n"
	if got := n.read(t); got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	if err := n.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	if got := c.open(t, t.TempDir(), "n9").read(t); got != want {
		t.Errorf("another node reads %q, want %q", got, want)
	}
}
