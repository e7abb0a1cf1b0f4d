package layered

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

// watched is a file that notes what is read of it.
type watched struct {
	*bytes.Reader
	at   []int64 // where reading began, one for each time
	most int     // bytes at once
}

func (f *watched) ReadAt(p []byte, at int64) (int, error) {
	f.at, f.most = append(f.at, at), max(f.most, len(p))
	return f.Reader.ReadAt(p, at)
}

// TestAPageThatSaysItIsLongTakesNoRoom flips each bit of what a page says about its length, in a file whose other bucket is large: neither
// is more read than a page, nor is one taken that is longer than its rows.
func TestAPageThatSaysItIsLongTakesNoRoom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows")
	db := openFile(t, path)
	err := db.Update(func(tx *bbolt.Tx) error {
		var failed error
		for i := range 1000 {
			failed = errors.Join(failed, tx.Bucket(first).Put(fmt.Appendf(nil, "row %05d", i), fmt.Appendf(nil, "value %d", i)))
		}
		for i := range 8 {
			failed = errors.Join(failed, tx.Bucket(second).Put(fmt.Appendf(nil, "row %d", i), bytes.Repeat([]byte{byte(i)}, 1<<20)))
		}
		return failed
	})
	if err := errors.Join(err, db.Sync()); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin(false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // of a reading
	page := db.Info().PageSize

	whole := &watched{Reader: bytes.NewReader(content)}
	if got, err := walk(tx, whole, first, unhurried); err != nil || got.rows != 1000 || whole.most != page || len(whole.at) < 6 {
		t.Fatalf("%d rows on %d pages, %d bytes at once, %v", got.rows, len(whole.at), whole.most, err)
	}
	long := &watched{Reader: bytes.NewReader(content)}
	if got, err := walk(tx, long, second, unhurried); err != nil || got.rows != 8 || long.most < 1<<20 {
		t.Fatalf("of large rows: %d, %d bytes at once, %v", got.rows, long.most, err)
	}
	for _, at := range whole.at[:6] {
		behind := []int64{12, 13, 14, 15}
		sizes := []int64{10, 11, 20, 21, 22, 23} // how many elements, and the size of the key of the first, on a branch
		if binary.NativeEndian.Uint16(content[at+8:]) == kindLeaf {
			sizes = []int64{10, 11, 24, 25, 26, 27, 28, 29, 30, 31} // of its key and its value, on a leaf
		}
		for i, within := range append(behind, sizes...) {
			for bit := range 8 {
				content[at+within] ^= 1 << bit
				file := &watched{Reader: bytes.NewReader(content)}
				_, err := walk(tx, file, first, unhurried)
				content[at+within] ^= 1 << bit
				if i < len(behind) && !errors.Is(err, ErrDamaged) {
					t.Errorf("bit %d of byte %d of the page at %d: %v", bit, within, at, err)
				}
				if file.most > page {
					t.Errorf("bit %d of byte %d of the page at %d: %d bytes were read at once", bit, within, at, file.most)
				}
			}
		}
	}
}
