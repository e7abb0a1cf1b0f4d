//go:build linux

package farmtest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"overcrank/aep/aeptest"
)

// Require makes sure that programs are on this machine which only some tests need, by the names that scripts/require knows.
func Require(t testing.TB, names ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), filepath.Join(aeptest.Repository(t), "scripts", "require"), names...).CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	} else if len(out) > 0 {
		t.Logf("%s", out)
	}
}

// NodeTools is the folder of the npm packages that a list below tools names. They are fetched once for each version of that list, and kept in
// the user's cache folder.
func NodeTools(t testing.TB, name string) string {
	t.Helper()
	Require(t, "node")
	list := filepath.Join(aeptest.Repository(t), "tools", name)
	lock, err := os.ReadFile(filepath.Join(list, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "overcrank-tests", fmt.Sprintf("%s-%x", name, sha256.Sum256(lock)))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	making, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	if err := os.CopyFS(making, os.DirFS(list)); err != nil {
		t.Fatal(err)
	}
	t.Logf("fetching what %s names into %s", list, dir)
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error")
	cmd.Dir = making
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fetching what %s names: %v\n%s", list, err, out)
	}
	if err := os.Rename(making, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return dir
}
