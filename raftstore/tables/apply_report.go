package tables

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// What machines did is summed up when an attempt ends, by team and day: so a report reads a row for each day and subject, however many jobs
// there were, and says the same when they have been forgotten.

// ratesKey is where the rates lie in their bucket.
const ratesKey = "farm"

// sumUp adds an attempt that ends now to the sums of the day.
func (t *tables) sumUp(task farm.Task, job farm.Job, end ending) {
	day := dayOf(end.at)
	if day < 0 || !t.since(command.ReportsLevel) {
		return
	}
	on := t.sumsOf(task.Team, day)
	if t.sums[on.key(farm.SumAll, farm.NoSubject)] == nil && t.count(on.countOfSubjects(farm.SumAll)) == 0 {
		t.dropSumsUpTo(task.Team, day-farm.SumDays)
		t.dropPartsUpTo(task.Team, day-keptParts)
	}
	sum := farm.Sum{Attempts: 1, Time: max(0, end.at.Sub(task.LeasedAt).Milliseconds())}
	switch end.outcome {
	case farm.OutcomeDone:
		sum.Done = 1
	case farm.OutcomeFailed, farm.OutcomeLost:
		sum.Failed, sum.Wasted = 1, sum.Time
	}
	if tag := t.rateTag(task.Agent); tag != "" && sum.Time > 0 {
		sum.Rated = map[string]int64{tag: sum.Time}
	}
	on.add(farm.SumAll, farm.NoSubject, sum)
	if t.since(command.DayPartsLevel) {
		on.add(farm.SumAll.During(end.at), farm.NoSubject, sum)
	}
	on.add(farm.SumTemplate, farm.SumSubject(job.Template.ID), sum)
	on.add(farm.SumPerson, farm.SumSubject(job.SubmittedBy), sum)
	on.add(farm.SumMachine, farm.SumSubject(task.Agent), sum)
	if t.since(command.ProjectsLevel) {
		on.add(farm.SumProject, farm.SumSubject(job.ProjectID), sum)
	}
	if sum.Failed > 0 {
		cause := end.causeOn(task)
		if job.Private && !cause.Kind.OfMachine() {
			cause.Subject = ""
		}
		on.add(farm.SumCause, farm.SumSubject(cause.Key()), sum)
	}
}

// sumUpJob counts a job that has finished. Its last attempt has ended before, on the same day.
func (t *tables) sumUpJob(job farm.Job) {
	day := dayOf(endOf(job))
	if job.Status != farm.JobFinished || job.Parent != "" || day < 0 || !t.since(command.ReportsLevel) {
		return
	}
	sum, on := farm.Sum{Jobs: 1}, t.sumsOf(job.Team, day)
	on.add(farm.SumAll, farm.NoSubject, sum)
	if t.since(command.DayPartsLevel) {
		on.add(farm.SumAll.During(endOf(job)), farm.NoSubject, sum)
		on.add(farm.SumPerson.During(endOf(job)), farm.SumSubject(job.SubmittedBy), sum)
	}
	on.add(farm.SumTemplate, farm.SumSubject(job.Template.ID), sum)
	on.add(farm.SumPerson, farm.SumSubject(job.SubmittedBy), sum)
	if t.since(command.ProjectsLevel) {
		on.add(farm.SumProject, farm.SumSubject(job.ProjectID), sum)
	}
}

// daySums are the sums of a team's day.
type daySums struct {
	t *tables
	sumsDay
}

// sumsDay is a team's day.
type sumsDay struct {
	team   string
	day    int64
	prefix string // of the keys of its sums
}

func (t *tables) sumsOf(team string, day int64) daySums {
	if t.latest.team != team || t.latest.day != day || t.latest.prefix == "" {
		t.latest = sumsDay{team, day, sumsOfDay(team, day) + sep}
	}
	return daySums{t, t.latest}
}

// key is where the sum of a subject lies.
func (d daySums) key(kind farm.SumKind, subject string) string {
	return d.t.key(d.prefix, string(kind), sep, subject)
}

// countOfSubjects counts the subjects of a kind.
func (d daySums) countOfSubjects(kind farm.SumKind) string {
	return d.t.key("daily sums", sep, d.prefix, string(kind))
}

// add adds to the sum of a subject. When there are too many of them on a day, the rest is one.
func (d daySums) add(kind farm.SumKind, subject string, more farm.Sum) {
	t, key := d.t, d.key(kind, subject)
	sum, known := t.sums[key]
	if !known {
		read, ok := get[farm.Sum](t, bucketSums, key)
		if !ok && subject != farm.OtherSubjects {
			if t.count(d.countOfSubjects(kind)) >= farm.MostSubjects {
				d.add(kind, farm.OtherSubjects, more)
				return
			}
			t.add(d.countOfSubjects(kind), 1)
		}
		if t.sums == nil {
			t.sums = make(map[string]*farm.Sum)
		}
		sum = &read
		t.sums[key] = sum
	}
	sum.Add(more)
	if t.print != nil {
		t.print.summedUp(key, sum)
	}
}

// flushSums writes the sums that changed, once per transaction: attempts that end together change the same ones. The fingerprint has taken
// each change of them.
func (t *tables) flushSums() {
	print := t.print
	t.print = nil
	for _, key := range slices.Sorted(maps.Keys(t.sums)) {
		encoded, err := record.EncodeSum(t.sums[key])
		t.setEncoded(bucketSums, key, encoded, err)
	}
	t.sums, t.print = nil, print
}

// rateTag is the tag by whose rate a machine is paid.
func (t *tables) rateTag(agent string) string {
	rates, _ := often[farm.Rates](t, bucketRates, ratesKey)
	if len(rates.Tags) == 0 {
		return ""
	}
	a, _ := often[farm.Agent](t, bucketAgents, agent)
	return rates.TagOf(slices.Concat(a.Tags, a.Inventory.Tags))
}

// dropSumsUpTo forgets a team's sums up to a day.
func (t *tables) dropSumsUpTo(team string, last int64) {
	t.flushSums()
	var old []string
	cursor := t.cursor(bucketSums)
	for key, _ := cursor.Seek([]byte(team + sep)); key != nil; key, _ = cursor.Next() {
		sum, ok := readSumKey(string(key))
		if !ok || sum.Team != team || dayOf(sum.Day) > last {
			break
		}
		old = append(old, string(key))
	}
	for _, key := range old {
		sum, _ := readSumKey(key)
		t.remove(bucketSums, key)
		if sum.Subject != farm.OtherSubjects {
			t.add(t.sumsOf(team, dayOf(sum.Day)).countOfSubjects(sum.Kind), -1)
		}
	}
}

// keptParts is how many days back the sums of parts of days are kept: wherever its reader is, a day that has not ended began no earlier.
const keptParts = 3

// dropPartsUpTo forgets the sums of parts of a team's days up to one. Those of the days before the latest that has any are gone already.
func (t *tables) dropPartsUpTo(team string, last int64) {
	t.flushSums()
	for {
		key, _ := t.cursor(bucketSums).Seek([]byte(sumsOfDay(team, last+1)))
		cursor := t.cursor(bucketSums)
		if key == nil {
			key, _ = cursor.Last()
		} else {
			cursor.Seek(key)
			key, _ = cursor.Prev()
		}
		latest, ok := readSumKey(string(key))
		if !ok || latest.Team != team {
			return
		}
		last = dayOf(latest.Day)
		if !t.dropPartsOf(t.sumsOf(team, last)) {
			return
		}
		last--
	}
}

// dropPartsOf forgets the sums of parts of a day, and tells whether there were any.
func (t *tables) dropPartsOf(on daySums) (any bool) {
	for _, kind := range []farm.SumKind{farm.SumAll, farm.SumPerson} {
		prefix := on.prefix + string(kind.Parts())
		for _, rest := range t.keysUnder(bucketSums, prefix) {
			any = true
			sum, _ := readSumKey(prefix + rest)
			t.remove(bucketSums, prefix+rest)
			if sum.Subject != farm.OtherSubjects {
				t.add(on.countOfSubjects(sum.Kind), -1)
			}
		}
	}
	return any
}

// dropSums forgets all sums of a team.
func (t *tables) dropSums(team string) { t.dropSumsUpTo(team, 1<<40) }

func (t *tables) putRates(c command.PutRates) command.Result {
	was, _ := get[farm.Rates](t, bucketRates, ratesKey)
	switch {
	case c.Rates.Revision != was.Revision+1:
		return refusef(farm.CodeConflict, "the rates have been changed since: revision %d is not the one after %d", c.Rates.Revision, was.Revision)
	case len(c.Rates.Check()) > 0:
		wrong := c.Rates.Check()[0]
		return refusef(farm.CodeInvalid, "%s %s", wrong.Field, wrong.Message)
	}
	put(t, bucketRates, ratesKey, c.Rates)
	t.note(farm.EventFarm, "", "")
	return command.Result{}
}

// Days are numbered from 1970 on.
func dayOf(at time.Time) int64 { return farm.Day(at).Unix() / 86400 }

func sumsOfDay(team string, day int64) string { return team + sep + padded(day, 7) }

// readSumKey reads whose sum lies under a key.
func readSumKey(key string) (s farm.DaySum, ok bool) {
	parts := strings.SplitN(key, sep, 4)
	if len(parts) != 4 {
		return s, false
	}
	day, err := strconv.ParseInt(parts[1], 10, 64)
	return farm.DaySum{Team: parts[0], Day: time.Unix(day*86400, 0).UTC(), Kind: farm.SumKind(parts[2]), Subject: parts[3]}, err == nil
}

// Sums reads what machines did for a team on the days from one to another, both included, without the parts of the days.
func (tx *Tx) Sums(team string, from, to time.Time) ([]farm.DaySum, error) {
	var sums []farm.DaySum
	first, last := dayOf(from), dayOf(to)
	cursor := tx.t.cursor(bucketSums)
	for key, _ := cursor.Seek([]byte(sumsOfDay(team, max(first, 0)))); key != nil; key, _ = cursor.Next() {
		sum, ok := readSumKey(string(key))
		if !ok {
			return nil, fmt.Errorf("state is damaged: the key %q of a daily sum", key)
		}
		if sum.Team != team || dayOf(sum.Day) > last {
			break
		}
		if sum.Kind.OfPart() {
			continue
		}
		sum.Sum, _ = get[farm.Sum](tx.t, bucketSums, string(key))
		sums = append(sums, sum)
	}
	return sums, tx.t.err
}

// SumsBetween reads what machines did for a team in some time of late, of which the beginning counts and the end does not, and how many jobs of
// somebody's finished in it. Both are in steps of farm.DayPart; what ended more than two days ago is not known any more.
func (tx *Tx) SumsBetween(team, person string, from, to time.Time) (all farm.Sum, jobs int, err error) {
	for at := from.Truncate(farm.DayPart); at.Before(to); at = at.Add(farm.DayPart) {
		on := tx.t.sumsOf(team, dayOf(at))
		sum, _ := get[farm.Sum](tx.t, bucketSums, on.key(farm.SumAll.During(at), farm.NoSubject))
		all.Add(sum)
		if sum.Jobs > 0 {
			own, _ := get[farm.Sum](tx.t, bucketSums, on.key(farm.SumPerson.During(at), farm.SumSubject(person)))
			jobs += own.Jobs
		}
	}
	return all, jobs, tx.t.err
}

// Rates reads what an hour of a machine costs.
func (tx *Tx) Rates() (farm.Rates, error) {
	rates, _ := get[farm.Rates](tx.t, bucketRates, ratesKey)
	return rates, tx.t.err
}
