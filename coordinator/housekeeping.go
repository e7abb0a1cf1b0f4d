package coordinator

import (
	"context"
	"errors"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/raftstore"
)

const (
	housekeepEvery = 10 * time.Minute
	// blobGrace is how long a kept file that nothing names stays: it may be about to be named.
	blobGrace = time.Hour
	// partGrace is how long a part of a batch waits for the other ones.
	partGrace = time.Hour
)

// housekeep forgets what has expired and drops what nothing names. It looks at files, never at the history of jobs.
func (c *Coordinator) housekeep(ctx context.Context) {
	if err := c.sweepAllAttempts(); err != nil {
		c.log.Error("looking through unfinished results", "error", err)
	}
	every(ctx, housekeepEvery, func() {
		if err := c.tidy(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("housekeeping", "error", err)
		}
	})
}

func (c *Coordinator) tidy(ctx context.Context) error {
	var err error
	if c.leading() != nil {
		now := c.cfg.Now()
		for _, cmd := range []raftstore.Command{
			raftstore.ExpireFiles{At: now}, raftstore.DropParts{Before: now.Add(-partGrace)},
		} {
			_, failed := c.apply(ctx, cmd)
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, c.forgetRequests(ctx, now), c.dropExpiredTokens(ctx), c.forgetInvitations(ctx))
	}
	return errors.Join(err, c.sweepBlobs(), c.sweepAllAttempts(), c.sweepPrivate())
}

// sweepAllAttempts settles what attempts left behind when their agent or this process went away.
func (c *Coordinator) sweepAllAttempts() error {
	return c.files.List(ctx, attemptsFolder, func(o files.Object) error {
		task := strings.TrimSuffix(strings.TrimPrefix(o.Key, attemptsFolder+"/"), "/")
		return c.sweepAttempts(task)
	})
}

// sweepBlobs drops kept files that no template, stored file or unended job names.
func (c *Coordinator) sweepBlobs() error {
	before := time.Now().Add(-blobGrace) // files carry the machine's own time
	return c.files.List(ctx, "blobs", func(folder files.Object) error {
		return c.files.List(ctx, strings.TrimSuffix(folder.Key, "/"), func(o files.Object) error {
			if !o.Modified.Before(before) {
				return nil
			}
			return c.sweepBlob(o.Key, before)
		})
	})
}

func (c *Coordinator) sweepBlob(key string, before time.Time) error {
	sha256 := key[strings.LastIndexByte(key, '/')+1:]
	named := true
	err := c.files.DeleteIf(ctx, key, before, func() (bool, error) {
		err := c.store.View(func(tx *raftstore.Tx) (err error) {
			named, err = tx.FileReferenced(sha256)
			return err
		})
		return named, err
	})
	if err != nil || named {
		return err
	}
	return c.files.Delete(ctx, posterKey(sha256))
}
