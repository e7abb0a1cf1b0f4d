package raftstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
	"overcrank/raftstore/tables"
)

// bring gives the commands that put a machine's state back to a snapshot.
func (m *testMachine) bring(snapshot []byte, id string, at time.Time) []command.Command {
	m.t.Helper()
	r, err := receive(filepath.Dir(m.path), bytes.NewReader(snapshot))
	if err != nil {
		m.t.Fatalf("%v", err)
	}
	defer r.Close()
	var commands []command.Command
	b := &staging{codec: m.codec, id: id, now: func() time.Time { return at }, apply: func(cmd command.Command) (command.Result, error) {
		commands = append(commands, cmd)
		return command.Result{}, nil
	}}
	if _, err := b.all(r, nil); err != nil {
		m.t.Fatalf("%v", err)
	}
	return commands
}

// broughtBack are all rows of a state that are brought back by a backup of it, save those of machines.
func (m *testMachine) broughtBack() map[row]bool {
	m.t.Helper()
	rows := map[row]bool{}
	for _, r := range m.rows() {
		if tables.ComesBack([]byte(r.bucket), []byte(r.key)) && !strings.HasPrefix(r.bucket, "agents") {
			rows[r] = true
		}
	}
	return rows
}

// machines are the records of all machines by their ids.
func (m *testMachine) machines() map[string]string {
	m.t.Helper()
	records := map[string]string{}
	for _, r := range m.rows() {
		if r.bucket == "agents" {
			records[r.key] = r.value
		}
	}
	return records
}

// livingRows are the rows that stay when the state is replaced.
func (m *testMachine) livingRows() map[row]bool {
	m.t.Helper()
	rows := map[row]bool{}
	for _, r := range m.rows() {
		stays := !tables.ComesBack([]byte(r.bucket), []byte(r.key)) && r.bucket != "incoming state"
		if r.bucket == "meta" {
			stays = slices.Contains([]string{"format", "level", "configuration"}, r.key)
		}
		if stays {
			rows[r] = true
		}
	}
	return rows
}

// populated is a machine with a farm for commandtest.Draw, in a folder of its own. Both are gone when t ends.
func populated(t *rapid.T) *testMachine {
	folder, err := os.MkdirTemp("", "raftstore-property-*")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	m := newTestMachine(t, folder, "single")
	t.Cleanup(m.end)
	for _, cmd := range commandtest.Populate() {
		m.must(cmd)
	}
	return m
}

// seen is what a look at the state shows.
func (m *testMachine) seen() (now commandtest.Seen) {
	m.t.Helper()
	now.Jobs, now.Tasks = map[string]farm.Job{}, map[string]farm.Task{}
	m.read(func(tx *Tx) error {
		jobs, _, err := tx.Jobs("team0", farm.JobQuery{})
		for _, job := range jobs {
			now.Jobs[job.ID] = job
			tasks, failed := tx.TasksOf(job.ID)
			err = errors.Join(err, failed)
			for _, task := range tasks {
				now.Tasks[task.ID] = task
			}
		}
		owed, failed := tx.DeliveriesOwed()
		now.Owed = owed
		return errors.Join(err, failed)
	})
	return now
}

// checkReplays makes sure that the log gives the same state through a snapshot half-way.
func checkReplays(t *rapid.T, m *testMachine) {
	restored := newTestMachine(t, filepath.Dir(m.path), "restored")
	defer restored.end()
	half := len(m.logs) / 2
	restored.ApplyBatch(m.logs[:half])
	data := restored.snapshotBytes()
	if err := restored.Restore(io.NopCloser(bytes.NewReader(data))); err != nil {
		t.Fatalf("%v", err)
	}
	restored.ApplyBatch(m.logs)
	if restored.content() != m.content() || restored.fingerprint() != m.fingerprint() {
		t.Fatalf("a snapshot half-way and the rest of the log give another state")
	}
}

// checkKilled goes on with the state file as a process leaves it that is killed now, and with the whole log.
func checkKilled(t *rapid.T, m *testMachine) {
	folder := filepath.Dir(m.path)
	m.state.Settle() // or the copy would be of two moments
	text, err := os.ReadFile(m.path)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "killed"), text, 0o600)
	}
	if err != nil {
		t.Fatalf("%v", err)
	}
	killed := newTestMachine(t, folder, "killed")
	defer killed.end()
	killed.ApplyBatch(m.logs)
	if killed.content() != m.content() || killed.fingerprint() != m.fingerprint() {
		t.Fatalf("a process that is killed behind the change comes to another state")
	}
}

// TestAnyStateIsPutBackToAnyBackup lets a random farm go on after a backup, puts it back, lets it go on again, and replays its log.
func TestAnyStateIsPutBackToAnyBackup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := populated(t)
		before := m.seen()
		live := func(from, to int) {
			for step := range rapid.IntRange(from, to).Draw(t, "steps") {
				cmd := commandtest.Draw(t, step)
				if move := commandtest.DrawMove(t, step, before); move != nil && rapid.Bool().Draw(t, "fitting") {
					cmd = move
				}
				m.do(cmd)
				before = m.seen()
			}
		}
		live(1, 25)
		backup, want := m.snapshotBytes(), m.broughtBack()
		live(0, 25)
		commands := m.bring(backup, "r1", epoch)
		for _, cmd := range commands[:len(commands)-1] {
			m.must(cmd)
		}
		moment := rapid.IntRange(0, 2).Draw(t, "moment") // at which the log is gone through again: each costs much
		if moment == 0 {
			checkKilled(t, m)
		}
		live(0, 3) // which is lost, but for what is about machines
		machines := m.machines()
		living := m.livingRows()
		if result := m.must(commands[len(commands)-1]); !result.Replaced {
			t.Fatalf("the state was not replaced")
		}
		if now := m.livingRows(); !maps.Equal(now, living) {
			t.Fatalf("what is about the living farm is %v now, and was %v", now, living)
		}
		if moment == 1 {
			checkKilled(t, m)
		}
		got := m.broughtBack()
		for r := range want {
			if !got[r] {
				t.Fatalf("%q is not what it is in the backup", r)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d rows are there, %d in the backup", len(got), len(want))
		}
		after := m.machines()
		for id, agent := range machines {
			if after[id] != agent {
				t.Fatalf("machine %s is %q now, and was %q", id, after[id], agent)
			}
		}
		before = m.seen()
		live(0, 20)
		if moment == 2 {
			checkReplays(t, m)
		}
	})
}

// TestAMachineThatEnrolledAnewDoesNotComeBackTwice restores a backup that knows a machine by the id it had before it was removed. A
// machine that stays away comes back.
func TestAMachineThatEnrolledAnewDoesNotComeBackTwice(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "m")
	defer m.end()
	m.must(command.PutJoinToken{Token: commandtest.Invitation(4)})
	m.must(commandtest.Join("before", "k1", epoch))
	m.must(commandtest.Join("away", "k2", epoch))
	backup := m.snapshotBytes()
	m.must(command.RemoveAgent{ID: "before"})
	m.must(command.RemoveAgent{ID: "away"})
	m.must(commandtest.Join("anew", "k1", epoch))
	for _, cmd := range m.bring(backup, "r", epoch) {
		m.must(cmd)
	}
	m.must(command.RemoveAgent{ID: "away"}) // it is there
	content := m.content()
	if refused := commandtest.Refusal(m.do(command.RemoveAgent{ID: "before"})); refused == nil || refused.Code != farm.CodeNotFound || m.content() != content {
		t.Errorf("removing a machine whose key another one has by now: %v", refused)
	}
	m.read(func(tx *Tx) error {
		if agent, err := tx.AgentByKey("k1"); err != nil || agent.ID != "anew" {
			t.Errorf("the key is that of %q, %v", agent.ID, err)
		}
		return nil
	})
}

func TestAnAttemptsNumberNeverComesTwice(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "m")
	defer m.end()
	m.must(command.PutTeam{Team: farm.Team{ID: "team"}})
	m.must(command.EnrolAgent{Agent: farm.Agent{ID: "a", SecretHash: "h"}})
	m.must(command.SubmitJobs{Jobs: []farm.Job{{ID: "j", Team: "team", OutputName: "j-o.mp4"}}, Tasks: []farm.Task{{ID: "j.0", Job: "j", Team: "team"}}})
	backup := m.snapshotBytes()
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j.0", Attempt: 1, Agent: "a"}}})
	for _, cmd := range m.bring(backup, "r", epoch) {
		m.must(cmd)
	}
	if got := m.taskStatus("j.0"); got != farm.TaskReady {
		t.Fatalf("the task is %s", got)
	}
	// The lease of before the restoration is not taken for one of after it, whoever asks for it.
	if result := m.do(command.FinishTask{Task: "j.0", Attempt: 1}); farm.CodeOf(result.Refused) != farm.CodeConflict {
		t.Errorf("the attempt of before may finish: %v", result.Refused)
	}
	if result := m.do(command.LeaseTasks{Grants: []command.Grant{{Task: "j.0", Attempt: 1, Agent: "a"}}}); result.Each[0] == nil {
		t.Error("the number of an attempt of before is given out again")
	}
	var next int
	m.read(func(tx *tables.Tx) error {
		task, err := tx.Task("j.0")
		if err != nil {
			return err
		}
		next, err = tx.NextAttempt(task)
		return err
	})
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j.0", Attempt: next, Agent: "a"}}})
	if result := m.do(command.FinishTask{Task: "j.0", Attempt: 1}); farm.CodeOf(result.Refused) != farm.CodeConflict {
		t.Errorf("the attempt of before may finish: %v", result.Refused)
	}
	m.must(command.ExpireLeases{Leases: []command.Grant{{Task: "j.0", Attempt: next, Agent: "a"}}, Returned: true})
	m.must(command.LeaseTasks{Grants: []command.Grant{{Task: "j.0", Attempt: next + 1, Agent: "a"}}})
}

func TestRestorationsThatDoNotFitAreRefused(t *testing.T) {
	m := newTestMachine(t, t.TempDir(), "m")
	defer m.end()
	m.must(command.PutTeam{Team: farm.Team{ID: "team"}})
	commands := m.bring(m.snapshotBytes(), "r", epoch)
	if len(commands) != 2 {
		t.Fatalf("%d commands", len(commands))
	}
	refused := func(what string, cmd command.Command) {
		t.Helper()
		before := m.content()
		if result := m.do(cmd); farm.CodeOf(result.Refused) != farm.CodeConflict || result.Replaced {
			t.Errorf("%s: %+v", what, result)
		}
		if m.content() != before {
			t.Errorf("%s has changed the state", what)
		}
	}
	refused("a part without a beginning", command.StageState{Restoration: "r", Number: 1, At: epoch})
	refused("the end of none", commands[1])
	refused("giving none up", command.DropStagedState{Restoration: "r"})
	m.must(commands[0])
	refused("a part out of turn", command.StageState{Restoration: "r", Number: 2, At: epoch})
	refused("a second one", command.StageState{Restoration: "other", Number: 0, At: epoch.Add(time.Second)})
	refused("the end with too few parts", command.ReplaceState{Restoration: "r", Parts: 2})
	refused("giving another up", command.DropStagedState{Restoration: "other"})
	m.must(command.StageState{Restoration: "other", Number: 0, At: epoch.Add(time.Hour)})
	refused("one that stood still", commands[1])
	m.must(command.DropStagedState{Restoration: "other"})
	if slices.ContainsFunc(m.rows(), func(r row) bool { return r.bucket == "incoming state" }) {
		t.Error("parts are left of what was given up")
	}
	if _, err := os.Stat(m.path + ".brought"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestAStateThatWasBroughtHalfOutlivesARestart stops a node between two parts, with and without its state file.
func TestAStateThatWasBroughtHalfOutlivesARestart(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("state file lost %v", lost), func(t *testing.T) {
			folder := t.TempDir()
			s := openStore(t, config(t, folder))
			for i := range 20 {
				putInventory(t, s, i)
			}
			putTeam(t, s, "before")
			backup := backedUp(t, s)
			putTeam(t, s, "later")
			r, err := s.Receive(bytes.NewReader(backup))
			if err != nil {
				t.Fatal(err)
			}
			var commands []command.Command
			b := &staging{codec: s.codec, id: "r", now: time.Now, apply: func(cmd command.Command) (command.Result, error) {
				commands = append(commands, cmd)
				return command.Result{}, nil
			}}
			if _, err := b.all(r, nil); err != nil {
				t.Fatal(err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if len(commands) < 4 {
				t.Fatalf("the test wants more parts than %d", len(commands)-1)
			}
			for i, cmd := range commands {
				if i == 2 || i == len(commands)-1 {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					if lost {
						remove(t, folder, stateFile)
					}
					s = openStore(t, config(t, folder))
				}
				if res, err := s.Apply(t.Context(), cmd); err != nil || res.Refused != nil {
					t.Fatal(i, err, res.Refused)
				}
			}
			check := func() {
				t.Helper()
				if !hasTeam(t, s, "before") || hasTeam(t, s, "later") {
					t.Fatal("the state is not that of the backup")
				}
			}
			check()
			putTeam(t, s, "after")
			_, want, err := s.Fingerprint()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if lost {
				remove(t, folder, stateFile)
			}
			s = openStore(t, config(t, folder))
			check()
			if _, got, err := s.Fingerprint(); err != nil || got != want || !hasTeam(t, s, "after") {
				t.Fatalf("after another start the fingerprint is %s, not %s: %v", got, want, err)
			}
		})
	}
}

// putInventory makes a row that is large and cannot be packed much smaller.
func putInventory(t *testing.T, s *Store, i int) {
	t.Helper()
	id := fmt.Sprint("machine", i)
	noise := make([]string, 1200)
	for j := range noise {
		noise[j] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, id, j)))
	}
	for _, cmd := range []command.Command{
		command.EnrolAgent{Agent: farm.Agent{ID: id, SecretHash: id}},
		command.PutInventory{ID: id, Name: id, Inventory: farm.Inventory{Codecs: noise}},
	} {
		if res, err := s.Apply(t.Context(), cmd); err != nil || res.Refused != nil {
			t.Fatal(err, res.Refused)
		}
	}
}

func TestNothingIsReceivedFromADamagedBackup(t *testing.T) {
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	putTeam(t, s, "team")
	backup := backedUp(t, s)
	index, _, err := s.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	altered := bytes.Clone(backup)
	altered[len(altered)/2] ^= 1
	for name, content := range map[string][]byte{"cut off": backup[:len(backup)-1], "altered": altered, "empty": nil, "another file": []byte(strings.Repeat("x", 100))} {
		if r, err := s.Receive(bytes.NewReader(content)); err == nil {
			t.Errorf("%s: received", name)
			r.Close()
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, receivedFiles))
	if now, _, _ := s.Fingerprint(); err != nil || len(left) > 0 || now != index {
		t.Errorf("left behind: %v, %v; change %d, before %d", left, err, now, index)
	}
	if err := os.WriteFile(filepath.Join(folder, "received-x.db"), backup, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, config(t, folder))
	if left, _ := filepath.Glob(filepath.Join(folder, receivedFiles)); len(left) > 0 {
		t.Errorf("a start leaves behind %v", left)
	}
}

func TestABackupOfAHigherLevelIsRefused(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	putTeam(t, s, "team")
	low := backedUp(t, s)
	if res, err := s.Apply(t.Context(), command.SetLevel{Level: command.NewestLevel, Version: "v"}); err != nil || res.Refused != nil {
		t.Fatal(err, res.Refused)
	}
	high := backedUp(t, s)
	other := openStore(t, config(t, t.TempDir()))
	putTeam(t, other, "team")
	if r, err := other.Receive(bytes.NewReader(high)); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("received %v, %v", r, err)
	}
	putBack(t, s, low)
	if err := s.View(func(tx *tables.Tx) error {
		if level, _, err := tx.Level(); err != nil || level != command.NewestLevel {
			t.Errorf("the level went back to %d: %v", level, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func putBack(t *testing.T, s *Store, backup []byte) (index uint64) {
	t.Helper()
	r, err := s.Receive(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if index, err = s.PutBack(t.Context(), r, time.Now, nil); err != nil {
		t.Fatal(err)
	}
	return index
}

// TestAFarmIsPutBackUnderWork has three nodes take commands from all sides while one that follows puts the state back, another is away
// and catches up by its log or by a snapshot. Of each acknowledged command is known on which side of the change it is.
func TestAFarmIsPutBackUnderWork(t *testing.T) {
	for _, way := range []string{"log", "snapshot", "leader lost"} {
		t.Run(way, func(t *testing.T) {
			var c *cluster
			if way == "leader lost" {
				c = newCluster(t, 3)
			} else {
				c = newSteadyCluster(t, 3, func(int, *Config) {})
			}
			lead := c.leader()
			for i := range 20 {
				putInventory(t, c.nodes[lead], i)
			}
			putTeam(t, c.nodes[lead], "old")
			backup := backedUp(t, c.nodes[lead])
			asked, away := (lead+1)%3, (lead+2)%3
			if way == "leader lost" {
				away = lead
			} else {
				c.stop(away)
			}

			acknowledged := map[string]uint64{}
			var mu sync.Mutex
			var writers sync.WaitGroup
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			for w, node := range c.nodes {
				if node == nil || w == away {
					continue
				}
				writers.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						id := fmt.Sprintf("t%d-%d", w, i)
						res, err := node.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: id}})
						if err != nil {
							t.Errorf("while the state is put back: %v", err)
							return
						}
						mu.Lock()
						acknowledged[id] = res.Index
						mu.Unlock()
					}
				})
			}
			count := func() int {
				mu.Lock()
				defer mu.Unlock()
				return len(acknowledged)
			}
			eventually(t, "commands before", func() bool { return count() > 20 })
			var gone sync.WaitGroup
			r, err := c.nodes[asked].Receive(bytes.NewReader(backup))
			if err != nil {
				t.Fatal(err)
			}
			var once sync.Once
			index, err := c.nodes[asked].PutBack(t.Context(), r, time.Now, func(int64, int64) {
				if way == "leader lost" {
					once.Do(func() { gone.Go(func() { c.stop(lead) }) })
				}
			})
			if err = errors.Join(err, r.Close()); err != nil {
				t.Fatal(err)
			}
			gone.Wait()
			n := count()
			eventually(t, "commands after", func() bool { return count() > n+20 })
			stop()
			writers.Wait()

			if way == "snapshot" {
				now := c.nodes[c.leader()]
				settings := now.raft.ReloadableConfig()
				settings.TrailingLogs = 0
				if err := now.raft.ReloadConfig(settings); err != nil {
					t.Fatal(err)
				}
				if err := now.Snapshot(); err != nil {
					t.Fatal(err)
				}
			}
			c.start(away)
			leader := c.nodes[c.leader()]
			putTeam(t, leader, "last")
			eventually(t, "all nodes to have all", func() bool {
				return !slices.ContainsFunc(c.nodes, func(s *Store) bool { return !hasTeam(t, s, "last") })
			})
			at, want, err := leader.Fingerprint()
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range c.nodes {
				if !hasTeam(t, node, "old") {
					t.Errorf("node %s has not what the backup has", node.ID())
				}
				for id, taken := range acknowledged {
					if there := hasTeam(t, node, id); there != (taken > index) {
						t.Fatalf("command %d of %s, and the state was put back by %d: on node %s there is %v", taken, id, index, node.ID(), there)
					}
				}
				if i, got, err := node.Fingerprint(); err != nil || i != at || got != want {
					t.Errorf("node %s has %s at %d, the leader %s at %d: %v", node.ID(), got, i, want, at, err)
				}
				members, _, err := node.Members()
				if err != nil || len(members) != 3 {
					t.Errorf("members of node %s: %v, %v", node.ID(), members, err)
				}
			}
			checkSameRows(t, c.nodes)
		})
	}
}

// checkSameRows compares the states of nodes byte for byte.
func checkSameRows(t *testing.T, nodes []*Store) {
	t.Helper()
	var want string
	for i, node := range nodes {
		m := &testMachine{machine: node.machine, t: t}
		if got := m.content(); i == 0 {
			want = got
		} else if got != want {
			t.Errorf("the state of node %s is another than that of node %s", node.ID(), nodes[0].ID())
		}
	}
}

func TestARestorationThatStandsStillIsGivenUp(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	putTeam(t, s, "team")
	if res, err := s.Apply(t.Context(), command.StageState{Restoration: "r", At: epoch}); err != nil || res.Refused != nil {
		t.Fatal(err, res.Refused)
	}
	for _, step := range []struct {
		after time.Duration
		left  string
	}{{tables.Standstill, "r"}, {2 * tables.Standstill, ""}, {3 * tables.Standstill, ""}} {
		if err := s.GiveUpRestoring(t.Context(), epoch.Add(step.after)); err != nil {
			t.Fatal(err)
		}
		if err := s.View(func(tx *tables.Tx) error {
			if id, _, err := tx.Restoring(); err != nil || id != step.left {
				t.Errorf("after %v %q goes on: %v", step.after, id, err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzRowsOfAState(f *testing.F) {
	f.Add(appendRow(appendRow(nil, []byte("teams"), []byte("a"), []byte("b")), []byte("jobs"), []byte("c"), nil))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		for {
			row, rest, whole, err := cutRow(data)
			if err != nil || !whole {
				return
			}
			if again := appendRow(nil, row[0], row[1], row[2]); len(rest) >= len(data) || len(again) > len(data)-len(rest) {
				t.Fatalf("a row of %d bytes was cut from %d", len(again), len(data)-len(rest))
			}
			data = rest
		}
	})
}

func TestARestorationFollowsOneThatStoodStill(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	putTeam(t, s, "team")
	backup := backedUp(t, s)
	putTeam(t, s, "later")
	if res, err := s.Apply(t.Context(), command.StageState{Restoration: "r", At: time.Now()}); err != nil || res.Refused != nil {
		t.Fatal(err, res.Refused)
	}
	r, err := s.Receive(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	impatient := func() time.Time { // a clock whose reader does not wait
		cancel()
		return time.Now()
	}
	if _, err := s.PutBack(ctx, r, impatient, nil); farm.CodeOf(err) != farm.CodeConflict {
		t.Errorf("beside one that goes on: %v", err)
	}
	asks := 0
	later := func() time.Time { // a clock that goes on while it is waited
		asks++
		return time.Now().Add(time.Duration(asks) * tables.Standstill / 3)
	}
	if _, err := s.PutBack(t.Context(), r, later, nil); err != nil || hasTeam(t, s, "later") {
		t.Errorf("behind one that stood still: %v", err)
	}
}
