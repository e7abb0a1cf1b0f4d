//go:build unix

package runner_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/agent/runner"
)

// TestAFolderOfSomebodyElseIsNotUsed: it lies beside the data folder, where others may have been quicker.
func TestAFolderOfSomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give folders away")
	}
	dir := t.TempDir()
	own, theirs, link := filepath.Join(dir, "own"), filepath.Join(dir, "theirs"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(theirs, 0o700), os.Chown(theirs, 12345, 12345), os.Mkdir(own, 0o700), os.Symlink(own, link), os.Lchown(link, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{theirs, link} {
		if err := runner.Prepare(path); err == nil || !strings.Contains(err.Error(), "to account 12345") {
			t.Errorf("%s: it is %v", path, err)
		}
	}
	for _, path := range []string{own, own, filepath.Join(dir, "new")} {
		if err := runner.Prepare(path); err != nil {
			t.Error(err)
		}
	}
}
