package wording

import "time"

// Duration is a length of time, as precise as people need it: "2.5 s", "40 s", "3 min 5 s", "2 h 10 min".
func Duration(d time.Duration) string { return English.Duration(d) }

// Duration is Duration in other words.
func (w Words) Duration(d time.Duration) string {
	switch {
	case time.Millisecond <= d && d < 100*time.Millisecond:
		return w("%d ms", int(d.Milliseconds()))
	case d < 10*time.Second:
		return w("%.1f s", d.Seconds())
	case d < time.Minute:
		return w("%.0f s", d.Seconds())
	case d < time.Hour:
		return w("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return w("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds is Duration for a number of seconds.
func Seconds(s float64) string { return English.Seconds(s) }

// Seconds is Seconds in other words.
func (w Words) Seconds(s float64) string { return w.Duration(time.Duration(s * float64(time.Second))) }
