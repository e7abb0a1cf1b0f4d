package faults

import (
	"time"
	"unsafe"
)

// Shift is t as a clock that is wrong by so many whole seconds would have shown it: the displayed time moves, and Go's
// monotonic reading does not. Package time cannot make such a time, since only the system sets the clock. So this relies
// on the layout of time.Time: seconds since 1885 in 33 bits, above 30 bits of nanoseconds, below a bit that is set when
// there is a monotonic reading. A time without one is moved as a whole.
func Shift(t time.Time, by time.Duration) time.Time {
	if t.Round(0) == t { //nolint:staticcheck // compares not the times, but whether there is a monotonic reading
		return t.Add(by.Truncate(time.Second))
	}
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(int64(by/time.Second)) << 30
	return t
}
