package layered

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var (
	first   = []byte("first")
	second  = []byte("second")
	buckets = [][]byte{first, second}
)

// failer is what both tests and property checks are.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
	TempDir() string
}

func openFile(t failer, path string) *bbolt.DB {
	t.Helper()
	return openMapped(t, path, 16<<20) // or readings would hold its growth up
}

func openMapped(t failer, path string, mapped int) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, InitialMmapSize: mapped})
	if err != nil {
		t.Fatalf("%v", err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return db
}

func options(portion int) Options {
	return Options{Buckets: buckets, Often: [][]byte{second}, Portion: portion, Fill: 0.9, Failed: func(err error) bool { panic(err) }}
}

// content is what a store should hold, by bucket and key.
type content map[string]map[string]string

func (c content) clone() content {
	return content{"first": maps.Clone(c["first"]), "second": maps.Clone(c["second"])}
}

// check reads all rows, forwards, backwards, and one by one.
func (c content) check(t failer, rows *Rows) {
	t.Helper()
	for _, bucket := range buckets {
		want := slices.Sorted(maps.Keys(c[string(bucket)]))
		var forwards, backwards []string
		cursor := rows.Cursor(bucket)
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			forwards = append(forwards, string(key))
			if string(value) != c[string(bucket)][string(key)] {
				t.Fatalf("%s %q holds %q, want %q", bucket, key, value, c[string(bucket)][string(key)])
			}
		}
		for key, _ := cursor.Last(); key != nil; key, _ = cursor.Prev() {
			backwards = append(backwards, string(key))
		}
		slices.Reverse(backwards)
		if !slices.Equal(forwards, want) || !slices.Equal(backwards, want) {
			t.Fatalf("%s holds %q, backwards %q, want %q", bucket, forwards, backwards, want)
		}
		var under []string
		rows.Under(bucket, "key 1", func(rest []byte) bool { under = append(under, "key 1"+string(rest)); return true })
		if ones := slices.DeleteFunc(slices.Clone(want), func(k string) bool { return !strings.HasPrefix(k, "key 1") }); !slices.Equal(under, ones) {
			t.Fatalf("%s holds %q that begin with a prefix, want %q", bucket, under, ones)
		}
		count := 0
		rows.Under(bucket, "", func([]byte) bool { count++; return count < 3 })
		if count != min(len(want), 3) {
			t.Fatalf("%s gives %d keys of %d, want 3", bucket, count, len(want))
		}
		for n := range keys {
			value, there := c[string(bucket)][key(n)]
			if got := rows.Get(bucket, key(n)); (got != nil) != there || string(got) != value {
				t.Fatalf("%s %q reads as %q, want %q, %v", bucket, key(n), got, value, there)
			}
		}
	}
}

// walk moves a cursor about and compares each step with what is at that place.
func (c content) walk(t *rapid.T, rows *Rows, bucket []byte) {
	want := slices.Sorted(maps.Keys(c[string(bucket)]))
	cursor, at := rows.Cursor(bucket), -1
	for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
		var got []byte
		switch move := rapid.IntRange(0, 6).Draw(t, "move"); {
		case move == 0 || step == 0 || at < 0 || at >= len(want):
			wanted := key(rapid.IntRange(0, keys).Draw(t, "wanted"))
			got, _ = cursor.Seek([]byte(wanted))
			at, _ = slices.BinarySearch(want, wanted)
		case move < 4:
			got, _ = cursor.Next()
			at++
		default:
			got, _ = cursor.Prev()
			at--
		}
		if inside := at >= 0 && at < len(want); inside != (got != nil) || inside && want[at] != string(got) {
			t.Fatalf("the cursor is at %q, want place %d of %q", got, at, want)
		}
	}
}

// keys is how many keys the properties are tried with.
const keys = 40

func key(n int) string { return fmt.Sprintf("key %02d", n) }

// TestRowsAreThoseOfOneMap makes random changes and reads in between, also by readers who began before: what is read is
// always what a map would hold that was copied when the reading began, whatever of it has reached the file.
func TestRowsAreThoseOfOneMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folder, done := tempDir(t)
		defer done()
		path := filepath.Join(folder, "rows")
		db := openFile(asFailer{t, folder}, path)
		portion := rapid.SampledFrom([]int{1, 300, 1500, 1 << 20}).Draw(t, "portion")
		s := New(db, options(portion))
		if err := s.Verify(unhurried); err != nil { // from here on the rows are counted
			t.Fatal(err)
		}
		now := content{"first": {}, "second": {}}
		type reading struct {
			rows *Rows
			want content
		}
		var readings []reading
		history := []content{now.clone()}
		endAll := func() {
			for _, r := range readings {
				r.want.check(asFailer{t, folder}, r.rows)
				r.rows.end()
			}
			readings = nil
		}
		for range rapid.IntRange(1, 40).Draw(t, "rounds") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				rows, err := s.begin()
				if err != nil {
					t.Fatal(err)
				}
				readings = append(readings, reading{rows, now.clone()})
			case 1:
				endAll()
			case 2:
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
			case 3:
				if err := s.View(func(rows *Rows) error { now.walk(t, rows, first); return nil }); err != nil {
					t.Fatal(err)
				}
			default:
				change(t, s, &now)
				history = append(history, now.clone())
			}
			if err := s.View(func(rows *Rows) error { now.check(asFailer{t, folder}, rows); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		endAll()
		whole := rapid.Bool().Draw(t, "flushed at the end")
		if whole {
			if err := s.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		s.Settle()
		if err := errors.Join(s.Sound(), s.End()); err != nil {
			t.Fatal(err)
		}
		reopened(t, db, path, history, whole)
	})
}

// reopened looks that a file is as it was after some change, or after the last.
func reopened(t *rapid.T, db *bbolt.DB, path string, history []content, whole bool) {
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f := asFailer{t, filepath.Dir(path)}
	db = openFile(f, path)
	defer db.Close()
	got := content{"first": {}, "second": {}}
	_ = db.View(func(tx *bbolt.Tx) error {
		for _, bucket := range buckets {
			_ = tx.Bucket(bucket).ForEach(func(k, v []byte) error { got[string(bucket)][string(k)] = string(v); return nil })
		}
		return nil
	})
	if whole {
		history = history[len(history)-1:]
	}
	same := func(c content) bool {
		return maps.Equal(c["first"], got["first"]) && maps.Equal(c["second"], got["second"])
	}
	if !slices.ContainsFunc(history, same) {
		t.Fatalf("the file holds %q, which was never so; flushed %v", got, whole)
	}
}

var errNo = errors.New("no")

// change makes a change of several rows, and reads within it; some come to nothing.
func change(t *rapid.T, s *Store, now *content) {
	next := now.clone()
	fails := rapid.IntRange(0, 5).Draw(t, "fails") == 0
	err := s.Update(func(c *Change) error {
		for range rapid.IntRange(0, 12).Draw(t, "rows") {
			bucket, k := rapid.SampledFrom(buckets).Draw(t, "bucket"), key(rapid.IntRange(0, keys-1).Draw(t, "key"))
			if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
				delete(next[string(bucket)], k)
				if err := c.Delete(bucket, k); err != nil {
					return err
				}
				continue
			}
			value := rapid.StringN(0, 40, 40).Draw(t, "value")
			next[string(bucket)][k] = value
			if err := c.Put(bucket, k, []byte(value)); err != nil {
				return err
			}
		}
		next.check(asFailer{t, ""}, c.Rows)
		if fails {
			return errNo
		}
		return nil
	})
	if fails != errors.Is(err, errNo) || err != nil && !fails {
		t.Fatalf("the change came to %v", err)
	}
	if !fails {
		*now = next
	}
}

// TestReadersBesideAWriter reads while changes are made: each holds two rows that are always changed together. The file grows
// meanwhile, for which bbolt lets nobody read.
func TestReadersBesideAWriter(t *testing.T) {
	db := openMapped(t, filepath.Join(t.TempDir(), "rows"), 0)
	defer db.Close()
	s := New(db, options(50_000))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := s.View(func(rows *Rows) error {
					_, one := rows.Cursor(first).First()
					_, other := rows.Cursor(second).Last()
					if !bytes.Equal(one, other) {
						t.Errorf("one row is of change %s, the other of %s", one, other)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 3000 {
		err := s.Update(func(c *Change) error {
			value := fmt.Append(nil, n)
			return errors.Join(c.Put(first, "a", value), c.Put(second, "z", value), c.Put(second, key(n%keys), value), c.Delete(second, key((n+7)%keys)),
				c.Put(second, fmt.Sprint(n), make([]byte, 10_000)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
	if err := s.Flush(); err != nil {
		t.Error(err)
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "rows"))
	defer db.Close()
	var told []error
	o := options(1 << 20)
	o.Failed = func(err error) bool { told = append(told, err); return false }
	s := New(db, o)
	// A key that the file has as a bucket cannot be written.
	if err := db.Update(func(tx *bbolt.Tx) error { _, err := tx.Bucket(first).CreateBucket([]byte("a")); return err }); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(func(c *Change) error { return c.Put(first, "a", nil) }); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err == nil || len(told) != 1 {
		t.Errorf("flushed with %v, and told of %v", err, told)
	}
	if err := s.Update(func(*Change) error { return nil }); err == nil {
		t.Error("another change was taken after the failure")
	}
}

func TestAFileThatCanBeWrittenAgain(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "rows"))
	defer db.Close()
	inTheWay := func(tx *bbolt.Tx) error { _, err := tx.Bucket(first).CreateBucket([]byte("a")); return err }
	if err := db.Update(inTheWay); err != nil {
		t.Fatal(err)
	}
	o := options(1 << 20)
	var s *Store
	o.Failed = func(error) bool {
		// What waits for the file is read all the while.
		err := s.View(func(r *Rows) error {
			if got := r.Get(first, "a"); string(got) != "1" {
				t.Errorf("the row is %q while the file cannot be written", got)
			}
			return nil
		})
		return errors.Join(err, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(first).DeleteBucket([]byte("a")) })) == nil
	}
	s = New(db, o)
	if err := s.Update(func(c *Change) error { return c.Put(first, "a", []byte("1")) }); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	err := db.View(func(tx *bbolt.Tx) error {
		if got := tx.Bucket(first).Get([]byte("a")); string(got) != "1" {
			t.Errorf("the file has %q", got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRowsThatCannotBeStored(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "rows"))
	defer db.Close()
	err := New(db, options(1)).Update(func(c *Change) error {
		for _, key := range []string{"", string(make([]byte, bbolt.MaxKeySize+1))} {
			if c.Put(first, key, nil) == nil {
				t.Errorf("a key of %d bytes was taken", len(key))
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestIntoWritesTheFileItself(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "rows"))
	defer db.Close()
	err := db.Update(func(tx *bbolt.Tx) error {
		c := Into(tx, buckets, 0.9)
		if err := errors.Join(c.Put(first, "a", []byte("1")), c.Put(first, "b", nil), c.Delete(first, "a")); err != nil {
			return err
		}
		content{"first": {"b": ""}, "second": {}}.check(t, c.Rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = db.View(func(tx *bbolt.Tx) error {
		content{"first": {"b": ""}, "second": {}}.check(t, Of(tx, buckets))
		return nil
	})
}
