package layered

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"go.etcd.io/bbolt"
)

// The walk reads the pages of a tree by itself, out of the file, and believes nothing that is in them. bbolt would go wherever a damaged
// page leads it, and would not notice a page that is said to be longer than it is: when such a page is freed, those behind it are too,
// which are in use.

// Of bbolt's format, version 2. Numbers are in the order of the machine's bytes.
const (
	pageHead    = 16 // number of the page (8 bytes), kind (2), count of elements (2), how many pages follow that belong to this one (4)
	elementHead = 16 // of a row: flags (4), where it is, counted from here (4), sizes of key and value (4, 4); of a branch: where, size, page (8)
	kindBranch  = 1
	kindLeaf    = 2

	deepestTree = 64 // far more levels than a file has that fits on a disk
)

// walkPiece is how many bytes are walked over from one pace to the next.
const walkPiece = 1 << 20

// walker goes through the pages of a tree.
type walker struct {
	file     io.ReaderAt
	name     []byte // of the bucket
	pageSize int64
	pages    int64 // of the file, as far as it is in use
	pace     func(int) error
	row      func(flags uint32, key, value []byte) error

	free  [][]byte // memory for pages
	last  []byte   // the key before
	piece int
}

func (w *walker) wrong(id uint64, format string, args ...any) error {
	return fmt.Errorf("%w: page %d of %q %s", ErrDamaged, id, w.name, fmt.Sprintf(format, args...))
}

// element is the head of a row, or of the way to a page below.
type element struct {
	flags                     uint32 // of a row
	child                     uint64 // the page below, of a branch
	where, keySize, valueSize int64  // where the key begins, counted from the start of the page, and the value behind it
}

// elementOf reads the head of an element of a page.
func elementOf(page []byte, kind, i int) (e element) {
	start := pageHead + i*elementHead
	head := page[start:]
	if kind == kindLeaf {
		e.flags = binary.NativeEndian.Uint32(head)
		e.where, e.keySize, e.valueSize = int64(binary.NativeEndian.Uint32(head[4:])), int64(binary.NativeEndian.Uint32(head[8:])), int64(binary.NativeEndian.Uint32(head[12:]))
	} else {
		e.where, e.keySize, e.child = int64(binary.NativeEndian.Uint32(head)), int64(binary.NativeEndian.Uint32(head[4:])), binary.NativeEndian.Uint64(head[8:])
	}
	e.where += int64(start)
	return e
}

// content gives the key and the value of an element; ok is false when they are not within the page.
func (e element) content(page []byte) (key, value []byte, ok bool) {
	behindKey := e.where + e.keySize
	if behindKey+e.valueSize > int64(len(page)) {
		return nil, nil, false
	}
	return page[e.where:behindKey], page[behindKey : behindKey+e.valueSize], true
}

// read reads a page with those that belong to it.
func (w *walker) read(id uint64) (page []byte, kind, count int, err error) {
	if id < 2 || id >= uint64(w.pages) {
		return nil, 0, 0, w.wrong(id, "is none of the %d that are in use", w.pages)
	}
	if n := len(w.free); n > 0 {
		page, w.free = w.free[n-1], w.free[:n-1]
	} else {
		page = make([]byte, w.pageSize)
	}
	page = page[:w.pageSize]
	if _, err := w.file.ReadAt(page, int64(id)*w.pageSize); err == io.EOF {
		return nil, 0, 0, w.wrong(id, "is beyond the end of the file")
	} else if err != nil {
		return nil, 0, 0, fmt.Errorf("read page %d: %w", id, err)
	}
	kind, count = int(binary.NativeEndian.Uint16(page[8:])), int(binary.NativeEndian.Uint16(page[10:]))
	more := int64(binary.NativeEndian.Uint32(page[12:]))
	switch {
	case binary.NativeEndian.Uint64(page) != id:
		return nil, 0, 0, w.wrong(id, "has the number of another")
	case kind != kindBranch && kind != kindLeaf, kind == kindBranch && count == 0:
		return nil, 0, 0, w.wrong(id, "is of kind %d with %d elements", kind, count)
	case int64(id)+more >= w.pages:
		return nil, 0, 0, w.wrong(id, "goes on beyond the end of the file")
	}
	if err := w.checkLength(id, page, kind, count, more); err != nil {
		return nil, 0, 0, err
	}
	if more > 0 {
		page = append(page, make([]byte, more*w.pageSize)...)
		if _, err := w.file.ReadAt(page[w.pageSize:], (int64(id)+1)*w.pageSize); err != nil {
			return nil, 0, 0, fmt.Errorf("read page %d: %w", id, err)
		}
	}
	return page, kind, count, nil
}

// checkLength compares how many pages follow one with the sizes of its elements, before there is room for any of them: a page that says it
// is as long as the file would take as much memory. All heads are on the first page, since only four elements and fewer go on to others.
func (w *walker) checkLength(id uint64, page []byte, kind, count int, more int64) error {
	used := int64(pageHead + count*elementHead)
	if used > w.pageSize {
		return w.wrong(id, "has more elements than room")
	}
	for i := range count {
		e := elementOf(page, kind, i)
		used += e.keySize + e.valueSize
	}
	// A page is as long as what is in it. Releases of bbolt before 1.4 gave one more to what fills its pages to the last byte.
	if more < (used+w.pageSize-1)/w.pageSize-1 || more > used/w.pageSize {
		return w.wrong(id, "has %d pages behind it and %d bytes", more, used)
	}
	return nil
}

// visit goes through a page and those below it. Its keys are those from one on, and before another; nil for no bound.
func (w *walker) visit(id uint64, depth int, from, before []byte) error {
	if depth > deepestTree {
		return w.wrong(id, "lies deeper than any")
	}
	page, kind, count, err := w.read(id)
	if err != nil {
		return err
	}
	for i := range count {
		e := elementOf(page, kind, i)
		key, value, ok := e.content(page)
		if !ok {
			return w.wrong(id, "has an element outside of it")
		}
		if before != nil && bytes.Compare(key, before) >= 0 {
			return w.wrong(id, "has a key that belongs elsewhere")
		}
		if kind == kindBranch {
			if from != nil && bytes.Compare(key, from) < 0 {
				return w.wrong(id, "has a key that belongs elsewhere")
			}
			next := before
			if i+1 < count {
				behind, _, ok := elementOf(page, kind, i+1).content(page)
				if !ok || bytes.Compare(key, behind) >= 0 {
					return w.wrong(id, "has its elements out of order")
				}
				next = behind
			}
			if err := w.visit(e.child, depth+1, key, next); err != nil {
				return err
			}
			continue
		}
		if from != nil && bytes.Compare(key, from) < 0 || w.last != nil && bytes.Compare(w.last, key) >= 0 {
			return w.wrong(id, "has a key that belongs elsewhere")
		}
		if err := w.row(e.flags, key, value); err != nil {
			return err
		}
		w.last = append(w.last[:0], key...)
		if w.last == nil {
			w.last = []byte{}
		}
	}
	w.piece += len(page)
	w.free = append(w.free, page)
	if w.piece < walkPiece {
		return nil
	}
	piece := w.piece
	w.piece = 0
	return w.pace(piece)
}

// walk goes through all rows of a bucket.
func walk(tx *bbolt.Tx, file io.ReaderAt, name []byte, pace func(int) error) (got sum, err error) {
	bucket := tx.Bucket(name)
	if bucket == nil {
		return got, fmt.Errorf("%w: it has no %q", ErrDamaged, name)
	}
	root := uint64(bucket.RootPage())
	if root == 0 { // few rows, which lie where others have the number of a page
		return got, bucket.ForEach(func(key, value []byte) error {
			if value == nil {
				return fmt.Errorf("%w: %q has something else than rows in it", ErrDamaged, name)
			}
			got.add(key, value)
			return nil
		})
	}
	w := newWalker(tx, file, name, pace)
	w.row = func(flags uint32, key, value []byte) error {
		if flags != 0 {
			return fmt.Errorf("%w: %q has something else than rows in it", ErrDamaged, name)
		}
		got.add(key, value)
		return nil
	}
	err = w.visit(root, 0, nil, nil)
	if err == nil {
		err = pace(w.piece)
	}
	return got, err
}

// walkRest goes through what leads to the buckets, and through those buckets that are not among buckets.
func walkRest(tx *bbolt.Tx, file io.ReaderAt, buckets [][]byte) error {
	w := newWalker(tx, file, []byte("names of buckets"), unhurried)
	w.row = func(uint32, []byte, []byte) error { return nil }
	if err := w.visit(uint64(tx.Cursor().Bucket().RootPage()), 0, nil, nil); err != nil {
		return err
	}
	return tx.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if slices.ContainsFunc(buckets, func(known []byte) bool { return bytes.Equal(known, name) }) {
			return nil
		}
		_, err := walk(tx, file, name, unhurried)
		return err
	})
}

func newWalker(tx *bbolt.Tx, file io.ReaderAt, name []byte, pace func(int) error) *walker {
	size := int64(tx.DB().Info().PageSize)
	return &walker{file: file, name: name, pageSize: size, pages: tx.Size() / size, pace: pace}
}
