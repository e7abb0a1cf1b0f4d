package page

import (
	"cmp"

	"overcrank/farm"
)

// Place is a job's place in line as a form holds it: what the farm has, or what was typed and refused.
type Place struct {
	Level     farm.Level
	Levels    []farm.Level // that the reader may choose
	Priority  string
	NotBefore string // as fields of times hold it
	Zone      string // how many minutes the clock of NotBefore is behind UTC, "" for none
	Wrong     Wrong
	Sent      bool // it was typed, and stays as it was
}

// place is the place in line that the form of a job's page shows.
func (v JobView) place() Place {
	if v.Sent != nil {
		p := *v.Sent
		p.Levels = v.Levels
		return p
	}
	return Place{Level: v.Level, Levels: v.Levels, Priority: count(v.Priority), NotBefore: localTime(v.NotBefore)}
}

// level is the level that the form has chosen.
func (p Place) level() farm.Level { return cmp.Or(p.Level, farm.LevelNormal) }

// zone is the clock of NotBefore as the form holds it.
func (p Place) zone() string { return cmp.Or(p.Zone, "0") }
