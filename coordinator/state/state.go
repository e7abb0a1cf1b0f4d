// Package state is the farm's state as the parts of a coordinator read and change it: what a change came to has been noticed by this
// node when whoever asked for it is answered, and what a request asks for is done once.
package state

import (
	"context"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// State is the state of a farm, at one node. Its methods may be called at the same time.
type State struct {
	store *raftstore.Store
	feed  *Feed
	now   func() time.Time
	ids   *ids
}

// New is the state that a store keeps, whose results feed hands on.
func New(store *raftstore.Store, feed *Feed, now func() time.Time) *State {
	return &State{store: store, feed: feed, now: now, ids: newIDs(now)}
}

// View reads the state as it is now.
func (s *State) View(read func(*raftstore.Tx) error) error { return s.store.View(read) }

// Level is the level of the farm's state; 0 when it cannot be read.
func (s *State) Level() int {
	level, err := s.store.Level()
	if err != nil {
		return 0
	}
	return level
}

// Fresh waits until this node shows all that any node has acknowledged before, as raftstore.Store.Fresh does.
func (s *State) Fresh(ctx context.Context) error { return s.store.Fresh(ctx) }

// Now is the time of the day.
func (s *State) Now() time.Time { return s.now() }

// NewID makes an id that sorts behind all that were made here before.
func (s *State) NewID() (string, error) { return s.ids.next() }

// JobOf reads a job of the caller's team; CodeNotFound for any other.
func (s *State) JobOf(p farm.Principal, id string) (farm.Job, error) {
	var job farm.Job
	err := s.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Team != p.Team {
		return farm.Job{}, farm.Errorf(farm.CodeNotFound, "there is no job %q", id)
	}
	return job, err
}

// Leased finds the task of an attempt that an agent has the lease of, and its job; CodeConflict when it has it no more.
func (s *State) Leased(a farm.Agent, at wire.Attempt) (task farm.Task, job farm.Job, err error) {
	err = s.View(func(tx *raftstore.Tx) error {
		var err error
		if task, err = tx.Task(at.Task); err != nil {
			return err
		}
		job, err = tx.Job(task.Job)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return task, job, err
	}
	if err != nil || task.Status != farm.TaskLeased || task.Attempt != at.Attempt || task.Agent != a.ID {
		return task, job, farm.Errorf(farm.CodeConflict, "attempt %d of task %s is not this agent's any more", at.Attempt, at.Task)
	}
	return task, job, nil
}

// applyWithin is how long a command may take; a farm without a leader answers sooner by itself.
const applyWithin = 30 * time.Second

// Apply commits a command. A refusal comes back as the error that it is, beside what the command came to. It does not
// stop when its caller leaves: what has been committed must be followed.
func (s *State) Apply(ctx context.Context, cmd command.Command) (command.Result, error) {
	key, err := claim(ctx)
	if err != nil {
		return command.Result{}, err
	}
	if ctx.Value(termKey{}) == nil {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, applyWithin)
	defer cancel()
	res, err := s.store.ApplyFor(ctx, command.Sender{Key: key, Actor: s.actor(ctx, cmd)}, cmd)
	if err != nil {
		return res, err
	}
	s.feed.Await(ctx, res.Index)
	switch {
	case res.Refused != nil:
		return res, res.Refused
	case res.Repeated != nil:
		requestOf(ctx).overtaken = true
		return res, farm.Errorf(farm.CodeUnavailable, "the request with the Idempotency-Key %q has just been carried out; send it again for its answer", key.Key)
	case key != nil:
		requestOf(ctx).claimed = true
	}
	return res, nil
}

// Begin commits a command without waiting for it; the function that it gives does. It carries no request's key.
func (s *State) Begin(ctx context.Context, cmd command.Command) (func() (command.Result, error), error) {
	return s.store.Begin(ctx, cmd)
}

type termKey struct{}

// WithinTerm is the context of what a leader decides by itself. Unlike what callers ask for, it stops with its context: the next leader
// reads from the state what was committed.
func WithinTerm(ctx context.Context) context.Context { return context.WithValue(ctx, termKey{}, true) }
