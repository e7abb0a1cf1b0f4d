package raftstore

import (
	"bytes"
	"context"
	"encoding/binary"
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
	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/layered"
)

// Keys of bucketMeta. They change in the same transaction as the records.
const (
	metaApplied       = "applied"       // index of the last entry applied, 8 bytes
	metaTerm          = "term"          // its term, 8 bytes
	metaFingerprint   = "fingerprint"   // see rowprint.go, 32 bytes
	metaConfiguration = "configuration" // of the Raft cluster, as Raft encodes it
	metaFirstTeam     = "first team"    // id of the team that was made first
	metaFormat        = "format"        // see migrate.go, 8 bytes
)

// errHalted is the answer to commands after the machine has met a fatal error.
var errHalted = errors.New("the state of this node can no longer be written")

// machine is the state machine: it applies committed entries to a bbolt file, by way of layers in memory. The file is neither
// synced nor written with every entry, because the log is the truth and the file can be made again, or further, from it.
type machine struct {
	path  string
	codec *codec
	fatal func(error) // called once, when an entry cannot be applied: this replica must not live on without it

	portion int // see layered.Options

	kept  decoded
	trail trail

	breaches breachLog
	alarm    func(index uint64, what error) // told of each breach; nil for nobody

	ended context.Context // when there is no time left to wait for the disk
	end   context.CancelFunc

	incoming incoming // used by whoever applies

	wrong func(bucket, key string, value []byte) []byte // see Config.WrongRule

	checkpoint checkpoint
	synced     bool // the file is closed and on the disk

	expected *expected
	progress broadcast // of last
	applied  func([]Result)
	replaced func()

	mu    sync.RWMutex // guards db and state against being swapped by Restore
	db    *bbolt.DB
	state *layered.Store // before db
	// leaving are files that were in force and have readers left.
	leaving sync.WaitGroup
	unfit   error // why the last snapshot was not taken; for whoever called Restore
	halted  atomic.Bool
	last    atomic.Uint64 // index of the last entry applied
	// What was applied since the last snapshot, see snapshotting.go.
	grown   atomic.Int64 // bytes
	logged  atomic.Int64 // bytes since the start
	entries atomic.Int64
}

var (
	_ raft.BatchingFSM        = (*machine)(nil)
	_ raft.ConfigurationStore = (*machine)(nil)
)

// openMachine opens the state file at path and makes it when it is missing.
func openMachine(path string, codec *codec, fatal func(error), portion int) (*machine, error) {
	db, err := openState(path)
	if err != nil {
		return nil, err
	}
	m := &machine{path: path, codec: codec, fatal: fatal, portion: portion, expected: newExpected()}
	m.incoming = incoming{path: path + ".brought", unpack: codec.decompressor}
	if err := m.incoming.drop(); err != nil { // of a process that was killed
		return nil, errors.Join(err, db.Close())
	}
	m.ended, m.end = context.WithCancel(context.Background())
	m.use(db)
	m.follow()
	return m, nil
}

const (
	// defaultPortion is how many bytes of rows are brought to the state file at once: those of some thousand submissions.
	defaultPortion = 8 << 20
	// fill is how full pages become where keys are added behind the last one, as ids and times are that grow. What is left
	// lets records grow a little in place.
	fill = 0.9
)

// use makes an open state file that of the machine.
func (m *machine) use(db *bbolt.DB) {
	m.db = db
	m.state = layered.New(db, layered.Options{Buckets: buckets(), Often: bucketsReadOften(), Portion: m.portion, Fill: fill, Failed: m.unwritten})
}

// follow goes on where the state file is.
func (m *machine) follow() {
	m.last.Store(appliedIn(m.db))
	m.trail.begin(m.last.Load(), fingerprintIn(m.db))
}

// halt ends the machine's work after an error: this replica must not live on without what it could not apply.
func (m *machine) halt(err error) {
	if !m.halted.Swap(true) {
		m.fatal(err)
	}
}

// unwritten is told that changes could not be brought to the file. They stay in memory and in the log, so a disk that is full or
// read-only is waited for; whatever else it is ends the machine's work.
func (m *machine) unwritten(err error) (again bool) {
	if !durable.Blocked(err) {
		m.halt(err)
		return false
	}
	return pause(m.ended, diskRetry)
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

// openState opens a state file, or makes it, in today's format. One of a release that this program does not understand is errNewer.
func openState(path string) (*bbolt.DB, error) {
	db, err := boltfile.Open(path, stateOptions())
	if err != nil {
		return nil, fmt.Errorf("open state %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = migrate(db)
	}
	if err == nil {
		err = understood(db)
	}
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

func appliedIn(db *bbolt.DB) (index uint64) {
	_ = db.View(func(tx *bbolt.Tx) error {
		index = lastApplied(layered.Of(tx, buckets()))
		return nil
	})
	return index
}

func fingerprintIn(db *bbolt.DB) (fingerprint []byte) {
	_ = db.View(func(tx *bbolt.Tx) error {
		fingerprint = bytes.Clone(layered.Of(tx, buckets()).Get(bucketMeta, metaFingerprint))
		return nil
	})
	return fingerprint
}

// lastApplied is the index of the last entry that the state holds, 0 for none.
func lastApplied(rows *layered.Rows) uint64 {
	value := rows.Get(bucketMeta, metaApplied)
	if len(value) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// close brings all changes to the file and closes it. It is brought to the disk too, unless a checkpoint is there.
func (m *machine) close() error {
	m.end()
	m.leaving.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	dropped := m.incoming.drop()
	switch {
	case m.halted.Load():
		m.state.Settle()
		m.checkpoint.release()
		return errors.Join(dropped, m.db.Sync(), m.db.Close())
	case m.checkpoint.kept():
		err := errors.Join(dropped, m.state.Flush(), boltfile.NoteFree(m.db))
		m.checkpoint.release()
		return errors.Join(err, m.db.Close())
	default:
		m.synced = true
		return errors.Join(dropped, m.state.Flush(), boltfile.Close(m.db))
	}
}

// Apply applies one entry.
func (m *machine) Apply(log *raft.Log) any { return m.ApplyBatch([]*raft.Log{log})[0] }

// StoreConfiguration keeps the configuration of the cluster; it is called only for entries outside a batch.
func (m *machine) StoreConfiguration(index uint64, configuration raft.Configuration) {
	log := &raft.Log{Index: index, Type: raft.LogConfiguration, Data: raft.EncodeConfiguration(configuration)}
	m.ApplyBatch([]*raft.Log{log})
}

// ApplyBatch applies entries as one change and answers each command with its Result, or errHalted.
func (m *machine) ApplyBatch(logs []*raft.Log) []any {
	answers := make([]any, len(logs))
	if !m.halted.Load() {
		if err := m.applyBatch(logs, answers); err != nil {
			m.halt(err)
		}
	}
	if m.halted.Load() {
		for i := range answers {
			answers[i] = errHalted
		}
	}
	return answers
}

// applyBatch applies entries in their order; one that replaces the state is a change of its own.
func (m *machine) applyBatch(logs []*raft.Log, answers []any) error {
	for from := 0; from < len(logs); {
		to := from
		for to < len(logs) && !replaces(logs[to]) {
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
			answers[to] = answer
			m.told(logs[to:to+1], []Result{answer}, []int{0}, logs[to].Index)
		default:
			if err := m.applyCommands(logs[to:to+1], answers[to:to+1]); err != nil {
				return err
			}
		}
		from = to + 1
	}
	return nil
}

// told tells whoever wants to know what entries came to: results are of those of logs that fresh names, and last is the index of the
// last entry that was applied.
func (m *machine) told(logs []*raft.Log, results []Result, fresh []int, last uint64) {
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
	return boltfile.Release(m.db)
}

// size is how large the state file is in use, in bytes.
func (m *machine) size() (size int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_ = m.db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		return nil
	})
	return size
}

// view runs fn on the tables as they are now.
func (m *machine) view(fn func(t *tables) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.View(func(rows *layered.Rows) error {
		t := &tables{rows: rows, kept: &m.kept}
		err := fn(t)
		if t.err != nil {
			return t.err
		}
		return err
	})
}
