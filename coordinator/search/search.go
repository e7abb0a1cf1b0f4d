// Package search finds jobs, batches, templates, machines and people by words. Each coordinator keeps an index of its own, which it makes of its
// state in the background: nothing of it goes through the log, so a submission costs what it did without it.
package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"overcrank/coordinator/state"
	"overcrank/interval"
	"overcrank/raftstore/boltfile"
)

// Kind is what is searched for.
type Kind string

// The kinds, in the order in which they are shown.
const (
	KindJob      Kind = "job"
	KindBatch    Kind = "batch"
	KindTemplate Kind = "template"
	KindMachine  Kind = "machine"
	KindPerson   Kind = "person"
)

// Kinds are all kinds.
func Kinds() []Kind { return []Kind{KindJob, KindBatch, KindTemplate, KindMachine, KindPerson} }

// Known says whether there is such a kind.
func (k Kind) Known() bool {
	for _, known := range Kinds() {
		if k == known {
			return true
		}
	}
	return false
}

// Search finds records. Its methods may be called at the same time.
type Search struct {
	state   *state.State
	outlook Outlook
	changes *Changes
	rosters rosters
	log     *slog.Logger

	index    atomic.Pointer[index] // nil while there is none that can be used
	dir      string
	progress atomic.Pointer[Progress] // nil once everything has been compared
}

// Progress is how far the index has come that is being made or compared.
type Progress struct{ Done, Total int } // jobs

// New is the search of a state, with an index in a folder of its own. Run has to run; until then, nothing is found.
func New(dir string, s *state.State, outlook Outlook, changes *Changes, log *slog.Logger) *Search {
	search := &Search{state: s, outlook: outlook, changes: changes, log: log, dir: dir}
	search.progress.Store(&Progress{})
	return search
}

const (
	mostAtOnce = 1024 // records that are read, and written to the index, at a time: many at once cost less each
	// restAtLeast is between two looks at what has changed; restShare is how many times as long as it worked the index rests then, so that what
	// comes in quickly is never held up. A coordinator that has just started rests for as long as it works: nothing can be found before.
	restAtLeast = 100 * time.Millisecond
	restShare   = 19
	restAtStart = 1
	tryAgain    = time.Minute // after the disk did not take the index
)

// Run keeps the index like the state until ctx ends, and closes it then.
func (s *Search) Run(ctx context.Context) {
	for ctx.Err() == nil {
		x, err := openIndex(s.dir)
		if err == nil {
			err = s.follow(ctx, x)
		}
		if err == nil {
			return
		}
		s.log.Warn("the search index cannot be kept; it is made again", "folder", s.dir, "error", err)
		if x != nil {
			x.abandon()
		}
		if !errors.Is(err, boltfile.ErrDamaged) && interval.Wait(ctx, tryAgain) != nil {
			return
		}
	}
}

// follow brings an index to what the state is, and what changes into it. It returns nil when ctx ends.
func (s *Search) follow(ctx context.Context, x *index) error {
	s.index.Store(x)
	defer s.index.Store(nil)
	whole, rest := true, time.Duration(restAtStart)
	for {
		began := time.Now()
		some, lost := s.changes.take(mostAtOnce)
		if whole = whole || lost; whole {
			s.rosters.forget()
			if err := s.compare(ctx, x, rest); err != nil {
				return s.ended(ctx, x, err)
			}
			whole, rest, began = false, restShare, time.Now()
		}
		err := s.renew(x, some)
		if err == nil {
			err = s.renewRosters(some)
		}
		worked := time.Since(began)
		if err == nil {
			err = s.makeRosters(ctx)
		}
		if x.damaged.Load() {
			err = boltfile.ErrDamaged
		}
		if err != nil {
			return s.ended(ctx, x, err)
		}
		if interval.Wait(ctx, max(restAtLeast, s.pause(restShare, worked))) != nil {
			return s.ended(ctx, x, nil)
		}
		select {
		case <-ctx.Done():
			return s.ended(ctx, x, nil)
		case <-s.changes.wake:
		case <-s.rosters.idle():
		}
	}
}

// pause is how long to rest behind some work: as long as it took while nothing happens on the farm, else that many times as long.
func (s *Search) pause(rest, worked time.Duration) time.Duration {
	if s.changes.calm() {
		rest = min(rest, restAtStart)
	}
	return rest * worked
}

// ended closes an index whose owner stops; another error than that is its own.
func (s *Search) ended(ctx context.Context, x *index, err error) error {
	if ctx.Err() == nil || errors.Is(err, boltfile.ErrDamaged) {
		return err
	}
	s.index.Store(nil)
	if err := x.close(); err != nil {
		return fmt.Errorf("when the coordinator stopped: %w", err)
	}
	return nil
}

// renew looks at records that have changed, in the order of their ids, which is by age.
func (s *Search) renew(x *index, some []note) error {
	byKind := map[Kind][]string{}
	for _, n := range some {
		byKind[n.kind] = append(byKind[n.kind], n.id)
	}
	for kind, ids := range byKind {
		if err := s.bring(x, kind, ids); err != nil {
			return err
		}
	}
	return nil
}
