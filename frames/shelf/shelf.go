// Package shelf keeps finished frames on the disk of a machine, by the address of what they show, for later renders that show the same, and encoded films
// of many of them. Several processes may use one folder at once.
//
// Each frame, or film, is a file, named by its address in hex:
//
//	32 bytes  SHA-256 of the address and the packed pixels
//	 n bytes  the packed pixels (frames.Pack), or the film
//
// A file has its name only once it is whole, and is checked when it is read, so that it does no harm to be cut off while writing. Most frames
// are never shown again. So a frame is kept when it is drawn a second time: the file "seen" remembers addresses that were drawn once. It is a table of
// a fixed size, in whose rows the newest addresses replace the oldest, since to forget one costs no more than drawing its frame once more.
package shelf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"overcrank/frames"
)

// Address identifies what a frame shows.
type Address = [sha256.Size]byte

const (
	seenName  = "seen"
	seenRows  = 1 << 15
	seenEntry = 8 // bytes
	// Of two frames of a film whose addresses had but one place, neither would ever be kept.
	seenRow    = 4 * seenEntry
	partPrefix = "part-"
)

// Store is a folder of kept frames. It is safe for concurrent use.
type Store struct {
	dir   string
	seen  *os.File
	noted sync.Mutex   // of what seen says
	room  atomic.Int64 // bytes that may still be added
	least int64        // of these, what is left to whole frames and films
	spare sync.Pool    // of *[]byte
}

// Open opens the folder, which it makes when it is missing. At most room bytes are added to it. Close must be called.
func Open(dir string, room int64) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of kept frames: %w", err)
	}
	seen, err := os.OpenFile(filepath.Join(dir, seenName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the table of kept frames: %w", err)
	}
	s := &Store{dir: dir, seen: seen, least: room / 2}
	s.room.Store(room)
	s.spare.New = func() any { return new([]byte) }
	return s, nil
}

// Close frees the store; the frames stay.
func (s *Store) Close() error { return s.seen.Close() }

func (s *Store) path(at Address) string { return filepath.Join(s.dir, hex.EncodeToString(at[:])) }

// Read fills pix with the frame at an address, as it was given to Drawn with this step. It returns false when the frame is not kept, or is damaged;
// then pix is spoiled.
func (s *Store) Read(at Address, pix []byte, step int) bool {
	buf := s.buffer(0)
	defer s.spare.Put(buf)
	return s.read(at, buf, frames.MaxPacked(len(pix)), func(packed []byte) bool { return frames.Unpack(pix, packed, step) == nil })
}

// Film is the encoded film of several frames at an address, as it was given to Encoded, unless it has more than limit bytes. It returns false when it
// is not kept, or is damaged.
func (s *Store) Film(at Address, limit int) (encoded []byte, ok bool) {
	var buf []byte
	ok = s.read(at, &buf, limit, func(b []byte) bool {
		encoded = b
		return true
	})
	return encoded, ok
}

// read reads what is kept at an address, of at most limit bytes, into buf and has it taken. It returns false when there is nothing, or nothing that is
// whole.
func (s *Store) read(at Address, buf *[]byte, limit int, take func(packed []byte) bool) bool {
	path := s.path(at)
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if *buf, err = readAll(file, *buf, sha256.Size+limit); err != nil {
		return false
	}
	if len(*buf) < sha256.Size || sumOf(at, (*buf)[sha256.Size:]) != Address((*buf)[:sha256.Size]) || !take((*buf)[sha256.Size:]) {
		_ = os.Remove(path) // it would fail again; where it cannot be removed it does no harm
		return false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // only the order in which frames are dropped depends on it
	return true
}

// readAll reads a file into buf. It is an error if the file is longer than limit.
func readAll(file *os.File, buf []byte, limit int) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return buf, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(limit) {
		return buf, frames.ErrFormat
	}
	if cap(buf) < int(info.Size()) {
		buf = make([]byte, info.Size())
	}
	buf = buf[:info.Size()]
	_, err = io.ReadFull(file, buf)
	return buf, err
}

func sumOf(at Address, packed []byte) (sum Address) {
	h := sha256.New()
	h.Write(at[:])
	h.Write(packed)
	h.Sum(sum[:0])
	return sum
}

// Drawn tells that the frame at an address was drawn: pixels of step bytes each, or with a step of 0 bytes that are kept as they are. It is kept unless it was drawn for the first time or there is no room. What
// fails is given up: the render has its frame.
func (s *Store) Drawn(at Address, pix []byte, step int) {
	if s.room.Load() <= 0 || !s.again(at) {
		return
	}
	if step != 0 { // Pack changes them
		own := s.buffer(len(pix))
		defer s.spare.Put(own)
		copy(*own, pix)
		pix = *own
	}
	out := s.buffer(0)
	defer s.spare.Put(out)
	packed := frames.Pack(*out, pix, step)
	*out = packed
	s.keep(at, packed)
}

// reading is about twice what it takes to read a byte that is kept.
const reading = 2 * time.Nanosecond

// Lower is Drawn of the lower layers of a frame, which took so long to draw: they are kept as they are where reading them is cheaper. They take no more than
// half of the room, since whole frames and films save more.
func (s *Store) Lower(at Address, pix []byte, took time.Duration) {
	if took > reading*time.Duration(len(pix)) && s.room.Load() > s.least {
		s.Drawn(at, pix, 0)
	}
}

// Encoded tells that the frames of an address were encoded as this film. As with a frame, it is kept from the second time on.
func (s *Store) Encoded(at Address, film []byte) {
	if s.room.Load() > 0 && s.again(at) {
		s.keep(at, film)
	}
}

// keep puts something at its address, if there is room.
func (s *Store) keep(at Address, packed []byte) {
	size := int64(sha256.Size + len(packed))
	if s.room.Add(-size) < 0 {
		return
	}
	if err := s.write(at, packed); err != nil {
		s.room.Store(0) // the disk is full, or not to be written to
	}
}

// write puts a frame in its place, whole.
func (s *Store) write(at Address, packed []byte) error {
	file, err := os.CreateTemp(s.dir, partPrefix+"*")
	if err != nil {
		return err
	}
	sum := sumOf(at, packed)
	_, err = file.Write(sum[:])
	if err == nil {
		_, err = file.Write(packed)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), s.path(at))
	}
	if err != nil {
		_ = os.Remove(file.Name()) // Trim removes it otherwise
	}
	return err
}

// again tells whether the frame at an address was drawn before, and remembers it.
func (s *Store) again(at Address) bool {
	place := int64(binary.LittleEndian.Uint32(at[:]) % seenRows * seenRow)
	s.noted.Lock()
	defer s.noted.Unlock()
	var row [seenRow]byte // the newest first
	if _, err := s.seen.ReadAt(row[:], place); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	entry := at[4 : 4+seenEntry]
	for i := 0; i < seenRow; i += seenEntry {
		if bytes.Equal(row[i:i+seenEntry], entry) {
			return true
		}
	}
	copy(row[seenEntry:], row[:])
	copy(row[:], entry)
	_, _ = s.seen.WriteAt(row[:], place) // at worst the frame is not kept
	return false
}

// buffer is a spare buffer of so many bytes.
func (s *Store) buffer(size int) *[]byte {
	buf := s.spare.Get().(*[]byte)
	if cap(*buf) < size {
		*buf = make([]byte, size)
	}
	*buf = (*buf)[:size]
	return buf
}
