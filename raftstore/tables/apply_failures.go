package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// Failures that still need somebody are kept apart from jobs, by their causes, so that a look at them costs the same whatever has
// failed before. One is settled when its job is submitted again, when somebody says so, and when the job's particulars go.

// mostSettled is how many failures one command settles.
const mostSettled = 10_000

// closedAtOnce is by how many the failures of a cause exceed their bound before the oldest go, all of them at once: looking for the oldest
// passes all rows that were removed of late.
const closedAtOnce = 100

// causeOn is the cause of a failed attempt of a task.
func (e ending) causeOn(task farm.Task) farm.Cause {
	if e.cause.Kind != "" {
		return e.cause.Tidy()
	}
	switch {
	case e.outcome == farm.OutcomeLost, e.class.Consequence().BarsMachine:
		return farm.Cause{Kind: farm.CauseMachine, Subject: task.Agent}
	case e.class.Consequence().Uncounted:
		return farm.Cause{Kind: farm.CauseLicence}
	}
	return farm.Cause{Kind: farm.CauseOther}
}

// openFailure notes that a job that has failed needs somebody. Its nested jobs are not noted: what helps them is done for it.
func (t *tables) openFailure(job farm.Job, why failing) {
	if why.cause.Kind == "" || !t.since(command.FailuresLevel) {
		return
	}
	cause := why.cause
	if job.Private && !cause.Kind.OfMachine() {
		cause.Subject = ""
	}
	counter := t.countOfFailures(job.Team, cause)
	if t.count(counter) == 0 {
		if t.count(t.countOfCauses(job.Team)) >= farm.MostCauses {
			cause.Subject = ""
			counter = t.countOfFailures(job.Team, cause)
		}
		if t.count(counter) == 0 {
			t.add(t.countOfCauses(job.Team), 1)
		}
	}
	failure := farm.OpenFailure{Job: job.ID, Team: job.Team, Cause: cause, At: why.at, Agent: why.agent}
	encoded, err := record.EncodeFailure(&failure)
	t.setEncoded(bucketFailures, job.Team+sep+job.ID, encoded, err)
	t.set(bucketFailuresByCause, causeKey(failure), nil)
	t.add(counter, 1)
	if over := t.count(counter) - farm.MostOpenFailures; over > closedAtOnce {
		t.closeOldest(job.Team, cause, over)
	}
}

// closeOldest lets the oldest failures of a cause go, which has more than those.
func (t *tables) closeOldest(team string, cause farm.Cause, n int) {
	prefix := causePrefix(team, cause)
	cursor := t.cursor(bucketFailuresByCause)
	keys := make([]string, 0, n)
	for key, _ := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), prefix) && len(keys) < n; key, _ = cursor.Next() {
		keys = append(keys, string(key))
	}
	for _, key := range keys {
		t.remove(bucketFailures, team+sep+key[len(prefix)+timeKeySize:])
		t.remove(bucketFailuresByCause, key)
	}
	t.add(t.countOfFailures(team, cause), -len(keys))
}

// closeFailure takes a job off the list of those that need somebody, if it is on it.
func (t *tables) closeFailure(team, job string) bool {
	failure, ok := get[farm.OpenFailure](t, bucketFailures, team+sep+job)
	if !ok {
		return false
	}
	t.remove(bucketFailures, team+sep+job)
	t.remove(bucketFailuresByCause, causeKey(failure))
	t.add(t.countOfFailures(team, failure.Cause), -1)
	if t.count(t.countOfFailures(team, failure.Cause)) == 0 {
		t.add(t.countOfCauses(team), -1)
	}
	return true
}

func (t *tables) settleFailures(c command.SettleFailures) command.Result {
	if len(c.Jobs) > mostSettled {
		return refusef(farm.CodeInvalid, "%d failures are to be settled at once, and %d may be", len(c.Jobs), mostSettled)
	}
	for _, id := range c.Jobs {
		if !t.closeFailure(c.Team, id) {
			continue
		}
		t.note(farm.EventJob, c.Team, id)
	}
	return command.Result{}
}

// dropFailures forgets the failures of a team.
func (t *tables) dropFailures(team string) {
	for _, job := range t.keysUnder(bucketFailures, team+sep) {
		t.closeFailure(team, job)
	}
}

func (t *tables) countOfCauses(team string) string { return t.key("failure causes", sep, team) }

func (t *tables) countOfFailures(team string, cause farm.Cause) string {
	return t.key(failuresOfAll, team, sep, cause.Key())
}

const failuresOfAll = "open failures" + sep

func failuresOf(team string) string { return failuresOfAll + team + sep }

func causePrefix(team string, cause farm.Cause) string { return team + sep + cause.Key() + sep }

func causeKey(f farm.OpenFailure) string { return keyAt(causePrefix(f.Team, f.Cause), f.At, f.Job) }

// FailureGroups reads the failures of a team that still need somebody, by cause, the latest first.
func (tx *Tx) FailureGroups(team string) ([]farm.FailureGroup, error) {
	var groups []farm.FailureGroup
	for _, key := range tx.t.counters(failuresOf(team)) {
		cause, known := farm.CauseOf(key)
		if !known {
			return nil, fmt.Errorf("state is damaged: counter of failures %q", key)
		}
		group := farm.FailureGroup{Cause: cause, Count: tx.t.count(failuresOf(team) + key)}
		oldest, _ := tx.t.failuresFrom(team, cause, "", 1, false)
		latest, _ := tx.t.failuresFrom(team, cause, "", 1, true)
		if len(oldest) == 0 || len(latest) == 0 {
			continue
		}
		group.First, group.Last, group.Latest = oldest[0].At, latest[0].At, latest[0]
		groups = append(groups, group)
	}
	slices.SortStableFunc(groups, func(a, b farm.FailureGroup) int { return b.Last.Compare(a.Last) })
	return groups, tx.t.err
}

// Failures reads the failures of one cause that still need somebody, the latest first. before is the cursor of an earlier page, "" for the
// first; next is that of the following one, "" on the last.
func (tx *Tx) Failures(team string, cause farm.Cause, before string, limit int) (page []farm.OpenFailure, next string, err error) {
	page, next = tx.t.failuresFrom(team, cause, before, limit, true)
	return page, next, tx.t.err
}

// Failure reads why a job needs somebody; CodeNotFound when it does not.
func (tx *Tx) Failure(team, job string) (farm.OpenFailure, error) {
	failure, ok := get[farm.OpenFailure](tx.t, bucketFailures, team+sep+job)
	return found(tx, failure, ok, "open failure of job", job)
}

// failuresFrom reads some failures of one cause from one end, or, the latest first, from behind the place that a cursor names.
func (t *tables) failuresFrom(team string, cause farm.Cause, from string, limit int, latestFirst bool) (page []farm.OpenFailure, next string) {
	prefix := causePrefix(team, cause)
	cursor := t.cursor(bucketFailuresByCause)
	key, _ := cursor.Seek([]byte(prefix))
	step := cursor.Next
	if latestFirst {
		end := prefix + strings.Repeat("\xff", timeKeySize+1)
		if nanoseconds, job, ok := strings.Cut(from, "."); ok {
			n, _ := strconv.ParseInt(nanoseconds, 10, 64)
			end = prefix + timeKey(time.Unix(0, n)) + job
		}
		if key, _ = cursor.Seek([]byte(end)); key == nil {
			key, _ = cursor.Last()
		} else {
			key, _ = cursor.Prev()
		}
		step = cursor.Prev
	}
	var jobs []string
	for ; strings.HasPrefix(string(key), prefix) && len(jobs) <= limit; key, _ = step() {
		jobs = append(jobs, string(key[len(prefix)+timeKeySize:]))
	}
	more := len(jobs) > limit
	for _, job := range jobs[:min(len(jobs), limit)] {
		if failure, ok := get[farm.OpenFailure](t, bucketFailures, team+sep+job); ok {
			page = append(page, failure)
		}
	}
	if more && len(page) > 0 {
		last := page[len(page)-1]
		next = strconv.FormatInt(last.At.UnixNano(), 10) + "." + last.Job
	}
	return page, next
}
