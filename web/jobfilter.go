package web

import (
	"net/url"
	"time"

	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/web/page"
)

// filterOf reads what an address, or a form, asks for. What is no state is not asked for; a day or a time zone that is none is an error, since
// a list of everything would look like an answer.
func filterOf(asked url.Values) (page.JobFilter, search.Filter, error) {
	f := page.JobFilter{
		State: asked.Get("state"), Query: asked.Get("q"), By: asked.Get("by"), Template: asked.Get("template"), Batch: asked.Get("batch"),
		Tag: asked.Get("tag"), Project: asked.Get("project"), Machine: asked.Get("machine"),
		From: asked.Get("from"), To: asked.Get("to"), At: asked.Get("at"), Zone: asked.Get("zone"), Sort: search.Order(asked.Get("sort")),
	}
	if f.Sort != search.Newest {
		f.At = "" // days follow each other in one order only
	}
	states, known := jobFilters[f.State]
	if !known {
		f.State = ""
	}
	selected := search.Filter{
		Text: f.Query, By: f.By, Template: f.Template, Batch: f.Batch, Tag: f.Tag, Project: f.Project, Machine: f.Machine, States: states, Order: f.Sort,
	}
	if f.From == "" && f.To == "" && f.At == "" {
		f.Zone = "" // nothing is read in it
		return f, selected, nil
	}
	zone, err := zoneOf(f.Zone)
	if err != nil {
		return f, selected, err
	}
	if selected.From, err = firstMoment("from", f.From, zone); err != nil {
		return f, selected, err
	}
	if selected.To, err = lastMoment("to", f.To, zone); err != nil {
		return f, selected, err
	}
	if _, err = lastMoment("at", f.At, zone); err != nil {
		return f, selected, err
	}
	if !selected.From.IsZero() && !selected.To.IsZero() && !selected.From.Before(selected.To) {
		return f, selected, unlisted("to", "%s is before %s, where the list begins", f.To, f.From)
	}
	return f, selected, nil
}

func unlisted(field, message string, args ...any) error {
	return farm.Invalid("jobs cannot be listed", farm.Field(field, message, args...))
}

// longestZone is how many bytes the name of a time zone has at most.
const longestZone = 100

// zoneOf is the time zone of a name, as browsers say it; UTC without one.
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" || len(name) > longestZone {
		return nil, unlisted("zone", "%.100q is not a time zone; write it as Europe/Berlin", name)
	}
	return zone, nil
}

// minute is how a time of the day is written behind a day, as fields of browsers do.
const minute = "2006-01-02T15:04"

// firstMoment is when a day, or a minute of one, begins; zero when none is named.
func firstMoment(field, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, minute} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, unlisted(field, "%.100q is not a date; write it as 2026-03-31, or with a time as 2026-03-31T18:00", text)
}

// lastMoment is when a day, or a minute of one, is over; zero when none is named.
func lastMoment(field, text string, zone *time.Location) (time.Time, error) {
	begins, err := firstMoment(field, text, zone)
	switch {
	case err != nil || text == "":
		return time.Time{}, err
	case len(text) > len(time.DateOnly):
		return begins.Add(time.Minute), nil
	}
	return begins.AddDate(0, 0, 1), nil // a day has 23 hours, or 25, when clocks change
}

// jumped is the filter that begins with the day that an address names, for the page that no cursor leads to.
func jumped(f search.Filter, shown page.JobFilter) (search.Filter, error) {
	if shown.At == "" {
		return f, nil
	}
	zone, err := zoneOf(shown.Zone)
	if err != nil {
		return f, err
	}
	end, err := lastMoment("at", shown.At, zone)
	if err == nil && (f.To.IsZero() || end.Before(f.To)) {
		f.To = end
	}
	return f, err
}
