package coordinator_test

import (
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// known are the backups that the farm remembers.
func (r *rig) known() []farm.Backup {
	r.t.Helper()
	status, err := r.Cluster().Status(r.t.Context(), r.admin, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	return status.Backups
}

func TestTheFarmRemembersBackupsThatWereReadToTheirEnd(t *testing.T) {
	r := open(t)
	r.eventually("the farm's level is the newest", func() bool { return r.Cluster().Level() == command.NewestLevel })
	wish := keyed()
	wish.Place = "nas:/backups/farm.ocbackup"
	content := r.backUp(wish)
	known := r.known()
	if len(known) != 1 || known[0].Bytes != int64(len(content)) || known[0].Place != wish.Place || !known[0].Keys || known[0].Files || known[0].By != r.admin.Name || !known[0].CheckedAt.IsZero() {
		t.Fatalf("the farm remembers %+v", known)
	}

	broken, _, err := r.Backup(t.Context(), r.admin, keyed())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	second := r.backUp(coordinator.BackupWish{})
	if known := r.known(); len(known) != 2 || known[0].Bytes != int64(len(second)) || known[0].Keys {
		t.Fatalf("after one that broke off and another one the farm remembers %+v", known)
	}

	checked, err := r.BackupChecked(t.Context(), r.admin, known[0].ID)
	if err != nil || checked.CheckedAt.IsZero() || checked.Place != wish.Place {
		t.Errorf("checked: %+v, %v", checked, err)
	}
	if known := r.known(); len(known) != 2 || !known[1].CheckedAt.Equal(checked.CheckedAt) || !known[0].CheckedAt.IsZero() {
		t.Errorf("after a check the farm remembers %+v", known)
	}
	if _, err := r.BackupChecked(t.Context(), r.admin, "nothing"); farm.CodeOf(err) != farm.CodeNotFound {
		t.Errorf("a backup that nobody took: %v", err)
	}
	for _, place := range []string{"https://mia:secret@nas/farm", "two\nlines", strings.Repeat("x", farm.MostBackupPlace+1)} {
		wish.Place = place
		if _, _, err := r.Backup(t.Context(), r.admin, wish); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("a backup at %q: %v", place, err)
		}
	}

	r.putBack(content)
	if known := r.known(); len(known) != 3 || !strings.Contains(known[0].Place, "before-restore-") || known[1].Bytes != int64(len(second)) {
		t.Errorf("after the farm was put back it remembers %+v", known)
	}
}
