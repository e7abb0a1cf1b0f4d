package frames_test

import (
	"slices"
	"strings"
	"testing"

	"overcrank/frames"
)

func TestCutsComeBack(t *testing.T) {
	for _, cuts := range [][]int{nil, {30}, {1, 2, 1000000}} {
		if got := (frames.Head{Cuts: frames.JoinCuts(cuts)}).CutList(); !slices.Equal(got, cuts) {
			t.Errorf("%v came back as %v", cuts, got)
		}
	}
	for _, damaged := range []string{"x", "3 2", "3 3", "-1", "1 2x", strings.Repeat("9", 30), numbers(65)} {
		if got := (frames.Head{Cuts: damaged}).CutList(); got != nil {
			t.Errorf("%q was read as %v", damaged, got)
		}
	}
}

// numbers are so many cuts.
func numbers(n int) string {
	var cuts []int
	for i := range n {
		cuts = append(cuts, i)
	}
	return frames.JoinCuts(cuts)
}
