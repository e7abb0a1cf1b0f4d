// Package redact removes secret values from text, in whatever form programs wrote them.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// Mark replaces a value.
const Mark = "[redacted]"

const (
	// piece is the least number of bytes of a value that count as a piece of it where a line was cut.
	piece = 6
	// encodedFrom is the least length of values whose encodings are redacted as well.
	encodedFrom = 4
)

// Redactor conceals some values. The nil Redactor conceals nothing.
type Redactor struct {
	values  []string // longest first
	openers [256]bool
}

// New makes a Redactor of values; empty ones are ignored. It is nil when there is nothing to conceal.
func New(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		r.add(v)
		if strings.ContainsAny(v, "\r\n") {
			for _, line := range strings.FieldsFunc(v, func(c rune) bool { return c == '\r' || c == '\n' }) {
				if len(line) >= encodedFrom {
					r.add(line)
				}
			}
		}
	}
	if len(r.values) == 0 {
		return nil
	}
	slices.SortFunc(r.values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	r.values = slices.Compact(r.values)
	for _, v := range r.values {
		r.openers[v[0]] = true
		if v[0] == ' ' {
			r.openers['+'] = true
		}
	}
	for _, c := range `%\&` { // these begin escapes
		r.openers[c] = true
	}
	return r
}

func (r *Redactor) add(v string) {
	if v == "" {
		return
	}
	r.values = append(r.values, v)
	if len(v) < encodedFrom {
		return
	}
	plain := hex.EncodeToString([]byte(v))
	r.values = append(r.values, plain, strings.ToUpper(plain))
	for shift := range 3 {
		// The base64 of a longer text that holds the value depends on where the value begins, modulo three bytes; the
		// characters at both ends also depend on the bytes beside it.
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), v...))
		first, last := (shift*8+5)/6, len(text)-1
		if (shift+len(v))%3 == 0 {
			last = len(text)
		}
		if last-first >= encodedFrom {
			text = text[first:last]
			r.values = append(r.values, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
		}
	}
}

// String is s with Mark in place of every value: as it is, percent-encoded, or escaped as JSON, scripts and HTML do. The
// pieces of a value that the beginning or the end of s cuts off are replaced as well.
func (r *Redactor) String(s string) string {
	if r == nil || s == "" {
		return s
	}
	var out strings.Builder
	from := 0
	for at := 0; at < len(s); {
		n := 0
		if at == 0 {
			n = r.cutBefore(s)
		}
		if n == 0 && r.openers[s[at]] {
			n = r.valueAt(s[at:])
		}
		if n == 0 {
			at++
			continue
		}
		out.WriteString(s[from:at])
		out.WriteString(Mark)
		at += n
		from = at
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

// All applies String to each element; the result is a list of its own.
func (r *Redactor) All(list []string) []string {
	if r == nil {
		return list
	}
	clean := make([]string, len(list))
	for i, s := range list {
		clean[i] = r.String(s)
	}
	return clean
}

// valueAt is the length in bytes of the value at the beginning of s, or of the piece of one that the end of s cuts off;
// 0 for none.
func (r *Redactor) valueAt(s string) int {
	for _, v := range r.values {
		for _, escapesFirst := range []bool{true, false} {
			n, taken := match(s, v, escapesFirst)
			if taken == len(v) || n == len(s) && taken >= piece {
				return n
			}
		}
	}
	return 0
}

// cutBefore is the length in bytes of the end of a value at the beginning of s, whose own beginning was cut off; 0 for
// none.
func (r *Redactor) cutBefore(s string) int {
	for _, v := range r.values {
		for skip := 1; len(v)-skip >= piece; skip++ {
			n, taken := match(s, v[skip:], true)
			if taken == len(v)-skip || n == len(s) && taken >= piece {
				return n
			}
		}
	}
	return 0
}

// match compares the beginning of s with v, in whatever way each character is written: n bytes of s stand for the first
// taken bytes of v. Where a character may be either itself or the beginning of an escape, escapesFirst decides.
func match(s, v string, escapesFirst bool) (n, taken int) {
	for n < len(s) && taken < len(v) {
		text, size := escape(s[n:])
		fits := size > 0 && strings.HasPrefix(v[taken:], text)
		switch {
		case fits && (escapesFirst || s[n] != v[taken]):
			n, taken = n+size, taken+len(text)
		case s[n] == v[taken]:
			n, taken = n+1, taken+1
		case s[n] == '+' && v[taken] == ' ':
			n, taken = n+1, taken+1
		default:
			return n, taken
		}
	}
	return n, taken
}
