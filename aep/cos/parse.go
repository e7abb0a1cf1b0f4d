package cos

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
)

const (
	maxDepth   = 200
	maxObjects = 1 << 20
)

type scanner struct {
	b       []byte
	pos     int
	objects int
}

// Parse reads the objects of b. Its result is the one dictionary that b contains, or a dictionary of keys and values
// that stand there without brackets, as After Effects writes them.
func Parse(b []byte) (Dict, error) {
	s := scanner{b: b}
	s.space()
	if bytes.HasPrefix(s.b[s.pos:], []byte("<<")) {
		v, err := s.value(0)
		if err != nil {
			return nil, err
		}
		d, _ := v.(Dict)
		return d, nil
	}
	return s.pairs(0, false)
}

func (s *scanner) fail(what string) error {
	return fmt.Errorf("%w: %s at byte %d", ErrSyntax, what, s.pos)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '/', '%':
		return true
	}
	return isSpace(c)
}

func (s *scanner) space() {
	for s.pos < len(s.b) && isSpace(s.b[s.pos]) {
		s.pos++
	}
}

// pairs reads keys and values up to ">>", or to the end when closed is false.
func (s *scanner) pairs(depth int, closed bool) (Dict, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: more than %d deep", ErrLimit, maxDepth)
	}
	d := Dict{}
	for {
		s.space()
		switch {
		case s.pos >= len(s.b):
			if closed {
				return nil, s.fail("it ends within a dictionary")
			}
			return d, nil
		case closed && bytes.HasPrefix(s.b[s.pos:], []byte(">>")):
			s.pos += 2
			return d, nil
		case s.b[s.pos] != '/':
			return nil, s.fail("no key")
		}
		s.pos++
		key := string(s.word())
		v, err := s.value(depth + 1)
		if err != nil {
			return nil, err
		}
		d[key] = v
	}
}

func (s *scanner) word() []byte {
	start := s.pos
	for s.pos < len(s.b) && !isDelimiter(s.b[s.pos]) {
		s.pos++
	}
	return s.b[start:s.pos]
}

func (s *scanner) value(depth int) (Value, error) {
	if s.objects++; s.objects > maxObjects {
		return nil, fmt.Errorf("%w: more than %d objects", ErrLimit, maxObjects)
	}
	s.space()
	if s.pos >= len(s.b) {
		return nil, s.fail("it ends where a value should be")
	}
	switch c := s.b[s.pos]; {
	case c == '<' && s.pos+1 < len(s.b) && s.b[s.pos+1] == '<':
		s.pos += 2
		return s.pairs(depth, true)
	case c == '<':
		s.pos++
		return s.hex()
	case c == '[':
		s.pos++
		return s.array(depth)
	case c == '(':
		s.pos++
		return s.text()
	case c == '/':
		s.pos++
		return Name(s.word()), nil
	}
	return s.plain()
}

func (s *scanner) plain() (Value, error) {
	w := s.word()
	switch string(w) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	case "":
		return nil, s.fail("no value")
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, s.fail("neither number nor word")
	}
	return f, nil
}

func (s *scanner) array(depth int) (Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: more than %d deep", ErrLimit, maxDepth)
	}
	a := Array{}
	for {
		s.space()
		if s.pos >= len(s.b) {
			return nil, s.fail("it ends within an array")
		}
		if s.b[s.pos] == ']' {
			s.pos++
			return a, nil
		}
		v, err := s.value(depth + 1)
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
}

// text reads a string in parentheses; parentheses within it are balanced or escaped by a backslash.
func (s *scanner) text() (Value, error) {
	var out []byte
	for open := 1; s.pos < len(s.b); {
		c := s.b[s.pos]
		s.pos++
		switch c {
		case '\\':
			out = s.escape(out)
			continue
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return decode(out), nil
			}
		}
		out = append(out, c)
	}
	return nil, s.fail("it ends within a string")
}

func (s *scanner) escape(out []byte) []byte {
	if s.pos >= len(s.b) {
		return out
	}
	c := s.b[s.pos]
	s.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if s.pos < len(s.b) && s.b[s.pos] == '\n' {
			s.pos++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	n := int(c - '0')
	for i := 0; i < 2 && s.pos < len(s.b) && s.b[s.pos] >= '0' && s.b[s.pos] <= '7'; i++ {
		n = n*8 + int(s.b[s.pos]-'0')
		s.pos++
	}
	return append(out, byte(n))
}

func (s *scanner) hex() (Value, error) {
	var out []byte
	half, high := false, byte(0)
	for s.pos < len(s.b) {
		c := s.b[s.pos]
		s.pos++
		if c == '>' {
			if half {
				out = append(out, high<<4)
			}
			return decode(out), nil
		}
		if isSpace(c) {
			continue
		}
		n, err := strconv.ParseUint(string(c), 16, 8)
		if err != nil {
			return nil, s.fail("no hexadecimal digit")
		}
		if half {
			out = append(out, high<<4|byte(n))
		}
		half, high = !half, byte(n)
	}
	return nil, s.fail("it ends within a string")
}

// decode reads UTF-16 if there is a byte order mark, otherwise one byte per character.
func decode(b []byte) String {
	if len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF {
		u := make([]uint16, 0, len(b)/2-1)
		for i := 2; i+1 < len(b); i += 2 {
			u = append(u, uint16(b[i])<<8|uint16(b[i+1]))
		}
		return String(utf16.Decode(u))
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return String(r)
}
