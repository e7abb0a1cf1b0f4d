package search

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

const (
	// mostRows is of how many jobs there are rosters at most, of all teams together. A row takes about 250 bytes.
	mostRows = 300_000
	// rosterKept is for how long a roster is kept that nobody asks for.
	rosterKept = 10 * time.Minute
	// rosterWait is for how long a list waits for a roster that is being made: one of some thousand jobs is there by then.
	rosterWait = 200 * time.Millisecond
	// mostNamed is how many jobs that words or a machine name are sorted at most.
	mostNamed = 10_000
)

// rosters are those of the teams that ask for them. They are made by the loop that keeps the index, and cost nothing while nobody sorts long lists.
type rosters struct {
	mu   sync.Mutex
	kept map[string]*keptRoster // by team
}

// keptRoster is a roster that is there or is being made.
type keptRoster struct {
	asked time.Time
	made  chan struct{} // closed once it is there, or is known not to come
	rows  *roster       // nil while it is being made, and where there are too many jobs
}

// ask gives the roster of a team, nil with a channel to wait for where it is not there yet.
func (k *rosters) ask(team string, now time.Time) (*roster, <-chan struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.kept[team]
	if one == nil {
		if k.kept == nil {
			k.kept = map[string]*keptRoster{}
		}
		one = &keptRoster{made: make(chan struct{})}
		k.kept[team] = one
	}
	if one.rows != nil || one.asked.IsZero() { // one that cannot be made is tried again after a while
		one.asked = now
	}
	return one.rows, one.made
}

// has says whether the roster of a team is there.
func (k *rosters) has(team string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	one := k.kept[team]
	return one != nil && one.rows != nil
}

// unmade are the teams whose rosters are to be made. What nobody has asked for lately goes.
func (k *rosters) unmade(now time.Time) (teams []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for team, one := range k.kept {
		select {
		case <-one.made:
			if now.Sub(one.asked) > rosterKept {
				delete(k.kept, team)
			}
		default:
			teams = append(teams, team)
		}
	}
	return teams
}

// put puts in the roster of a team, nil where it cannot be made.
func (k *rosters) put(team string, rows *roster) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if one := k.kept[team]; one != nil {
		one.rows = rows
		close(one.made)
	}
}

// forget has all rosters made again that are asked for.
func (k *rosters) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for team, one := range k.kept {
		select {
		case <-one.made:
			delete(k.kept, team)
		default:
		}
	}
}

// idle is when to look whether rosters are still asked for, never where there are none.
func (k *rosters) idle() <-chan time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) == 0 {
		return nil
	}
	return time.After(rosterKept)
}

// there are the rosters that are kept.
func (k *rosters) there() map[string]*roster {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := map[string]*roster{}
	for team, one := range k.kept {
		if one.rows != nil {
			all[team] = one.rows
		}
	}
	return all
}

// jobs is of how many jobs there are rows.
func (k *rosters) jobs() (n int) {
	for _, rows := range k.there() {
		n += rows.len()
	}
	return n
}

func (t *roster) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.rows)
}

// makeRosters makes those that are asked for.
func (s *Search) makeRosters(ctx context.Context) error {
	for _, team := range s.rosters.unmade(time.Now()) {
		rows, err := s.makeRoster(ctx, team)
		if err != nil {
			return err
		}
		s.rosters.put(team, rows)
		if rows != nil {
			s.outlook.Sorted(team)
		}
	}
	return nil
}

// makeRoster makes the roster of a team, nil where there are too many jobs. It rests as long as it works.
func (s *Search) makeRoster(ctx context.Context, team string) (*roster, error) {
	made, name, others := &roster{}, ByName.key(), s.rosters.jobs()
	if jobs, err := s.countJobs(team); err != nil || others+jobs > mostRows {
		return nil, err
	}
	for q := (farm.JobQuery{Sort: "oldest_first", Limit: mostAtOnce, Minimal: true}); ; {
		began := time.Now()
		var put []row
		err := s.state.View(func(tx *raftstore.Tx) error {
			heads, next, err := tx.Jobs(team, q)
			if err != nil {
				return err
			}
			q.Cursor = next
			for i := range heads {
				r, err := rowOf(&heads[i], name)
				if err != nil {
					return err
				}
				put = append(put, r)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading jobs to sort them: %w", err)
		}
		made.change(put, nil)
		if others+len(made.rows) > mostRows {
			return nil, nil
		}
		if q.Cursor == "" {
			return made, nil
		}
		if err := interval.Wait(ctx, time.Since(began)); err != nil {
			return nil, err
		}
	}
}

// countJobs is how many jobs a team has, so that none are read where there are too many.
func (s *Search) countJobs(team string) (jobs int, err error) {
	err = s.state.View(func(tx *raftstore.Tx) error {
		counts, err := tx.CountJobs(team)
		for _, n := range counts {
			jobs += n
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("counting jobs to sort them: %w", err)
	}
	return jobs, nil
}

// renewRosters brings into rosters what has changed.
func (s *Search) renewRosters(some []note) error {
	there := s.rosters.there()
	if len(there) == 0 {
		return nil
	}
	put, name := map[string][]row{}, ByName.key()
	var gone []ulid.ULID
	err := s.state.View(func(tx *raftstore.Tx) error {
		for _, n := range some {
			if n.kind != KindJob {
				continue
			}
			head, err := tx.JobHead(n.id)
			if farm.CodeOf(err) == farm.CodeNotFound {
				if id, err := ulid.ParseStrict(n.id); err == nil {
					gone = append(gone, id)
				}
				continue
			}
			if err != nil {
				return err
			}
			if there[head.Team] == nil {
				continue
			}
			r, err := rowOf(&head, name)
			if err != nil {
				return err
			}
			put[head.Team] = append(put[head.Team], r)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading jobs to sort them: %w", err)
	}
	for team, rows := range there {
		if len(put[team])+len(gone) > 0 {
			rows.change(put[team], gone)
		}
	}
	if s.rosters.jobs() > mostRows {
		s.rosters.forget()
	}
	return nil
}

// rosterOf is the roster of a team, nil where there is none: where it has to be made, one that waits does so for a moment, and is told that it comes
// later.
func (s *Search) rosterOf(ctx context.Context, team string, waits bool) (rows *roster, comes bool) {
	if s.index.Load() == nil || s.progress.Load() != nil || !waits && !s.rosters.has(team) {
		return nil, false
	}
	rows, made := s.rosters.ask(team, time.Now())
	if rows != nil || !waits {
		return rows, false
	}
	s.changes.tell()
	wait := time.NewTimer(rosterWait)
	defer wait.Stop()
	select {
	case <-made:
		rows, _ = s.rosters.ask(team, time.Now())
	case <-wait.C:
		comes = true
	case <-ctx.Done():
	}
	return rows, comes
}

// inRoster gives a page of what a filter selects, in its order, of all jobs of a team. It has no answer where there is no roster, nor where so few are
// selected that the state itself can be asked about each, which is never behind.
func (s *Search) inRoster(ctx context.Context, team string, f Filter, after place, limit int, waits bool) (found Jobs, answered bool, err error) {
	var rows *roster
	if f.Order.inRosters() {
		rows, found.Sorting = s.rosterOf(ctx, team, waits)
	}
	if rows == nil {
		return found, false, nil
	}
	wanted, err := f.wanted()
	if err != nil {
		return found, false, err
	}
	among, all, err := s.named(team, f)
	if err != nil {
		return found, false, err
	}
	var behind *row
	if after.ID != "" {
		r, err := f.Order.rowAt(after)
		if err != nil {
			return found, false, err
		}
		behind = &r
	}
	places, total, more := rows.first(f.Order, &wanted, among, behind, limit)
	if total <= mostRead && all && !waits {
		return found, false, nil
	}
	if !all {
		found.Partly = mostNamed
	}
	if more {
		if found.Next, err = cursorOf(places[len(places)-1]); err != nil {
			return found, false, err
		}
	}
	found.Indexing = s.progress.Load()
	found.Jobs, err = s.read(team, f, places)
	return found, true, err
}

// named are the newest jobs that have the words of a filter, and that its machine worked on, mostNamed of either at most; nil where it names neither.
func (s *Search) named(team string, f Filter) (among map[ulid.ULID]bool, all bool, err error) {
	all = true
	meet := func(ids []string, whole bool) {
		met := make(map[ulid.ULID]bool, len(ids))
		for _, text := range ids {
			if id, err := ulid.ParseStrict(text); err == nil && (among == nil || among[id]) {
				met[id] = true
			}
		}
		among, all = met, all && whole
	}
	if f.Text != "" {
		q, err := f.query()
		if err != nil {
			return nil, false, err
		}
		var ids []string
		whole := true
		if x := s.index.Load(); x != nil && !q.Empty() {
			if whole, err = x.find(shelf{KindJob, team}, q, "", func(id string) bool { ids = append(ids, id); return len(ids) < mostNamed }); err != nil {
				s.changes.tell() // a damaged index is made again
				return nil, false, err
			}
		}
		meet(ids, whole)
	}
	if f.Machine != "" {
		err := s.state.View(func(tx *raftstore.Tx) error {
			ids, more, err := tx.MachineJobs(team, f.Machine, f.To, mostNamed)
			meet(ids, !more)
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}
	return among, all, nil
}
