package raftstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/interval"
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

// errHalted is the answer to commands after the machine has met a fatal error.
var errHalted = errors.New("this node can no longer write its state")

// machine is the state machine: it applies committed entries to a bbolt file, by way of layers in memory. The file is neither
// synced nor written with every entry, because the log is the truth and the file can be made again, or further, from it.
type machine struct {
	path  string
	codec *command.Codec
	fatal func(error) // called once, when an entry cannot be applied: this replica must not live on without it

	portion int // see layered.Options

	rules tables.Applier
	trail trail

	breaches breachLog
	alarm    func(index uint64, what error) // told of each breach; nil for nobody

	ended context.Context // when there is no time left to wait for the disk
	end   context.CancelFunc

	incoming incoming // used by whoever applies

	checkpoint checkpoint
	synced     bool // the file is closed and on the disk

	expected *expected
	progress broadcast // of last
	applied  func([]command.Result)
	replaced func()

	mu    sync.RWMutex // guards db and state against being swapped by Restore
	db    *bbolt.DB
	state *layered.Store // before db
	// leaving are files that were in force and have readers left.
	leaving       sync.WaitGroup
	restoreFailed error // why the last snapshot was not taken; for whoever called Restore
	halted        atomic.Bool
	// See rebuild.go.
	rebuilds    bool                          // somebody makes a damaged file again
	broken      atomic.Pointer[error]         // why the file is not believed any more, nil while it is
	damageFound chan struct{}                 // told then
	walkWanted  chan struct{}                 // asks for a look through the file
	inUse       atomic.Pointer[layered.Store] // state, for those who do not hold mu
	logBegins   uint64                        // index of the first entry of the log at the start

	last atomic.Uint64 // index of the last entry applied
	// What was applied since the last snapshot, see snapshot_schedule.go.
	grown   atomic.Int64 // bytes
	logged  atomic.Int64 // bytes since the start
	entries atomic.Int64
}

var (
	_ raft.BatchingFSM        = (*machine)(nil)
	_ raft.ConfigurationStore = (*machine)(nil)
)

// openMachine opens the state file at path and makes it when it is missing.
func openMachine(path string, codec *command.Codec, fatal func(error), portion int) (*machine, error) {
	db, err := openState(path)
	if err != nil {
		return nil, err
	}
	m := &machine{path: path, codec: codec, fatal: fatal, portion: portion, expected: newExpected(), damageFound: make(chan struct{}, 1), walkWanted: make(chan struct{}, 1)}
	m.rules = tables.Applier{Codec: codec, Sound: m.sound}
	m.incoming = incoming{path: path + ".brought", codec: codec}
	if err := m.incoming.drop(); err != nil { // of a process that was killed
		return nil, errors.Join(err, db.Close())
	}
	m.ended, m.end = context.WithCancel(context.Background())
	m.use(db)
	m.follow()
	if m.last.Load() == 0 { // nothing is in it yet: it is counted from its first row on
		if err := m.state.Verify(func(int) error { return nil }); err != nil {
			return nil, errors.Join(err, m.state.End(), db.Close())
		}
	}
	return m, nil
}

const (
	// defaultPortion is how many bytes of rows are brought to the state file at once: those of some thousand submissions.
	defaultPortion = 8 << 20
)

// use makes an open state file that of the machine.
func (m *machine) use(db *bbolt.DB) {
	m.db = db
	var state *layered.Store
	options := tables.Layout()
	options.Path, options.Portion = m.path, m.portion
	options.Failed = func(err error) (again bool) { return m.inUse.Load() == state && m.unwritten(err) }
	state = layered.New(db, options)
	m.state = state
	m.inUse.Store(state)
}

// follow takes over how far the state file has followed the log.
func (m *machine) follow() {
	index, fingerprint := reached(m.db)
	m.last.Store(index)
	m.trail.begin(index, fingerprint)
}

// halt ends the machine's work after an error. A replica that lived on without the entry that it could not apply would differ from the others.
func (m *machine) halt(err error) {
	if !m.halted.Swap(true) {
		m.fatal(err)
	}
}

// unwritten is called when changes could not be written to the file. They stay in memory and in the log, so the machine waits for a disk that is
// full or read-only; any other cause ends its work.
func (m *machine) unwritten(err error) (again bool) {
	if errors.Is(err, layered.ErrDamaged) && m.rebuilds {
		m.markDamaged(m.inUse.Load(), err)
		return false
	}
	if !durable.Blocked(err) {
		m.halt(err)
		return false
	}
	return interval.Wait(m.ended, diskRetry) == nil
}

// writable is nil while the state file takes changes.
func (m *machine) writable() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.Unwritten()
}

func stateOptions() *bbolt.Options {
	return &bbolt.Options{
		Timeout:         time.Second,
		NoSync:          true,
		NoFreelistSync:  true,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMmapSize(),
	}
}

// lookAtStart is how many bytes of rows are looked at before a state file is used that bbolt itself need not read: a fifth of a second's
// work. The rest is looked at while it is used.
const lookAtStart = 64 << 20

// openState opens a state file, or makes it, in today's format. One of a release that this program does not understand is errNewer, and
// one that is not what was written boltfile.ErrDamaged.
func openState(path string) (*bbolt.DB, error) {
	noted, err := boltfile.FreeNoted(path)
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", path, err)
	}
	room := int64(-1)
	if noted {
		room = lookAtStart
	}
	layout := tables.Layout()
	db, err := boltfile.OpenLooked(path, stateOptions(), func(tx *bbolt.Tx) error { return layered.Examine(tx, layout.Stamp, layout.Buckets, room) })
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", path, err)
	}
	err = boltfile.Guarded(func() error {
		if err := boltfile.Change(db, tables.CreateBuckets); err != nil {
			return err
		}
		return tables.Upgrade(db)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare state %s: %w", path, err), db.Close())
	}
	return db, nil
}

// initialMmapSize is beyond what a state file grows to, since growing the mapping waits for every open reader, a snapshot that
// is being written among them. It takes addresses and no memory; but Windows makes the file that large.
func initialMmapSize() int {
	switch {
	case runtime.GOOS == "windows":
		return 64 << 20
	case strconv.IntSize == 32:
		return 1 << 30
	default:
		return 1 << 36 & math.MaxInt
	}
}

// reached is how far the log has been followed in a state file, and the fingerprint of the state then.
func reached(db *bbolt.DB) (index uint64, fingerprint []byte) {
	_ = boltfile.Guarded(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			at := tables.ReadFile(tx)
			index, fingerprint = at.Index(), at.Fingerprint()
			return nil
		})
	})
	return index, fingerprint
}

// close brings all changes to the file and closes it. It is brought to the disk too, unless a checkpoint is there.
func (m *machine) close() error {
	m.end()
	m.leaving.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	dropped := m.incoming.drop()
	if m.halted.Load() || m.broken.Load() != nil {
		m.checkpoint.release()
		return errors.Join(dropped, m.closeFile(m.db, m.state))
	}
	kept := m.checkpoint.kept()
	err := errors.Join(dropped, m.state.Flush())
	if err == nil {
		err = boltfile.NoteFree(m.db)
	}
	if errors.Is(err, boltfile.ErrDamaged) {
		return err // and the file stays open, see boltfile.NoteFree
	}
	if err == nil && !kept {
		err = m.db.Sync()
		m.synced = err == nil
	}
	m.checkpoint.release()
	if err = errors.Join(err, m.state.End(), m.db.Close()); err == nil {
		err = boltfile.MarkFree(m.path)
	}
	return err
}

// closeFile closes a state file that has been replaced, once its last reader has ended. A file in which damage has left a change half-made
// stays open until the process ends.
func (m *machine) closeFile(db *bbolt.DB, state *layered.Store) error {
	if state.Closable() {
		state.Settle()
	}
	if ended := state.End(); ended != nil || !state.Closable() {
		return ended
	}
	return boltfile.Guarded(db.Close)
}

// Apply applies one entry.
func (m *machine) Apply(log *raft.Log) any { return m.ApplyBatch([]*raft.Log{log})[0] }

// StoreConfiguration keeps the configuration of the cluster; it is called only for entries outside a batch.
func (m *machine) StoreConfiguration(index uint64, configuration raft.Configuration) {
	log := &raft.Log{Index: index, Type: raft.LogConfiguration, Data: raft.EncodeConfiguration(configuration)}
	m.ApplyBatch([]*raft.Log{log})
}

// ApplyBatch applies entries as one change and answers each command with its *command.Result, or errHalted.
func (m *machine) ApplyBatch(logs []*raft.Log) []any {
	answers := make([]any, len(logs))
	for tries := 1; !m.halted.Load(); tries++ {
		err := m.applyBatch(logs, answers)
		if err == nil {
			return answers
		}
		if tries < applyTries && m.awaitRebuilt(err) {
			continue
		}
		if m.broken.Load() == nil || tries == applyTries {
			m.halt(err)
		}
		break
	}
	for i := range answers {
		answers[i] = errHalted
	}
	return answers
}

// applyTries is how often entries are tried to be applied, each time to a state file that was made again.
const applyTries = 3

// applyBatch applies entries in their order; one that replaces the state is a change of its own.
func (m *machine) applyBatch(logs []*raft.Log, answers []any) error {
	for from := 0; from < len(logs); {
		to := from
		for to < len(logs) && !m.replaces(logs[to]) {
			to++
		}
		if to > from {
			if err := m.applyCommands(logs[from:to], answers[from:to]); err != nil {
				return err
			}
		}
		if to == len(logs) {
			return nil
		}
		answer, done, err := m.applyReplacement(logs[to])
		switch {
		case err != nil:
			return err
		case done:
			answers[to] = &answer
			m.publish(logs[to:to+1], []command.Result{answer}, []int{0}, logs[to].Index)
		default:
			if err := m.applyCommands(logs[to:to+1], answers[to:to+1]); err != nil {
				return err
			}
		}
		from = to + 1
	}
	return nil
}

// publish says what entries came to, to whoever waits for them or follows the state: results are of those of logs that fresh names, and last is the index of the
// last entry that was applied.
func (m *machine) publish(logs []*raft.Log, results []command.Result, fresh []int, last uint64) {
	if m.applied != nil && len(results) > 0 {
		m.applied(results)
	}
	for i, at := range fresh {
		m.expected.applied(logs[at].Data, results[i])
	}
	// Last of all: whoever waits for the index finds everything told.
	m.last.Store(last)
	m.progress.tell()
}

// release gives back what is mapped of the state file.
func (m *machine) release() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	tx, err := m.state.Reading()
	if err != nil {
		return err
	}
	return errors.Join(boltfile.Release(tx), tx.Rollback())
}

// size is how large the state file is in use, in bytes.
func (m *machine) size() int64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	tx, err := m.state.Reading()
	if err != nil {
		return 0 // of a damaged file, which is made again
	}
	defer func() { _ = tx.Rollback() }() // of a reading, which has nothing to lose
	return tx.Size()
}

// view runs fn on the state as it is now.
func (m *machine) view(fn func(tx *tables.Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.damage(); err != nil {
		return err
	}
	err := m.state.View(func(rows *layered.Rows) error {
		tx := tables.Read(rows)
		err := fn(tx)
		if failed := tx.Err(); failed != nil {
			m.requestWalk()
			return failed
		}
		return err
	})
	m.markIfDamaged(m.state, err)
	if damage := m.damage(); damage != nil {
		return damage
	}
	return err
}
