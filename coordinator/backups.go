package coordinator

import (
	"context"
	"io"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// rememberWithin is how long a backup waits to be remembered while the farm has no leader. It is whole either way.
const rememberWithin = 10 * time.Second

// rememberBackup writes a backup down that was read to its end. That it cannot be written down is told to the log alone: the backup is good.
func (c *Coordinator) rememberBackup(b farm.Backup) {
	if c.cluster.Level() < command.BackupsLevel {
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, rememberWithin)
	defer cancel()
	if _, err := c.state.Apply(ctx, command.RecordBackup{Backup: b}); err != nil {
		c.log.Warn("a backup was made, and is missing in the list of backups", "backup", b.ID, "error", err)
	}
}

// BackupChecked notes that a backup was read to its end where it is kept, and is whole. It is for administrators of the farm. CodeNotFound for a
// backup that the farm does not remember.
func (c *Coordinator) BackupChecked(ctx context.Context, p farm.Principal, id string) (farm.Backup, error) {
	if err := p.May(farm.ActBackUp); err != nil {
		return farm.Backup{}, err
	}
	var all []farm.Backup
	if err := c.state.View(func(tx *raftstore.Tx) (err error) {
		all, err = tx.Backups()
		return err
	}); err != nil {
		return farm.Backup{}, err
	}
	for _, b := range all {
		if b.ID == id {
			b.CheckedAt = c.cfg.Now().UTC()
			_, err := c.state.Apply(ctx, command.RecordBackup{Backup: b})
			return b, err
		}
	}
	return farm.Backup{}, farm.Errorf(farm.CodeNotFound, "the farm remembers no backup %s; it remembers the latest %d", id, farm.MostBackups)
}

// counted counts the bytes that are written through it.
type counted struct {
	to io.Writer
	n  int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
