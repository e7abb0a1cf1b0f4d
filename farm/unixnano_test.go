package farm_test

import (
	"math"
	"testing"
	"time"

	"overcrank/farm"
)

func TestTimesSortAsTheirNanosecondsDo(t *testing.T) {
	var before int64 = math.MinInt64
	for _, text := range []string{
		"1600-01-01T00:00:00Z", "1677-09-21T00:12:44Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z", "2026-11-22T09:00:00.123456789Z",
		"2262-04-11T23:47:16Z", "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z",
	} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		n := farm.UnixNano(at)
		if n < before {
			t.Errorf("%s is %d, before %d", text, n, before)
		}
		if year := at.Year(); year > 1677 && year < 2262 && n != at.UnixNano() {
			t.Errorf("%s is %d, not %d", text, n, at.UnixNano())
		}
		before = n
	}
	if before != math.MaxInt64 {
		t.Errorf("the end of the year 9999 is %d", before)
	}
}
