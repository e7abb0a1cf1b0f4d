package schedule

import (
	"cmp"
	"math"
	"slices"
	"time"

	"overcrank/farm"
)

const (
	// HalfLife is the time after which used machine time counts half.
	HalfLife = time.Hour
	// unknownTask is the assumed length of a task, in seconds, before any has ended.
	unknownTask = 60
)

// team is a team, with what its share is computed from.
type team struct {
	id       string
	lanes    [levels]lane
	policy   farm.TeamPolicy
	used     float64 // machine seconds of ended tasks, decayed to the time at
	at       int64
	running  int
	began    float64          // sum of the start times of the running ones, in seconds since Queue.epoch
	machines map[*machine]int // that work for it, and on how many tasks
	pace     pace
	share    float64 // as of the beginning of a round, then updated with each grant
}

func (q *Queue) teamOf(id string) *team {
	t := q.teams[id]
	if t == nil {
		t = &team{id: id, policy: q.policy.Teams[id], machines: map[*machine]int{}}
		for l := range t.lanes {
			t.lanes[l].team, t.lanes[l].level = t, level(l)
		}
		q.teams[id] = t
		q.teamList = append(q.teamList, t)
		slices.SortFunc(q.teamList, func(a, b *team) int { return cmp.Compare(a.id, b.id) })
	}
	return t
}

// SetUsage sets how many machine seconds a team has used, decayed to a time. A new leader reads it from the state.
func (q *Queue) SetUsage(team string, seconds float64, at time.Time) {
	t := q.teamOf(team)
	t.used, t.at = seconds, at.UnixNano()
}

// Decayed is what machine seconds still count after some time.
func Decayed(seconds float64, ago time.Duration) float64 {
	return seconds * math.Exp2(-float64(max(ago, 0))/float64(HalfLife))
}

// weigh updates the team's share: machine time, used and in use, by weight. Each running task, and the one that it would get next, adds
// half a task, its expected remainder. So teams take turns even when many machines are free at once, and long tasks or small shares bring
// neither more nor less.
func (t *team) weigh(q *Queue, now int64) {
	t.share = (t.usage(q, now) + t.ahead(q)*float64(t.running+1)) / t.weight()
}

// ahead is half the mean length of the team's tasks, in seconds.
func (t *team) ahead(q *Queue) float64 {
	return cmp.Or(t.pace.mean(), q.pace.mean(), unknownTask) / 2
}

func (t *team) usage(q *Queue, now int64) float64 {
	return Decayed(t.used, time.Duration(now-t.at)) + float64(t.running)*q.seconds(now) - t.began
}

func (t *team) weight() float64 { return t.policy.Share() }

// charge adds the machine seconds of a task that just ended.
func (t *team) charge(seconds float64, now int64) {
	t.used = Decayed(t.used, time.Duration(now-t.at)) + seconds
	t.at = now
}

// admits reports whether machine m may work for the team, as one of those that do or as one more. withheld is how many machines the claim
// withholds for a task of the team.
func (t *team) admits(m *machine, withheld int) bool {
	limit := t.policy.MaxMachines
	return limit <= 0 || len(t.machines) < limit-withheld || withheld == 0 && t.machines[m] > 0
}

func (t *team) full(withheld int) bool {
	return t.policy.MaxMachines > 0 && len(t.machines) >= t.policy.MaxMachines-withheld
}

// seconds converts a time to seconds since the queue's epoch, which keeps sums precise enough.
func (q *Queue) seconds(at int64) float64 {
	if q.epoch == 0 {
		q.epoch = at
	}
	return float64(at-q.epoch) / float64(time.Second)
}
