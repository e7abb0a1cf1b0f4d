package wording

import (
	"fmt"
	"math"
	"time"

	"overcrank/farm"
)

// Span is how long something will take, as a range that is rounded so that it promises no precision: "about 40 s", "2 to 5 min",
// "up to 10 s, still learning", "at once".
func Span(s farm.Span) string { return English.Span(s) }

// Span is Span in other words.
func (w Words) Span(s farm.Span) string {
	low, high := time.Duration(s.Low*float64(time.Second)), time.Duration(s.High*float64(time.Second))
	switch {
	case s.High <= 0 && s.Learning:
		return w("learning how long it takes")
	case s.High <= 0:
		return w("at once")
	}
	words := w.spanRange(low, high)
	if s.Learning {
		return w("%s, still learning", words)
	}
	return words
}

// About is a single length of time as Span rounds it: "about 40 s".
func About(seconds float64) farm.Text {
	number, unit := English.roundedSpan(time.Duration(seconds * float64(time.Second)))
	return farm.Say("about %s %s", number, farm.Say(unit))
}

// In is when something that takes that long will be done: "in about 40 s", or the words of Span where it has no number.
func In(s farm.Span) string { return English.In(s) }

// In is In in other words.
func (w Words) In(s farm.Span) string {
	if s.High <= 0 {
		return w.Span(s)
	}
	return w("in %s", w.Span(s))
}

func (w Words) spanRange(low, high time.Duration) string {
	l, lowUnit := w.roundedSpan(low)
	h, highUnit := w.roundedSpan(high)
	switch {
	case l == h && lowUnit == highUnit:
		return w("about %s %s", l, lowUnit)
	case low < 5*time.Second:
		return w("up to %s %s", h, highUnit)
	case lowUnit == highUnit:
		return w("%s to %s %s", l, h, highUnit)
	}
	return w("%s %s to %s %s", l, lowUnit, h, highUnit)
}

func (w Words) roundedSpan(d time.Duration) (number, unit string) {
	switch {
	case d < time.Minute:
		return fmt.Sprint(max(5, int(math.Ceil(d.Seconds()/5))*5)), "s"
	case d < 2*time.Hour:
		return fmt.Sprint(int(math.Round(d.Minutes()))), "min"
	case d < 48*time.Hour:
		return fmt.Sprint(int(math.Round(d.Hours()))), "h"
	}
	return fmt.Sprint(int(math.Round(d.Hours() / 24))), w("days")
}
