package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

// The file of the index has one name while it is in use and another once it was closed as a whole: it is not synced while it is written, so
// what is found under the first name may be anything and is made again.
const (
	inUseFile  = "index.open"
	closedFile = "index-3.db" // the number is that of the layout: another one finds no file
)

// The buckets of a shelf.
var (
	bucketRecords = []byte("records") // ordinal → id
	bucketIDs     = []byte("ids")     // id → ordinal, stamp
	bucketWords   = []byte("words")   // segment, word → set
)

// index is the file: shelves of records of one kind and team. On a shelf records are numbered in the order in which they came, which for jobs is
// by age, and every segmentSize of them make a segment. A word leads, by segment, to the set of records that have it.
type index struct {
	dir     string
	db      *bbolt.DB
	damaged atomic.Bool // a reader has met what was never written
}

// entry is what the index keeps of a record. The stamp tells when its words may be others.
type entry struct {
	id    string
	stamp uint64
	words []string
}

const lockWait = time.Second

// openIndex opens the index of a folder, an empty one when there is none that can be used.
func openIndex(dir string) (*index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the search index: %w", err)
	}
	x := &index{dir: dir}
	inUse := filepath.Join(dir, inUseFile)
	if err := os.Rename(filepath.Join(dir, closedFile), inUse); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("opening the search index: %w", err)
		}
		return x, x.clear()
	}
	if err := x.open(); err == nil {
		return x, nil
	}
	return x, x.clear()
}

func (x *index) open() (err error) {
	x.db, err = boltfile.Open(filepath.Join(x.dir, inUseFile), &bbolt.Options{
		Timeout: lockWait, NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType,
	})
	if err != nil {
		return fmt.Errorf("opening the search index: %w", err)
	}
	return nil
}

// clear begins an empty index in the place of this one.
func (x *index) clear() error {
	if x.db != nil {
		if err := boltfile.Guarded(x.db.Close); err != nil {
			return fmt.Errorf("closing a damaged search index: %w", err)
		}
		x.db = nil
	}
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		return fmt.Errorf("emptying the search index: %w", err)
	}
	for _, e := range entries { // also those of other layouts
		if err := os.Remove(filepath.Join(x.dir, e.Name())); err != nil {
			return fmt.Errorf("emptying the search index: %w", err)
		}
	}
	return x.open()
}

// close keeps the index for the next start.
func (x *index) close() error {
	if err := boltfile.Close(x.db); err != nil {
		return fmt.Errorf("closing the search index: %w", err)
	}
	if err := os.Rename(filepath.Join(x.dir, inUseFile), filepath.Join(x.dir, closedFile)); err != nil {
		return fmt.Errorf("keeping the search index: %w", err)
	}
	return nil
}

// view reads the index.
func (x *index) view(fn func(*bbolt.Tx) error) error {
	err := boltfile.Guarded(func() error { return x.db.View(fn) })
	if errors.Is(err, boltfile.ErrDamaged) {
		x.damaged.Store(true)
	}
	return err
}

// shelf is the records of one kind that one team sees. Machines are all teams': theirs is "".
type shelf struct {
	kind Kind
	team string
}

func (s shelf) name() []byte { return []byte(string(s.kind) + "\x00" + s.team) }

// shelves are those of a kind.
func (x *index) shelves(kind Kind) (list []shelf, err error) {
	err = x.view(func(tx *bbolt.Tx) error {
		prefix := shelf{kind: kind}.name()
		cursor := tx.Cursor()
		for name, _ := cursor.Seek(prefix); len(name) >= len(prefix) && string(name[:len(prefix)]) == string(prefix); name, _ = cursor.Next() {
			list = append(list, shelf{kind, string(name[len(prefix):])})
		}
		return nil
	})
	return list, err
}

// outdated are those of some entries that a shelf does not have, or with another stamp.
func (x *index) outdated(s shelf, entries []entry) (ids map[string]bool, err error) {
	ids = make(map[string]bool)
	err = x.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(s.name())
		if b == nil {
			for _, e := range entries {
				ids[e.id] = true
			}
			return nil
		}
		known := finder{b.Bucket(bucketIDs).Cursor()}
		for _, e := range entries {
			row := known.get([]byte(e.id))
			if len(row) != rowSize || binary.BigEndian.Uint64(row[4:]) != e.stamp {
				ids[e.id] = true
			}
		}
		return nil
	})
	return ids, err
}

const rowSize = 4 + 8 // of an ordinal and a stamp

// finder finds rows of one bucket: each Get of bbolt makes a cursor anew, with room for its way.
type finder struct{ *bbolt.Cursor }

// get is the value under a key, nil for none.
func (f finder) get(key []byte) []byte {
	if found, value := f.Seek(key); bytes.Equal(found, key) {
		return value
	}
	return nil
}

// after gives ids of a shelf behind another one, in order, at most limit.
func (x *index) after(s shelf, id string, limit int) (ids []string, err error) {
	err = x.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(s.name())
		if b == nil {
			return nil
		}
		cursor := b.Bucket(bucketIDs).Cursor()
		for key, _ := cursor.Seek([]byte(id + "\x00")); key != nil && len(ids) < limit; key, _ = cursor.Next() {
			ids = append(ids, string(key))
		}
		return nil
	})
	return ids, err
}

// has says which of some ids a shelf has.
func (x *index) has(s shelf, ids []string) (known []string, err error) {
	err = x.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(s.name())
		if b == nil {
			return nil
		}
		rows := finder{b.Bucket(bucketIDs).Cursor()}
		for _, id := range ids {
			if rows.get([]byte(id)) != nil {
				known = append(known, id)
			}
		}
		return nil
	})
	return known, err
}

// change puts entries on a shelf, in the place of those that it has of the same ids, and takes others off.
func (x *index) change(s shelf, put []entry, gone []string) error {
	if len(put)+len(gone) == 0 {
		return nil
	}
	err := boltfile.Change(x.db, func(tx *bbolt.Tx) error {
		w, err := writeTo(tx, s)
		if err != nil {
			return err
		}
		for _, e := range put {
			if err := w.put(e); err != nil {
				return err
			}
		}
		for _, id := range gone {
			if err := w.remove(id); err != nil {
				return err
			}
		}
		return w.writeWords()
	})
	if err != nil {
		return fmt.Errorf("writing the search index: %w", err)
	}
	return nil
}

// drop forgets a shelf.
func (x *index) drop(s shelf) error {
	err := boltfile.Change(x.db, func(tx *bbolt.Tx) error { return tx.DeleteBucket(s.name()) })
	if err != nil {
		return fmt.Errorf("writing the search index: %w", err)
	}
	return nil
}

// writing is a change of a shelf. Words are written at its end, in the order of their keys.
type writing struct {
	records, ids, words *bbolt.Bucket
	ordinals            finder                         // in ids
	stale               map[uint32]*set                // by segment: records whose words are to be taken away first
	fresh               map[uint32]map[string][]uint16 // by segment and word: places. Most words of a record are in no other
	given               map[uint32]*set                // by segment: records that have words in fresh
}

func writeTo(tx *bbolt.Tx, s shelf) (*writing, error) {
	b, err := tx.CreateBucketIfNotExists(s.name())
	if err != nil {
		return nil, err
	}
	w := &writing{stale: map[uint32]*set{}, fresh: map[uint32]map[string][]uint16{}, given: map[uint32]*set{}}
	for name, bucket := range map[*[]byte]**bbolt.Bucket{&bucketRecords: &w.records, &bucketIDs: &w.ids, &bucketWords: &w.words} {
		if *bucket, err = b.CreateBucketIfNotExists(*name); err != nil {
			return nil, err
		}
	}
	w.ordinals = finder{w.ids.Cursor()}
	return w, nil
}

// put gives a record the words of its entry.
func (w *writing) put(e entry) error {
	var ordinal uint32
	id := []byte(e.id)
	if row := w.ordinals.get(id); len(row) == rowSize {
		ordinal = binary.BigEndian.Uint32(row)
		w.forget(ordinal)
	} else {
		n, err := w.records.NextSequence()
		if err != nil {
			return err
		}
		if n > maxOrdinal {
			return errFull
		}
		ordinal = uint32(n)
	}
	row := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(make([]byte, 0, rowSize), ordinal), e.stamp)
	if err := errors.Join(w.ids.Put(id, row), w.records.Put(row[:4], id)); err != nil {
		return err
	}
	segment, place := ordinal>>segmentBits, uint16(ordinal&(segmentSize-1))
	words := w.fresh[segment]
	if words == nil {
		words = map[string][]uint16{}
		w.fresh[segment], w.given[segment] = words, new(set)
	}
	w.given[segment].put(place)
	for _, word := range e.words {
		words[word] = append(words[word], place)
	}
	return nil
}

const maxOrdinal = 1<<32 - 1

// errFull is met after 4,294,967,295 records of one team; the index is made again then.
var errFull = errors.New("the search index has given all its numbers away")

// forget has the words of a record taken away.
func (w *writing) forget(ordinal uint32) {
	segment, place := ordinal>>segmentBits, uint16(ordinal&(segmentSize-1))
	if w.stale[segment] == nil {
		w.stale[segment] = new(set)
	}
	w.stale[segment].put(place)
	if given := w.given[segment]; given == nil || !given.has(place) {
		return
	}
	for word, places := range w.fresh[segment] {
		if i := slices.Index(places, place); i >= 0 {
			w.fresh[segment][word] = slices.Delete(places, i, i+1)
		}
	}
}

// remove takes a record off the shelf.
func (w *writing) remove(id string) error {
	row := w.ids.Get([]byte(id))
	if len(row) != rowSize {
		return nil
	}
	key := slices.Clone(row[:4])
	w.forget(binary.BigEndian.Uint32(key))
	return errors.Join(w.ids.Delete([]byte(id)), w.records.Delete(key))
}

// writeWords brings what was gathered into the sets of words. What is to be taken away is looked for in all words of its segment: keeping the
// words with each record would cost as much again as the index.
func (w *writing) writeWords() error {
	for _, segment := range slices.Sorted(maps.Keys(w.stale)) {
		if err := w.takeAway(segment, w.stale[segment]); err != nil {
			return err
		}
	}
	known, key := finder{w.words.Cursor()}, []byte(nil)
	for _, segment := range slices.Sorted(maps.Keys(w.fresh)) {
		words := w.fresh[segment]
		for _, word := range slices.Sorted(maps.Keys(words)) {
			if len(words[word]) == 0 {
				continue
			}
			key = append(binary.BigEndian.AppendUint32(key[:0], segment), word...)
			var places set
			places.add(known.get(key))
			for _, place := range words[word] {
				places.put(place)
			}
			if err := w.words.Put(key, places.encode()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writing) takeAway(segment uint32, stale *set) error {
	prefix := wordKey(segment, "")
	var changed []wordSet
	cursor := w.words.Cursor()
	for key, list := cursor.Seek(prefix); len(key) > len(prefix) && string(key[:len(prefix)]) == string(prefix); key, list = cursor.Next() {
		var places set
		places.add(list)
		rest := places
		for i := range rest {
			rest[i] &^= stale[i]
		}
		if rest != places {
			changed = append(changed, wordSet{slices.Clone(key), rest.encode()})
		}
	}
	for _, c := range changed { // behind the walk, which a change would disturb
		if len(c.places) == 0 {
			if err := w.words.Delete(c.key); err != nil {
				return err
			}
		} else if err := w.words.Put(c.key, c.places); err != nil {
			return err
		}
	}
	return nil
}

// wordSet is a row of the bucket of words.
type wordSet struct{ key, places []byte }

func wordKey(segment uint32, word string) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(word)), segment), word...)
}

// abandon closes an index that cannot be used; what is left of it is made again.
func (x *index) abandon() {
	if x.db != nil {
		_ = boltfile.Guarded(x.db.Close) // nothing of it counts any more
	}
}
