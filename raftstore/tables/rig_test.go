package tables

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/faults/leaktest"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
	"overcrank/raftstore/layered"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := commandtest.FewerChecks(); err != nil {
		panic(err)
	}
	leaktest.Main(m)
}

var (
	epoch = commandtest.Epoch
	after = commandtest.After
	jobOf = commandtest.JobOf
)

// failer is what both tests and property checks are.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// rig is a state in a file of its own, fed commands without Raft. It keeps the log it was fed.
type rig struct {
	t        failer
	db       *bbolt.DB
	state    *layered.Store
	rules    Applier
	log      []Entry
	breaches []error // that were met
}

// smallPortion brings changes to the file after every few commands, so that tests meet them in memory, there, and between.
const smallPortion = 2000

func newRig(t failer, folder, name string) *rig {
	t.Helper()
	codec, err := command.NewCodec(Definitions())
	if err != nil {
		t.Fatalf("%v", err)
	}
	db, err := bbolt.Open(filepath.Join(folder, name), 0o600, &bbolt.Options{NoSync: true})
	if err == nil {
		err = db.Update(CreateBuckets)
	}
	if err == nil {
		err = Upgrade(db)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	return newRigOn(t, db, codec)
}

// newRigOn is a rig on an open file that is prepared.
func newRigOn(t failer, db *bbolt.DB, codec *command.Codec) *rig {
	m := &rig{t: t, db: db, rules: Applier{Codec: codec, Sound: func() error { return nil }}}
	options := Layout()
	options.Path, options.Portion = db.Path(), smallPortion
	options.Failed = func(err error) bool { t.Fatalf("fatal: %v", err); return false }
	m.state = layered.New(db, options)
	return m
}

// end brings all changes to the file and closes it.
func (m *rig) end() {
	m.rules.Codec.Close()
	m.flush()
	if err := m.state.End(); err != nil {
		m.t.Fatalf("%v", err)
	}
	if err := m.db.Close(); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// flush brings all changes to the file.
func (m *rig) flush() {
	m.t.Helper()
	if err := m.state.Flush(); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// copyTo writes the file as it is now, with all changes, to another.
func (m *rig) copyTo(path string) {
	m.t.Helper()
	m.flush()
	if err := m.db.View(func(tx *bbolt.Tx) error { return tx.CopyFile(path, 0o600) }); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// encode makes the next entry of the log.
func (m *rig) encode(by command.Sender, cmd command.Command) Entry {
	m.t.Helper()
	data, err := m.rules.Codec.Encode(by, cmd)
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	entry := Entry{Index: uint64(len(m.log) + 1), Term: 1, Data: data}
	m.log = append(m.log, entry)
	return entry
}

// apply applies entries as one change.
func (m *rig) apply(entries []Entry) []command.Result {
	m.t.Helper()
	applied, err := m.rules.Apply(m.state, entries)
	if err != nil {
		m.t.Fatalf("fatal: %v", err)
	}
	results := make([]command.Result, len(applied))
	for i, a := range applied {
		results[i] = a.Result
		m.breaches = append(m.breaches, a.Breaches...)
	}
	return results
}

// do applies one command as the next entry of the log.
func (m *rig) do(cmd command.Command) command.Result {
	m.t.Helper()
	return m.apply([]Entry{m.encode(command.Sender{}, cmd)})[0]
}

// doFor is do on behalf of a request.
func (m *rig) doFor(key command.RequestKey, cmd command.Command) command.Result {
	m.t.Helper()
	return m.apply([]Entry{m.encode(command.Sender{Key: &key}, cmd)})[0]
}

// batch applies several commands as one change.
func (m *rig) batch(cmds ...command.Command) []command.Result {
	m.t.Helper()
	from := len(m.log)
	for _, cmd := range cmds {
		m.encode(command.Sender{}, cmd)
	}
	return m.apply(m.log[from:])
}

// must is do for a command that has to be taken.
func (m *rig) must(cmd command.Command) command.Result {
	m.t.Helper()
	result := m.do(cmd)
	if result.Refused != nil {
		m.t.Fatalf("%T refused: %v", cmd, result.Refused)
	}
	for i, err := range result.Each {
		if err != nil {
			m.t.Fatalf("%T refused grant %d: %v", cmd, i, err)
		}
	}
	return result
}

// content is a hash over all records, indexes and counters, without the meta bucket.
func (m *rig) content() string {
	m.t.Helper()
	hash := sha256.New()
	m.tables(func(t *tables) error {
		for _, name := range buckets() {
			if bytes.Equal(name, bucketMeta) {
				continue
			}
			fmt.Fprintf(hash, "%q\n", name)
			cursor := t.cursor(name)
			for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
				fmt.Fprintf(hash, "%q=%q\n", k, v)
			}
		}
		return nil
	})
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// tables runs fn on the tables and fails on its error.
func (m *rig) tables(fn func(t *tables) error) {
	m.t.Helper()
	m.read(func(tx *Tx) error { return fn(tx.t) })
}

func (m *rig) fingerprint() (sum string) {
	m.read(func(tx *Tx) error {
		sum = fmt.Sprintf("%d %x", tx.Index(), tx.Fingerprint())
		return nil
	})
	return sum
}

// read runs fn on the state and fails on its error.
func (m *rig) read(fn func(tx *Tx) error) {
	m.t.Helper()
	if err := m.state.View(func(rows *layered.Rows) error {
		tx := Read(rows)
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Err()
	}); err != nil {
		m.t.Fatalf("read: %v", err)
	}
}

// see is read for what cannot fail.
func (m *rig) see(look func(tx *Tx)) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		look(tx)
		return nil
	})
}

func (m *rig) jobStatus(id string) (status farm.JobStatus) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		job, err := tx.Job(id)
		status = job.Status
		return err
	})
	return status
}

func (m *rig) taskStatus(id string) (status farm.TaskStatus) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		task, err := tx.Task(id)
		status = task.Status
		return err
	})
	return status
}

// furnish gives the state a team, a read template "tmpl", and the machines "a1" and "a2".
func furnish(m *rig) {
	for _, cmd := range commandtest.Furnish() {
		m.must(cmd)
	}
}

func submit(m *rig, id string, second int) { m.must(commandtest.Submit(id, second)) }

func lease(m *rig, task string, attempt, second int) {
	m.must(commandtest.Lease(task, attempt, second))
}

func wantRefused(t *testing.T, m *rig, cmd command.Command, code farm.Code) {
	t.Helper()
	before := m.content()
	refused := commandtest.Refusal(m.do(cmd))
	if refused == nil || refused.Code != code || refused.Message == "" {
		t.Errorf("%T answered %v, want a refusal of code %s", cmd, refused, code)
	}
	if m.content() != before {
		t.Errorf("%T was refused and changed the state", cmd)
	}
}

// TestEntriesAppliedBeforeArePassedOver applies a log again.
func TestEntriesAppliedBeforeArePassedOver(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	lease(m, "j1.0", 1, 2)
	content, fingerprint := m.content(), m.fingerprint()
	m.apply(m.log)
	if m.content() != content || m.fingerprint() != fingerprint {
		t.Error("applying the log again changed the state")
	}
}

// reopened is another rig on a copy of the file.
func (m *rig) reopened(path string) *rig {
	m.t.Helper()
	_ = os.Remove(path)
	m.copyTo(path)
	return newRig(m.t, filepath.Dir(path), filepath.Base(path))
}
