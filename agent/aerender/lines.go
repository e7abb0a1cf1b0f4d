package aerender

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line; what is longer is cut, and the rest of it skipped.
const maxLine = 16 << 10

// readLines calls line for every line of r, however it ends (LF, CRLF, or CR as progress displays use it), until r ends.
// Engines write in the console's code page: what is no UTF-8 is read as Latin-1.
func readLines(r io.Reader, line func(string)) error {
	in := bufio.NewReaderSize(r, 4096)
	var buf []byte
	flush := func() {
		if len(buf) > 0 {
			line(decode(buf))
			buf = buf[:0]
		}
	}
	for {
		c, err := in.ReadByte()
		switch {
		case err != nil:
			flush()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case c == '\n' || c == '\r':
			flush()
		case len(buf) < maxLine:
			buf = append(buf, c)
		}
	}
}

// decode makes text of a line's bytes, without the control characters that would spoil a log.
func decode(b []byte) string {
	var s strings.Builder
	valid := utf8.Valid(b)
	put := func(r rune) {
		if r == '\t' || r >= 0x20 && r != 0x7f && (r < 0x80 || r >= 0xa0) {
			s.WriteRune(r)
		}
	}
	if valid {
		for _, r := range string(b) {
			put(r)
		}
		return s.String()
	}
	for _, c := range b {
		put(rune(c))
	}
	return s.String()
}
