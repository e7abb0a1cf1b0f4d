package wording

import (
	"math"
	"time"

	"overcrank/farm"
)

// Duration is a length of time, as precise as people need it: "2.5 s", "40 s", "3 min 5 s", "5 min", "2 h 10 min".
func Duration(d time.Duration) string { return English.Duration(d) }

// Duration is Duration in other words.
func (w Words) Duration(d time.Duration) string {
	told := Length(d)
	return w(told.Key, told.Args...)
}

// Length is Duration as a text.
func Length(d time.Duration) farm.Text {
	seconds, minutes := int(d.Round(time.Second).Seconds()), int(d.Round(time.Minute).Minutes())
	switch {
	case time.Millisecond <= d && d < 100*time.Millisecond:
		return farm.Say("%d ms", int(d.Milliseconds()))
	case d.Round(100*time.Millisecond) < 10*time.Second:
		return farm.Say("%.1f s", d.Seconds())
	case seconds < 60:
		return farm.Say("%d s", seconds)
	case seconds < 3600 && seconds%60 == 0:
		return farm.Say("%d min", seconds/60)
	case seconds < 3600:
		return farm.Say("%d min %d s", seconds/60, seconds%60)
	case minutes%60 == 0:
		return farm.Say("%d h", minutes/60)
	}
	return farm.Say("%d h %d min", minutes/60, minutes%60)
}

// Seconds is Duration for a number of seconds.
func Seconds(s float64) string { return English.Seconds(s) }

// Seconds is Seconds in other words.
func (w Words) Seconds(s float64) string { return w.Duration(time.Duration(s * float64(time.Second))) }

// Wait is how long somebody has to wait, in whole seconds, one at least: "3 s", "2 min".
func Wait(d time.Duration) farm.Text {
	seconds := max(1, int(math.Ceil(d.Seconds())))
	if seconds < 10 {
		return farm.Say("%d s", seconds)
	}
	return Length(time.Duration(seconds) * time.Second)
}
