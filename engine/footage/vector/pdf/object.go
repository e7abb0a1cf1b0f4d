package pdf

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The objects of a file: nil, bool, float64, name, text, array, dict, *stream and ref.
type (
	name  string
	text  []byte
	array []any
	dict  map[name]any
	// ref refers to an object by its number.
	ref int
	// stream is a dictionary with bytes, as the file has them.
	stream struct {
		dict dict
		raw  []byte
	}
	// operator is a word of a content stream.
	operator string
)

// The bounds of objects.
const (
	maxNesting = 64
	maxItems   = 1_000_000 // of one array or dictionary
)

var errEnd = errors.New("it is cut off")

// lexer reads objects from bytes.
type lexer struct {
	b     []byte
	at    int
	depth int
	refs  bool // "5 0 R" is a reference; content streams have none
}

func space(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func delimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// skip passes spaces and comments.
func (l *lexer) skip() {
	for l.at < len(l.b) {
		switch c := l.b[l.at]; {
		case space(c):
			l.at++
		case c == '%':
			for l.at < len(l.b) && l.b[l.at] != '\n' && l.b[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next is the next object or operator; errEnd at the end.
func (l *lexer) next() (any, error) {
	l.skip()
	if l.at >= len(l.b) {
		return nil, errEnd
	}
	switch c := l.b[l.at]; {
	case c == '/':
		l.at++
		return l.name(), nil
	case c == '(':
		return l.literal()
	case c == '[':
		l.at++
		return l.array()
	case c == '<':
		if l.at+1 < len(l.b) && l.b[l.at+1] == '<' {
			l.at += 2
			return l.dict()
		}
		return l.hexadecimal()
	case c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9':
		return l.number(), nil
	case c == ']' || c == '>' || c == ')' || c == '{' || c == '}':
		l.at++
		if c == '>' && l.at < len(l.b) && l.b[l.at] == '>' {
			l.at++
			return operator(">>"), nil
		}
		return operator(c), nil
	}
	switch w := l.word(); w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "null":
		return nil, nil
	default:
		return operator(w), nil
	}
}

func (l *lexer) word() string {
	start := l.at
	for l.at < len(l.b) && !space(l.b[l.at]) && !delimiter(l.b[l.at]) {
		l.at++
	}
	return string(l.b[start:l.at])
}

func (l *lexer) name() name {
	w := l.word()
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			if v, err := strconv.ParseUint(w[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, w[i])
	}
	return name(out)
}

// number is a number, or a reference that begins with one.
func (l *lexer) number() any {
	w := l.word()
	v, err := strconv.ParseFloat(w, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	v = max(-1e9, min(1e9, v))
	if !l.refs || v < 0 || v != math.Trunc(v) {
		return v
	}
	ahead := *l
	ahead.skip()
	if g, err := strconv.Atoi(ahead.word()); err != nil || g < 0 {
		return v
	}
	ahead.skip()
	if ahead.word() != "R" {
		return v
	}
	l.at = ahead.at
	return ref(v)
}

func (l *lexer) literal() (any, error) {
	var out text
	depth := 0
	for l.at++; l.at < len(l.b); l.at++ {
		switch c := l.b[l.at]; c {
		case '(':
			depth++
			out = append(out, c)
		case ')':
			if depth == 0 {
				l.at++
				return out, nil
			}
			depth--
			out = append(out, c)
		case '\\':
			out = l.escape(out)
		default:
			out = append(out, c)
		}
	}
	return nil, errEnd
}

// escape adds what a backslash stands for. It ends at the last byte of that.
func (l *lexer) escape(out text) text {
	l.at++
	if l.at >= len(l.b) {
		return out
	}
	switch c := l.b[l.at]; {
	case c >= '0' && c <= '7':
		v := 0
		for n := 0; n < 3 && l.at < len(l.b) && l.b[l.at] >= '0' && l.b[l.at] <= '7'; n++ {
			v = 8*v + int(l.b[l.at]-'0')
			l.at++
		}
		l.at--
		return append(out, byte(v))
	case c == 'n':
		return append(out, '\n')
	case c == 'r':
		return append(out, '\r')
	case c == 't':
		return append(out, '\t')
	case c == '\n':
		return out
	default:
		return append(out, c)
	}
}

func (l *lexer) hexadecimal() (any, error) {
	var out text
	high := -1
	for l.at++; l.at < len(l.b); l.at++ {
		c := l.b[l.at]
		if c == '>' {
			l.at++
			if high >= 0 {
				out = append(out, byte(high<<4))
			}
			return out, nil
		}
		v, err := strconv.ParseUint(string(c), 16, 8)
		switch {
		case err != nil: // a space
		case high < 0:
			high = int(v)
		default:
			out, high = append(out, byte(high<<4|int(v))), -1
		}
	}
	return nil, errEnd
}

func (l *lexer) array() (any, error) {
	if l.depth++; l.depth > maxNesting {
		return nil, errors.New("objects lie too deep within each other")
	}
	defer func() { l.depth-- }()
	out := array{}
	for {
		v, err := l.next()
		if err != nil {
			return nil, err
		}
		if v == operator("]") {
			return out, nil
		}
		if len(out) == maxItems {
			return nil, errors.New("an array is too long")
		}
		out = append(out, v)
	}
}

func (l *lexer) dict() (any, error) {
	if l.depth++; l.depth > maxNesting {
		return nil, errors.New("objects lie too deep within each other")
	}
	defer func() { l.depth-- }()
	out := dict{}
	for {
		k, err := l.next()
		if err != nil {
			return nil, err
		}
		if k == operator(">>") {
			return out, nil
		}
		key, ok := k.(name)
		if !ok {
			return nil, fmt.Errorf("a dictionary has the key %.40v", k)
		}
		v, err := l.next()
		if err != nil {
			return nil, err
		}
		if v == operator(">>") {
			return out, nil
		}
		out[key] = v
	}
}
