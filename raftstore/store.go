// Package raftstore keeps the farm's state: commands, the state machine on bbolt, snapshots, the Raft node.
package raftstore

import (
	"context"
	"log/slog"

	"overcrank/farm"
)

// Config says where and as whom a node keeps its state.
type Config struct {
	Dir     string // folder of this node's files, made when missing
	NodeID  string // "" makes and keeps one
	Bind    string // host:port of the Raft transport, "127.0.0.1:0" on a single node
	MinFree int64  // bytes that must stay free on the disk, below which Apply refuses; 0 means 1 GiB
	Logger  *slog.Logger
}

// Store is one node of the replicated state.
type Store struct{}

// Result is what a command came to. Refused is nil when it was applied; a refusal by the rules changes nothing.
type Result struct {
	Index   uint64
	Refused *farm.Error
	// Each holds, for LeaseTasks and ExpireLeases, one entry per grant: nil when it stood.
	Each  []*farm.Error
	Jobs  []farm.Job  // as they are after the command, for those commands that move jobs
	Tasks []farm.Task // likewise
}

// Open starts the node; a node without state makes a farm of its own.
func Open(ctx context.Context, cfg Config) (*Store, error) { panic("skeleton: helper C1") }

// Close stops the node and waits for it.
func (s *Store) Close() error { panic("skeleton: helper C1") }

// Apply commits one command and waits until this node's state has it. Errors are *farm.Error of CodeUnavailable when the
// farm has no leader or the disk is full; a refusal is in the Result.
func (s *Store) Apply(ctx context.Context, cmd Command) (Result, error) { panic("skeleton: helper C1") }

// View runs fn on the state as it is now. fn must be short and keep nothing of tx.
func (s *Store) View(fn func(tx *Tx) error) error { panic("skeleton: helper C1") }

// Leadership tells true when this node gains leadership and false when it loses it; the latest is never lost.
func (s *Store) Leadership() <-chan bool { panic("skeleton: helper C1") }

// Barrier waits until this node, as leader, has applied all that was committed before.
func (s *Store) Barrier(ctx context.Context) error { panic("skeleton: helper C1") }

// Ready is nil when there is a leader and this node's state keeps up; otherwise it says why not.
func (s *Store) Ready() error { panic("skeleton: helper C1") }

// Tx is one consistent reading of the state. Methods that find nothing return a *farm.Error of CodeNotFound.
type Tx struct{}

func (tx *Tx) Team(id string) (farm.Team, error)              { panic("skeleton: helper C1") }
func (tx *Tx) Teams() ([]farm.Team, error)                    { panic("skeleton: helper C1") }
func (tx *Tx) TokenByHash(hash string) (farm.Token, error)    { panic("skeleton: helper C1") }
func (tx *Tx) Template(id string) (farm.Template, error)      { panic("skeleton: helper C1") }
func (tx *Tx) Templates(team string) ([]farm.Template, error) { panic("skeleton: helper C1") }
func (tx *Tx) UnreadTemplates() ([]farm.Template, error)      { panic("skeleton: helper C1") } // downloading or processing
func (tx *Tx) Job(id string) (farm.Job, error)                { panic("skeleton: helper C1") }
func (tx *Tx) Jobs(team string, q farm.JobQuery) (jobs []farm.Job, next string, err error) {
	panic("skeleton: helper C1")
}
func (tx *Tx) JobByOutput(outputName string) (farm.Job, error)       { panic("skeleton: helper C1") }
func (tx *Tx) CountJobs(team string) (map[farm.JobStatus]int, error) { panic("skeleton: helper C1") } // kept as counters, no scan
func (tx *Tx) Task(id string) (farm.Task, error)                     { panic("skeleton: helper C1") }
func (tx *Tx) TasksOf(job string) ([]farm.Task, error)               { panic("skeleton: helper C1") }
func (tx *Tx) TasksIn(status farm.TaskStatus) ([]farm.Task, error)   { panic("skeleton: helper C1") } // by index, oldest first
func (tx *Tx) File(team, sha256 string) (farm.StoredFile, error)     { panic("skeleton: helper C1") }
func (tx *Tx) FileReferenced(sha256 string) (bool, error)            { panic("skeleton: helper C1") } // by any template, file or job that has not ended
func (tx *Tx) Agent(id string) (farm.Agent, error)                   { panic("skeleton: helper C1") }
func (tx *Tx) AgentBySecretHash(hash string) (farm.Agent, error)     { panic("skeleton: helper C1") }
func (tx *Tx) Agents() ([]farm.Agent, error)                         { panic("skeleton: helper C1") }
