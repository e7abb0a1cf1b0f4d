package coordinator

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Tidy does the housekeeping that otherwise waits for its time.
func (c *Coordinator) Tidy(ctx context.Context) error { return c.tidy(ctx) }

// Retain does what is due after the ends of jobs, which otherwise waits for its time.
func (c *Coordinator) Retain(ctx context.Context) error { return c.retention.Round(ctx) }

// Level is the level that the farm is at.
func (c *Coordinator) Level() (level int, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		level, _, err = tx.Level()
		return err
	})
	return level, err
}

// NodeID is the id of this node.
func (c *Coordinator) NodeID() string { return c.store.ID() }

// ProveFiles reads all files of the farm as the round does that otherwise takes its time, when one is due.
func (c *Coordinator) ProveFiles(ctx context.Context) error { return c.storage.ProveNow(ctx) }

// ReviewFiles looks which damaged files were replaced, which otherwise waits for its time.
func (c *Coordinator) ReviewFiles(ctx context.Context) { c.proofs.Review(ctx) }

// EachReady hands all tasks that are ready on, page by page, as a leader reads its queue.
func (c *Coordinator) EachReady(ctx context.Context, visit func(page []farm.Task) error) error {
	return c.state.EachTask(ctx, farm.TaskReady, visit)
}

// AuthorityPrint is what machines know the farm's authority by.
func (c *Coordinator) AuthorityPrint() string { return c.authority.Fingerprint() }

// Eras are those of the farm.
func (c *Coordinator) Eras() []string { return c.eras }

// SecretKeys are the ids of the keys for secrets.
func (c *Coordinator) SecretKeys() []string { return c.ring.IDs() }

// LeaseAsBefore brings a lease of a job's task into the log that this leader has not decided, as the leader before may have proposed it.
func (c *Coordinator) LeaseAsBefore(ctx context.Context, job, agent string) (task farm.Task, err error) {
	read := func() error {
		return c.state.View(func(tx *raftstore.Tx) error {
			tasks, err := tx.TasksOf(job)
			if err == nil {
				task = tasks[0]
			}
			return err
		})
	}
	if err := read(); err != nil {
		return task, err
	}
	_, err = c.store.Apply(ctx, command.LeaseTasks{Grants: []command.Grant{{Task: task.ID, Attempt: task.Attempt + 1, Agent: agent}}, At: c.cfg.Now(), Rested: true})
	if err == nil {
		err = read()
	}
	return task, err
}
