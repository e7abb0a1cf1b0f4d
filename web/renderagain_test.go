package web

import (
	"slices"
	"testing"

	"overcrank/farm"
)

func TestFramesAreReadAsPeopleTypeThem(t *testing.T) {
	for words, want := range map[string][]farm.Frames{
		"12":         {{Start: 12, End: 12}},
		"12, 40-47":  {{Start: 12, End: 12}, {Start: 40, End: 47}},
		" 3–5;9 ,11": {{Start: 3, End: 5}, {Start: 9, End: 9}, {Start: 11, End: 11}},
		"":           nil,
		"5-3":        nil,
		"-3":         nil,
		"twelve":     nil,
		"1-2-3":      nil,
	} {
		got, err := framesTyped(words)
		if !slices.Equal(got, want) || (err != nil) != (want == nil) {
			t.Errorf("%q is read as %v, %v; want %v", words, got, err, want)
		}
		if err != nil && farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%q is refused with %v", words, err)
		}
	}
}
