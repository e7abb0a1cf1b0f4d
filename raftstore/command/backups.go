package command

import "overcrank/farm"

// RecordBackup remembers a backup, or what has been found out about one since. Only the latest are remembered.
type RecordBackup struct{ Backup farm.Backup }

func (RecordBackup) Needs() int { return BackupsLevel }
