package photoshop

import (
	"encoding/binary"
	"io"
	"strings"
)

// cursor reads a part of a file from its beginning to its end. After an error it reads zeros.
type cursor struct {
	in  *io.SectionReader
	at  int64
	end int64
	err error
}

func (c *cursor) left() int64 { return c.end - c.at }

// bytes reads a few bytes.
func (c *cursor) bytes(n int) []byte {
	out := make([]byte, n)
	if c.err == nil && int64(n) > c.left() {
		c.err = errCut
	}
	if c.err != nil {
		return out
	}
	if _, err := c.in.ReadAt(out, c.at); err != nil {
		c.err = errCut
		return make([]byte, n)
	}
	c.at += int64(n)
	return out
}

func (c *cursor) u8() uint8         { return c.bytes(1)[0] }
func (c *cursor) u16() uint16       { return binary.BigEndian.Uint16(c.bytes(2)) }
func (c *cursor) u32() uint32       { return binary.BigEndian.Uint32(c.bytes(4)) }
func (c *cursor) s16() int          { return int(int16(c.u16())) }
func (c *cursor) s32() int          { return int(int32(c.u32())) }
func (c *cursor) word(n int) string { return string(c.bytes(n)) }
func (c *cursor) length(b bool) (n int64) {
	if !b {
		return int64(c.u32())
	}
	if n = int64(binary.BigEndian.Uint64(c.bytes(8))); n < 0 {
		c.err = errCut
		return 0
	}
	return n
}

func (c *cursor) skip(n int64) {
	if c.err == nil && (n < 0 || n > c.left()) {
		c.err = errCut
	}
	if c.err == nil {
		c.at += n
	}
}

// part is a cursor for the next n bytes, behind which this one goes on.
func (c *cursor) part(n int64) *cursor {
	from := c.at
	c.skip(n)
	if c.err != nil {
		return &cursor{in: c.in, err: c.err}
	}
	return &cursor{in: c.in, at: from, end: from + n}
}

// contains tells whether a list of words, with spaces between them, has a word.
func contains(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}
