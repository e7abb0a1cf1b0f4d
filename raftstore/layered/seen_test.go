package layered

import (
	"bytes"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
)

// TestWhatWasSeenIsBounded reads more than there is room for. What is too large is not kept, what is kept is not read again.
func TestWhatWasSeenIsBounded(t *testing.T) {
	const place = 3
	s, reads := newSeen([]int{place}), 0
	get := func(key string, value []byte) []byte {
		return s.get(place, key, func() []byte { reads++; return value }).value
	}
	if !s.keeps(place) || s.keeps(place+1) {
		t.Fatal("the wrong buckets are kept")
	}
	value := []byte("value")
	if got := get("a", value); string(got) != "value" {
		t.Fatalf("the row reads as %q", got)
	}
	value[0] = 'V' // as the file's memory is another row's once the reading is over
	if got := get("a", value); string(got) != "value" || reads != 1 {
		t.Fatalf("the row reads as %q after %d readings of the file", got, reads)
	}
	for range 2 {
		if get("none", nil) != nil || reads != 2 {
			t.Fatalf("a key that is not there took %d readings of the file", reads-1)
		}
	}
	large := bytes.Repeat([]byte{1}, seenSize)
	for n := range 2 {
		if !bytes.Equal(get("large", large), large) || reads != 3+n {
			t.Fatal("a large row is kept")
		}
	}
	for n := range 4 * seenRoom / 1000 {
		get(strconv.Itoa(n), large[:1000])
		if kept := len(s.rows[place]); kept > seenRoom/1000 {
			t.Fatalf("%d rows of a thousand bytes are kept", kept)
		}
	}
}

// TestARowIsDecodedOnce reads a record while it lies in memory and while it lies in the file, changes it, and deletes it.
func TestARowIsDecodedOnce(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "file"))
	s := New(db, options(1<<20))
	defer func() {
		if err := errors.Join(s.End(), db.Close()); err != nil {
			t.Error(err)
		}
	}()
	decodings := 0
	read := func() (got any) {
		err := s.View(func(rows *Rows) (err error) {
			got, err = rows.Decoded(second, "a", func(value []byte) (any, error) {
				if decodings++; string(value) == "damaged" {
					return nil, errors.New("it cannot be decoded")
				}
				return "decoded " + string(value), nil
			})
			return err
		})
		if err != nil {
			return err.Error()
		}
		return got
	}
	write := func(change func(*Change) error) {
		if err := s.Update(change); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want any, more int) {
		t.Helper()
		before := decodings
		for range 2 {
			if got := read(); got != want {
				t.Fatalf("the row reads as %v, want %v", got, want)
			}
		}
		if decodings != before+more {
			t.Fatalf("it was decoded %d times, want %d", decodings-before, more)
		}
	}
	expect(nil, 0)
	for _, value := range []string{"one", "two"} {
		write(func(c *Change) error { return c.Put(second, "a", []byte(value)) })
		expect("decoded "+value, 1)
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		expect("decoded "+value, 1)
	}
	write(func(c *Change) error { return c.Put(second, "a", []byte("damaged")) })
	expect("it cannot be decoded", 2)
	write(func(c *Change) error { return c.Delete(second, "a") })
	expect(nil, 0)
}
