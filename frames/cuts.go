package frames

import (
	"strconv"
	"strings"
)

// maxCuts bounds the cuts of a film.
const maxCuts = 64

// JoinCuts is a list of frames as Head.Cuts has it.
func JoinCuts(cuts []int) string {
	words := make([]string, len(cuts))
	for i, n := range cuts {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

// CutList is the list of Cuts; none when they are damaged, as a film may be without them.
func (h Head) CutList() (cuts []int) {
	for word := range strings.FieldsSeq(h.Cuts) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || len(cuts) == maxCuts || len(cuts) > 0 && n <= cuts[len(cuts)-1] {
			return nil
		}
		cuts = append(cuts, n)
	}
	return cuts
}
