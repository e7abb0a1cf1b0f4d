package wording

import (
	"testing"

	"overcrank/farm"
)

func TestTimesToComeAreToldAsRanges(t *testing.T) {
	for _, c := range []struct {
		span farm.Span
		want string
	}{
		{farm.Span{}, "at once"},
		{farm.Span{Learning: true}, "learning how long it takes"},
		{farm.Span{Low: 1, High: 12}, "up to 15 s"},
		{farm.Span{Low: 120, High: 245}, "2 to 4 min"},
		{farm.Span{Low: 600, High: 610}, "about 10 min"},
		{farm.Span{Low: 40, High: 130, Learning: true}, "40 s to 2 min, still learning"},
		{farm.Span{Low: 3 * 3600, High: 9 * 3600}, "3 to 9 h"},
	} {
		if got := Span(c.span); got != c.want {
			t.Errorf("%+v is told as %q, want %q", c.span, got, c.want)
		}
	}
}

func TestWhenSomethingIsDone(t *testing.T) {
	for want, span := range map[string]farm.Span{
		"at once": {}, "learning how long it takes": {Learning: true}, "in about 10 min": {Low: 600, High: 610}, "in up to 15 s, still learning": {Low: 1, High: 12, Learning: true},
	} {
		if got := In(span); got != want {
			t.Errorf("%+v is told as %q, want %q", span, got, want)
		}
	}
}
