package raftstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore/command"
)

// ErrNotTaken marks a command that was certainly not accepted: the leader was not reached, or leads no more.
var ErrNotTaken = errors.New("the command was not accepted")

const (
	// leaderWait is how long a command waits for a farm that has lost its leader. Electing another takes a second at most
	// where there is a majority.
	leaderWait = 8 * time.Second
	leaderLook = 5 * time.Millisecond // how often it looks for one meanwhile
)

// Leading is the farm's leader, as a node knows it.
type Leading struct {
	ID      string
	Address string // of its Layer
	Term    uint64 // in which this node knows it as the leader
}

// Proposal is an encoded command on its way from one node to another.
type Proposal struct {
	// ID is unique, also among commands with the same bytes. A command that is tried again keeps its ID.
	ID    string
	Entry []byte
}

// Take applies a command for another node, as the leader of the term in which that node knows it. The error is ErrNotTaken when certainly nothing
// was done. A command that was accepted before is not applied again.
func (s *Store) Take(ctx context.Context, term uint64, p Proposal) (index uint64, err error) {
	if err := s.writable(); err != nil {
		return 0, errors.Join(ErrNotTaken, err)
	}
	if err := s.codec.Understands(p.Entry); err != nil {
		return 0, errors.Join(ErrNotTaken, farm.Errorf(farm.CodeUnavailable, "the farm's leader does not understand the change; update all coordinators to one version: %w", err))
	}
	// A delayed message may arrive after its sender has learnt the outcome in another way.
	if s.raft.State() != raft.Leader || s.raft.CurrentTerm() != term {
		return 0, ErrNotTaken
	}
	return s.taken.once(ctx, term, p.ID, time.Now(), func() (uint64, error) {
		// Whoever asks again wants to know what came of it, also when the first one who asked is gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyWait)
		defer cancel()
		future, answered := s.submit(ctx, p.Entry)
		if err := answered(); err != nil {
			if refusedForCertain(err) {
				return 0, errors.Join(ErrNotTaken, err)
			}
			return 0, err
		}
		res, err := resultOf(future)
		return res.Index, err
	})
}

// submit hands an entry to this node's Raft.
func (s *Store) submit(ctx context.Context, entry []byte) (future raft.ApplyFuture, answered func() error) {
	patience := applyWait
	if deadline, ok := ctx.Deadline(); ok {
		patience = max(time.Until(deadline), time.Millisecond)
	}
	answered = s.await(ctx, func() raft.Future {
		future = s.raft.Apply(entry, patience)
		return future
	})
	return future, answered
}

// refusedForCertain says whether an error means that the entry can never be applied; other errors leave it open.
func refusedForCertain(err error) bool {
	return errors.Is(err, raft.ErrNotLeader) || errors.Is(err, raft.ErrEnqueueTimeout) || errors.Is(err, raft.ErrLeadershipTransferInProgress)
}

// proposal is one command on its way into the log of a farm of several nodes.
type proposal struct {
	Proposal
	store *Store
	mine  *expectation
	// open says that the command may be in a log: that of the leader of term, 0 for this node's own. The same leader may be asked again
	// in the same term, for it knows what it took (proposals.go). Another is asked only once it is settled that the command is not in its log.
	open bool
	term uint64
}

// propose hands an entry to the leader at once, and gives a function that waits until it is applied.
func (s *Store) propose(ctx context.Context, entry []byte) (wait func() (command.Result, error)) {
	p := &proposal{Proposal: Proposal{ID: s.nextProposal(), Entry: entry}, store: s, mine: s.machine.expected.begin(entry)}
	if s.raft.State() != raft.Leader || s.over(ctx) {
		return func() (command.Result, error) {
			defer s.machine.expected.forget(p.mine)
			return p.drive(ctx)
		}
	}
	// Handed over at once, so that what one caller begins in an order stays in it.
	future, answered := s.submit(ctx, entry)
	return func() (command.Result, error) {
		defer s.machine.expected.forget(p.mine)
		err := answered()
		if err == nil {
			return resultOf(future)
		}
		if done, res, err := p.after(ctx, Leading{}, err); done {
			return res, err
		}
		return p.drive(ctx)
	}
}

// drive proposes the entry to one leader after the other until one accepts it, the farm is without a leader for too long, or ctx ends.
func (p *proposal) drive(ctx context.Context) (command.Result, error) {
	for limit := time.Now().Add(leaderWait); time.Now().Before(limit); {
		lead, err := p.store.awaitLeader(ctx)
		if err != nil {
			return command.Result{}, p.unsettled(err)
		}
		if done, res, err := p.settle(ctx, lead); done {
			return res, err
		}
		if p.store.over(ctx) {
			return command.Result{}, ErrLedNoMore
		}
		done, res, err := p.try(ctx, lead)
		if done {
			return res, err
		}
	}
	return command.Result{}, p.unsettled(errNoLeader)
}

// unsettled words an error for whoever asked for a command that may be in a log.
func (p *proposal) unsettled(err error) error {
	if !p.open {
		return err
	}
	return farm.Errorf(farm.CodeUnavailable, "the farm's leader was lost, and the change may or may not have been made: %w", err)
}

// settle finds out whether a command that may be in an earlier leader's log is in the state, before lead is asked for it; done says
// that it is. A leader begins its term with all that can win, so once this node has what lead tells it of, an entry of an earlier term
// is here or in no log that counts. When the leader has changed again meanwhile, lead takes nothing in its old term (Take).
func (p *proposal) settle(ctx context.Context, lead Leading) (done bool, res command.Result, err error) {
	if !p.open || p.term != 0 && p.term == lead.Term {
		return false, command.Result{}, nil
	}
	if err := p.store.Fresh(ctx); err != nil {
		return true, command.Result{}, p.unsettled(err)
	}
	select {
	case res := <-p.mine.answer:
		return true, res, nil
	default:
		p.open = false
		return false, command.Result{}, nil
	}
}

// try hands the entry to the leader once; done is false when nothing came of it and it may be tried again.
func (p *proposal) try(ctx context.Context, lead Leading) (done bool, res command.Result, err error) {
	s := p.store
	if lead.ID == s.id {
		future, answered := s.submit(ctx, p.Entry)
		if err = answered(); err == nil {
			res, err = resultOf(future)
			return true, res, err
		}
		return p.after(ctx, Leading{}, err)
	}
	if s.forward == nil {
		return true, command.Result{}, s.explain(raft.ErrNotLeader)
	}
	under, stop := s.under(ctx, lead)
	index, err := s.forward(under, lead, p.Proposal)
	stop()
	if err != nil {
		return p.after(ctx, lead, err)
	}
	if err := s.awaitApplied(ctx, index); err != nil {
		return true, command.Result{}, err
	}
	select {
	case res = <-p.mine.answer:
		return true, res, nil
	default:
		// The state came as a snapshot with the entry in it.
		return true, command.Result{}, farm.Errorf(farm.CodeUnavailable, "the change was made, but this node did not learn its result; check before you try again")
	}
}

// after decides what follows a failed try with a leader, the zero Leading for this node. Every further try waits a moment.
func (p *proposal) after(ctx context.Context, asked Leading, cause error) (done bool, res command.Result, err error) {
	var refusal *farm.Error
	switch {
	case errors.Is(cause, ErrNotTaken) && errors.As(cause, &refusal):
		return true, command.Result{}, p.unsettled(refusal)
	case refusedForCertain(cause), errors.Is(cause, ErrNotTaken):
		return interval.Wait(ctx, leaderLook) != nil, command.Result{}, unknownIfEnded(ctx)
	case errors.Is(cause, raft.ErrRaftShutdown), ctx.Err() != nil:
		return true, command.Result{}, p.store.explain(cause)
	}
	p.open, p.term = true, asked.Term
	return interval.Wait(ctx, leaderLook) != nil, command.Result{}, unknownIfEnded(ctx)
}

func unknownIfEnded(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("apply command: %w", context.Cause(ctx))
}

// awaitLeader waits until this node knows a leader. It does not wait when there has been none for long.
func (s *Store) awaitLeader(ctx context.Context) (Leading, error) {
	for {
		if s.hasParted() {
			return Leading{}, errParted
		}
		term := s.raft.CurrentTerm()
		if address, id := s.raft.LeaderWithID(); id != "" {
			s.leaderless.Store(nil)
			return Leading{ID: string(id), Address: string(address), Term: term}, nil
		}
		if s.stopped() {
			return Leading{}, s.explain(raft.ErrRaftShutdown)
		}
		now := time.Now()
		s.leaderless.CompareAndSwap(nil, &now)
		if since := s.leaderless.Load(); since != nil && now.Sub(*since) > leaderWait {
			return Leading{}, errNoLeader
		}
		if interval.Wait(ctx, leaderLook) != nil {
			return Leading{}, fmt.Errorf("wait for the farm's leader: %w", context.Cause(ctx))
		}
	}
}

var errNoLeader = farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment: most of its coordinators cannot be reached; try again shortly")

// under ends ctx when the farm's leader changes: the answer of one that was lost may never come.
func (s *Store) under(ctx context.Context, lead Leading) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			changed := s.leaders.next()
			if _, id := s.raft.LeaderWithID(); string(id) != lead.ID {
				cancel(errLeaderLost)
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-over
	}
}

var errLeaderLost = errors.New("the farm's leader was lost")

// followLeaders tells whoever waits of each change of the leader, until ctx ends.
func (s *Store) followLeaders(ctx context.Context) {
	changes := make(chan raft.Observation, 16)
	observer := raft.NewObserver(changes, false, func(o *raft.Observation) bool {
		_, is := o.Data.(raft.LeaderObservation)
		return is
	})
	s.raft.RegisterObserver(observer)
	defer s.raft.DeregisterObserver(observer)
	for {
		select {
		case <-changes:
			if _, id := s.raft.LeaderWithID(); id != "" {
				s.leaderless.Store(nil)
			}
			s.leaders.tell()
		case <-ctx.Done():
			return
		}
	}
}

// stopped says whether the node is being closed.
func (s *Store) stopped() bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	return s.ended
}
