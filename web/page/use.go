package page

import (
	"cmp"
	"context"
	"slices"
	"time"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Usage is how much jobs used something lately.
type Usage struct {
	Jobs int // in the last farm.UseDays days
	By   []Share
	Last time.Time // the day of the last one, zero when there was none
}

// Share is how many of these jobs were somebody's, or of a template.
type Share struct {
	Name string
	ID   string // of a template, "" for people
	Jobs int
}

// UsageOf sums uses up as of a time. Title gives what stands for whom they are by.
func UsageOf(uses []farm.Use, now time.Time, title func(by string) Share) Usage {
	var u Usage
	by := map[string]int{}
	for _, use := range uses {
		if use.Day.After(u.Last) {
			u.Last = use.Day
		}
		if now.Sub(use.Day) < (farm.UseDays+1)*24*time.Hour {
			u.Jobs += use.Jobs
			by[use.By] += use.Jobs
		}
	}
	for who, jobs := range by {
		share := title(who)
		share.Jobs = jobs
		u.By = append(u.By, share)
	}
	slices.SortFunc(u.By, func(a, b Share) int { return cmp.Or(b.Jobs-a.Jobs, cmp.Compare(a.Name, b.Name)) })
	return u
}

// sharesShown is how many are named of those who use something.
const sharesShown = 8

// last is the day of the last use in words.
func (u Usage) last(ctx context.Context) string {
	if u.Last.IsZero() {
		return say(ctx, "Not used yet")
	}
	return say(ctx, "Last used on %s", told(ctx, wording.Date(u.Last)))
}

// Comparison is what changed from one version of a template to another.
type Comparison struct {
	From, To int
	Changes  []aep.Change
	Problem  string // why it cannot be told
}

// comparable are the numbers of the versions of a template of which it is known what was read, the newest first.
func (t Template) comparable() []int {
	numbers := []int{t.VersionNow()}
	for _, v := range slices.Backward(t.Versions) {
		if v.Introspection != nil {
			numbers = append(numbers, v.Number)
		}
	}
	return numbers
}

// MissingFont is a font that templates use and the library lacks.
type MissingFont struct {
	Name      string
	Templates []Share // the first of them
	More      int
}
