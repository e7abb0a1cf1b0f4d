// Package names compares names that people type, and makes file names of untrusted text.
package names

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostQuoted is how many names Quoted lists.
const mostQuoted = 20

// Quoted lists names in a sentence; when there are many, only the first of them.
func Quoted(names []string) string {
	more := ""
	if len(names) > mostQuoted {
		more = fmt.Sprintf(" and %d more", len(names)-mostQuoted)
		names = names[:mostQuoted]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "'" + name + "'"
	}
	return strings.Join(quoted, ", ") + more
}

// nearest is how many names Near gives at most.
const nearest = 3

// Near lists the known names that wanted may be a misspelling of, the likeliest first.
func Near(wanted string, known []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	folded := strings.ToLower(wanted)
	for _, name := range known {
		other := strings.ToLower(name)
		allowed := max(1, utf8.RuneCountInString(folded)/3)
		if longer := utf8.RuneCountInString(folded) - utf8.RuneCountInString(other); longer > allowed {
			continue // and comparing them would take long
		}
		far := distance(folded, other)
		if folded != "" && strings.Contains(other, folded) {
			far = min(far, 1)
		}
		if far <= allowed {
			found = append(found, candidate{name, far})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.far - b.far })
	var out []string
	for _, f := range found {
		if len(out) < nearest && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

// DidYouMean is a sentence that suggests the nearest names. Without any near it lists the known names, or the first of
// many.
func DidYouMean(wanted string, known []string) string {
	if near := Near(wanted, known); len(near) > 0 {
		return "did you mean " + quoted(near, " or ") + "?"
	}
	const few = 12
	if len(known) == 0 {
		return "there are none"
	}
	if len(known) <= few {
		return "there are " + quoted(known, ", ")
	}
	return "among others there are " + quoted(known[:few], ", ")
}

func quoted(list []string, between string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "'" + strings.Map(oneLine, s) + "'"
	}
	return strings.Join(out, between)
}

// oneLine makes line breaks and other control characters spaces.
func oneLine(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// distance is the number of characters to insert, delete, replace or swap with their neighbour to turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
