package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (m *rig) backups() (all []farm.Backup) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		all, err = tx.Backups()
		return err
	})
	return all
}

func TestTheLatestBackupsAreRemembered(t *testing.T) {
	m := leveled(t)
	backup := func(n int) farm.Backup {
		return farm.Backup{ID: fmt.Sprintf("b%02d", n), At: after(n), EndedAt: after(n + 1), By: "mia", Place: "rack1:/backups", Bytes: 1000}
	}
	for n := 10; n < 10+farm.MostBackups+2; n++ {
		m.must(command.RecordBackup{Backup: backup(n)})
	}
	got := m.backups()
	if len(got) != farm.MostBackups || got[0].ID != backup(9+farm.MostBackups+2).ID || got[len(got)-1].ID != "b12" {
		t.Fatalf("%d are remembered: %+v", len(got), got)
	}
	checked := got[3]
	checked.CheckedAt = after(99)
	m.must(command.RecordBackup{Backup: checked})
	if now := m.backups(); len(now) != farm.MostBackups || !now[3].CheckedAt.Equal(after(99)) || now[len(now)-1].ID != "b12" {
		t.Errorf("a backup that was checked drives others out, or is not marked: %+v", now)
	}
	m.must(command.RecordBackup{Backup: backup(1)}) // older than all that are kept
	if now := m.backups(); len(now) != farm.MostBackups || now[len(now)-1].ID != "b12" {
		t.Errorf("an old backup drives newer ones out: %+v", now)
	}

	wantRefused(t, m, command.RecordBackup{}, farm.CodeInvalid)
	for _, place := range []string{"two\nlines", strings.Repeat("x", farm.MostBackupPlace+1), "https://mia:secret@nas/farm", "https://bucket.example/farm?X-Amz-Signature=1"} {
		b := backup(70)
		b.Place = place
		wantRefused(t, m, command.RecordBackup{Backup: b}, farm.CodeInvalid)
	}
}
