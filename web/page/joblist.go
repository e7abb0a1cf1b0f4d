package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"overcrank/coordinator/search"
	"overcrank/farm"
)

// Jobs is a page of the list of jobs.
type Jobs struct {
	Filter JobFilter
	Counts map[string]int // of all jobs, by state of the filter
	Jobs   []Job
	Next   string // cursor of the next page, "" on the last
	Newer  string // id of the job before which newer ones stand on a page of their own, "" where there are none
	Paging bool   // not the first page
	Me     string // who looks

	Partly     int  // how many were sorted, the newest, where there are more
	Sorting    bool // all of them are being put in order
	Unforecast bool // there are more than were asked about when they are likely to be done
	Short      bool // so many others were looked at that the page is not full
	Problem    string
	Indexing   *search.Progress
	Templates  []Choice
	Projects   []Choice
	Batches    []Choice
	Machines   []Choice
	Levels     []farm.Level
	Selection  Selection
}

// MostSelected is how many jobs one form of the list changes at most.
const MostSelected = 1000

// Selection is what the bar over a list of jobs or machines holds: what was chosen and typed there and refused, or nothing.
type Selection struct {
	IDs                   []string // of what was chosen
	All                   bool     // that match the filters
	Priority, Level, Word string
	Cursor, Newer         string // of the page that jobs stand on
	Problem               string
	Wrong                 Wrong
}

// level is the level that the bar offers first.
func (s Selection) level() farm.Level { return cmp.Or(farm.Level(s.Level), farm.LevelNormal) }

// tagsInRow is how many tags a row shows.
const tagsInRow = 3

// people are those who submitted what is listed, to be chosen from.
func (v Jobs) people() (names []string) {
	for _, j := range v.Jobs {
		if j.SubmittedBy != "" && j.SubmittedBy != v.Me && !slices.Contains(names, j.SubmittedBy) {
			names = append(names, j.SubmittedBy)
		}
	}
	return names
}

// Choice is one of those that a field can have.
type Choice struct{ Value, Word string }

// JobFilter is which jobs are listed, as the address says it.
type JobFilter struct {
	State    string // "", rendering, waiting, finished, failed, cancelled
	Query    string
	By       string // a person's name
	Template string // id
	Batch    string // id
	Tag      string
	Project  string // id
	Machine  string // id of one that worked on them
	From, To string // days, as 2006-01-02, or minutes, as 2006-01-02T15:04
	At       string // the day with which the list begins, "" for today
	Zone     string // the time zone that these are read in, as Europe/Berlin; "" for UTC
	Sort     search.Order
}

// values are the filter as fields of an address or of a form.
func (f JobFilter) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"state": f.State, "q": f.Query, "by": f.By, "template": f.Template, "batch": f.Batch, "tag": f.Tag, "project": f.Project, "machine": f.Machine,
		"from": f.From, "to": f.To, "at": f.At, "zone": f.Zone, "sort": string(f.Sort),
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Address is the list that the filter selects.
func (f JobFilter) Address() string {
	if v := f.values(); len(v) > 0 {
		return "/jobs?" + v.Encode()
	}
	return "/jobs"
}

// narrow says whether more is asked for than a state.
func (f JobFilter) narrow() bool {
	f.State, f.At, f.Sort = "", "", search.Newest
	if f.From == "" && f.To == "" {
		f.Zone = ""
	}
	return f != JobFilter{}
}

// detailed says whether more is asked for than words, whose jobs they are and an order: that stands in a part of the form that is folded away.
func (f JobFilter) detailed() bool {
	return f.Template+f.Project+f.Batch+f.Tag+f.Machine+f.From+f.To+f.At != ""
}

// in is the filter with another state.
func (f JobFilter) in(state string) JobFilter { f.State = state; return f }

// by, of, with and batch are the filter for one person, template, tag and batch.
func (f JobFilter) by(name string) JobFilter     { f.By = name; return f }
func (f JobFilter) of(template string) JobFilter { f.Template = template; return f }
func (f JobFilter) with(tag string) JobFilter    { f.Tag = tag; return f }
func (f JobFilter) batch(id string) JobFilter    { f.Batch = id; return f }

// inProject is the filter for one project.
func (f JobFilter) inProject(id string) JobFilter { f.Project = id; return f }

// newest is the filter with a list that begins with the newest.
func (f JobFilter) newest() JobFilter {
	f.At = ""
	if f.From == "" && f.To == "" {
		f.Zone = ""
	}
	return f
}

// jobColumn is a column of the list by which it can be sorted: first in the one order, and from that on to the other, which is that of lists as they
// begin where the column has one order only.
type jobColumn struct {
	first, other search.Order
	way          string // of the first, in the words of ARIA
}

const ascending, descending = "ascending", "descending"

// The columns by which heads of the list sort.
var (
	columnName      = jobColumn{search.ByName, search.NameDown, ascending}
	columnState     = jobColumn{search.ByState, search.Newest, ascending}
	columnProgress  = jobColumn{search.Furthest, search.Newest, descending}
	columnSubmitted = jobColumn{search.Newest, search.Oldest, descending}
)

// sorted is the filter with the list sorted by a column: the other way round when it is already.
func (f JobFilter) sorted(c jobColumn) JobFilter {
	if f.Sort == c.first {
		f.Sort = c.other
	} else {
		f.Sort = c.first
	}
	return f.newest()
}

// way is how the list is sorted by a column, in the words of ARIA.
func (f JobFilter) way(c jobColumn) string {
	switch {
	case f.Sort == c.first:
		return c.way
	case f.Sort != c.other || c.other == search.Newest:
		return "none"
	case c.way == ascending:
		return descending
	}
	return ascending
}

// orderWord is what an order is called.
func orderWord(ctx context.Context, o search.Order) string {
	switch o {
	case search.Oldest:
		return say(ctx, "Oldest first")
	case search.ByName:
		return say(ctx, "Name, A to Z")
	case search.NameDown:
		return say(ctx, "Name, Z to A")
	case search.ByState:
		return say(ctx, "State")
	case search.Furthest:
		return say(ctx, "Furthest along first")
	case search.Soonest:
		return say(ctx, "Done soonest first")
	case search.Priority:
		return say(ctx, "Highest priority first")
	case search.Longest:
		return say(ctx, "Longest render time first")
	}
	return say(ctx, "Newest first")
}

// firstPage and nextPage are what the links to other pages of a list are called.
func firstPage(ctx context.Context, o search.Order) string {
	if o == search.Newest {
		return say(ctx, "Newest")
	}
	return say(ctx, "First page")
}

func nextPage(ctx context.Context, o search.Order) string {
	if o == search.Newest {
		return say(ctx, "Older")
	}
	return say(ctx, "Next page")
}

// cleared is the list of all jobs in the filter's state, sorted as the filter says.
func (f JobFilter) cleared() JobFilter { return JobFilter{State: f.State, Sort: f.Sort} }

// zone is the name of the time zone that days are read in.
func (f JobFilter) zone() string { return cmp.Or(f.Zone, "UTC") }

// zoneField is what the form says of it: nothing while no day is read in it, so that the reader's own is filled in.
func (f JobFilter) zoneField() string {
	if f.From == "" && f.To == "" && f.At == "" {
		return ""
	}
	return f.zone()
}

// dateField is the kind of field that holds a day, or a minute of one.
func dateField(value string) string {
	if strings.Contains(value, "T") {
		return "datetime-local"
	}
	return "date"
}

// after is the address of the page behind a cursor.
func (f JobFilter) after(cursor string) string {
	v := f.newest().values()
	v.Set("cursor", cursor)
	return "/jobs?" + v.Encode()
}

// before is the address of the page whose last job stands just before the one with an id.
func (f JobFilter) before(id string) string {
	v := f.newest().values()
	v.Set("newer", id)
	return "/jobs?" + v.Encode()
}

// Changed is what became of jobs with which the same was done.
type Changed struct {
	Did     string // cancel, resubmit, hold, release, priority, level, tag, untag
	Changed int
	Left    int    // with which it could not be done any more
	More    bool   // there are others that were not reached
	To      string // where the outcome is seen, "" for the list
}

// Sentence says what became of them.
func (c Changed) Sentence(ctx context.Context) string {
	said := []string{c.done(ctx)}
	switch {
	case c.Left > 0 && c.Did == "resubmit":
		said = append(said, many(ctx, c.Left, "%d has not ended, or can no longer be submitted.", "%d have not ended, or can no longer be submitted."))
	case c.Left > 0 && c.Did == "hold":
		said = append(said, many(ctx, c.Left, "%d does not wait, or was held already.", "%d do not wait, or were held already."))
	case c.Left > 0 && c.Did == "release":
		said = append(said, many(ctx, c.Left, "%d was not held.", "%d were not held."))
	case c.Left > 0:
		said = append(said, many(ctx, c.Left, "%d had ended already.", "%d had ended already."))
	}
	if c.More {
		said = append(said, say(ctx, "There are more: repeat this for the rest."))
	}
	return strings.Join(said, " ")
}

func (c Changed) done(ctx context.Context) string {
	switch c.Did {
	case "cancel":
		return many(ctx, c.Changed, "%d job cancelled.", "%d jobs cancelled.")
	case "resubmit":
		return many(ctx, c.Changed, "%d job resubmitted.", "%d jobs resubmitted.")
	case "hold":
		return many(ctx, c.Changed, "%d job held.", "%d jobs held.")
	case "release":
		return many(ctx, c.Changed, "%d job released.", "%d jobs released.")
	}
	return many(ctx, c.Changed, "%d job changed.", "%d jobs changed.")
}
