package farm

import (
	"math"
	"time"
)

var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

// UnixNano is a time as nanoseconds since 1970, and sorts as the times do. A time before 1677 or after 2262, such as the
// year 9999 that means "never" elsewhere, becomes the nearest that 64 bits hold.
func UnixNano(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return math.MinInt64
	case t.After(latest):
		return math.MaxInt64
	default:
		return t.UnixNano()
	}
}
