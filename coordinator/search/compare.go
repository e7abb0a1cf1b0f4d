package search

import (
	"context"
	"fmt"
	"time"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

// compare brings the index to what the state is: what it lacks is put in, oldest first, and what is gone is taken out. What changes meanwhile
// stands among the changes. It rests that many times as long as it worked, or less, see pause.
func (s *Search) compare(ctx context.Context, x *index, rest time.Duration) error {
	began := time.Now()
	teams, total, err := s.teams()
	if err != nil {
		return err
	}
	s.progress.Store(&Progress{Total: total})
	defer s.progress.Store(nil)
	if err := s.clearOut(ctx, x, teams, rest); err != nil {
		return err
	}
	if err := s.few(ctx, x, teams); err != nil {
		return err
	}
	done := 0
	for team := range teams {
		if err := s.batchesOf(ctx, x, team, rest); err != nil {
			return err
		}
		if err := s.jobsOf(ctx, x, team, rest, func(n int) { done += n; s.progress.Store(&Progress{done, max(done, total)}) }); err != nil {
			return err
		}
	}
	s.log.Info("everything can be searched for", "jobs", done, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// teams are the farm's teams, with how many jobs they have altogether.
func (s *Search) teams() (teams map[string]bool, jobs int, err error) {
	teams = map[string]bool{}
	err = s.state.View(func(tx *raftstore.Tx) error {
		list, err := tx.Teams()
		if err != nil {
			return err
		}
		for _, team := range list {
			teams[team.ID] = true
			counts, err := tx.CountJobs(team.ID)
			if err != nil {
				return err
			}
			for _, n := range counts {
				jobs += n
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("reading teams for the search index: %w", err)
	}
	return teams, jobs, nil
}

// clearOut takes out what is gone.
func (s *Search) clearOut(ctx context.Context, x *index, teams map[string]bool, rest time.Duration) error {
	for _, kind := range Kinds() {
		shelves, err := x.shelves(kind)
		if err != nil {
			return err
		}
		for _, on := range shelves {
			if on.team != "" && !teams[on.team] {
				if err := x.drop(on); err != nil {
					return err
				}
				continue
			}
			if err := s.clearShelf(ctx, x, on, rest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Search) clearShelf(ctx context.Context, x *index, on shelf, rest time.Duration) error {
	for after := ""; ; {
		began := time.Now()
		ids, err := x.after(on, after, mostAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		var gone []string
		err = s.state.View(func(tx *raftstore.Tx) error {
			for _, id := range ids {
				r, err := recordOf(tx, on.kind, id)
				if farm.CodeOf(err) == farm.CodeNotFound || err == nil && r.shelf != on {
					gone = append(gone, id)
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("comparing the search index: %w", err)
		}
		if err := x.change(on, nil, gone); err != nil {
			return err
		}
		if err := interval.Wait(ctx, s.pause(rest, time.Since(began))); err != nil {
			return err
		}
	}
}

// few brings in the kinds of which there are few.
func (s *Search) few(ctx context.Context, x *index, teams map[string]bool) error {
	var templates, people, machines []string
	err := s.state.View(func(tx *raftstore.Tx) error {
		for team := range teams {
			list, err := tx.Templates(team)
			if err != nil {
				return err
			}
			for _, t := range list {
				templates = append(templates, t.ID)
			}
			tokens, err := tx.Tokens(team)
			if err != nil {
				return err
			}
			for _, t := range tokens {
				people = append(people, t.ID)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading what can be searched for: %w", err)
	}
	for after := ""; ; {
		var agents []farm.Agent
		err := s.state.View(func(tx *raftstore.Tx) (err error) {
			agents, err = tx.AgentsAfter(after, mostAtOnce)
			return err
		})
		if err != nil {
			return fmt.Errorf("reading machines for the search index: %w", err)
		}
		if len(agents) == 0 {
			break
		}
		for _, a := range agents {
			machines = append(machines, a.ID)
		}
		after = agents[len(agents)-1].ID
	}
	for kind, ids := range map[Kind][]string{KindTemplate: templates, KindPerson: people, KindMachine: machines} {
		for len(ids) > 0 {
			n := min(len(ids), mostAtOnce)
			if err := s.bring(x, kind, ids[:n]); err != nil {
				return err
			}
			ids = ids[n:]
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// batchesOf brings in the batches of a team that have a name.
func (s *Search) batchesOf(ctx context.Context, x *index, team string, rest time.Duration) error {
	for cursor := ""; ; {
		began := time.Now()
		var named []record
		err := s.state.View(func(tx *raftstore.Tx) error {
			list, next, err := tx.Batches(team, cursor, mostAtOnce)
			for _, b := range list {
				if b.Name != "" {
					named = append(named, batchRecord(b))
				}
			}
			cursor = next
			return err
		})
		if err != nil {
			return fmt.Errorf("reading batches for the search index: %w", err)
		}
		if err := s.bringTo(x, shelf{KindBatch, team}, named); err != nil {
			return err
		}
		if cursor == "" {
			return nil
		}
		if err := interval.Wait(ctx, s.pause(rest, time.Since(began))); err != nil {
			return err
		}
	}
}

// jobsOf brings in the jobs of a team. done is told how many more have been looked at.
func (s *Search) jobsOf(ctx context.Context, x *index, team string, rest time.Duration, done func(int)) error {
	q := farm.JobQuery{Limit: mostAtOnce, Minimal: true}
	for {
		began := time.Now()
		var records []record
		err := s.state.View(func(tx *raftstore.Tx) error {
			jobs, next, err := tx.Jobs(team, q)
			for _, job := range jobs {
				records = append(records, jobRecord(job))
			}
			q.Cursor = next
			return err
		})
		if err != nil {
			return fmt.Errorf("reading jobs for the search index: %w", err)
		}
		if err := s.bringTo(x, shelf{KindJob, team}, records); err != nil {
			return err
		}
		done(len(records))
		if q.Cursor == "" {
			return nil
		}
		if err := interval.Wait(ctx, s.pause(rest, time.Since(began))); err != nil {
			return err
		}
	}
}

// bring makes the index say of some records what the state does.
func (s *Search) bring(x *index, kind Kind, ids []string) error {
	found := map[shelf][]record{}
	var gone []string
	err := s.state.View(func(tx *raftstore.Tx) error {
		for _, id := range ids {
			r, err := recordOf(tx, kind, id)
			switch {
			case farm.CodeOf(err) == farm.CodeNotFound:
				gone = append(gone, id)
			case err != nil:
				return err
			default:
				found[r.shelf] = append(found[r.shelf], r)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading for the search index: %w", err)
	}
	if err := s.takeOut(x, kind, gone); err != nil {
		return err
	}
	for on, records := range found {
		if err := s.bringTo(x, on, records); err != nil {
			return err
		}
	}
	return nil
}

// takeOut removes records, whose teams nothing knows any more, from all shelves of their kind.
func (s *Search) takeOut(x *index, kind Kind, gone []string) error {
	if len(gone) == 0 {
		return nil
	}
	shelves, err := x.shelves(kind)
	if err != nil {
		return err
	}
	for _, on := range shelves {
		known, err := x.has(on, gone)
		if err == nil {
			err = x.change(on, nil, known)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bringTo puts those of some records on their shelf that it does not have as they are.
func (s *Search) bringTo(x *index, on shelf, records []record) error {
	entries := make([]entry, len(records))
	for i, r := range records {
		entries[i] = r.entry
	}
	outdated, err := x.outdated(on, entries)
	if err != nil {
		return err
	}
	var put []entry
	var gone []string
	err = s.state.View(func(tx *raftstore.Tx) error {
		for _, r := range records {
			if !outdated[r.entry.id] {
				continue
			}
			if r.words != nil {
				words, err := r.words(tx)
				if farm.CodeOf(err) == farm.CodeNotFound { // in this moment
					gone = append(gone, r.entry.id)
					continue
				}
				if err != nil {
					return err
				}
				r.entry.words = words
			}
			put = append(put, r.entry)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading for the search index: %w", err)
	}
	return x.change(on, put, gone)
}
