package raftstore

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/tables"
)

var (
	epoch = commandtest.Epoch
	after = commandtest.After
)

// failer is what both tests and property checks are.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// testMachine is a state machine on a file of its own, fed without Raft. It keeps the log it was fed.
type testMachine struct {
	*machine
	t    failer
	logs []*raft.Log
}

func newTestMachine(t failer, folder, name string) *testMachine {
	t.Helper()
	codec, err := command.NewCodec(tables.Definitions())
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, err := openMachine(filepath.Join(folder, name), codec, func(err error) { t.Fatalf("fatal: %v", err) }, smallPortion)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return &testMachine{machine: m, t: t}
}

// end closes the machine.
func (m *testMachine) end() {
	m.codec.Close()
	if err := m.close(); err != nil {
		m.t.Fatalf("%v", err)
	}
}

// do applies one command as the next entry of the log.
func (m *testMachine) do(cmd command.Command) command.Result {
	m.t.Helper()
	data, err := m.codec.Encode(command.Sender{}, cmd)
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	m.logs = append(m.logs, &raft.Log{Index: uint64(len(m.logs) + 1), Term: 1, Type: raft.LogCommand, Data: data})
	return *m.Apply(m.logs[len(m.logs)-1]).(*command.Result)
}

// must is do for a command that has to be taken.
func (m *testMachine) must(cmd command.Command) command.Result {
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

// content is a hash over all records, indexes and counters, without what is known about the state itself.
func (m *testMachine) content() string {
	m.t.Helper()
	hash := sha256.New()
	for _, row := range m.rows() {
		if row.bucket != "meta" {
			fmt.Fprintf(hash, "%q %q=%q\n", row.bucket, row.key, row.value)
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

type row struct{ bucket, key, value string }

// rows are all rows of the state, in order.
func (m *testMachine) rows() (all []row) {
	m.t.Helper()
	err := m.state.View(func(rows *layered.Rows) error {
		for _, bucket := range tables.Layout().Buckets {
			cursor := rows.Cursor(bucket)
			for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
				all = append(all, row{string(bucket), string(k), string(v)})
			}
		}
		return nil
	})
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	return all
}

func (m *testMachine) fingerprint() (sum string) {
	m.read(func(tx *Tx) error {
		sum = fmt.Sprintf("%d %x", tx.Index(), tx.Fingerprint())
		return nil
	})
	return sum
}

// read runs fn on the state and fails on its error.
func (m *testMachine) read(fn func(tx *tables.Tx) error) {
	m.t.Helper()
	if err := m.view(fn); err != nil {
		m.t.Fatalf("read: %v", err)
	}
}

func (m *testMachine) taskStatus(id string) (status farm.TaskStatus) {
	m.t.Helper()
	m.read(func(tx *tables.Tx) error {
		task, err := tx.Task(id)
		status = task.Status
		return err
	})
	return status
}

// fakeSink receives a snapshot in memory.
type fakeSink struct {
	bytes.Buffer
	closed, cancelled bool
}

func (s *fakeSink) ID() string    { return "memory" }
func (s *fakeSink) Close() error  { s.closed = true; return nil }
func (s *fakeSink) Cancel() error { s.cancelled = true; return nil }

// snapshotBytes takes and writes out a snapshot.
func (m *testMachine) snapshotBytes() []byte {
	m.t.Helper()
	snap, err := m.Snapshot()
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	defer snap.Release()
	var sink fakeSink
	if err := snap.Persist(&sink); err != nil || !sink.closed {
		m.t.Fatalf("persist: %v", err)
	}
	return sink.Bytes()
}

// furnish gives the machine a team, a read template "tmpl", and the agents "a1" and "a2".
func furnish(m *testMachine) {
	for _, cmd := range commandtest.Furnish() {
		m.must(cmd)
	}
}

func submit(m *testMachine, id string, second int) { m.must(commandtest.Submit(id, second)) }

func lease(m *testMachine, task string, attempt, second int) {
	m.must(commandtest.Lease(task, attempt, second))
}

func TestSnapshotRestoresTheSameState(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	data := m.snapshotBytes()
	content, fingerprint := m.content(), m.fingerprint()
	submit(m, "j2", 2)

	other := newTestMachine(t, t.TempDir(), "state")
	defer other.end()
	other.must(command.PutTeam{Team: farm.Team{ID: "replaced"}})
	if err := other.Restore(io.NopCloser(bytes.NewReader(data))); err != nil {
		t.Fatal(err)
	}
	if other.content() != content || other.fingerprint() != fingerprint {
		t.Error("the restored state differs from the one that was taken")
	}
}

func TestDamagedSnapshotLeavesTheStateInForce(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	good := m.snapshotBytes()
	content := m.content()
	for name, data := range map[string][]byte{
		"empty":        {},
		"cut short":    good[:len(good)/2],
		"without sum":  good[:len(good)-5],
		"other magic":  append([]byte("OCSTATE\x09"), good[8:]...),
		"one bit":      flipped(good, len(good)/2),
		"header bit":   flipped(good, 15),
		"huge size":    flipped(good, 16),
		"checksum bit": flipped(good, len(good)-1),
	} {
		if err := m.Restore(io.NopCloser(bytes.NewReader(data))); err == nil {
			t.Errorf("%s: was restored", name)
		}
		if m.content() != content {
			t.Fatalf("%s: changed the state", name)
		}
	}
	submit(m, "j1", 1)
}

func flipped(data []byte, at int) []byte {
	out := bytes.Clone(data)
	out[at] ^= 0x40
	return out
}

func TestEntriesAppliedBeforeArePassedOver(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	submit(m, "j1", 1)
	lease(m, "j1.0", 1, 2)
	content, fingerprint := m.content(), m.fingerprint()
	m.ApplyBatch(m.logs)
	if m.content() != content || m.fingerprint() != fingerprint {
		t.Error("applying the log again changed the state")
	}
}

func TestUnknownEntryHaltsTheMachine(t *testing.T) {
	for name, data := range map[string][]byte{
		"kind": {250, 1, '{', '}'}, "version": {1, 2, '{', '}'}, "empty": {}, "JSON": {1, 1, '{'},
		"compression": {1, 0x81, 1, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTestMachine(t, t.TempDir(), "state")
			defer m.end()
			furnish(m)
			content := m.content()
			var fatal error
			m.fatal = func(err error) { fatal = err }
			entry := &raft.Log{Index: 100, Type: raft.LogCommand, Data: data}
			good := &raft.Log{Index: 101, Type: raft.LogCommand, Data: m.logs[0].Data}
			answers := m.ApplyBatch([]*raft.Log{entry, good})
			if fatal == nil || !slices.Equal(answers, []any{errHalted, errHalted}) {
				t.Errorf("fatal %v, answers %v", fatal, answers)
			}
			if again := m.Apply(good); again != any(errHalted) {
				t.Errorf("the halted machine answered %v", again)
			}
			if m.content() != content {
				t.Error("a halted machine changed its state")
			}
			if _, err := m.Snapshot(); err == nil {
				t.Error("a halted machine gave a snapshot")
			}
		})
	}
}

func TestConfigurationIsKeptWithTheState(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "state")
	defer m.end()
	want := raft.Configuration{Servers: []raft.Server{{ID: "n1", Address: "127.0.0.1:1"}}}
	m.StoreConfiguration(1, want)
	var kept string
	for _, r := range m.rows() {
		if r.bucket == "meta" && r.key == "configuration" {
			kept = r.value
		}
	}
	if got := raft.DecodeConfiguration([]byte(kept)); fmt.Sprint(got) != fmt.Sprint(want) || m.last.Load() != 1 {
		t.Errorf("configuration is %v, applied %d", got, m.last.Load())
	}
}
