package joblog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/joblog"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// node is a coordinator as far as logs go.
type node struct {
	*joblog.Logs
	name   string
	local  *files.Folder
	shared files.Shared
}

// cluster is what coordinators have in common.
type cluster struct {
	dir   string
	index atomic.Uint64 // of the farm's log
	clean time.Time     // when the jobs were redacted
	gone  bool
}

func (c *cluster) open(t *testing.T, dir, name string) *node {
	t.Helper()
	n := &node{}
	var err error
	if n.local, err = files.OpenFolder(dir, -1); err != nil {
		t.Fatal(err)
	}
	mount, err := files.OpenMount(c.dir, name, -1)
	if err != nil {
		t.Fatal(err)
	}
	n.shared = mount
	n.name = name
	n.Logs = n.over(c, mount)
	t.Cleanup(func() {
		if err := errors.Join(n.local.Close(), n.shared.Close()); err != nil {
			t.Error(err)
		}
	})
	return n
}

// over is the logs of a node that keeps them in some storage.
func (n *node) over(c *cluster, shared files.Shared) *joblog.Logs {
	return joblog.Open(joblog.Config{
		Local: n.local, Shared: shared, Node: n.name, Logger: slog.New(slog.DiscardHandler),
		Order: func() uint64 { return c.index.Add(1) },
		Wanted: func(_ string, begun time.Time) (bool, error) {
			return !c.gone && (c.clean.IsZero() || begun.After(c.clean)), nil
		},
	})
}

func newCluster(t *testing.T) *cluster { return &cluster{dir: t.TempDir()} }

func (n *node) add(t *testing.T, text string) {
	t.Helper()
	if err := n.Add("job", []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func (n *node) read(t *testing.T) string {
	t.Helper()
	r, err := n.Open(t.Context(), "job")
	if errors.Is(err, files.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	if r.Size != int64(len(text)) {
		t.Errorf("the log is said to have %d bytes, and has %d", r.Size, len(text))
	}
	return string(text)
}

// stored lists the files of logs that all coordinators see.
func (n *node) stored(t *testing.T) (keys []string) {
	t.Helper()
	err := n.shared.Walk(t.Context(), "logs", func(o files.Object) error {
		if !strings.HasSuffix(o.Key, "/") {
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestLogIsReadableAtOnceWhereItGrows(t *testing.T) {
	n := newCluster(t).open(t, t.TempDir(), "n1")
	if got := n.read(t); got != "" {
		t.Errorf("a log that is not there reads %q", got)
	}
	n.add(t, "one\n")
	if got := n.read(t); got != "one\n" {
		t.Errorf("read %q", got)
	}
	if err := n.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	n.add(t, "two\n")
	if got := n.read(t); got != "one\ntwo\n" {
		t.Errorf("read %q", got)
	}
}

func TestAnotherCoordinatorReadsTheLeadersLayout(t *testing.T) {
	c := newCluster(t)
	one, other := c.open(t, t.TempDir(), "n1"), c.open(t, t.TempDir(), "n2")
	one.add(t, "stored\n")
	if err := one.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	one.add(t, "not stored\n")
	if got := other.read(t); got != "stored\n" {
		t.Errorf("by itself it reads %q", got)
	}
	layout, err := one.Layout(t.Context(), "job")
	if err != nil {
		t.Fatal(err)
	}
	r, err := other.OpenLayout(layout)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "stored\nnot stored\n" {
		t.Errorf("it reads %q, %v", text, err)
	}
	if _, err := r.Seek(-7, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "stored\n" {
		t.Errorf("the last 7 bytes are %q, %v", text, err)
	}
	if _, err := r.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != "ored\nnot stored\n" {
		t.Errorf("from the third byte on it reads %q, %v", text, err)
	}
}

// Each leader writes segments of its own, which follow those of earlier leaders.
func TestLogContinuesWithTheNextLeader(t *testing.T) {
	c := newCluster(t)
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	var want strings.Builder
	for turn := range 6 {
		n := c.open(t, dirs[turn%3], fmt.Sprintf("n%d", turn%3))
		for i := range 20 {
			line := fmt.Sprintf("%d.%d %s\n", turn, i, strings.Repeat("x", 8<<10))
			n.add(t, line)
			want.WriteString(line)
			if i%5 == 4 {
				if err := n.Store(t.Context(), "job"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if got := c.open(t, t.TempDir(), "n9").read(t); got != want.String() {
		t.Errorf("read %d bytes, want %d in the order in which they came", len(got), want.Len())
	}
}

// A coordinator that was killed stores its unsaved lines when it restarts; stored lines are not duplicated.
func TestKilledCoordinatorStoresTheRestAfterRestart(t *testing.T) {
	c := newCluster(t)
	dir := t.TempDir()
	before := c.open(t, dir, "n1")
	before.add(t, "stored\n")
	if err := before.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	before.add(t, "not stored\n")
	next := c.open(t, t.TempDir(), "n2")
	next.add(t, "by the next\n")
	if err := next.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}

	again := c.open(t, dir, "n1")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); again.Run(ctx) }()
	for end := time.Now().Add(2 * time.Minute); c.open(t, t.TempDir(), "n9").read(t) != "stored\nnot stored\nby the next\n"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("read %q", again.read(t))
		}
	}
	cancel()
	<-done
}

func TestRewriteCoversAllParts(t *testing.T) {
	c := newCluster(t)
	dir := t.TempDir()
	old, leader := c.open(t, dir, "n1"), c.open(t, t.TempDir(), "n2")
	if _, err := leader.shared.Put(t.Context(), "logs/job.log", strings.NewReader("secret, of before\n"), files.Limits{Size: -1}); err != nil {
		t.Fatal(err)
	}
	old.add(t, "secret one\n")
	if err := old.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	old.add(t, "a secret that is stored too late\n")
	leader.add(t, "secret two\n")
	clean := func(to io.Writer, from io.Reader) error {
		lines := bufio.NewScanner(from)
		for lines.Scan() {
			if _, err := io.WriteString(to, strings.ReplaceAll(lines.Text(), "secret", "***")+"\n"); err != nil {
				return err
			}
		}
		return lines.Err()
	}
	if err := leader.Rewrite(t.Context(), "job", clean); err != nil {
		t.Fatal(err)
	}
	c.clean = time.Now()
	leader.add(t, "a line of after\n")
	if err := errors.Join(leader.Store(t.Context(), "job"), old.Store(t.Context(), "job")); err != nil {
		t.Fatal(err)
	}
	want := "***, of before\n*** one\n*** two\na line of after\n"
	if got := c.open(t, t.TempDir(), "n9").read(t); got != want {
		t.Errorf("read %q, want %q", got, want)
	}
	if got := leader.read(t); got != want {
		t.Errorf("the leader reads %q, want %q", got, want)
	}
}

func TestDroppedLogStaysDropped(t *testing.T) {
	c := newCluster(t)
	dir := t.TempDir()
	old, leader := c.open(t, dir, "n1"), c.open(t, t.TempDir(), "n2")
	old.add(t, "one\n")
	leader.add(t, "two\n")
	if err := errors.Join(old.Store(t.Context(), "job"), leader.Store(t.Context(), "job")); err != nil {
		t.Fatal(err)
	}
	old.add(t, "three\n")
	leader.add(t, "four\n")
	if err := leader.Drop(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	c.gone = true
	if err := old.Store(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	if left := leader.stored(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := leader.read(t); got != "" {
		t.Errorf("read %q", got)
	}
}

func TestLogIsOneFileWithoutSharedStorage(t *testing.T) {
	dir := t.TempDir()
	local, err := files.OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	n := &node{Logs: joblog.Open(joblog.Config{Local: local, Logger: slog.New(slog.DiscardHandler)}), local: local}
	n.add(t, "one\n")
	n.add(t, "two\n")
	if got := n.read(t); got != "one\ntwo\n" {
		t.Errorf("read %q", got)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "logs", "*")); err != nil || !slices.Equal(names, []string{filepath.Join(dir, "logs", "job.log")}) {
		t.Errorf("kept as %v, %v", names, err)
	}
	upper := func(to io.Writer, from io.Reader) error {
		text, err := io.ReadAll(from)
		if err == nil {
			_, err = io.WriteString(to, strings.ToUpper(string(text)))
		}
		return err
	}
	if err := n.Rewrite(t.Context(), "job", upper); err != nil {
		t.Fatal(err)
	}
	n.add(t, "three\n")
	if got := n.read(t); got != "ONE\nTWO\nthree\n" {
		t.Errorf("read %q", got)
	}
	if err := n.Drop(t.Context(), "job"); err != nil {
		t.Fatal(err)
	}
	if got := n.read(t); got != "" {
		t.Errorf("read %q", got)
	}
	n.add(t, "again\n")
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n.add(t, "and again\n")
	if got := n.read(t); got != "again\nand again\n" {
		t.Errorf("read %q", got)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentLogs(t *testing.T) {
	local, err := files.OpenFolder(t.TempDir(), -1)
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	logs := joblog.Open(joblog.Config{Local: local, Logger: slog.New(slog.DiscardHandler)})
	defer logs.Close()
	const jobs = 700 // more than files are kept open
	for round := range 3 {
		for i := range jobs {
			if err := logs.Add(fmt.Sprint("job-", i), fmt.Appendf(nil, "%d of %d\n", round, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range jobs {
		log, err := logs.Open(t.Context(), fmt.Sprint("job-", i))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(log)
		if err := errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("0 of %d\n1 of %d\n2 of %d\n", i, i, i); string(text) != want {
			t.Fatalf("the log of job %d is %q", i, text)
		}
	}
}
