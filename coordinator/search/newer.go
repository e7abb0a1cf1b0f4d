package search

import (
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Newer lists those of a filter that were submitted just after the job with an id, the newest first. Next is the id behind which the list goes on, ""
// when there are no newer ones. It looks at as many jobs at most as a page of older ones does, and is Short when these were too few to fill it.
func (s *Search) Newer(p farm.Principal, f Filter, id string, limit int) (found Jobs, err error) {
	if err := p.May(farm.ActView); err != nil {
		return found, err
	}
	if f.walked() {
		found, err = s.walkBack(p.Team, f, id, limit)
	} else {
		found, err = s.lookBack(p.Team, f, id, limit)
	}
	slices.Reverse(found.Jobs)
	return found, err
}

// walkBack reads the jobs behind one in a list of the state, the oldest first.
func (s *Search) walkBack(team string, f Filter, id string, limit int) (found Jobs, err error) {
	q := f.listed("oldest_first", limit)
	q.Behind = id
	err = s.state.View(func(tx *raftstore.Tx) error {
		found.Jobs, found.Next, err = tx.Jobs(team, q)
		return err
	})
	if found.Next != "" {
		found.Next = found.Jobs[len(found.Jobs)-1].ID
	}
	return found, err
}

// lookBack reads the jobs behind one among those that may fit, the oldest first.
func (s *Search) lookBack(team string, f Filter, id string, limit int) (Jobs, error) {
	at, err := ulid.ParseStrict(id)
	if err != nil {
		return Jobs{}, notContinued()
	}
	q, err := f.query()
	if err != nil {
		return Jobs{}, err
	}
	return s.page(team, f, q, limit, func(most int) ([]string, bool, error) {
		return s.newerCandidates(team, f, q, id, ulid.Time(at.Time()), most)
	})
}

// newerCandidates are the ids of the oldest jobs that a filter may select and that were submitted after the job with an id, which was at a moment:
// of those that the index names as many as most, of others mostRead at most; all says that there are no others.
func (s *Search) newerCandidates(team string, f Filter, q Query, id string, at time.Time, most int) (ids []string, all bool, err error) {
	few, err := s.fewIn(team, f)
	switch {
	case err != nil:
		return nil, false, err
	case q.Empty() && f.Machine != "" && !few:
		ids, all, err = s.newerOnMachine(team, f, at)
	case few || q.Empty():
		ids, all, err = s.newerInStates(team, f, at)
	default:
		return s.newerInIndex(team, q, id, most)
	}
	ids = slices.DeleteFunc(ids, func(other string) bool { return other <= id })
	slices.Sort(ids)
	return ids, all, err
}

func (s *Search) newerOnMachine(team string, f Filter, at time.Time) (ids []string, all bool, err error) {
	err = s.state.View(func(tx *raftstore.Tx) error {
		var more bool
		ids, more, err = tx.NewerMachineJobs(team, f.Machine, at, mostRead)
		all = !more
		return err
	})
	return ids, all, err
}

func (s *Search) newerInStates(team string, f Filter, at time.Time) (ids []string, all bool, err error) {
	err = s.state.View(func(tx *raftstore.Tx) error {
		jobs, next, err := tx.Jobs(team, farm.JobQuery{States: f.States, Sort: "oldest_first", Limit: mostRead, Minimal: true, From: at, To: f.To})
		for _, job := range jobs {
			ids = append(ids, job.ID)
		}
		all = next == ""
		return err
	})
	return ids, all, err
}

func (s *Search) newerInIndex(team string, q Query, id string, most int) (ids []string, all bool, err error) {
	x := s.index.Load()
	if x == nil {
		return nil, true, nil
	}
	all, err = x.findAfter(shelf{KindJob, team}, q, id, func(id string) bool {
		ids = append(ids, id)
		return len(ids) < most+nearby
	})
	if err != nil {
		s.changes.tell() // a damaged index is made again
	}
	slices.Sort(ids) // as the list is: numbers are only nearly in that order
	if len(ids) > most {
		ids, all = ids[:most], false
	}
	return ids, all, err
}
