package farm

import "time"

// UseDays is for how many days uses are kept by day. Those of the last day with any are kept until there are newer ones.
const UseDays = 30

// UseKind is what jobs use.
type UseKind string

// What jobs use: a template, by the people who submit; a secret by its name and a font by its id, both by the templates of the jobs.
const (
	UseTemplate UseKind = "template"
	UseSecret   UseKind = "secret"
	UseFont     UseKind = "font"
)

// Use is how many jobs of one day used something.
type Use struct {
	Day  time.Time // in UTC, from its beginning on
	By   string    // the person or the token that submitted them, or the id of their template; NoSubject for jobs without
	Jobs int
}
