package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) recordBackup(c command.RecordBackup) command.Result {
	kept := t.keysUnder(bucketBackups, "")
	switch {
	case c.Backup.ID == "":
		return refusef(farm.CodeInvalid, "a backup needs an id")
	case !farm.CheckBackupPlace(c.Backup.Place).IsZero():
		return refusef(farm.CodeInvalid, "the place of a backup %s", farm.CheckBackupPlace(c.Backup.Place))
	case len(kept) >= farm.MostBackups && c.Backup.ID < kept[0]:
		return command.Result{} // everything that is remembered is newer
	}
	if !t.has(bucketBackups, c.Backup.ID) {
		for i := 0; i <= len(kept)-farm.MostBackups; i++ {
			t.remove(bucketBackups, kept[i])
		}
	}
	put(t, bucketBackups, c.Backup.ID, c.Backup)
	t.note(farm.EventFarm, "", "")
	return command.Result{}
}

// Backups reads the backups that the farm remembers, the newest first.
func (tx *Tx) Backups() ([]farm.Backup, error) {
	keys := tx.t.keysUnder(bucketBackups, "")
	all := make([]farm.Backup, 0, len(keys))
	for i := len(keys) - 1; i >= 0; i-- {
		b, _ := get[farm.Backup](tx.t, bucketBackups, keys[i])
		all = append(all, b)
	}
	return all, tx.t.err
}
