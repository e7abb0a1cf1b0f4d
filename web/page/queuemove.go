package page

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

// QueueJob is a job that waits in line, with what its place depends on.
type QueueJob struct {
	ID, Title, By string
	Level         farm.Level
	Priority      int
	Created       time.Time
}

// key orders the jobs of a team within a level: its time, less what its priority is worth.
func (j QueueJob) key() time.Time {
	return j.Created.Add(-time.Duration(j.Priority) * schedule.PointOfPriority)
}

// Move is what it takes for a job to stand elsewhere in line, and what becomes of the others.
type Move struct {
	Job      QueueJob
	Level    farm.Level
	Priority int
	Passed   []QueueJob    // that have to wait for it now
	LetBy    []QueueJob    // that go before it now
	Longer   time.Duration // that those it passes wait longer, about; 0 when nobody can tell
}

// mostPriority is the highest priority of a job, and below 0 the lowest.
const mostPriority = 1000

// PlanMove finds the level and the priority with which a job comes right before another one in line, or right after it. line is the team's
// jobs in order. Jobs that came within the same hour cannot be told apart by priority alone: what it passes besides is in Passed.
func PlanMove(line []QueueJob, job, target string, after bool) (Move, error) {
	from := slices.IndexFunc(line, func(j QueueJob) bool { return j.ID == job })
	to := slices.IndexFunc(line, func(j QueueJob) bool { return j.ID == target })
	if from < 0 || to < 0 {
		return Move{}, farm.Errorf(farm.CodeNotFound, "the job is not in line any more; look at the queue again")
	}
	m := Move{Job: line[from], Level: line[to].Level, Priority: line[from].Priority}
	if from == to {
		return m, nil
	}
	points := float64(line[from].Created.Sub(line[to].key())) / float64(schedule.PointOfPriority)
	if after {
		m.Priority = int(math.Ceil(points)) - 1
	} else {
		m.Priority = int(math.Floor(points)) + 1
	}
	if m.Priority < -mostPriority || m.Priority > mostPriority {
		return m, farm.Errorf(farm.CodeInvalid, "no priority brings this job there; give it another level on its page")
	}
	moved := line[from]
	moved.Priority = m.Priority
	for i, j := range line {
		if i == from {
			continue
		}
		was, now := i < from, i < to
		if j.Level == m.Level {
			now = !moved.key().Before(j.key())
		}
		switch {
		case was && !now:
			m.Passed = append(m.Passed, j)
		case !was && now:
			m.LetBy = append(m.LetBy, j)
		}
	}
	return m, nil
}

// Stays tells whether the job would stand where it stands.
func (m Move) Stays() bool {
	return len(m.Passed)+len(m.LetBy) == 0 && m.Level == m.Job.Level
}

// Sentence says what the move does, before it is made.
func (m Move) Sentence(ctx context.Context) string {
	if m.Stays() {
		return say(ctx, "“%s” stays where it is.", m.Job.Title)
	}
	var said []string
	if len(m.Passed) > 0 {
		said = append(said, m.passes(ctx))
	}
	switch {
	case len(m.LetBy) > 0 && len(m.Passed) > 0:
		said = append(said, say(ctx, "It lets %s go first.", peopleWords(ctx, m.LetBy)))
	case len(m.LetBy) > 0:
		said = append(said, say(ctx, "“%s” lets %s go first.", m.Job.Title, peopleWords(ctx, m.LetBy)))
	}
	what := say(ctx, "Priority %d", m.Priority)
	if m.Level != m.Job.Level {
		what = say(ctx, "%s, priority %s", LevelWord(ctx, m.Level), grouped(ctx, m.Priority))
	}
	return strings.Join(append(said, what+"."), " ")
}

// passes says whom the job goes before.
func (m Move) passes(ctx context.Context) string {
	n, jobs := len(m.Passed), peopleWords(ctx, m.Passed)
	if m.Longer < time.Second {
		return many(ctx, n, "“%[2]s” goes before %[3]s, which waits longer.", "“%[2]s” goes before %[3]s, which wait longer.", m.Job.Title, jobs)
	}
	return many(ctx, n, "“%[2]s” goes before %[3]s, which waits about %[4]s longer.", "“%[2]s” goes before %[3]s, which wait about %[4]s longer.",
		m.Job.Title, jobs, inWords(ctx).Duration(m.Longer.Round(time.Second)))
}

// peopleWords are how many jobs of whom: "3 jobs of Ada and 1 of Bea".
func peopleWords(ctx context.Context, jobs []QueueJob) string {
	counts := map[string]int{}
	var names []string
	for _, j := range jobs {
		if counts[j.By] == 0 {
			names = append(names, j.By)
		}
		counts[j.By]++
	}
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	words := many(ctx, len(jobs), "%d job", "%d jobs")
	if len(names) == 1 {
		if names[0] == "" {
			return words
		}
		return many(ctx, len(jobs), "%d job of %s", "%d jobs of %s", names[0])
	}
	var each []string
	for _, name := range names[:min(len(names), 3)] {
		each = append(each, many(ctx, counts[name], "%d of %s", "%d of %s", cmp.Or(name, say(ctx, "somebody else"))))
	}
	if more := len(names) - 3; more > 0 {
		each = append(each, many(ctx, more, "others of %d more", "others of %d more"))
	}
	return words + " (" + commas(each) + ")"
}
