//go:build unix

package workstation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnInvitationOfAnotherAccount is refused where everybody may write: a machine must not join the farm of whoever has put one into /tmp.
func TestAnInvitationOfAnotherAccount(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	pack, beside := filepath.Join(dir, "overcrank-agent.deb"), filepath.Join(dir, invitationFile)
	for _, path := range []string{pack, beside} {
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		mode           os.FileMode
		pack, beside   int // owners
		refusedBecause string
	}{
		{0o777 | os.ModeSticky, 0, 12345, "another account"}, {0o777 | os.ModeSticky, 12345, 12345, ""}, {0o777 | os.ModeSticky, 12345, 0, ""}, {0o755, 0, 12345, ""},
	} {
		for path, owner := range map[string]int{pack: c.pack, beside: c.beside} {
			if err := os.Chown(path, owner, owner); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := invited(pack)
		if c.refusedBecause == "" && err != nil || c.refusedBecause != "" && (err == nil || !strings.Contains(err.Error(), c.refusedBecause)) {
			t.Errorf("%+v: it is %v", c, err)
		}
	}
}
