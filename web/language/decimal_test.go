package language

import (
	"testing"

	"overcrank/farm"
)

func TestDecimalsAreWrittenAsTheLanguageDoes(t *testing.T) {
	for _, c := range []struct {
		l      farm.Language
		n      float64
		places int
		want   string
	}{
		{farm.English, 1234.5, 2, "1,234.50"}, {farm.German, 1234.5, 2, "1.234,50"}, {farm.French, 0.042, 3, "0,042"}, {farm.English, -3.25, 1, "-3.2"}, {farm.German, 12.6, 0, "13"},
	} {
		if got := Decimal(With(t.Context(), c.l), c.n, c.places); got != c.want {
			t.Errorf("%v with %d places in %s is %q, want %q", c.n, c.places, c.l, got, c.want)
		}
	}
}
