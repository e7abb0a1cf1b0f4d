package answer

import (
	"cmp"
	"math"
	"time"

	"overcrank/farm"
)

// LevelName is a level as answers name it.
func LevelName(level farm.Level) string {
	return string(cmp.Or(level, farm.LevelNormal))
}

// timeFormat is ISO 8601 with milliseconds, in UTC.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Time is a time of the interface; the zero time is null.
type Time time.Time

// MarshalJSON implements json.Marshaler.
func (s Time) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(timeFormat) + `"`), nil
}

// Percent is a progress from 0 to 100 with two decimals.
func Percent(p float64) float64 {
	if math.IsNaN(p) {
		return 0
	}
	return math.Round(math.Min(100, math.Max(0, p))*100) / 100
}

// OrNull is null for an empty text.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// OrEmpty is an empty list for none.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Each shows every one of a list.
func Each[T, S any](list []T, shape func(T) S) []S {
	out := make([]S, len(list))
	for i, one := range list {
		out[i] = shape(one)
	}
	return out
}
