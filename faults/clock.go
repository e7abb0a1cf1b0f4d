package faults

import (
	"time"
	"unsafe"
)

// Shift is a time as it would have been read had the clock been set by so many whole seconds: what it shows moves, and the
// count of the time that passed, which Go reads along with it, does not. Nothing in package time makes such a time, since no
// program but the system sets the clock. The layout is that of time.Time: seconds since 1885 in 33 bits above the 30 of the
// nanoseconds, below a bit that says that there is a count. A time without one is moved as a whole.
func Shift(t time.Time, by time.Duration) time.Time {
	if t.Round(0) == t { //nolint:staticcheck // whether they are the same time is not asked, but whether there is a count
		return t.Add(by.Truncate(time.Second))
	}
	wall := (*uint64)(unsafe.Pointer(&t))
	*wall += uint64(int64(by/time.Second)) << 30
	return t
}
