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
)

// housekeep forgets what has expired and drops what nothing names. It looks at files, never at the history of jobs.
func (c *Coordinator) housekeep(ctx context.Context) {
	if err := c.sweepAllAttempts(); err != nil {
		c.log.Error("looking through unfinished results", "error", err)
	}
	tick := time.NewTicker(housekeepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := c.tidy(ctx); err != nil && ctx.Err() == nil {
				c.log.Error("housekeeping", "error", err)
			}
		}
	}
}

func (c *Coordinator) tidy(ctx context.Context) error {
	var err error
	if c.leading() != nil {
		_, err = c.apply(ctx, raftstore.ExpireFiles{At: c.cfg.Now()})
	}
	return errors.Join(err, c.sweepBlobs(), c.sweepAllAttempts())
}

// sweepAllAttempts settles what attempts left behind when their agent or this process went away.
func (c *Coordinator) sweepAllAttempts() error {
	return c.files.List(attemptsFolder, func(o files.Object) error {
		task := strings.TrimSuffix(strings.TrimPrefix(o.Key, attemptsFolder+"/"), "/")
		return c.sweepAttempts(task)
	})
}

// sweepBlobs drops kept files that no template, stored file or unended job names.
func (c *Coordinator) sweepBlobs() error {
	before := time.Now().Add(-blobGrace) // files carry the machine's own time
	return c.files.List("blobs", func(folder files.Object) error {
		return c.files.List(strings.TrimSuffix(folder.Key, "/"), func(o files.Object) error {
			if !o.Modified.Before(before) {
				return nil
			}
			sha256 := o.Key[strings.LastIndexByte(o.Key, '/')+1:]
			return c.files.DeleteIf(o.Key, before, func() (named bool, err error) {
				err = c.store.View(func(tx *raftstore.Tx) (err error) {
					named, err = tx.FileReferenced(sha256)
					return err
				})
				return named, err
			})
		})
	})
}
