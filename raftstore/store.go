// Package raftstore is one node of the farm's replicated state: Raft, its log, the file of the state, snapshots, members. What the state is,
// and by which rules commands change it, is in package tables.
package raftstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

// Config says where and as whom a node keeps its state.
type Config struct {
	Dir    string // folder of this node's files, made when missing
	NodeID string // "" makes one and keeps it in the folder
	// Layer is how the nodes' Rafts reach each other; nil is enough for a farm of one node that stays one.
	Layer Layer
	// Peers are the nodes of a new cluster, this one among them and the same list on each; empty makes a farm of one node.
	// They count only while the folder holds no state.
	Peers []Peer
	// Await makes no farm where the folder holds no state: the node waits until the leader of another makes it a member.
	Await bool
	// Forward hands a command to the leader, which takes it with Store.Take, and gives its index. The error is ErrNotTaken when
	// it was certainly not accepted. nil: commands are applied on the leader alone.
	Forward func(ctx context.Context, to Leading, p Proposal) (index uint64, err error)
	// ReadIndex asks the leader's Store.ReadIndex; nil where Forward is.
	ReadIndex func(ctx context.Context, to Leading) (index uint64, err error)
	// Applied is told of what commands came to, on every node and in the order of the log, before any of them is answered.
	// It must not block. Replaced is told that the state was replaced by another node's snapshot: what Applied would have
	// been told is unknown. Either may be nil.
	Applied  func([]command.Result)
	Replaced func()
	// Rebuilt is told that the state file was damaged and has been made again: what was read of it before may have been wrong, and is
	// to be read anew. It must not block. It may be nil.
	Rebuilt func()
	MinFree int64 // bytes that must stay free on the disk, below which Apply refuses; 0 means 1 GiB
	Logger  *slog.Logger
	// OnFatal is told that this node cannot apply what the farm has decided, as when the state's file cannot be written.
	// The process must end: started again, the node catches up from its log. nil logs the error and exits with status 1.
	OnFatal func(error)
	// BeforeSync is called before each change of the log is brought to the disk, in whose stead it may take time or fail. nil
	// outside of tests.
	BeforeSync func() error

	// WrongRule is given each row that a rule writes and gives the value to write instead, as a rule of a release that differs
	// from the others would. nil outside of tests, which see that the nodes notice.
	WrongRule func(bucket, key string, value []byte) []byte

	// Silence is how long the others bear that a leader says nothing, before one of them stands for election; 0 for the usual time. Tests that are
	// about something else than how leaders are found bear more: their machine may stand still for a while, and all its nodes with it.
	Silence time.Duration

	portion int // defaultPortion, unless a test sets another
}

// Peer is one node of a cluster.
type Peer struct {
	ID      string
	Address string // of its Layer
}

// Store is one node of the replicated state. It is safe for concurrent use.
type Store struct {
	id      string
	raft    *raft.Raft
	log     *diskLog
	machine *machine
	codec   *command.Codec
	disk    *diskWatch
	mark    stopMark
	// snapshots are those on the disk, the newest first in their list.
	snapshots raft.SnapshotStore
	// snapshotTook is how long the last snapshot took that was written, in nanoseconds.
	snapshotTook atomic.Int64

	closing sync.Once
	closed  error

	rebuilt   func()
	integrity atomic.Pointer[Integrity]

	forward  func(ctx context.Context, to Leading, p Proposal) (index uint64, err error)
	askIndex func(ctx context.Context, to Leading) (index uint64, err error)
	queries  indexQueries
	leaders  broadcast // of changes
	taken    taken
	// leaderless is since when somebody has waited for a leader in vain; nil while there is one.
	leaderless atomic.Pointer[time.Time]
	run        string // begins the ids of what this process proposes
	proposals  atomic.Uint64
	parted     chan struct{} // closed by Part
	parting    sync.Once
	newest     atomic.Bool   // see Level
	caughtUp   atomic.Uint64 // the term in which this node, as leader, has applied all of the terms before

	gate    sync.Mutex // guards ended, and waiters against growing once it is set
	ended   bool
	waiters sync.WaitGroup // goroutines that wait for Raft on behalf of a caller whose context may end first; and tidy
	halt    context.CancelFunc
}

// Files in the folder of a node.
const (
	stableFile = "raft.db" // Raft's stable values
	logFolder  = "log"     // of the files of Raft's log
	stateFile  = "state.db"
	nodeIDFile = "node-id"
)

// NodeIDFile is the name of the file in a node's folder that may be there before there is any state.
const NodeIDFile = nodeIDFile

// Open starts the node; a node without state makes a farm of its own. On a farm of one node it returns when commands can
// be applied and all that was acknowledged before can be read.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.OnFatal == nil {
		cfg.OnFatal = func(err error) {
			cfg.Logger.Error("this node cannot go on and ends; start it again once the cause is gone", "error", err)
			os.Exit(1)
		}
	}
	if err := os.MkdirAll(filepath.Join(cfg.Dir, "snapshots"), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the farm's state: %w", err)
	}
	if err := forgetReceived(cfg.Dir); err != nil {
		return nil, fmt.Errorf("clear the folder of the farm's state: %w", err)
	}
	cfg.portion = cmp.Or(cfg.portion, defaultPortion)
	s, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("open the farm's state in %s: %w", cfg.Dir, err)
	}
	if err := s.awaitOwnLead(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start the farm's state in %s: %w", cfg.Dir, err), s.Close())
	}
	return s, nil
}

// open puts the parts together. Whatever was opened is closed again when a later part fails.
func open(cfg Config) (_ *Store, err error) {
	s := &Store{
		disk: newDiskWatch(cfg.Dir, cfg.MinFree), mark: stopMark{folder: cfg.Dir},
		forward: cfg.Forward, askIndex: cfg.ReadIndex, run: rand.Text() + "-", parted: make(chan struct{}),
	}
	var undo []func() error
	defer func() {
		if err == nil {
			return
		}
		for i := len(undo) - 1; i >= 0; i-- {
			err = errors.Join(err, undo[i]())
		}
	}()
	if s.id = cfg.NodeID; s.id == "" {
		if s.id, err = NodeID(cfg.Dir); err != nil {
			return nil, err
		}
	}
	file, err := openJournal(cfg.Dir)
	if err != nil {
		return nil, err
	}
	s.log = newDiskLog(file, cfg.Dir, cfg.BeforeSync, cfg.Logger)
	undo = append(undo, s.log.Close)
	if s.codec, err = command.NewCodec(tables.Definitions()); err != nil {
		return nil, err
	}
	undo = append(undo, func() error { s.codec.Close(); return nil })
	snapshots, err := raft.NewFileSnapshotStoreWithLogger(cfg.Dir, keptSnapshots, newRaftLogger(cfg.Logger))
	if err != nil {
		return nil, fmt.Errorf("open snapshots: %w", err)
	}
	s.snapshots = snapshots
	s.integrity.Store(&Integrity{})
	var kept bool
	var damage error
	if s.machine, kept, damage, err = recoverMachine(cfg, s.codec, s.mark, file, snapshots); err != nil {
		return nil, err
	}
	undo = append(undo, s.machine.close)
	s.machine.applied, s.machine.replaced, s.machine.rules.Wrong = cfg.Applied, cfg.Replaced, cfg.WrongRule
	s.rebuilt, s.machine.rebuilds = cfg.Rebuilt, true
	s.machine.alarm = func(index uint64, what error) {
		cfg.Logger.Error("a change would have broken the farm's state and was refused or set right; please report this", "change", index, "error", what)
	}
	if s.raft, err = startRaft(cfg, s.id, s.machine, s.log, snapshots, kept); err != nil {
		return nil, errors.Join(err, s.machine.restoreFailed)
	}
	if damage != nil {
		s.noteRebuilt(damage)
	}
	ctx, halt := context.WithCancel(context.Background())
	s.halt = halt
	s.waiters.Go(func() { s.keepSnapshots(ctx, cfg.Logger) })
	s.waiters.Go(func() { s.releaseMapped(ctx, cfg.Logger) })
	s.waiters.Go(func() { s.keepCheckpoints(ctx, cfg.Logger) })
	s.waiters.Go(func() { s.watchState(ctx, cfg.Logger) })
	s.waiters.Go(func() { s.watchDisk(ctx, cfg.Logger, cfg.OnFatal) })
	s.waiters.Go(func() { s.followLeaders(ctx) })
	return s, nil
}

// Close stops the node and waits for it. Closing it again gives the same answer.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.halt()
		s.gate.Lock()
		s.ended = true
		s.gate.Unlock()
		s.answerAll()
		s.log.end()
		s.machine.end()
		err := s.raft.Shutdown().Error()
		s.waiters.Wait()
		s.queries.work.Wait()
		clean := !s.machine.halted.Load() && s.machine.broken.Load() == nil
		err = errors.Join(err, s.machine.close(), s.log.Close())
		s.codec.Close()
		if err == nil && clean && s.machine.synced {
			err = s.mark.clean()
		}
		if errors.Is(err, layered.ErrDamaged) { // or the next start would believe the file
			err = errors.Join(err, s.mark.damaged())
		}
		s.closed = err
	})
	return s.closed
}

// answerAll waits until what is on its way has been answered: Raft forgets what was committed and not yet applied when it is
// stopped, and nobody would ever hear of it. A farm without a quorum answers only when it is stopped.
func (s *Store) answerAll() {
	answered := make(chan struct{})
	go func() {
		s.waiters.Wait()
		close(answered)
	}()
	timer := time.NewTimer(answerWait)
	defer timer.Stop()
	select {
	case <-answered:
	case <-timer.C:
	}
}

// answerWait is how long closing a node waits for answers. They take milliseconds where there are any.
const answerWait = 5 * time.Second

// applyWait bounds how long a command waits to be taken up when its context has no end.
const applyWait = 10 * time.Second

// Apply commits one command and waits until this node's state has it. Errors are *farm.Error of CodeUnavailable when the
// farm has no leader or the disk is full; a refusal is in the Result. After an error that is not a definite refusal, as
// when ctx ends, the command may still be applied.
func (s *Store) Apply(ctx context.Context, cmd command.Command) (command.Result, error) {
	return s.ApplyFor(ctx, command.Sender{}, cmd)
}

// ApplyFor is Apply on behalf of somebody.
func (s *Store) ApplyFor(ctx context.Context, by command.Sender, cmd command.Command) (command.Result, error) {
	wait, err := s.begin(ctx, by, cmd)
	if err != nil {
		return command.Result{}, err
	}
	return wait()
}

// Begin hands a command over without waiting for it; wait gives what Apply would. Its own errors are refusals for certain.
func (s *Store) Begin(ctx context.Context, cmd command.Command) (wait func() (command.Result, error), err error) {
	return s.begin(ctx, command.Sender{}, cmd)
}

func (s *Store) begin(ctx context.Context, by command.Sender, cmd command.Command) (wait func() (command.Result, error), err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("apply command: %w", err)
	}
	if err := s.writable(); err != nil {
		return nil, err
	}
	if err := s.allowed(cmd); err != nil {
		return nil, err
	}
	if by.Actor != nil && !s.audits() {
		by.Actor = nil
	}
	data, err := s.codec.Encode(by, cmd)
	if err != nil {
		return nil, err
	}
	if !s.alone() {
		return s.propose(ctx, data), nil
	}
	future, answered := s.submit(ctx, data)
	return func() (command.Result, error) {
		if err := answered(); err != nil {
			return command.Result{}, s.explain(err)
		}
		return resultOf(future)
	}, nil
}

// resultOf is what an applied command came to.
func resultOf(future raft.ApplyFuture) (command.Result, error) {
	switch answer := future.Response().(type) {
	case *command.Result:
		return *answer, nil
	case error:
		return command.Result{}, farm.Errorf(farm.CodeUnavailable, "the farm's state cannot be written at the moment: %w", answer)
	default:
		return command.Result{}, fmt.Errorf("apply command: the state machine answered with a %T", answer)
	}
}

// await asks Raft for something and gives a function that waits for the answer, at most until ctx ends.
func (s *Store) await(ctx context.Context, ask func() raft.Future) (wait func() error) {
	s.gate.Lock()
	ended := s.ended
	if !ended {
		s.waiters.Add(1)
	}
	s.gate.Unlock()
	if ended {
		return func() error { return raft.ErrRaftShutdown }
	}
	future, done := ask(), make(chan error, 1)
	go func() {
		defer s.waiters.Done()
		done <- future.Error()
	}()
	return func() error {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return fmt.Errorf("the change may or may not have been made: %w", context.Cause(ctx))
		}
	}
}

// explain turns Raft's errors into what a caller can act on.
func (s *Store) explain(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipTransferInProgress):
		address, id := s.raft.LeaderWithID()
		if id == "" {
			return farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment; try again shortly: %w", err)
		}
		return farm.Errorf(farm.CodeUnavailable, "this node does not lead the farm, node %s at %s does: %w", id, address, err)
	case errors.Is(err, raft.ErrEnqueueTimeout):
		return farm.Errorf(farm.CodeUnavailable, "the farm is too busy to take the change; try again shortly: %w", err)
	case errors.Is(err, raft.ErrLeadershipLost):
		return farm.Errorf(farm.CodeUnavailable, "the farm's leader changed; the change may or may not have been made: %w", err)
	case errors.Is(err, raft.ErrRaftShutdown):
		return farm.Errorf(farm.CodeUnavailable, "this node is stopping: %w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return farm.Errorf(farm.CodeUnavailable, "the farm could not store the change: %w", err)
	}
}

// Tx is one consistent reading of the state.
type Tx = tables.Tx

// View runs fn on the state as it is now. fn must be short and keep nothing of tx.
func (s *Store) View(fn func(tx *tables.Tx) error) error {
	return s.machine.view(fn)
}

// Fingerprint is a hash over the rows that all entries up to index have written, in their order: nodes that agree on it hold the same
// state. Below level 3 of the farm it is one over the commands, which says less.
func (s *Store) Fingerprint() (index uint64, fingerprint string, err error) {
	err = s.machine.view(func(tx *tables.Tx) error {
		index, fingerprint = tx.Index(), hex.EncodeToString(tx.Fingerprint())
		return nil
	})
	return index, fingerprint, err
}

// Snapshot writes a snapshot now, after which the log can be shortened. Without anything new it does nothing.
func (s *Store) Snapshot() error {
	began := time.Now()
	switch err := s.raft.Snapshot().Error(); {
	case errors.Is(err, raft.ErrNothingNewToSnapshot):
	case err != nil:
		return fmt.Errorf("write snapshot: %w", err)
	default:
		s.snapshotTook.Store(int64(time.Since(began)))
	}
	return nil
}

// ID is this node's id.
func (s *Store) ID() string { return s.id }

// Size is how large this node's state file is in use, in bytes.
func (s *Store) Size() int64 { return s.machine.size() }
