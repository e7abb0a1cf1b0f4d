package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/agent/upload/s3test"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// bucketOf opens a store in a bucket of a real S3 server.
func bucketOf(t testing.TB, server *s3test.Server, prefix string) *S3 {
	t.Helper()
	s, err := OpenS3(S3Config{
		Address:     Address{Bucket: "farm", Prefix: prefix, Endpoint: server.Address, Insecure: true, Region: s3test.Region},
		Credentials: credentials.NewStaticV4(s3test.KeyID, s3test.Secret, ""), Scratch: filepath.Join(t.TempDir(), "scratch"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func mountOf(t testing.TB, dir, node string) *Mount {
	t.Helper()
	m, err := OpenMount(dir, node, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// onEveryStore runs a test on an empty store of each kind.
func onEveryStore(t *testing.T, test func(t *testing.T, s Store)) {
	t.Run("folder", func(t *testing.T) { test(t, folder(t, -1)) })
	onSharedStores(t, func(t *testing.T, one, _ Shared, _ func()) { test(t, one) })
	onMovingStores(t, func(t *testing.T, s Shared, _ func()) { test(t, s) })
}

// onSharedStores runs a test on each kind of store that several coordinators share, with two of them. age makes all files an hour older.
func onSharedStores(t *testing.T, test func(t *testing.T, one, other Shared, age func())) {
	t.Run("mount", func(t *testing.T) {
		dir := t.TempDir()
		test(t, NewPatient(mountOf(t, dir, "n1")), NewPatient(mountOf(t, dir, "n2")), func() { s3test.Age(t, dir) })
	})
	t.Run("s3", func(t *testing.T) {
		server := s3test.Start(t, "farm")
		test(t, bucketOf(t, server, "a/b/"), bucketOf(t, server, "a/b/"), server.Age)
	})
}

// everything lists all files of a store, including those that no key names.
func everything(t *testing.T, s Store) (names []string) {
	t.Helper()
	var err error
	add := func(o Object) error {
		if !strings.HasSuffix(o.Key, "/") {
			names = append(names, o.Key)
		}
		return nil
	}
	switch s := s.(type) {
	case *Folder:
		names = contents(t, s)
	case *Patient:
		return everything(t, s.Shared)
	case *Mount:
		names = contents(t, s.folder())
	case placing:
		return everything(t, s.Moving)
	case *Moving:
		return append(contents(t, s.old), everything(t, s.Shared)...)
	case *S3:
		err = s.list(t.Context(), "", true, add)
		for up := range s.client.Load().ListIncompleteUploads(t.Context(), s.cfg.Bucket, s.cfg.Prefix, true) {
			names = append(names, "unfinished "+up.Key)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func put(t *testing.T, s Store, key, text string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(text), Limits{Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, s Store, key string) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	if int64(len(text)) != r.Size {
		t.Errorf("%s is said to have %d bytes, and has %d", key, r.Size, len(text))
	}
	return string(text)
}

func TestBlobIsKeptUnderItsHash(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		for _, size := range []int{0, 9, firstRead, firstRead + 1, partSize, 3*partSize + 5} {
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i * i >> 3)
			}
			sum := sha256.Sum256(data)
			want := hex.EncodeToString(sum[:])
			for _, announced := range []int64{int64(size), -1} {
				obj, err := s.PutBlob(t.Context(), bytes.NewReader(data), Limits{Size: announced, Max: 1 << 30})
				if err != nil {
					t.Fatal(err)
				}
				if obj.SHA256 != want || obj.Size != int64(size) || obj.Key != "blobs/"+want[:2]+"/"+want {
					t.Errorf("kept as %+v, want hash %s", obj, want)
				}
			}
			key, _ := BlobKey(want)
			if got := read(t, s, key); got != string(data) {
				t.Errorf("%d bytes came back as %d others", size, len(got))
			}
			if obj, err := s.Stat(t.Context(), key); err != nil || obj.Size != int64(size) || time.Since(obj.Modified).Abs() > time.Minute {
				t.Errorf("stat tells %+v, %v", obj, err)
			}
		}
		if left := everything(t, s); len(left) != 6 {
			t.Errorf("beside six blobs there is more: %v", left)
		}
	})
}

func TestReadersSeek(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		data := make([]byte, 2<<20+77)
		for i := range data {
			data[i] = byte(i >> 7)
		}
		if _, err := s.Put(t.Context(), "k", bytes.NewReader(data), Limits{Size: -1}); err != nil {
			t.Fatal(err)
		}
		r, err := s.Open(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		whole := bytes.NewReader(data)
		for range 60 {
			at := rand.Int64N(int64(len(data)) + 10)
			whence := rand.IntN(3)
			switch offset, _ := whole.Seek(0, io.SeekCurrent); whence {
			case io.SeekCurrent:
				at -= offset
			case io.SeekEnd:
				at -= int64(len(data))
			}
			got, err := r.Seek(at, whence)
			want, _ := whole.Seek(at, whence)
			if err != nil || got != want {
				t.Fatalf("Seek(%d, %d) is %d, %v; want %d", at, whence, got, err, want)
			}
			a, b := make([]byte, rand.IntN(300_000)), []byte(nil)
			n, err := io.ReadFull(r, a)
			b = make([]byte, len(a))
			wantN, wantErr := io.ReadFull(whole, b)
			if n != wantN || !errors.Is(err, wantErr) || !bytes.Equal(a[:n], b[:n]) {
				t.Fatalf("read %d bytes, %v; want %d, %v", n, err, wantN, wantErr)
			}
		}
		if _, err := r.Seek(-1, io.SeekStart); err == nil {
			t.Error("a position before the file was taken")
		}
		if err := iotest.TestReader(bytesOf(t, s, "k", 4096), data[:4096]); err != nil {
			t.Error(err)
		}
	})
}

// bytesOf reads the beginning of a file only.
func bytesOf(t *testing.T, s Store, key string, n int64) io.Reader {
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return io.LimitReader(r, n)
}

func TestFailedUploadLeavesNothing(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	large := bytes.Repeat([]byte("x"), 2*partSize+10)
	tests := []struct {
		name string
		ctx  context.Context
		body func() io.Reader
		lim  Limits
		want error
	}{
		{"truncated", t.Context(), func() io.Reader { return strings.NewReader("half") }, Limits{Size: 8}, ErrShort},
		{"truncated, large", t.Context(), func() io.Reader { return bytes.NewReader(large) }, Limits{Size: int64(len(large)) + 1}, ErrShort},
		{"broken off", t.Context(), func() io.Reader { return iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("half"))) }, Limits{Size: -1}, ErrShort},
		{"broken off, large", t.Context(), func() io.Reader {
			return io.MultiReader(bytes.NewReader(large), iotest.ErrReader(io.ErrUnexpectedEOF))
		}, Limits{Size: -1}, ErrShort},
		{"longer than announced", t.Context(), func() io.Reader { return strings.NewReader("more than said") }, Limits{Size: 4}, ErrTooLarge},
		{"announced too large", t.Context(), func() io.Reader { return strings.NewReader("x") }, Limits{Size: 11, Max: 10}, ErrTooLarge},
		{"turns out too large", t.Context(), func() io.Reader { return strings.NewReader("01234567890") }, Limits{Size: -1, Max: 10}, ErrTooLarge},
		{"turns out too large, large", t.Context(), func() io.Reader { return bytes.NewReader(large) }, Limits{Size: -1, Max: int64(len(large)) - 1}, ErrTooLarge},
		{"given up", cancelled, func() io.Reader { return strings.NewReader("x") }, Limits{Size: -1}, context.Canceled},
	}
	onEveryStore(t, func(t *testing.T, s Store) {
		for _, tt := range tests {
			if _, err := s.Put(tt.ctx, "a/b", tt.body(), tt.lim); !errors.Is(err, tt.want) {
				t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
			}
			if _, err := s.PutBlob(tt.ctx, tt.body(), tt.lim); !errors.Is(err, tt.want) {
				t.Errorf("%s, a blob: got %v, want %v", tt.name, err, tt.want)
			}
			if left := everything(t, s); len(left) != 0 {
				t.Errorf("%s: left behind: %v", tt.name, left)
			}
		}
	})
}

func TestFailedPutKeepsTheOldFile(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		put(t, s, "k", "old")
		if _, err := s.Put(t.Context(), "k", strings.NewReader("ne"), Limits{Size: 3}); !errors.Is(err, ErrShort) {
			t.Fatalf("got %v", err)
		}
		if text := read(t, s, "k"); text != "old" {
			t.Errorf("holds %q", text)
		}
		put(t, s, "k", "newer")
		if text := read(t, s, "k"); text != "newer" {
			t.Errorf("holds %q", text)
		}
	})
}

func TestHostileKeysAreRefused(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		for _, key := range []string{"", "/", "a//b", "../x", "a/../../x", ".incoming/x", ".overcrank/farm", "a/.hidden", "a\\b", "a b", "a\x00b", "é", "a/", strings.Repeat("x", 600)} {
			ctx := t.Context()
			_, put := s.Put(ctx, key, strings.NewReader("x"), Limits{Size: 1})
			_, open := s.Open(ctx, key)
			_, stat := s.Stat(ctx, key)
			_, _, path := s.Path(ctx, key)
			for _, err := range []error{
				put, open, stat, path, s.Delete(ctx, key), s.DeleteBelow(ctx, key), s.DeleteIf(ctx, key, time.Now(), nil),
				s.Rename(ctx, key, "ok"), s.Rename(ctx, "ok", key), s.List(ctx, key, nil), s.Walk(ctx, key, nil),
			} {
				if !errors.Is(err, ErrKey) {
					t.Errorf("%q: got %v, want ErrKey", key, err)
				}
			}
		}
	})
	for _, hash := range []string{"", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63)} {
		if _, err := BlobKey(hash); !errors.Is(err, ErrKey) {
			t.Errorf("hash %q: got %v, want ErrKey", hash, err)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		put(t, s, "a/b/c", "x")
		for _, key := range []string{"a", "a/b", "nothing", "a/b/c/d"} {
			_, open := s.Open(t.Context(), key)
			_, stat := s.Stat(t.Context(), key)
			_, _, path := s.Path(t.Context(), key)
			for _, err := range []error{open, stat, path} {
				if !errors.Is(err, ErrNotFound) {
					t.Errorf("%s: got %v, want ErrNotFound", key, err)
				}
			}
			if err := errors.Join(s.Delete(t.Context(), key), s.DeleteIf(t.Context(), key, time.Now(), nil)); err != nil && key != "a/b/c/d" {
				t.Errorf("%s: %v", key, err)
			}
		}
		if err := s.Rename(t.Context(), "nothing", "else"); !errors.Is(err, ErrNotFound) {
			t.Errorf("a rename of nothing: %v", err)
		}
		if got := read(t, s, "a/b/c"); got != "x" {
			t.Errorf("a/b/c holds %q", got)
		}
	})
}

func TestListWalkAndDelete(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		for _, key := range []string{"a/1", "a/b/2", "a/b/c/3", "ab/4", "a/b.5"} {
			put(t, s, key, key)
		}
		gather := func(over func(context.Context, string, func(Object) error) error, key string) (keys []string) {
			err := over(t.Context(), key, func(o Object) error {
				keys = append(keys, o.Key)
				if !strings.HasSuffix(o.Key, "/") && (o.Size != int64(len(o.Key)) || time.Since(o.Modified).Abs() > time.Minute) {
					t.Errorf("listed as %+v", o)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(keys)
			return keys
		}
		check := func(what string, got []string, want ...string) {
			t.Helper()
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		check("listed", gather(s.List, "a"), "a/1", "a/b/", "a/b.5")
		check("walked", gather(s.Walk, "a"), "a/1", "a/b/2", "a/b/c/3", "a/b.5")
		var walked []string
		err := s.Walk(t.Context(), "a", func(o Object) error {
			walked = append(walked, o.Key)
			return nil
		})
		if err != nil || !slices.IsSorted(walked) {
			t.Errorf("walked in the order %v, %v", walked, err)
		}
		check("listed where nothing is", gather(s.List, "nothing"))
		check("walked where nothing is", gather(s.Walk, "nothing"))
		stop := errors.New("enough")
		if err := s.Walk(t.Context(), "a", func(Object) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("a walk that was stopped: %v", err)
		}
		if err := s.Delete(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
		check("after the removal of a file that is none", gather(s.Walk, "a"), "a/1", "a/b/2", "a/b/c/3", "a/b.5")
		if err := s.DeleteBelow(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
		check("after the removal below a/b", gather(s.Walk, "a"), "a/1", "a/b.5")
		if err := errors.Join(s.DeleteBelow(t.Context(), "a/1"), s.Delete(t.Context(), "a/b.5")); err != nil {
			t.Fatal(err)
		}
		check("after the removal below a file, and of another", gather(s.Walk, "a"), "a/1")
	})
}

func TestRename(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		put(t, s, "a/in-1", "the result")
		put(t, s, "out/1", "an older one")
		if err := s.Rename(t.Context(), "a/in-1", "out/1"); err != nil {
			t.Fatal(err)
		}
		if got := read(t, s, "out/1"); got != "the result" {
			t.Errorf("holds %q", got)
		}
		if _, err := s.Stat(t.Context(), "a/in-1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("it is still there: %v", err)
		}
	})
}

func TestDeleteIfKeepsFreshAndNeededFiles(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		put(t, s, "k", "x")
		there := func() bool { _, err := s.Stat(t.Context(), "k"); return err == nil }
		named := func() (bool, error) { return true, nil }
		unnamed := func() (bool, error) { return false, nil }
		unknown := errors.New("not known")
		future := time.Now().Add(time.Hour)
		if err := s.DeleteIf(t.Context(), "k", time.Now().Add(-time.Hour), unnamed); err != nil || !there() {
			t.Errorf("a fresh file is gone, or %v", err)
		}
		if err := s.DeleteIf(t.Context(), "k", future, named); err != nil || !there() {
			t.Errorf("a named file is gone, or %v", err)
		}
		if err := s.DeleteIf(t.Context(), "k", future, func() (bool, error) { return false, unknown }); !errors.Is(err, unknown) || !there() {
			t.Errorf("a file of which nothing is known is gone, or %v", err)
		}
		if err := s.DeleteIf(t.Context(), "k", future, unnamed); err != nil || there() {
			t.Errorf("a file that nothing names is still there, or %v", err)
		}
		if left := everything(t, s); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestPathIsALocalFile(t *testing.T) {
	onEveryStore(t, func(t *testing.T, s Store) {
		put(t, s, "a/b.ttf", "a font")
		path, done, err := s.Path(t.Context(), "a/b.ttf")
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if text, err := os.ReadFile(path); err != nil || string(text) != "a font" {
			t.Errorf("holds %q, %v", text, err)
		}
	})
}

// neighbour stores a file beside another one. The tests' S3 server maps keys to paths, removes empty folders, and refuses writes into a
// folder at that moment; S3 has no folders.
func neighbour(t *testing.T, s Store, key string) {
	t.Helper()
	put(t, s, path.Dir(key)+"/neighbour", "stays")
}

// A file that is stored while it is being removed is there afterwards, whichever comes first.
func TestPutDuringRemovalSurvives(t *testing.T) {
	test := func(t *testing.T, one, other Shared, age func()) {
		texts := map[string]string{}
		for i := range 60 {
			text := strings.Repeat("again ", i)
			sum := sha256.Sum256([]byte(text))
			key, _ := BlobKey(hex.EncodeToString(sum[:]))
			texts[key] = text
			neighbour(t, one, key)
			put(t, one, key, text)
		}
		age()
		before := time.Now().Add(-time.Minute)
		var all sync.WaitGroup
		for key, text := range texts {
			all.Go(func() {
				time.Sleep(rand.N(100 * time.Millisecond))
				if err := one.DeleteIf(t.Context(), key, before, func() (bool, error) { return false, nil }); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() {
				time.Sleep(rand.N(100 * time.Millisecond))
				if _, err := other.PutBlob(t.Context(), strings.NewReader(text), Limits{Size: int64(len(text))}); err != nil {
					t.Error(err)
				}
				if _, err := other.Stat(t.Context(), key); err != nil {
					t.Errorf("right after it was kept: %v", err)
				}
			})
		}
		all.Wait()
		for key, text := range texts {
			if got := read(t, one, key); got != text {
				t.Errorf("%s holds %q", key, got)
			}
		}
	}
	onSharedStores(t, test)
	onMovingStores(t, func(t *testing.T, s Shared, age func()) { test(t, s, s, age) })
}

func TestWriterWaitsForTheMarkOfARemoval(t *testing.T) {
	onSharedStores(t, func(t *testing.T, one, other Shared, age func()) {
		key, _ := BlobKey(strings.Repeat("ab", 32))
		neighbour(t, one, key)
		put(t, one, key, "x")
		age()
		mark := marks + "/" + markPrefix(key) + "m"
		if err := one.PutNote(t.Context(), mark, nil); err != nil {
			t.Fatal(err)
		}
		kept := make(chan error)
		writes := make(chan int, 10)
		go func() {
			kept <- ensureKept(t.Context(), other, key, -1, func() error {
				writes <- 1
				_, err := other.Put(t.Context(), key, strings.NewReader("x"), Limits{Size: 1})
				return err
			})
		}()
		<-writes
		// The removal that had looked before the file was written anew comes through, and ends.
		if err := errors.Join(one.Delete(t.Context(), key), one.DropNote(t.Context(), mark)); err != nil {
			t.Fatal(err)
		}
		if err := <-kept; err != nil {
			t.Fatal(err)
		}
		if got := read(t, one, key); got != "x" {
			t.Errorf("holds %q", got)
		}
	})
}

func TestCoordinatorsShareFilesAndNotes(t *testing.T) {
	onSharedStores(t, func(t *testing.T, one, other Shared, _ func()) {
		if err := errors.Join(one.Reach(t.Context()), other.Reach(t.Context())); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Stat(t.Context(), "a/b/c"); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
		put(t, one, "a/b/c", "from one")
		if got := read(t, other, "a/b/c"); got != "from one" {
			t.Errorf("read %q", got)
		}
		if _, err := other.Note(t.Context(), "nodes/n1"); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v", err)
		}
		if err := one.PutNote(t.Context(), "nodes/n1", []byte("hello")); err != nil {
			t.Fatal(err)
		}
		if text, err := other.Note(t.Context(), "nodes/n1"); err != nil || string(text) != "hello" {
			t.Errorf("read %q, %v", text, err)
		}
		if list, err := other.Notes(t.Context(), "nodes"); err != nil || len(list) != 1 || list[0].Key != "nodes/n1" || list[0].Size != 5 {
			t.Errorf("listed %+v, %v", list, err)
		}
		if err := other.DropNote(t.Context(), "nodes/n1"); err != nil {
			t.Fatal(err)
		}
		if list, err := one.Notes(t.Context(), "nodes"); err != nil || len(list) != 0 {
			t.Errorf("listed %+v, %v", list, err)
		}
		if err := errors.Join(one.Sweep(t.Context()), other.Sweep(t.Context())); err != nil {
			t.Error(err)
		}
	})
}
