package farm

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MostProjects is how many projects a team may have, archived ones included.
	MostProjects = 2000
	// MostProjectName is how many characters the name of one may have.
	MostProjectName = 80
	// LeastBudgetHours is how many machine hours the smallest budget has.
	LeastBudgetHours = 0.001
	// MostBudgetHours is how many machine hours the largest budget has.
	MostBudgetHours = 10_000_000
)

// Project is what a team works on, with its jobs and, if somebody gave it one, a budget of machine hours.
type Project struct {
	ID        string    `json:"id"` // short; no other of the team has it
	Team      string    `json:"team"`
	Name      string    `json:"name"` // no other of the team has it, see ProjectKey
	Budget    *Budget   `json:"budget,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	By        string    `json:"by,omitempty"` // name of the token that created it
	// ArchivedAt is since when the project takes no new jobs, zero for an open one. Jobs that there are go on.
	ArchivedAt time.Time `json:"archivedAt,omitzero"`
}

// Archived tells whether the project takes no new jobs.
func (p Project) Archived() bool { return !p.ArchivedAt.IsZero() }

// ProjectKey is what the name of a project is compared by: without regard to case and to spaces around it.
func ProjectKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// IsProjectName tells whether a project may have a name.
func IsProjectName(name string) bool {
	return ProjectKey(name) != "" && name == strings.TrimSpace(name) && utf8.ValidString(name) &&
		utf8.RuneCountInString(name) <= MostProjectName && name == oneLine(name, 4*MostProjectName)
}

// BudgetPeriod is what time a budget is for.
type BudgetPeriod string

// The periods.
const (
	BudgetTotal BudgetPeriod = "total" // for all time
	BudgetMonth BudgetPeriod = "month" // for each calendar month, UTC
)

// BudgetAction is what happens when a budget is used up.
type BudgetAction string

// What happens at a budget.
const (
	BudgetWarn BudgetAction = "warn" // people are told, and work goes on
	BudgetHold BudgetAction = "hold" // what has not begun waits
)

// Budget is how many machine hours a project, or a team, may use.
type Budget struct {
	Hours float64      `json:"hours"`
	Per   BudgetPeriod `json:"per"`
	Then  BudgetAction `json:"then"`
}

// Check says what is wrong with a budget, by field.
func (b Budget) Check() []FieldError {
	var wrong []FieldError
	if !(b.Hours >= LeastBudgetHours && b.Hours <= MostBudgetHours) {
		wrong = append(wrong, Field("budget.hours", "has to be from 0.001 to 10,000,000"))
	}
	if b.Per != BudgetTotal && b.Per != BudgetMonth {
		wrong = append(wrong, Field("budget.per", "has to be total or month"))
	}
	if b.Then != BudgetWarn && b.Then != BudgetHold {
		wrong = append(wrong, Field("budget.then", "has to be warn or hold"))
	}
	return wrong
}

// Milliseconds are the budget's hours.
func (b Budget) Milliseconds() int64 { return int64(math.Round(b.Hours * 3_600_000)) }

// BudgetShares are the percentages of a budget at which people are told.
func BudgetShares() []int { return []int{80, 100} }

// Reached is how much of a budget, in milliseconds, has to be used for a percentage of it.
func (b Budget) Reached(percent int) int64 {
	whole := b.Milliseconds()
	return (whole*int64(percent) + 99) / 100
}

// ProjectJobs counts the jobs of a project that the farm remembers, without those nested in others and those that were cancelled.
type ProjectJobs struct {
	Active   int // they wait or render
	Finished int
	Failed   int
}

// ProjectUse is the machine time of attempts that have ended, in milliseconds.
type ProjectUse struct {
	Total int64
	Month int64 // in the month that was asked for
}

// Of is the part of the use that counts for a budget.
func (u ProjectUse) Of(b Budget) int64 {
	if b.Per == BudgetMonth {
		return u.Month
	}
	return u.Total
}

// UsedUp tells whether nothing of a budget is left.
func (u ProjectUse) UsedUp(b Budget) bool { return u.Of(b) >= b.Milliseconds() }

// TotalHours are the machine hours used since the project began.
func (u ProjectUse) TotalHours() float64 { return hours(u.Total) }

// MonthHours are the machine hours used in the month that was asked for.
func (u ProjectUse) MonthHours() float64 { return hours(u.Month) }

// Month is the beginning of the calendar month of a moment, UTC.
func Month(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// BudgetOf is a budget with what was used of it, as of a moment.
type BudgetOf struct {
	Team    string
	Project *Project // nil for the budget of the team
	Budget  Budget
	Use     ProjectUse
	Month   time.Time // its beginning, UTC
}
