// Package layered keeps rows in a bbolt file with the latest changes in memory before it. A change can be read as soon as it
// is published; the file takes changes in large portions and in the order of their keys. A portion writes each page of an
// index once, where a transaction for every change would write it again and again.
//
// What is only in memory is lost with the process. The caller has a log from which it makes the changes again: the rows that
// say how far the log has been followed lie in the same changes, so the file is always as it was after some change.
package layered

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"
	"go.etcd.io/bbolt"
)

// Options say how a store is laid out.
type Options struct {
	Buckets [][]byte // of the file; there are no others
	// Often are those of Buckets whose rows are read far more often than they change. What the file has of them stays in memory
	// once it was read.
	Often [][]byte
	// Portion is from how many bytes on changes go into the file.
	Portion int
	// Fill is how full pages become where keys are added behind the last one.
	Fill float64
	// Path is where the file is, when it is not there any more where it was opened.
	Path string
	// Stamp is a row that every change writes.
	Stamp Stamp
	// Failed is told that a portion could not be written; the file stays as it was. With true the portion is written once
	// more, so Failed waits as long as it sees fit before; with false nothing more will be written.
	Failed func(error) (again bool)
}

// waitAt is how many portions may wait for the file before changes do.
const waitAt = 4

// Store is a file with the layers before it. View may be called at any time, everything else by one goroutine at a time.
type Store struct {
	db      *bbolt.DB
	options Options
	places  map[string]int // of each bucket in a layer
	often   []int          // places of Options.Often

	mu      sync.RWMutex // held by readers while they begin, so that they have layers and a file that belong together
	recent  *layer
	sinking *layer // what is being written to the file; nil for nothing
	seen    *seen  // of the file as it is without what is sinking

	spare []row // rows that are not used yet: those of one layer lie together, and go together

	sunk chan error // tells the end of sinking; nil while nothing sinks
	err  error      // why the file is not written any more

	unwritten atomic.Pointer[error] // see Unwritten
	writing   sync.Mutex            // held while the file is written
	written   atomic.Int64          // the number of the last change of the file, as bbolt counts them
	beginning sync.Mutex            // held while a reading or a change of the file begins
	damaged   atomic.Pointer[error] // see Damaged
	left      atomic.Bool           // see Closable
	file      *os.File              // the file once more, for walks; one that could not be opened says so when it is read
}

// layer holds rows of each bucket. A published one never changes.
type layer struct {
	trees []*btree.BTreeG[*row] // by the bucket's place; nil for no rows
	size  int                   // bytes of all rows, those of rows replaced included
}

// row is a key with its value, nil for one that was deleted. Trees hold pointers: a change copies the nodes that it touches, and a node of
// pointers is a sixth of one of rows.
type row struct {
	key     string
	value   []byte
	decoded atomic.Pointer[any] // see Decoded; nil until somebody asked
}

// bytes is the key for those who only read it.
func (r *row) bytes() []byte { return bytesOf(r.key) }

// rowsAtOnce is for how many rows memory is taken at once.
const rowsAtOnce = 64

// newRow is a row of a change.
func (s *Store) newRow(key string, value []byte) *row {
	if len(s.spare) == 0 {
		s.spare = make([]row, rowsAtOnce)
	}
	r := &s.spare[0]
	s.spare = s.spare[1:]
	r.key, r.value = key, value
	return r
}

func newTree() *btree.BTreeG[*row] {
	return btree.NewBTreeGOptions(func(a, b *row) bool { return a.key < b.key }, btree.Options{NoLocks: true, Degree: 16})
}

// New puts layers before a file, which has all the buckets. The file stays the caller's: close it after the store.
func New(db *bbolt.DB, options Options) *Store {
	s := &Store{db: db, options: options, places: make(map[string]int, len(options.Buckets))}
	for place, name := range options.Buckets {
		s.places[string(name)] = place
	}
	for _, name := range options.Often {
		place, ok := s.places[string(name)]
		if !ok {
			panic(fmt.Sprintf("bucket %q is not among those of the store", name))
		}
		s.often = append(s.often, place)
	}
	s.recent, s.seen = s.newLayer(), newSeen(s.often)
	s.file, _ = os.Open(cmp.Or(options.Path, db.Path()))
	if tx, err := s.Reading(); err == nil { // otherwise every other reading says so
		s.written.Store(int64(tx.ID()))
		_ = tx.Rollback()
	}
	return s
}

func (s *Store) newLayer() *layer {
	return &layer{trees: make([]*btree.BTreeG[*row], len(s.options.Buckets))}
}

// View runs fn on the rows as they are now. The error is ErrDamaged when the file could not be read, whatever fn made of it.
func (s *Store) View(fn func(*Rows) error) error {
	rows, err := s.begin()
	if err != nil {
		return err
	}
	defer rows.end()
	return s.reading(func() error { return fn(rows) })
}

func (s *Store) begin() (*Rows, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	tx, err := s.Reading()
	if err != nil {
		return nil, fmt.Errorf("read rows: %w", err)
	}
	return &Rows{tx: tx, places: s.places, names: s.options.Buckets, layers: [2]*layer{s.recent, s.sinking}, seen: s.seen, store: s}, nil
}

// Update makes one change, which can be read from when Update returns. After an error of fn nothing is changed.
func (s *Store) Update(fn func(*Change) error) error {
	if s.err != nil {
		return s.err
	}
	rows, err := s.begin()
	if err != nil {
		return err
	}
	defer rows.end()
	change := &Change{Rows: rows, fresh: make([]bool, len(rows.names))}
	next := &layer{trees: append(s.newLayer().trees[:0], s.recent.trees...), size: s.recent.size}
	rows.layers[0] = next
	if err := s.reading(func() error { return fn(change) }); err != nil {
		return err
	}
	rows.end() // or the file, which may wait to grow, would wait for this reading, and this for readers who wait for the file
	s.mu.Lock()
	s.recent = next
	s.mu.Unlock()
	if next.size < s.options.Portion {
		return nil
	}
	if !s.settled() {
		if next.size < waitAt*s.options.Portion {
			return nil
		}
		if err := s.settle(); err != nil {
			return err
		}
	}
	s.sink()
	return s.err
}

// Flush brings everything into the file.
func (s *Store) Flush() error {
	if err := s.settle(); err != nil {
		return err
	}
	if s.recent.size > 0 {
		s.sink()
	}
	return s.settle()
}

// End ends the walks over the file, before it is closed.
func (s *Store) End() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// Settle waits for what is being written to the file, after which the file may be closed. What is in memory stays there.
func (s *Store) Settle() { _ = s.settle() }

// Unwritten is why changes cannot be brought to the file, nil when they can.
func (s *Store) Unwritten() error {
	if err := s.unwritten.Load(); err != nil {
		return *err
	}
	return nil
}

// settled says whether nothing is being written to the file, without waiting.
func (s *Store) settled() bool {
	if s.sunk == nil {
		return true
	}
	select {
	case err := <-s.sunk:
		s.sunk, s.err = nil, err
		return true
	default:
		return false
	}
}

func (s *Store) settle() error {
	if s.sunk != nil {
		s.err = <-s.sunk
		s.sunk = nil
	}
	return s.err
}

// sink begins to write what is in memory to the file. Nothing else may be sinking.
func (s *Store) sink() {
	if s.err != nil {
		return
	}
	portion := s.recent
	s.spare = nil
	s.mu.Lock()
	s.recent, s.sinking = s.newLayer(), portion
	s.mu.Unlock()
	sunk := make(chan error, 1)
	s.sunk = sunk
	go func() {
		err := s.write(portion)
		for err != nil {
			s.unwritten.Store(new(err))
			if !s.options.Failed(err) {
				break
			}
			err = s.write(portion)
		}
		if err == nil {
			s.unwritten.Store(nil)
			// Whoever begins before this reads rows both in memory and in the file, which are the same; those in memory come
			// before what was seen of the file as it was.
			s.mu.Lock()
			s.sinking, s.seen = nil, newSeen(s.often)
			s.mu.Unlock()
		}
		sunk <- err
	}()
}

// write puts a layer into the file, and brings the sums of its rows up to date.
func (s *Store) write(portion *layer) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.changing(func(tx *bbolt.Tx) error {
		changed := map[string]sum{}
		for place, tree := range portion.trees {
			if tree == nil {
				continue
			}
			if err := s.writeBucket(tx, s.options.Buckets[place], tree, changed); err != nil {
				return err
			}
		}
		return s.putSums(tx, changed)
	})
	if err != nil {
		return fmt.Errorf("write changes to %s: %w", s.db.Path(), err)
	}
	return nil
}

// writeBucket writes the rows of one bucket, and gives the bucket's sum behind them where it is known.
func (s *Store) writeBucket(tx *bbolt.Tx, name []byte, tree *btree.BTreeG[*row], changed map[string]sum) error {
	total, known, err := sumIn(tx, name)
	if err != nil {
		return err
	}
	bucket := tx.Bucket(name)
	bucket.FillPercent = s.options.Fill
	before := replaced{cursor: bucket.Cursor()}
	tree.Scan(func(r *row) bool {
		key := r.bytes()
		if known {
			value, is := before.by(key)
			if is {
				total.take(key, value)
			}
			switch {
			case r.value != nil:
				total.add(key, r.value)
			case !is:
				return true // it came and went in memory
			default:
				err = before.cursor.Delete() // which stands there: bucket.Delete would search once more
				return err == nil
			}
		}
		err = writeRow(bucket, key, r.value)
		return err == nil
	})
	if known {
		changed[string(name)] = total
	}
	return err
}

// replaced finds the rows that others take the place of, which come in the order of their keys. Most are new, and many of these lie in the
// same gap: one search is enough for all of them.
type replaced struct {
	cursor *bbolt.Cursor
	began  bool
	next   []byte // the first key of the bucket that is not before the one that was searched last; nil when there is none
}

// by is the value that a row with this key replaces, before it is written.
func (r *replaced) by(key []byte) (value []byte, is bool) {
	if r.began && (r.next == nil || bytes.Compare(key, r.next) < 0) {
		return nil, false
	}
	found, value := r.cursor.Seek(key)
	r.began = true
	if found == nil {
		r.next = nil
		return nil, false
	}
	r.next = append(r.next[:0], found...)
	return value, bytes.Equal(found, key)
}

// writeRow writes a row, or deletes it when its value is nil.
func writeRow(bucket *bbolt.Bucket, key, value []byte) error {
	if value == nil {
		return bucket.Delete(key)
	}
	return bucket.Put(key, value)
}
