package svg

import (
	"math"
	"strconv"
	"strings"
)

// far limits the numbers of a document.
const far = 1e7

// scanner reads numbers, which spaces and commas part.
type scanner struct {
	s string
	i int
}

func (s *scanner) space() {
	for s.i < len(s.s) {
		switch s.s[s.i] {
		case ' ', '\t', '\n', '\r', '\f', ',':
			s.i++
		default:
			return
		}
	}
}

// number is the next number; false when there is none. It never begins a second number that follows without a space.
func (s *scanner) number() (float64, bool) {
	s.space()
	start := s.i
	if s.i < len(s.s) && (s.s[s.i] == '+' || s.s[s.i] == '-') {
		s.i++
	}
	digits := s.digits()
	if s.i < len(s.s) && s.s[s.i] == '.' {
		s.i++
		digits += s.digits()
	}
	if digits == 0 {
		s.i = start
		return 0, false
	}
	if s.i < len(s.s) && (s.s[s.i] == 'e' || s.s[s.i] == 'E') {
		back := s.i
		s.i++
		if s.i < len(s.s) && (s.s[s.i] == '+' || s.s[s.i] == '-') {
			s.i++
		}
		if s.digits() == 0 { // such as the unit "em"
			s.i = back
		}
	}
	v, err := strconv.ParseFloat(s.s[start:s.i], 64)
	if err != nil && !math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, false
	}
	return max(-far, min(far, v)), true
}

func (s *scanner) digits() int {
	start := s.i
	for s.i < len(s.s) && s.s[s.i] >= '0' && s.s[s.i] <= '9' {
		s.i++
	}
	return s.i - start
}

// flag is a single 0 or 1, which the next number may follow at once.
func (s *scanner) flag() (bool, bool) {
	s.space()
	if s.i < len(s.s) && (s.s[s.i] == '0' || s.s[s.i] == '1') {
		s.i++
		return s.s[s.i-1] == '1', true
	}
	return false, false
}

// word is the letters that follow.
func (s *scanner) word() string {
	start := s.i
	for s.i < len(s.s) && (s.s[s.i]|0x20 >= 'a' && s.s[s.i]|0x20 <= 'z' || s.s[s.i] == '%') {
		s.i++
	}
	return s.s[start:s.i]
}

// numbers are all numbers of a list, at most so many.
func numbers(v string, most int) []float64 {
	s := scanner{s: v}
	var out []float64
	for len(out) < most {
		n, ok := s.number()
		if !ok {
			break
		}
		out = append(out, n)
	}
	return out
}

// Pixels for each unit of length, at 96 to the inch.
var units = map[string]float64{"": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6}

// length is a length in pixels. A percentage is one of whole, an em one of size. False when it is none.
func length(v string, whole, size float64) (float64, bool) {
	s := scanner{s: strings.TrimSpace(v)}
	n, ok := s.number()
	if !ok {
		return 0, false
	}
	switch unit := strings.ToLower(s.word()); unit {
	case "%":
		return n * whole / 100, true
	case "em", "rem":
		return n * size, true
	case "ex", "ch":
		return n * size / 2, true
	default:
		k, ok := units[unit]
		return n * k, ok
	}
}

// share is a number or a percentage, from 0 to 1.
func share(v string, otherwise float64) float64 {
	n, ok := length(v, 1, 0)
	if !ok {
		return otherwise
	}
	return max(0, min(1, n))
}
