package layered

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"

	"github.com/tidwall/btree"
	"go.etcd.io/bbolt"
)

// Rows is one consistent reading. What it gives may be kept and must not be changed while the reading lasts; what it gave is
// not to be looked at after its end.
type Rows struct {
	tx     *bbolt.Tx
	places map[string]int
	names  [][]byte
	layers [2]*layer // the newest first; nil for none
	// Buckets of the file that were opened, nil as long as none was: most readings find all in memory. Opening one costs as much as finding
	// a row.
	opened *[12]openBucket
	count  int     // of all that were opened; the latest are kept
	seen   *seen   // of the file; nil where nothing is kept
	wanted row     // what the layers are asked for: they compare rows with rows. A reading is used by one goroutine at a time
	walker *Cursor // of Under, for the next one
	// store is before the file, and told of damage to it; nil where none is.
	store *Store
}

type openBucket struct {
	place  int
	bucket *bbolt.Bucket
	finder *bbolt.Cursor // nil until a row is looked for: a cursor keeps the room that each Get of bbolt makes anew
}

// get is the value under a key, nil for none.
func (b *openBucket) get(key []byte) []byte {
	if found, value := b.cursor().Seek(key); bytes.Equal(found, key) {
		return value
	}
	return nil
}

func (b *openBucket) cursor() *bbolt.Cursor {
	if b.finder == nil {
		b.finder = b.bucket.Cursor()
	}
	return b.finder
}

// Of reads the rows of a file without any layer.
func Of(tx *bbolt.Tx, buckets [][]byte) *Rows {
	places := make(map[string]int, len(buckets))
	for place, name := range buckets {
		places[string(name)] = place
	}
	return &Rows{tx: tx, places: places, names: buckets}
}

func (r *Rows) end() { _ = r.tx.Rollback() } // of a reading, which has nothing to lose

// place finds a bucket in the layers. One that was not declared is a mistake of the program.
func (r *Rows) place(bucket []byte) int {
	place, ok := r.places[string(bucket)]
	if !ok {
		panic(fmt.Sprintf("bucket %q is not among those of the store", bucket))
	}
	return place
}

// file is a bucket of the file.
func (r *Rows) file(place int) *openBucket {
	if r.opened == nil {
		r.opened = new([12]openBucket)
	}
	for i := range min(r.count, len(r.opened)) {
		if r.opened[i].place == place {
			return &r.opened[i]
		}
	}
	opened := &r.opened[r.count%len(r.opened)]
	*opened = openBucket{place: place, bucket: r.tx.Bucket(r.names[place])}
	r.count++
	return opened
}

// Get is the value under a key, nil for none.
func (r *Rows) Get(bucket []byte, key string) []byte {
	place := r.place(bucket)
	if found := r.inMemory(place, key); found != nil {
		return found.value
	}
	return r.fromFile(place, key)
}

// Decoded is what decode makes of the value under a key; nil for none. A row that is in memory is decoded once, so whoever asks shares what
// there is: nobody may change it.
func (r *Rows) Decoded(bucket []byte, key string, decode func(value []byte) (any, error)) (any, error) {
	place := r.place(bucket)
	found := r.inMemory(place, key)
	if found == nil {
		found = &row{value: r.fromFile(place, key)}
	}
	if found.value == nil {
		return nil, nil
	}
	if known := found.decoded.Load(); known != nil {
		return *known, nil
	}
	decoded, err := decode(found.value)
	if err == nil {
		found.decoded.Store(&decoded)
	}
	return decoded, err
}

// inMemory is a row that need not be looked for in the file: one of a layer, or one that was seen. nil for none.
func (r *Rows) inMemory(place int, key string) *row {
	r.wanted.key = key
	for _, l := range r.layers {
		if l == nil || l.trees[place] == nil {
			continue
		}
		if found, ok := l.trees[place].Get(&r.wanted); ok {
			return found
		}
	}
	if r.seen == nil || !r.seen.keeps(place) {
		return nil
	}
	return r.seen.get(place, key, func() []byte { return r.fromFile(place, key) })
}

func (r *Rows) fromFile(place int, key string) (value []byte) {
	defer func() {
		if p := recover(); p != nil {
			value = nil
			r.damage(p)
		}
	}()
	return r.file(place).get(bytesOf(key))
}

// bytesOf are the bytes of a text for those who only read them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Change is a change that is being made. It reads what it has written.
type Change struct {
	*Rows
	fresh  []bool // by place: the tree is the change's own
	direct float64
}

// Into makes a change in a transaction of a file, without any layer. fill is that of Options.
func Into(tx *bbolt.Tx, buckets [][]byte, fill float64) *Change {
	return &Change{Rows: Of(tx, buckets), direct: fill}
}

// Put writes a row. The change keeps value, which must not be modified any more; nil counts as empty.
func (c *Change) Put(bucket []byte, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return c.write(bucket, key, value)
}

// Delete deletes a row, if it is there.
func (c *Change) Delete(bucket []byte, key string) error {
	return c.write(bucket, key, nil)
}

// write writes a row, or deletes it when its value is nil.
func (c *Change) write(bucket []byte, key string, value []byte) error {
	place := c.place(bucket)
	if c.direct > 0 {
		file := c.file(place).bucket
		file.FillPercent = c.direct
		return writeRow(file, []byte(key), value)
	}
	if len(key) == 0 || len(key) > MaxKey || len(value) > bbolt.MaxValueSize {
		return fmt.Errorf("%w: its key has %d bytes and its value %d", ErrUnstorable, len(key), len(value))
	}
	own := c.layers[0]
	if !c.fresh[place] {
		c.fresh[place] = true
		if own.trees[place] == nil {
			own.trees[place] = newTree()
		} else {
			own.trees[place] = own.trees[place].Copy()
		}
	}
	own.trees[place].Set(c.store.newRow(key, value))
	own.size += rowCost + len(key) + len(value)
	return nil
}

// MaxKey is how many bytes a key has at most.
const MaxKey = bbolt.MaxKeySize

// ErrUnstorable marks a row that no file can hold, wherever it lies.
var ErrUnstorable = errors.New("the row cannot be stored")

// rowCost is what a row takes in memory beside its bytes.
const rowCost = 64

// Cursor goes through the rows of a bucket in the order of their keys. Rows must not be written while it is used.
type Cursor struct {
	rows    *Rows
	sources []source  // the newest first
	room    [3]source // of sources
	key     []byte    // where the cursor is
	back    bool      // which way it goes: sources stand at key or behind it, seen in this direction
}

// source is one of the layers, or the file. key is nil at its end.
type source struct {
	tree       *btree.BTreeG[*row] // nil for the file
	iter       btree.IterG[*row]
	file       *bbolt.Cursor
	key, value []byte
}

// Cursor makes a cursor on a bucket.
func (r *Rows) Cursor(bucket []byte) *Cursor {
	c := &Cursor{rows: r}
	c.open(r.place(bucket), func(b *openBucket) *bbolt.Cursor { return b.bucket.Cursor() })
	return c
}

// Under gives the keys of a bucket that begin with a prefix, without it, in their order. What is given it must not be kept, and nothing may be
// read or written meanwhile: walks that are as short as most are share what they need.
func (r *Rows) Under(bucket []byte, prefix string, yield func(rest []byte) bool) {
	c := r.walker
	if c == nil {
		c = &Cursor{rows: r}
		r.walker = c
	}
	c.open(r.place(bucket), (*openBucket).cursor)
	begin := bytesOf(prefix)
	for key, _ := c.Seek(begin); key != nil && bytes.HasPrefix(key, begin); key, _ = c.Next() {
		if !yield(key[len(begin):]) {
			return
		}
	}
}

// open puts a cursor on a bucket; in gives its cursor in the file.
func (c *Cursor) open(place int, in func(*openBucket) *bbolt.Cursor) {
	c.sources = c.room[:0]
	for _, l := range c.rows.layers {
		if l != nil && l.trees[place] != nil {
			c.sources = append(c.sources, source{tree: l.trees[place], iter: l.trees[place].Iter()})
		}
	}
	if file := c.rows.cursorIn(place, in); file != nil {
		c.sources = append(c.sources, source{file: file})
	}
}

func (r *Rows) cursorIn(place int, in func(*openBucket) *bbolt.Cursor) (c *bbolt.Cursor) {
	defer func() {
		if p := recover(); p != nil {
			c = nil
			r.damage(p)
		}
	}()
	return in(r.file(place))
}

// reach moves a source, which is at its end where the file cannot be read.
func (c *Cursor) reach(s *source, move func(*source)) {
	if s.tree == nil {
		defer func() {
			if p := recover(); p != nil {
				s.key, s.value = nil, nil
				c.rows.damage(p)
			}
		}()
	}
	if move(s); s.tree == nil && s.key != nil && s.value == nil {
		s.key = nil
		c.rows.damage("something else than a row is in it")
	}
}

// First moves to the first row, and like all moves gives nil when there is none.
func (c *Cursor) First() (key, value []byte) { return c.Seek(nil) }

// Seek moves to the first row from a key on.
func (c *Cursor) Seek(at []byte) (key, value []byte) {
	c.back = false
	for i := range c.sources {
		c.reach(&c.sources[i], func(s *source) { s.seek(at, &c.rows.wanted) })
	}
	return c.settle()
}

// Last moves to the last row.
func (c *Cursor) Last() (key, value []byte) {
	c.back = true
	for i := range c.sources {
		c.reach(&c.sources[i], (*source).last)
	}
	return c.settle()
}

// Next moves to the row after the present one.
func (c *Cursor) Next() (key, value []byte) { return c.step(false) }

// Prev moves to the row before the present one.
func (c *Cursor) Prev() (key, value []byte) { return c.step(true) }

func (c *Cursor) step(back bool) (key, value []byte) {
	if c.key == nil {
		return nil, nil
	}
	if c.back != back {
		c.back = back
		for i := range c.sources {
			c.reach(&c.sources[i], func(s *source) { s.turn(back, c.key, &c.rows.wanted) })
		}
	} else {
		c.pass(c.key)
	}
	return c.settle()
}

// pass moves those sources on that stand at a key.
func (c *Cursor) pass(key []byte) {
	for i := range c.sources {
		if s := &c.sources[i]; s.key != nil && bytes.Equal(s.key, key) {
			c.reach(s, func(s *source) { s.move(c.back) })
		}
	}
}

// settle gives the row of the source that comes first. Where several have its key the newest counts, and it may say that the
// row was deleted.
func (c *Cursor) settle() (key, value []byte) {
	for {
		var first *source
		for i := range c.sources {
			s := &c.sources[i]
			if s.key == nil {
				continue
			}
			if first != nil {
				order := bytes.Compare(s.key, first.key)
				if order == 0 || order > 0 != c.back {
					continue
				}
			}
			first = s
		}
		if first == nil {
			c.key = nil
			return nil, nil
		}
		if c.key = first.key; first.value != nil {
			return first.key, first.value
		}
		c.pass(first.key)
	}
}

// seek moves to the first row from a key on; wanted is what the layers are asked for.
func (s *source) seek(at []byte, wanted *row) {
	if s.tree != nil {
		wanted.key = unsafe.String(unsafe.SliceData(at), len(at)) // which is compared with others, and not kept
		s.take(s.iter.Seek(wanted))
		wanted.key = ""
	} else {
		s.key, s.value = s.file.Seek(at)
	}
}

func (s *source) last() {
	if s.tree != nil {
		s.take(s.iter.Last())
	} else {
		s.key, s.value = s.file.Last()
	}
}

func (s *source) move(back bool) {
	switch {
	case s.tree == nil && back:
		s.key, s.value = s.file.Prev()
	case s.tree == nil:
		s.key, s.value = s.file.Next()
	case back:
		s.take(s.iter.Prev())
	default:
		s.take(s.iter.Next())
	}
}

// turn changes the direction: the source moves to its first row beyond a key, seen that way.
func (s *source) turn(back bool, key []byte, wanted *row) {
	s.seek(key, wanted)
	switch {
	case back && s.key == nil:
		s.last()
	case back, bytes.Equal(s.key, key):
		s.move(back)
	}
}

// take keeps the iterator's row when it has one.
func (s *source) take(ok bool) {
	if !ok {
		s.key, s.value = nil, nil
		return
	}
	at := s.iter.Item()
	s.key, s.value = at.bytes(), at.value
}
