package tables

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
)

// usageKept is how many hours back the machine time of teams is kept: the queue shares the farm by the last few hours.
const usageKept = 24

func (t *tables) countOfUsage(team string, hour int64) string {
	return t.key(usageOfAll, team, sep, padded(hour, 10))
}

func usagePrefix(team string) string { return usageOfAll + team + sep }

const usageOfAll = "machine time" + sep

func hourOf(at time.Time) int64 { return at.Unix() / 3600 }

// countUsage adds the time of an attempt that ends now to its team's, in the hour of its end. It is a counter, which costs little in a transaction
// that ends several attempts.
func (t *tables) countUsage(task farm.Task, at time.Time) {
	took, hour := at.Sub(task.LeasedAt).Milliseconds(), hourOf(at)
	if took <= 0 || hour < 0 {
		return
	}
	key := t.countOfUsage(task.Team, hour)
	if t.count(key) == 0 {
		t.dropUsage(task.Team, hour-usageKept)
	}
	t.add(key, int(took))
}

// dropUsage removes a team's usage up to an hour.
func (t *tables) dropUsage(team string, upTo int64) {
	for _, hour := range t.counters(usagePrefix(team)) {
		if n, err := strconv.ParseInt(hour, 10, 64); err == nil && n <= upTo {
			key := usagePrefix(team) + hour
			t.add(key, -t.count(key))
		}
	}
}

// Usage is the machine time that a team had in one hour.
type Usage struct {
	Team string
	From time.Time // the hour is from here on
	Time time.Duration
}

// Usages are the machine times of all teams in the last hours, by team and hour. An attempt counts in the hour of its end.
func (tx *Tx) Usages() ([]Usage, error) {
	var list []Usage
	for _, rest := range tx.t.counters(usageOfAll) {
		team, hour, _ := strings.Cut(rest, sep)
		n, err := strconv.ParseInt(hour, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("state is damaged: counter %q: %w", usageOfAll+rest, err)
		}
		took := time.Duration(tx.t.count(usageOfAll+rest)) * time.Millisecond
		list = append(list, Usage{Team: team, From: time.Unix(n*3600, 0).UTC(), Time: took})
	}
	return list, tx.t.err
}
