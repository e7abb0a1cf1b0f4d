package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/templates"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	housekeepEvery = 10 * time.Minute
	// blobGrace is how long a kept file that nothing names stays: it may be about to be named.
	blobGrace = time.Hour
	// partGrace is how long a part of a batch waits for the other ones.
	partGrace = time.Hour
	// replacedGrace is how long files stay that nothing names since the farm was put back to a backup: it may be put back again to what
	// it was before.
	replacedGrace = 24 * time.Hour
)

// housekeep forgets what has expired and drops what nothing names. It looks at files, never at the history of jobs.
func (c *Coordinator) housekeep(ctx context.Context) {
	interval.Every(ctx, housekeepEvery, func() {
		if err := c.tidy(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("housekeeping", "error", err)
		}
	})
}

func (c *Coordinator) tidy(ctx context.Context) error {
	if c.leading() == nil || !c.clock.trusted() {
		return nil
	}
	now := c.cfg.Now()
	var err error
	for _, cmd := range []command.Command{
		command.ExpireFiles{At: now}, command.DropParts{Before: now.Add(-partGrace)},
	} {
		_, failed := c.state.Apply(ctx, cmd)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, c.store.GiveUpRestoring(ctx, now), c.requests.Forget(ctx, now), c.DropExpiredTokens(ctx), c.forgetInvitations(ctx), c.cluster.ForgetInvitations(ctx), c.sweepFiles(ctx))
}

// sweepFiles drops files that nothing names. Only the leader does, and only as long as the others agree that it is: a state that is
// behind would not know of what has just come.
func (c *Coordinator) sweepFiles(ctx context.Context) error {
	if err := c.store.Barrier(ctx); err != nil {
		return fmt.Errorf("making sure that this coordinator leads, before files are dropped: %w", err)
	}
	return errors.Join(c.sweepBlobs(ctx), c.sweepAllAttempts(ctx), c.sweepPrivate(ctx), c.files.Sweep(ctx))
}

// sweepAllAttempts settles what attempts left behind when their agent or this process went away.
func (c *Coordinator) sweepAllAttempts(ctx context.Context) error {
	var task string
	var found []files.Object
	settle := func() error {
		if task == "" {
			return nil
		}
		return c.sweepFound(ctx, task, found)
	}
	err := c.files.Walk(ctx, files.Attempts, func(o files.Object) error {
		id, _, _ := strings.Cut(strings.TrimPrefix(o.Key, files.Attempts+"/"), "/")
		if id != task {
			if err := settle(); err != nil {
				return err
			}
			task, found = id, nil
		}
		found = append(found, o)
		return nil
	})
	return errors.Join(err, settle())
}

// sweepFound drops, of the files that the attempts of a task left behind, those that do not count any more.
func (c *Coordinator) sweepFound(ctx context.Context, task string, found []files.Object) error {
	left, err := c.leftBehind(task)
	if err != nil {
		return err
	}
	if left.unknown && slices.ContainsFunc(found, func(o files.Object) bool { return time.Since(o.Modified) < blobGrace }) {
		return nil
	}
	if left.unknown || left.over {
		return c.settleAttempts(ctx, task, left)
	}
	for _, o := range found {
		if !left.stays(o.Key) {
			err = errors.Join(err, c.files.Delete(ctx, strings.TrimSuffix(o.Key, "/")))
		}
	}
	return err
}

// unnamedBefore is from before when files go that nothing names. They carry the machine's own time.
func (c *Coordinator) unnamedBefore() (before time.Time, err error) {
	var replaced time.Time
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		replaced, err = tx.ReplacedAt()
		return err
	})
	if err != nil || c.cfg.Now().Sub(replaced) < replacedGrace {
		return time.Time{}, err
	}
	return time.Now().Add(-blobGrace), nil
}

// sweepBlobs drops kept files that no template, stored file or unended job names.
func (c *Coordinator) sweepBlobs(ctx context.Context) error {
	before, err := c.unnamedBefore()
	if err != nil {
		return err
	}
	return c.files.Walk(ctx, files.Blobs, func(o files.Object) error {
		if !o.Modified.Before(before) || strings.HasSuffix(o.Key, "/") {
			return nil
		}
		return c.sweepBlob(ctx, o.Key, before)
	})
}

// sweepBlob drops a kept file unless something names it, which costs nothing when something does.
func (c *Coordinator) sweepBlob(ctx context.Context, key string, before time.Time) error {
	sha256 := key[strings.LastIndexByte(key, '/')+1:]
	named := func() (named bool, err error) {
		err = c.store.View(func(tx *raftstore.Tx) (err error) {
			named, err = tx.FileReferenced(sha256)
			return err
		})
		return named, err
	}
	if named, err := named(); err != nil || named {
		return err
	}
	if err := c.files.DeleteIf(ctx, key, before, named); err != nil {
		return err
	}
	if named, err := named(); err != nil || named {
		return err
	}
	return c.files.Delete(ctx, templates.PosterKey(sha256))
}
