package pdf

import (
	"errors"
	"sort"
	"unicode/utf16"
)

// span maps codes of a length in bytes from one to another to numbers that begin at to.
type span struct {
	bytes, from, last, to int
}

// codes is a CMap: how a string is divided into codes, and what they mean.
type codes struct {
	identity bool   // two bytes each, which mean themselves
	spaces   []span // codes that there are
	spans    []span // what they mean: characters of a font, or, in one to Unicode, code points
}

// The bounds of a CMap.
const (
	maxSpans  = 100_000
	maxSpaces = 100
)

var twoBytes = &codes{identity: true}

// codesOf reads a CMap; nil for one that is not known.
func (f *file) codesOf(v any) *codes {
	if n := f.name(v); n != "" {
		if n == "Identity-H" || n == "Identity-V" {
			return twoBytes
		}
		return nil
	}
	s, ok := f.get(v).(*stream)
	if !ok {
		return nil
	}
	data, err := f.decoded(s)
	if err != nil {
		return nil
	}
	out := &codes{}
	l := lexer{b: data}
	var stack []any
	for {
		v, err := l.next()
		if errors.Is(err, errEnd) || len(out.spans) > maxSpans {
			sort.SliceStable(out.spans, func(i, j int) bool { return out.spans[i].from < out.spans[j].from })
			out.spaces = out.spaces[:min(len(out.spaces), maxSpaces)]
			return out
		}
		if err != nil {
			return nil
		}
		op, ok := v.(operator)
		if !ok {
			if len(stack) < maxSpans {
				stack = append(stack, v)
			}
			continue
		}
		switch op {
		case "endcodespacerange":
			out.spaces = append(out.spaces, ranges(stack, false)...)
		case "endcidrange", "endbfrange":
			out.spans = append(out.spans, ranges(stack, true)...)
		case "endcidchar", "endbfchar":
			out.spans = append(out.spans, chars(stack)...)
		}
		stack = stack[:0]
	}
}

// value is a number, or that of a string: bytes of a code, or the first character of text in UTF-16.
func value(v any, characters bool) int {
	switch v := v.(type) {
	case float64:
		return int(v)
	case text:
		if characters && len(v) == 4 {
			if r := utf16.DecodeRune(rune(whole(v[:2])), rune(whole(v[2:]))); r != '\ufffd' {
				return int(r)
			}
			return whole(v[:2])
		}
		if characters && len(v) > 2 {
			return whole(v[:2])
		}
		return whole(v)
	}
	return 0
}

func ranges(stack []any, to bool) (out []span) {
	width := 2
	if to {
		width = 3
	}
	for ; len(stack) >= width; stack = stack[width:] {
		from, ok := stack[0].(text)
		last, ok2 := stack[1].(text)
		if !ok || !ok2 || len(from) == 0 || len(from) > 4 {
			continue
		}
		s := span{bytes: len(from), from: whole(from), last: whole(last)}
		if !to {
			out = append(out, s)
			continue
		}
		list, each := stack[2].(array)
		if !each {
			s.to = value(stack[2], true)
			out = append(out, s)
			continue
		}
		for i, v := range list {
			if s.from+i > s.last || len(out) > maxSpans {
				break
			}
			out = append(out, span{s.bytes, s.from + i, s.from + i, value(v, true)})
		}
	}
	return out
}

func chars(stack []any) (out []span) {
	for ; len(stack) >= 2; stack = stack[2:] {
		if from, ok := stack[0].(text); ok && len(from) > 0 && len(from) <= 4 {
			out = append(out, span{len(from), whole(from), whole(from), value(stack[1], true)})
		}
	}
	return out
}

// size is how many stretches of codes there are; none where there is no CMap.
func (c *codes) size() int {
	if c == nil {
		return 0
	}
	return len(c.spans)
}

// next takes the next code off a string.
func (c *codes) next(s []byte) (code, length int) {
	if !c.identity {
		for n := 1; n <= 4 && n <= len(s); n++ {
			code := whole(s[:n])
			for _, in := range c.spaces {
				if in.bytes == n && code >= in.from && code <= in.last {
					return code, n
				}
			}
		}
	}
	n := min(2, len(s))
	return whole(s[:n]), n
}

// means is what a code means; false where nothing is said.
func (c *codes) means(code int) (int, bool) {
	if c.identity {
		return code, true
	}
	i := sort.Search(len(c.spans), func(i int) bool { return c.spans[i].from > code }) - 1
	if i < 0 || code > c.spans[i].last {
		return 0, false
	}
	return c.spans[i].to + code - c.spans[i].from, true
}
