package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"overcrank/agent/upload/s3test"
)

var movingRoots = []string{"a", "ab", "blobs", "k", "out"}

func movingOf(t testing.TB, dir string, to Shared) *Moving {
	t.Helper()
	old, err := OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := old.Close(); err != nil {
			t.Error(err)
		}
	})
	return NewMoving(old, to, movingRoots)
}

// place says where a file is when a test begins to use it.
type place int

const (
	inStorage place = iota
	inFolder
	brought // was in the folder
	places
)

// placing is a store that puts each file at the place it is told.
type placing struct {
	*Moving
	where func() place
}

func (p placing) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	where := p.where()
	if where == inStorage {
		return p.Moving.Put(ctx, key, r, lim)
	}
	obj, err := p.old.Put(ctx, key, r, lim)
	if err == nil && where == brought {
		err = p.moveNow(ctx, key)
	}
	return obj, err
}

// onMovingStores runs a test on stores that are being moved. age makes all files an hour older.
func onMovingStores(t *testing.T, test func(t *testing.T, s Shared, age func())) {
	anywhere := func() place { return rand.N(places) }
	t.Run("from a full folder to a mount", func(t *testing.T) {
		dir, mount := t.TempDir(), t.TempDir()
		m := movingOf(t, dir, mountOf(t, mount, "n1"))
		test(t, placing{m, func() place { return inFolder }}, func() { s3test.Age(t, dir); s3test.Age(t, mount) })
	})
	t.Run("on the way to a mount", func(t *testing.T) {
		dir, mount := t.TempDir(), t.TempDir()
		test(t, placing{movingOf(t, dir, mountOf(t, mount, "n1")), anywhere}, func() { s3test.Age(t, dir); s3test.Age(t, mount) })
	})
	t.Run("on the way to s3", func(t *testing.T) {
		dir, server := t.TempDir(), s3test.Start(t, "farm")
		test(t, placing{movingOf(t, dir, bucketOf(t, server, "a/b/")), anywhere}, func() { s3test.Age(t, dir); server.Age() })
	})
}

// held returns what a store holds below the roots, by key.
func held(s Store) (map[string]string, error) {
	held := map[string]string{}
	for _, root := range movingRoots {
		err := s.Walk(context.Background(), root, func(o Object) error {
			if strings.HasSuffix(o.Key, "/") {
				return nil
			}
			if _, twice := held[o.Key]; twice {
				return fmt.Errorf("%s is walked to twice", o.Key)
			}
			text, err := content(s, o.Key)
			if err == nil && int64(len(text)) != o.Size {
				err = fmt.Errorf("%s is walked to with %d bytes, and has %d", o.Key, o.Size, len(text))
			}
			held[o.Key] = text
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return held, nil
}

func content(s Store, key string) (string, error) {
	r, err := s.Open(context.Background(), key)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

// fill writes files of several sizes into a folder, and returns their contents.
func fill(t testing.TB, dir string) map[string]string {
	t.Helper()
	old, err := OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a/empty": "", "a/1": "one", "a/b/2": "two", "a/b.5": "five", "out/film.mp4": strings.Repeat("frame ", 2000)}
	for key, text := range want {
		if _, err := old.Put(t.Context(), key, strings.NewReader(text), Limits{Size: -1}); err != nil {
			t.Fatal(err)
		}
	}
	blob, err := old.PutBlob(t.Context(), strings.NewReader("a template"), Limits{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	want[blob.Key] = "a template"
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

func holds(t testing.TB, when string, s Store, want map[string]string) {
	t.Helper()
	if got, err := held(s); err != nil || !maps.Equal(got, want) {
		t.Fatalf("%s it holds, %v,\n     %.600q\nwant %.600q", when, err, got, want)
	}
}

func TestAFolderMovesToStorage(t *testing.T) {
	test := func(t *testing.T, to Shared) {
		dir := t.TempDir()
		want := fill(t, dir)
		if err := os.WriteFile(filepath.Join(dir, "a", "no file of the farm"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		m := movingOf(t, dir, to)
		left, err := m.Count(t.Context())
		if err != nil || left.Files != int64(len(want)) || left.Bytes == 0 || left != m.Left() {
			t.Fatalf("counted %+v, %v", left, err)
		}
		holds(t, "before", m, want)
		path, done, err := m.Path(t.Context(), "a/1")
		if err != nil {
			t.Fatal(err)
		}
		log, err := m.Open(t.Context(), "a/b/2")
		if err != nil {
			t.Fatal(err)
		}
		moved := make(chan error)
		go func() { moved <- m.Run(t.Context()) }()
		for m.Left().Files > 1 {
			select {
			case err := <-moved:
				t.Fatalf("it ended with a file in use: %v", err)
			case <-time.After(time.Millisecond):
			}
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "one" {
			t.Errorf("what is read by its path holds %q, %v", text, err)
		}
		done()
		if err := <-moved; err != nil {
			t.Fatal(err)
		}
		holds(t, "after", m, want)
		holds(t, "in the storage", to, want)
		if left := contents(t, m.old); !slices.Equal(left, []string{"a/no file of the farm"}) {
			t.Errorf("in the folder are still %v", left)
		}
		if left := m.Left(); left.Files != 0 || left.Bytes != 0 {
			t.Errorf("counted as left: %+v", left)
		}
		if there := everything(t, to); len(there) != len(want) {
			t.Errorf("in the storage is more: %v", there)
		}
		if text, err := io.ReadAll(log); err != nil || string(text) != "two" {
			t.Errorf("what was opened before reads %q, %v", text, err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Run("mount", func(t *testing.T) { test(t, mountOf(t, t.TempDir(), "n1")) })
	t.Run("s3", func(t *testing.T) { test(t, bucketOf(t, s3test.Start(t, "farm"), "x/")) })
}

// A file that cannot be moved does not stop the others, and is named in the error.
func TestUnmovableFileIsNamed(t *testing.T) {
	dir, mount := t.TempDir(), t.TempDir()
	want := fill(t, dir)
	if err := os.MkdirAll(filepath.Join(mount, "a", "1", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := movingOf(t, dir, mountOf(t, mount, "n1"))
	if err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "a/1") {
		t.Fatalf("got %v", err)
	}
	if left := contents(t, m.old); !slices.Equal(left, []string{"a/1"}) {
		t.Errorf("in the folder are %v", left)
	}
	if left := m.Left(); left.Files != 1 {
		t.Errorf("counted as left: %+v", left)
	}
	if err := os.RemoveAll(filepath.Join(mount, "a", "1")); err != nil {
		t.Fatal(err)
	}
	if err := m.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	holds(t, "once it could be moved", m, want)
}

// spoiled returns other bytes than were written.
type spoiled struct{ Shared }

func (s spoiled) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	obj, err := s.Shared.Put(ctx, key, r, lim)
	if err == nil && obj.Size > 0 {
		_, err = s.Shared.Put(ctx, key, strings.NewReader(strings.Repeat("x", int(obj.Size))), Limits{Size: obj.Size})
	}
	return obj, err
}

func TestDifferingCopyIsRejected(t *testing.T) {
	dir := t.TempDir()
	want := fill(t, dir)
	m := movingOf(t, dir, spoiled{mountOf(t, t.TempDir(), "n1")})
	if err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "reading it back: its hash is") {
		t.Fatalf("got %v", err)
	}
	holds(t, "afterwards", m, want)
}

// errCut is what a storage returns once it is cut off.
var errCut = errors.New("cut off")

// cut is a storage that fails after left calls; never while left is below 0. With done set, the last call takes effect although it
// returns an error.
type cut struct {
	Shared
	mu   sync.Mutex
	left int
	done bool
	over bool
	// copying is called while a file is copied; nil for nobody.
	copying func()
}

func (c *cut) do(what func() error) error {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return errCut
	}
	last := c.left == 0
	c.left--
	c.over = last
	c.mu.Unlock()
	if last && !c.done {
		return errCut
	}
	if err := what(); err != nil || !last {
		return err
	}
	return errCut
}

func (c *cut) Put(ctx context.Context, key string, r io.Reader, lim Limits) (o Object, err error) {
	if c.copying != nil && strings.HasPrefix(key, movingCopies) {
		c.copying()
	}
	err = c.do(func() (err error) { o, err = c.Shared.Put(ctx, key, r, lim); return err })
	return o, err
}

func (c *cut) PutBlob(ctx context.Context, r io.Reader, lim Limits) (o Object, err error) {
	err = c.do(func() (err error) { o, err = c.Shared.PutBlob(ctx, r, lim); return err })
	return o, err
}

func (c *cut) Open(ctx context.Context, key string) (r *Reader, err error) {
	if c.copying != nil && strings.HasPrefix(key, movingCopies) {
		c.copying()
	}
	err = c.do(func() (err error) { r, err = c.Shared.Open(ctx, key); return err })
	if err != nil && r != nil {
		err = errors.Join(err, r.Close())
	}
	return r, err
}

func (c *cut) Rename(ctx context.Context, from, to string) error {
	return c.do(func() error { return c.Shared.Rename(ctx, from, to) })
}

func (c *cut) Delete(ctx context.Context, key string) error {
	return c.do(func() error { return c.Shared.Delete(ctx, key) })
}

func (c *cut) DeleteBelow(ctx context.Context, key string) error {
	return c.do(func() error { return c.Shared.DeleteBelow(ctx, key) })
}

func (c *cut) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	return c.do(func() error { return c.Shared.DeleteIf(ctx, key, before, keep) })
}

// A move that is cut off at any call, before or after the storage has carried it out, resumes.
func TestMoveResumesAfterCutOff(t *testing.T) {
	for _, done := range []bool{false, true} {
		for after := 0; ; after++ {
			dir := t.TempDir()
			want := fill(t, dir)
			storage := mountOf(t, t.TempDir(), "n1")
			err := movingOf(t, dir, &cut{Shared: storage, left: after, done: done}).Run(t.Context())
			if err != nil && !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			m := movingOf(t, dir, storage)
			holds(t, fmt.Sprintf("cut off after %d, done %v", after, done), m, want)
			if err := m.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			holds(t, "after the second run", storage, want)
			if there := everything(t, storage); len(there) != len(want) {
				t.Fatalf("cut off after %d: in the storage is more: %v", after, there)
			}
			if err == nil {
				break
			}
		}
	}
}

// A move that was cut off between copying and removing leaves a copy in the storage. It must not reappear once the file is deleted or
// renamed.
func TestDeletedFileDoesNotReappear(t *testing.T) {
	const key = "a/b/2"
	for name, remove := range map[string]func(ctx context.Context, s Store) error{
		"delete":       func(ctx context.Context, s Store) error { return s.Delete(ctx, key) },
		"delete below": func(ctx context.Context, s Store) error { return s.DeleteBelow(ctx, "a") },
		"delete if": func(ctx context.Context, s Store) error {
			return s.DeleteIf(ctx, key, time.Now().Add(time.Hour), func() (bool, error) { return false, nil })
		},
		"rename": func(ctx context.Context, s Store) error { return s.Rename(ctx, key, "out/2") },
	} {
		dir, storage := t.TempDir(), mountOf(t, t.TempDir(), "n1")
		fill(t, dir)
		put(t, storage, key, "two")
		m := movingOf(t, dir, storage)
		if err := remove(t.Context(), m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := m.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := content(m, key); !errors.Is(err, ErrNotFound) {
			t.Errorf("after %q it holds %q, %v", name, got, err)
		}
	}
}

// A blob that is stored again gets the current time, though the folder had it.
func TestStoringABlobAgainRenewsIt(t *testing.T) {
	dir := t.TempDir()
	want := fill(t, dir)
	s3test.Age(t, dir)
	m := movingOf(t, dir, mountOf(t, t.TempDir(), "n1"))
	obj, err := m.PutBlob(t.Context(), strings.NewReader("a template"), Limits{Size: -1})
	if err != nil {
		t.Fatal(err)
	}
	if is, err := m.Stat(t.Context(), obj.Key); err != nil || time.Since(is.Modified) > time.Minute {
		t.Errorf("kept again it is %+v, %v", is, err)
	}
	holds(t, "afterwards", m, want)
}

// Several goroutines change, read and list files while these are moved: each sees its own writes.
func TestMovingStoreConcurrently(t *testing.T) {
	dir := t.TempDir()
	old, err := OpenFolder(dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	const users, filesEach, rounds = 8, 12, 30
	name := func(user, n int) string { return fmt.Sprintf("a/%d/%02d", user, n) }
	for user := range users {
		for n := range filesEach {
			put(t, old, name(user, n), "the first")
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	m := movingOf(t, dir, mountOf(t, t.TempDir(), "n1"))
	want := make([]map[string]string, users)
	use := func(user int) error {
		mine := map[string]string{}
		for n := range filesEach {
			mine[name(user, n)] = "the first"
		}
		want[user] = mine
		for round := range rounds {
			key, to := name(user, rand.N(filesEach)), name(user, rand.N(filesEach))
			text, there := mine[key]
			var err error
			switch rand.N(4) {
			case 0:
				mine[key] = fmt.Sprint(user, round)
				_, err = m.Put(t.Context(), key, strings.NewReader(mine[key]), Limits{Size: -1})
			case 1:
				delete(mine, key)
				err = m.Delete(t.Context(), key)
			case 2:
				if there {
					delete(mine, key)
					mine[to] = text
					err = m.Rename(t.Context(), key, to)
				}
			case 3:
				got, failed := content(m, key)
				if there != (failed == nil) || there && got != text || !there && !errors.Is(failed, ErrNotFound) {
					err = fmt.Errorf("%s holds %q, %w; want %q (%v)", key, got, failed, text, there)
				}
			}
			if err == nil {
				var listed []string
				err = m.List(t.Context(), fmt.Sprintf("a/%d", user), func(o Object) error {
					listed = append(listed, o.Key)
					return nil
				})
				if kept := slices.Sorted(maps.Keys(mine)); !slices.Equal(listed, kept) {
					err = errors.Join(err, fmt.Errorf("listed are %v, kept %v", listed, kept))
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	var all errgroup.Group
	all.Go(func() error { return m.Run(t.Context()) })
	for user := range users {
		all.Go(func() error { return use(user) })
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := held(m.Shared)
	if err != nil {
		t.Fatal(err)
	}
	for user := range users {
		for key, text := range want[user] {
			if got[key] != text {
				t.Errorf("%s holds %q, want %q", key, got[key], text)
			}
			delete(got, key)
		}
	}
	if len(got) > 0 || len(contents(t, m.old)) > 0 {
		t.Errorf("what was removed is there: %v, %v", got, contents(t, m.old))
	}
}
