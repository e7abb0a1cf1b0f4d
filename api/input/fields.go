package input

import (
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/names"
)

// Bounds of fields that several requests have.
const (
	NameLimit    = 255     // bytes of a name
	AddressLimit = 8 << 10 // bytes of an address
	TagLimit     = 100     // tags of one job
	// The bounds of a job's priority.
	LowestPriority, HighestPriority = -1000, 1000
	// MostCount is beyond what anybody means by a number of machines or tasks.
	MostCount = 1_000_000
)

// LevelNames are the levels as requests name them.
func LevelNames() []string {
	names := make([]string, 0, len(farm.Levels()))
	for _, level := range farm.Levels() {
		names = append(names, string(level))
	}
	return names
}

// Tags reads tags given as a list or as one comma list.
func Tags(o Object, key string) []string {
	var tags []string
	if o.Has(key) && KindOf(o.Raw(key)) == KindString {
		tags = SplitList(o.Text(key, AddressLimit))
	} else {
		tags = o.Texts(key, NameLimit)
	}
	if len(tags) > TagLimit {
		o.Problem(key, "holds %d tags; %d are allowed", len(tags), TagLimit)
		return nil
	}
	for i, tag := range tags {
		tags[i] = strings.TrimSpace(tag)
		if strings.Contains(tag, ",") {
			o.Wrong.Add(ElementPath(o.Field(key), i), "holds a comma, which separates tags where jobs are listed")
		}
	}
	return tags
}

// Time reads a moment (RFC 3339), zero when it is not there.
func Time(o Object, key string) time.Time {
	s := o.Text(key, 64)
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	t = t.UTC()
	if err != nil || t.Year() < 0 || t.Year() > 9999 { // as written; in UTC it may be another
		o.Problem(key, "has to be a time such as 2026-11-21T18:30:00Z, not %q", s)
		return time.Time{}
	}
	return t
}

// PlainFileName tells whether a name is one part of a path on every platform.
func PlainFileName(name string) bool { return len(name) <= NameLimit && names.IsElement(name) }
