package schedule

import (
	"cmp"
	"math"
	"slices"
	"time"

	"overcrank/farm"
)

const (
	// HalfLife is how long it takes until machine time that a team had counts half.
	HalfLife = time.Hour
	// unknownTask is how long a task is taken to last, in seconds, while none has ended.
	unknownTask = 60
)

// team is a team with what its share is counted from.
type team struct {
	id       string
	lanes    [levels]lane
	policy   farm.TeamPolicy
	used     float64 // machine seconds of ended tasks, as they counted at the time at
	at       int64
	running  int
	began    float64          // sum of the times at which the running ones began, in seconds since Queue.epoch
	machines map[*machine]int // that work for it, with how many tasks
	pace     pace
	share    float64 // at the beginning of a round
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

// SetUsage says how many machine seconds a team had, as they count at a time; a new leader reads it from the state.
func (q *Queue) SetUsage(team string, seconds float64, at time.Time) {
	t := q.teamOf(team)
	t.used, t.at = seconds, at.UnixNano()
}

// Decayed is what machine seconds that ended some time ago count.
func Decayed(seconds float64, ago time.Duration) float64 {
	return seconds * math.Exp2(-float64(max(ago, 0))/float64(HalfLife))
}

// weigh renews the team's share: what it had and has of the farm, by its weight. To what its tasks have taken comes half a task
// for each that runs, which is what it has before it on average, and for the one that it would get: so teams take turns also
// when many machines are free at once, and those with long tasks or small shares get neither more nor less for it.
func (t *team) weigh(q *Queue, now int64) {
	t.share = (t.usage(q, now) + t.ahead(q)*float64(t.running+1)) / t.weight()
}

// ahead is half of how long the team's tasks last, in seconds.
func (t *team) ahead(q *Queue) float64 {
	return cmp.Or(t.pace.mean(), q.pace.mean(), unknownTask) / 2
}

func (t *team) usage(q *Queue, now int64) float64 {
	return Decayed(t.used, time.Duration(now-t.at)) + float64(t.running)*q.seconds(now) - t.began
}

func (t *team) weight() float64 {
	if t.policy.Weight > 0 {
		return t.policy.Weight
	}
	return 1
}

// charge adds machine seconds that have just ended.
func (t *team) charge(seconds float64, now int64) {
	t.used = Decayed(t.used, time.Duration(now-t.at)) + seconds
	t.at = now
}

// admits tells whether one more machine, or this one, may work for the team. aside is how many the claim keeps for a task
// of the team.
func (t *team) admits(m *machine, aside int) bool {
	limit := t.policy.MaxMachines
	return limit <= 0 || len(t.machines) < limit-aside || aside == 0 && t.machines[m] > 0
}

func (t *team) full(aside int) bool {
	return t.policy.MaxMachines > 0 && len(t.machines) >= t.policy.MaxMachines-aside
}

// seconds are the seconds since the queue's epoch, so that their sums stay exact enough.
func (q *Queue) seconds(at int64) float64 {
	if q.epoch == 0 {
		q.epoch = at
	}
	return float64(at-q.epoch) / float64(time.Second)
}
