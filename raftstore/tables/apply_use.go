package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// What jobs use is counted when they are submitted, by day and by whom: so a page that tells of it reads some counters, however many jobs
// there were. Days are counters of their own, which costs a submission little.

// usesOfAll begins the keys of the counters of uses.
const usesOfAll = "uses" + sep

func usesOf(team string, kind farm.UseKind, subject string) string {
	return usesOfAll + strings.Join([]string{team, string(kind), subject, ""}, sep)
}

func (t *tables) countOfUse(team string, kind farm.UseKind, subject string, day int64, by string) string {
	return t.key(usesOfAll, team, sep, string(kind), sep, subject, sep, padded(day, 7), sep, by)
}

// countUses counts what new jobs use.
func (t *tables) countUses(jobs []farm.Job) {
	if !t.since(command.PresetsLevel) {
		return
	}
	for i := range jobs {
		job := &jobs[i]
		template := farm.SumSubject(job.Template.ID)
		if job.Template.ID != "" {
			t.countUse(job, farm.UseTemplate, job.Template.ID, farm.SumSubject(job.SubmittedBy))
		}
		for _, name := range job.UsesSecrets {
			t.countUse(job, farm.UseSecret, name, template)
		}
		for _, id := range job.UsesFonts {
			t.countUse(job, farm.UseFont, id, template)
		}
	}
}

func (t *tables) countUse(job *farm.Job, kind farm.UseKind, subject, by string) {
	day := dayOf(job.CreatedAt)
	if day < 0 || subject == "" {
		return
	}
	key := t.countOfUse(job.Team, kind, subject, day, by)
	if t.count(key) == 0 {
		t.dropUses(job.Team, kind, subject, day-farm.UseDays)
	}
	t.add(key, 1)
}

// dropUses forgets the uses of something up to a day.
func (t *tables) dropUses(team string, kind farm.UseKind, subject string, upTo int64) {
	prefix := usesOf(team, kind, subject)
	for _, rest := range t.counters(prefix) {
		if day, _, ok := readUse(rest); ok && day <= upTo {
			t.add(prefix+rest, -t.count(prefix+rest))
		}
	}
}

// dropAllUses forgets what the jobs of a team used.
func (t *tables) dropAllUses(team string) {
	prefix := usesOfAll + team + sep
	for _, rest := range t.counters(prefix) {
		t.add(prefix+rest, -t.count(prefix+rest))
	}
}

func (t *tables) forgetUses(team string, kind farm.UseKind, subject string) {
	t.dropUses(team, kind, subject, math.MaxInt64)
}

func readUse(rest string) (day int64, by string, ok bool) {
	number, by, ok := strings.Cut(rest, sep)
	day, err := strconv.ParseInt(number, 10, 64)
	return day, by, ok && err == nil
}

// Uses reads how often jobs of a team used something, the newest day first; of days long ago only the last.
func (tx *Tx) Uses(team string, kind farm.UseKind, subject string) ([]farm.Use, error) {
	prefix := usesOf(team, kind, subject)
	var uses []farm.Use
	for _, rest := range tx.t.counters(prefix) {
		day, by, ok := readUse(rest)
		if !ok {
			return nil, fmt.Errorf("state is damaged: counter %q", prefix+rest)
		}
		uses = append(uses, farm.Use{Day: time.Unix(day*86400, 0).UTC(), By: by, Jobs: tx.t.count(prefix + rest)})
	}
	slices.Reverse(uses)
	return uses, tx.t.err
}
