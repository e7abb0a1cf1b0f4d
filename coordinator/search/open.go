package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// Outlook is what the farm knows of jobs that have not ended and the state does not say, and whom it tells that a list can be sorted.
type Outlook interface {
	// AddProgress notes how far a job is.
	AddProgress(job *farm.Job) error
	// FinishEach is when jobs of the caller's team are likely to be done, by their ids; it leaves out those of which nobody can tell.
	FinishEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Span, error)
	// Sorted tells those who look at a team's jobs that all of them can be sorted now.
	Sorted(team string)
}

// MostForecast is for how many jobs a forecast is made for one answer: each is made of all that is known of the job's tasks.
const MostForecast = 200

// openAndEnded are the states of jobs that have something before them, and of those that are over.
func openAndEnded() [][]farm.JobStatus {
	return [][]farm.JobStatus{
		{farm.JobRendering, farm.JobQueued, farm.JobPending},
		{farm.JobFinished, farm.JobFailed, farm.JobCancelled},
	}
}

// openFirst lists the jobs that have not ended, sorted by what is ahead of them, and behind these the others, the newest first.
func (s *Search) openFirst(ctx context.Context, p farm.Principal, f Filter, cursor string, limit int) (Jobs, error) {
	var open Jobs
	answer, err := inGroups(f, openAndEnded(), cursor, limit, func(of Filter, n int, cursor string, limit int) (found Jobs, err error) {
		if n > 0 {
			return s.newest(p.Team, of, cursor, limit)
		}
		open, err = s.sorted(ctx, p, of, cursor, limit)
		return open, err
	})
	answer.Partly, answer.Unforecast, answer.Finish = open.Partly, open.Unforecast, open.Finish
	return answer, err
}

// reached are the keys of jobs by how far they are.
func (s *Search) reached(heads []farm.Job) ([][]byte, error) {
	keys := make([][]byte, len(heads))
	for i := range heads {
		if err := s.outlook.AddProgress(&heads[i]); err != nil {
			return nil, err
		}
		keys[i] = fmt.Appendf(nil, "%08.4f", heads[i].Progress)
	}
	return keys, nil
}

// finish are the keys of jobs by when they are likely to be done at the latest; those of which nobody can tell come last.
func (s *Search) finish(ctx context.Context, p farm.Principal, heads []farm.Job, answer *Jobs) ([][]byte, error) {
	ids := inLine(heads)
	answer.Unforecast = len(ids) > MostForecast
	finish, err := s.outlook.FinishEach(ctx, p, ids[:min(len(ids), MostForecast)])
	if err != nil {
		return nil, err
	}
	answer.Finish = finish
	now := s.state.Now()
	keys := make([][]byte, len(heads))
	for i, head := range heads {
		at := int64(math.MaxInt64)
		if span, known := finish[head.ID]; known && span.High > 0 {
			at = now.Add(time.Duration(span.High * float64(time.Second))).UnixMilli()
		}
		keys[i] = fmt.Appendf(nil, "%020d", at)
	}
	return keys, nil
}

// inLine are the ids of jobs as machines are likely to take them: those that render first, then by priority and age.
func inLine(heads []farm.Job) []string {
	line := slices.Clone(heads)
	waits := func(job farm.Job) int {
		if job.Status == farm.JobRendering {
			return 0
		}
		return 1
	}
	slices.SortFunc(line, func(a, b farm.Job) int {
		return cmp.Or(cmp.Compare(waits(a), waits(b)), cmp.Compare(b.Priority, a.Priority), strings.Compare(a.ID, b.ID))
	})
	ids := make([]string, len(line))
	for i, job := range line {
		ids[i] = job.ID
	}
	return ids
}
