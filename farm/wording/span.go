package wording

import (
	"fmt"
	"math"
	"time"

	"overcrank/farm"
)

// Span is how long something will take, as a range that is rounded so that it promises no precision: "about 40 s", "2 to 5 min",
// "up to 10 s, still learning", "at once".
func Span(s farm.Span) string {
	low, high := time.Duration(s.Low*float64(time.Second)), time.Duration(s.High*float64(time.Second))
	switch {
	case s.High <= 0 && s.Learning:
		return "learning how long it takes"
	case s.High <= 0:
		return "at once"
	}
	words := spanRange(low, high)
	if s.Learning {
		words += ", still learning"
	}
	return words
}

// In is when something that takes that long will be done: "in about 40 s", or the words of Span where it has no number.
func In(s farm.Span) string {
	if s.High <= 0 {
		return Span(s)
	}
	return "in " + Span(s)
}

func spanRange(low, high time.Duration) string {
	l, lowUnit := roundedSpan(low)
	h, highUnit := roundedSpan(high)
	switch {
	case l == h && lowUnit == highUnit:
		return "about " + l + " " + lowUnit
	case low < 5*time.Second:
		return "up to " + h + " " + highUnit
	case lowUnit == highUnit:
		return l + " to " + h + " " + highUnit
	}
	return l + " " + lowUnit + " to " + h + " " + highUnit
}

func roundedSpan(d time.Duration) (number, unit string) {
	switch {
	case d < time.Minute:
		return fmt.Sprint(max(5, int(math.Ceil(d.Seconds()/5))*5)), "s"
	case d < 2*time.Hour:
		return fmt.Sprint(int(math.Round(d.Minutes()))), "min"
	case d < 48*time.Hour:
		return fmt.Sprint(int(math.Round(d.Hours()))), "h"
	}
	return fmt.Sprint(int(math.Round(d.Hours() / 24))), "days"
}
