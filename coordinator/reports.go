package coordinator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Report is what machines did in some days: for the caller's team, and for each team to those who steer the farm.
type Report struct {
	From, To time.Time // the first and the last day, each its beginning, UTC
	Rates    farm.Rates
	Total    farm.Sum
	Days     []ReportLine // every day, also one on which nothing was done
	Teams    []ReportLine // only the caller's own, unless the caller steers the farm
	// The others are of the teams above together, those with most time first.
	Templates, Projects, People, Machines, Causes []ReportLine
}

// ReportLine is one subject of a report.
type ReportLine struct {
	Subject string // an id, a name, the key of a cause, or a day as 2006-01-02; see farm.SumKind
	Name    string // what people call it, "" where nothing else is known than the subject
	farm.Sum
	Cost float64
}

// Report sums up the days from one to another, both included. It is CodeInvalid when that is more than farm.SumDays, or none.
func (c *Coordinator) Report(_ context.Context, p farm.Principal, from, to time.Time) (Report, error) {
	r := Report{From: farm.Day(from), To: farm.Day(to)}
	switch days := r.To.Sub(r.From).Hours()/24 + 1; {
	case days < 1:
		return r, farm.Invalid("there is no such report", farm.Field("to", "has to be no earlier than from"))
	case days > farm.SumDays:
		return r, farm.Invalid("there is no such report", farm.Field("from", "has to be within 400 days before to"))
	}
	sums := reportSums{}
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
		if r.Rates, err = tx.Rates(); err != nil {
			return err
		}
		teams := []string{p.Team}
		if p.Can(farm.ActSteerFarm) {
			if teams, err = teamIDs(tx); err != nil {
				return err
			}
		}
		for _, team := range teams {
			days, err := tx.Sums(team, r.From, r.To)
			if err != nil {
				return err
			}
			for _, day := range days {
				sums.add(day)
			}
		}
		r.lay(sums)
		return r.name(tx, teams)
	})
	return r, err
}

func teamIDs(tx *raftstore.Tx) ([]string, error) {
	teams, err := tx.Teams()
	ids := make([]string, len(teams))
	for i, team := range teams {
		ids[i] = team.ID
	}
	return ids, err
}

// reportSums are sums by kind and subject; those of teams and days are under kinds of their own.
type reportSums map[farm.SumKind]map[string]farm.Sum

const (
	sumTeam farm.SumKind = "team"
	sumDay  farm.SumKind = "day"
)

func (s reportSums) add(d farm.DaySum) {
	put := func(kind farm.SumKind, subject string) {
		if s[kind] == nil {
			s[kind] = map[string]farm.Sum{}
		}
		sum := s[kind][subject]
		sum.Rated = maps.Clone(sum.Rated)
		sum.Add(d.Sum)
		s[kind][subject] = sum
	}
	put(d.Kind, d.Subject)
	if d.Kind == farm.SumAll {
		put(sumTeam, d.Team)
		put(sumDay, d.Day.Format(time.DateOnly))
	}
}

// lay puts sums in their order into a report.
func (r *Report) lay(sums reportSums) {
	r.Total = sums[farm.SumAll][farm.NoSubject]
	for day := r.From; !day.After(r.To); day = day.AddDate(0, 0, 1) {
		name := day.Format(time.DateOnly)
		r.Days = append(r.Days, ReportLine{Subject: name, Sum: sums[sumDay][name], Cost: r.Rates.Cost(sums[sumDay][name])})
	}
	for kind, into := range r.parts() {
		*into = r.lines(sums[kind])
	}
}

// parts are the parts of a report whose lines are in the order of their time.
func (r *Report) parts() map[farm.SumKind]*[]ReportLine {
	return map[farm.SumKind]*[]ReportLine{
		sumTeam: &r.Teams, farm.SumTemplate: &r.Templates, farm.SumProject: &r.Projects, farm.SumPerson: &r.People, farm.SumMachine: &r.Machines, farm.SumCause: &r.Causes,
	}
}

func (r *Report) lines(sums map[string]farm.Sum) []ReportLine {
	var lines []ReportLine
	for subject, sum := range sums {
		lines = append(lines, ReportLine{Subject: subject, Sum: sum, Cost: r.Rates.Cost(sum)})
	}
	slices.SortFunc(lines, func(a, b ReportLine) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Subject, b.Subject))
	})
	return lines
}

// name gives the lines of a report the names of what they are about.
func (r *Report) name(tx *raftstore.Tx, teams []string) error {
	for kind, lines := range r.parts() {
		for i := range *lines {
			line := &(*lines)[i]
			var err error
			switch kind {
			case sumTeam:
				var team farm.Team
				team, err = tx.Team(line.Subject)
				line.Name = team.Name
			case farm.SumTemplate:
				var template farm.Template
				template, err = tx.Template(line.Subject)
				line.Name = template.DisplayName
			case farm.SumProject:
				line.Name, err = projectName(tx, teams, line.Subject)
			case farm.SumMachine:
				var agent farm.Agent
				agent, err = tx.Agent(line.Subject)
				line.Name = agent.Name
			case farm.SumPerson:
				line.Name = line.Subject
			}
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
		}
	}
	return nil
}

// projectName is what a project of one of some teams is called, "" for one that is gone.
func projectName(tx *raftstore.Tx, teams []string, id string) (string, error) {
	for _, team := range teams {
		project, err := tx.Project(team, id)
		if err == nil || farm.CodeOf(err) != farm.CodeNotFound {
			return project.Name, err
		}
	}
	return "", nil
}

// Rates are what an hour of a machine costs.
func (c *Coordinator) Rates(_ context.Context, _ farm.Principal) (rates farm.Rates, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		rates, err = tx.Rates()
		return err
	})
	return rates, err
}

// PutRates says what an hour of a machine costs. CodeConflict when the revision is not the one in force.
func (c *Coordinator) PutRates(ctx context.Context, p farm.Principal, rates farm.Rates) (farm.Rates, error) {
	if err := p.May(farm.ActChangePolicy); err != nil {
		return farm.Rates{}, err
	}
	if wrong := rates.Check(); len(wrong) > 0 {
		return farm.Rates{}, farm.Invalid("the rates were not changed", wrong...)
	}
	rates.Revision++
	rates.At, rates.By = c.state.Now(), p.Name
	_, err := c.state.Apply(ctx, command.PutRates{Rates: rates})
	return rates, err
}
