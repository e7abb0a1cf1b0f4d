package remote

import (
	"fmt"
	"time"

	"overcrank/cmd/overcrank/exit"
)

// Moment reads a time, a day on this machine's clock, or how long ago something was.
func Moment(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("'%s' is neither a day (2026-11-21), a time (2026-11-21T18:30:00Z) nor how long ago (3h)", text)
}

// TimeToCome reads what a flag says of the future: a day, a time, or in how long.
func TimeToCome(flag, text string, now time.Time) (time.Time, error) {
	at, err := Moment(text, now)
	if left, notLeft := time.ParseDuration(text); notLeft == nil {
		at, err = now.Add(left), nil
	}
	if err != nil || !at.After(now) {
		return at, exit.Usagef("--%s is '%s': it has to be a day to come (2027-01-31), a time to come, or in how long (720h)", flag, text)
	}
	return at, nil
}
