package farm

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// SumKind is what the time of machines is summed up by.
type SumKind string

// The kinds of sums.
const (
	SumAll      SumKind = "all"      // the whole team, under NoSubject
	SumTemplate SumKind = "template" // by id; NoSubject for jobs without one
	SumPerson   SumKind = "person"   // by the name that submitted the job
	SumMachine  SumKind = "machine"  // by id
	SumCause    SumKind = "cause"    // by Cause.Key; attempts that failed
	SumProject  SumKind = "project"  // by id; NoSubject for jobs of none
)

// SumKinds are all kinds of sums.
func SumKinds() []SumKind {
	return []SumKind{SumAll, SumTemplate, SumPerson, SumMachine, SumCause, SumProject}
}

// partMark stands in the kind of a sum before the part of the day that it is of.
const partMark = "@"

// During is the kind of the sums of the part of a day, DayPart long, that a moment lies in.
func (k SumKind) During(at time.Time) SumKind {
	part := at.Sub(Day(at)) / DayPart
	return k.Parts() + SumKind([]byte{'0' + byte(part/10), '0' + byte(part%10)})
}

// Parts is what the kinds of the sums of parts of a day begin with.
func (k SumKind) Parts() SumKind { return k + partMark }

// OfPart tells whether a sum of the kind is of a part of a day only.
func (k SumKind) OfPart() bool { return strings.Contains(string(k), partMark) }

const (
	// NoSubject stands where there is nothing to sum up by.
	NoSubject = "-"
	// OtherSubjects are all for which there was no room on a day.
	OtherSubjects = ""
)

// What is kept of sums.
const (
	SumDays      = 400 // so long
	MostSubjects = 200 // of one kind, team and day
	MostRateTags = 10
)

// Sum is what machines did for one team, or part of its work, in some time.
type Sum struct {
	Jobs     int `json:"jobs,omitempty"`   // that finished, without those nested in others
	Attempts int `json:"n"`                // that ended
	Done     int `json:"done,omitempty"`   // with a result
	Failed   int `json:"failed,omitempty"` // or lost with their machine
	// Time is how long they took, Wasted how long those of Failed did, in milliseconds.
	Time   int64 `json:"ms"`
	Wasted int64 `json:"wasted,omitempty"`
	// Rated is Time by the tags of rates, for machines that have a rate of their own.
	Rated map[string]int64 `json:"rated,omitempty"`
}

// Add adds another sum.
func (s *Sum) Add(more Sum) {
	s.Jobs += more.Jobs
	s.Attempts += more.Attempts
	s.Done += more.Done
	s.Failed += more.Failed
	s.Time += more.Time
	s.Wasted += more.Wasted
	if len(more.Rated) == 0 {
		return // as most have none, which need no list of their tags
	}
	if s.Rated == nil {
		s.Rated = make(map[string]int64, len(more.Rated))
	}
	for _, tag := range slices.Sorted(maps.Keys(more.Rated)) {
		s.Rated[tag] += more.Rated[tag]
	}
}

// Hours are the machine hours.
func (s Sum) Hours() float64 { return hours(s.Time) }

// WastedHours are the machine hours of attempts that failed.
func (s Sum) WastedHours() float64 { return hours(s.Wasted) }

func hours(ms int64) float64 { return float64(ms) / float64(time.Hour.Milliseconds()) }

// Rates are what an hour of a machine costs.
type Rates struct {
	Revision int       `json:"revision"`
	Currency string    `json:"currency,omitempty"` // as it is written behind amounts, such as EUR
	PerHour  float64   `json:"perHour,omitempty"`
	Tags     []TagRate `json:"tags,omitempty"` // the first whose tag a machine has counts for it
	At       time.Time `json:"at,omitzero"`
	By       string    `json:"by,omitempty"`
}

// TagRate is what an hour of a machine with a tag costs.
type TagRate struct {
	Tag     string  `json:"tag"`
	PerHour float64 `json:"perHour"`
}

// Set tells whether anything costs something.
func (r Rates) Set() bool { return r.PerHour > 0 || len(r.Tags) > 0 }

// Check says what is wrong with rates, by field.
func (r Rates) Check() []FieldError {
	var wrong []FieldError
	if utf8.RuneCountInString(r.Currency) > 8 || r.Currency != oneLine(r.Currency, MostCauseSubject) {
		wrong = append(wrong, Field("currency", "has to be a word of at most 8 characters, such as EUR"))
	}
	if !price(r.PerHour) {
		wrong = append(wrong, Field("perHour", "has to be from 0 to 1,000,000"))
	}
	if len(r.Tags) > MostRateTags {
		wrong = append(wrong, Field("tags", "has room for 10 tags"))
	}
	for i, t := range r.Tags {
		switch {
		case t.Tag == "" || len(t.Tag) > 100 || t.Tag != oneLine(t.Tag, 100):
			wrong = append(wrong, Field("tags", "has a tag that is empty, too long or not one line"))
		case slices.ContainsFunc(r.Tags[:i], func(o TagRate) bool { return o.Tag == t.Tag }):
			wrong = append(wrong, Field("tags", "names the tag “%s” twice", t.Tag))
		case !price(t.PerHour):
			wrong = append(wrong, Field("tags", "has a rate that is not from 0 to 1,000,000"))
		}
	}
	return wrong
}

func price(p float64) bool { return p >= 0 && p <= 1_000_000 }

// TagOf is the tag by whose rate a machine with some tags is paid, "" for the usual rate.
func (r Rates) TagOf(tags []string) string {
	for _, t := range r.Tags {
		if slices.Contains(tags, t.Tag) {
			return t.Tag
		}
	}
	return ""
}

// Cost is what a sum costs at these rates. Time under a tag that has no rate any more costs the usual rate.
func (r Rates) Cost(s Sum) float64 {
	cost := r.PerHour * s.Hours()
	for tag, ms := range s.Rated {
		for _, t := range r.Tags {
			if t.Tag == tag {
				cost += (t.PerHour - r.PerHour) * hours(ms)
			}
		}
	}
	return cost
}

// DaySum is a sum of one day.
type DaySum struct {
	Team    string
	Day     time.Time // its beginning, UTC
	Kind    SumKind
	Subject string
	Sum
}

// Day is the beginning of the day of a moment, UTC.
func Day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

// SumSubject is text as the subject of a sum: without what cannot stand in a key, and not too long.
func SumSubject(text string) string {
	text = oneLine(text, MostCauseSubject+20)
	if strings.TrimSpace(text) == "" {
		return NoSubject
	}
	return text
}
