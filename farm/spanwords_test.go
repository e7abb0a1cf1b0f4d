package farm

import "testing"

func TestTimesToComeAreToldAsRanges(t *testing.T) {
	for _, c := range []struct {
		span Span
		want string
	}{
		{Span{}, "at once"},
		{Span{Learning: true}, "learning how long it takes"},
		{Span{Low: 1, High: 12}, "up to 15 s"},
		{Span{Low: 120, High: 245}, "2 to 4 min"},
		{Span{Low: 600, High: 610}, "about 10 min"},
		{Span{Low: 40, High: 130, Learning: true}, "40 s to 2 min, still learning"},
		{Span{Low: 3 * 3600, High: 9 * 3600}, "3 to 9 h"},
	} {
		if got := c.span.Words(); got != c.want {
			t.Errorf("%+v is told as %q, want %q", c.span, got, c.want)
		}
	}
}
