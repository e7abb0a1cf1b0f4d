package retention

import (
	"context"
	"errors"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	// unnamedFor is how long a kept file stays that nothing names: something may be about to name it.
	unnamedFor = time.Hour
	// unnamedForJob is the same for a file that a job brought with it and that goes with the job: the same may be on its way again.
	unnamedForJob = time.Minute
	// replacedFor is how long files stay that nothing names since the farm was put back to a backup: it may be put back again to what it was
	// before.
	replacedFor = 24 * time.Hour
)

// UnnamedBefore is from before when files are deleted that nothing names, by the machine's own time.
func (r *Retention) UnnamedBefore() (before time.Time, err error) {
	var replaced time.Time
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		replaced, err = tx.ReplacedAt()
		return err
	})
	if err != nil || r.state.Now().Sub(replaced) < replacedFor {
		return time.Time{}, err
	}
	return time.Now().Add(-unnamedFor), nil
}

// SweepBlobs deletes kept files that no template, stored file or unended job names.
func (r *Retention) SweepBlobs(ctx context.Context) error {
	before, err := r.UnnamedBefore()
	if err != nil {
		return err
	}
	return r.cfg.Files.Walk(ctx, files.Blobs, func(o files.Object) error {
		if !o.Modified.Before(before) || strings.HasSuffix(o.Key, "/") {
			return nil
		}
		return r.sweepBlob(ctx, o.Key, before)
	})
}

// sweepBlob deletes a kept file unless something names it, which costs nothing when something does.
func (r *Retention) sweepBlob(ctx context.Context, key string, before time.Time) error {
	sha256 := key[strings.LastIndexByte(key, '/')+1:]
	named := func() (named bool, err error) {
		err = r.state.View(func(tx *raftstore.Tx) (err error) {
			named, err = tx.FileReferenced(sha256)
			return err
		})
		return named, err
	}
	if named, err := named(); err != nil || named {
		return err
	}
	if err := r.cfg.Files.DeleteIf(ctx, key, before, named); err != nil {
		return err
	}
	if named, err := named(); err != nil || named {
		return err
	}
	return errors.Join(r.cfg.Files.Delete(ctx, files.PosterKey(sha256)), r.cfg.Files.DeleteBelow(ctx, files.ReelsKey(sha256, "")))
}

// sweepFilesOf deletes the files of a job that nothing names any more, unless they came just now; SweepBlobs deletes those later.
func (r *Retention) sweepFilesOf(ctx context.Context, job farm.Job) (err error) {
	for _, sha256 := range job.KeptFiles() {
		if key, bad := files.BlobKey(sha256); bad == nil {
			err = errors.Join(err, r.sweepBlob(ctx, key, time.Now().Add(-unnamedForJob)))
		}
	}
	return err
}
