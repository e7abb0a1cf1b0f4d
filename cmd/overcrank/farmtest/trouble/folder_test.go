//go:build linux

package trouble_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"overcrank/coordinator"
)

func TestUpRefusesValuesItCannotWorkWith(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for flag, words := range map[string]string{
		"--lease=1ms": "1s at least", "--slots=0": "needs one at least", "--min-free=-5": "below 0", "--listen=foo": "host:port", "--listen=203.0.113.1:8080": "choose another address",
		"--public-address=javascript:x": "https://", "--public-address=farm.local": "https://", "--public-address=http://a:b@farm": "https://",
		"--node-address=rack1": "--node-address",
	} {
		if said := farmtest.Refusal(t, "--data-dir", dir, "--listen", "127.0.0.1:0", flag); !strings.Contains(said, words) {
			t.Errorf("%s: it said, without %q:\n%s", flag, words, said)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if said := farmtest.Refusal(t, "--data-dir", file, "--listen", "127.0.0.1:0"); !strings.Contains(said, file) {
		t.Errorf("a file as data folder: it said:\n%s", said)
	}
}

func TestAFirstStartOnAFullDiskEndsAndSaysSo(t *testing.T) {
	t.Parallel()
	for range 3 { // the server has begun to serve by the time it is stopped, or not
		if said := farmtest.Refusal(t, "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0", "--min-free=9000000000000000"); !strings.Contains(said, "MB free") {
			t.Errorf("it said:\n%s", said)
		}
	}
}

func TestASecondUpLeavesTheFirstInPeace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	template := f.Card()
	if said := farmtest.Refusal(t, "--data-dir", dir, "--listen", "127.0.0.1:0"); !strings.Contains(said, "already running") {
		t.Errorf("on the same folder it said:\n%s", said)
	}
	other := filepath.Join(t.TempDir(), "other")
	if said := farmtest.Refusal(t, "--data-dir", other, "--listen", strings.TrimPrefix(f.Server, "http://")); !strings.Contains(said, "in use") {
		t.Errorf("on the same address it said:\n%s", said)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("the one that could not listen left a folder behind")
	}
	f.GoesOn(template)
}

// TestUpNamesWhatIsWrongWithItsFolder spoils the folder of a farm that holds a template.
func TestUpNamesWhatIsWrongWithItsFolder(t *testing.T) {
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	f := farmtest.Up(t, whole)
	template := f.Card()
	f.GoesOn(template) // the agent has its credential then
	f.Stop()
	remove := func(names ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(append([]string{dir}, names...)...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(size int64, names ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(append([]string{dir}, names...)...), size); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		words []string // none when the farm mends itself
	}{
		"key gone":               {remove("farm.key"), []string{"farm.key", "backup"}},
		"key empty":              {cut(0, "farm.key"), []string{"farm.key", "backup"}},
		"authority's key gone":   {remove("ca.key"), []string{"ca.key", "backup"}},
		"authority's key empty":  {cut(0, "ca.key"), []string{"ca.key", "backup"}},
		"authority gone":         {func(t *testing.T, dir string) { remove("ca.key")(t, dir); remove("ca.crt")(t, dir) }, []string{"ca.key", "backup", "invite"}},
		"authority's paper gone": {remove("ca.crt"), nil},
		"state gone":             {remove("state"), []string{"state is gone", "backup"}},
		"log gone":               {remove("state", "log"), []string{"log was replaced or removed", "put back"}},
		"log cut short":          {cut(300, "state", "log", "00000000000000000001.log"), []string{"log was replaced or removed", "put back"}},
		"log's term gone":        {remove("state", "raft.db"), []string{"raft.db", "put back"}},
		"log's term cut short":   {cut(5000, "state", "raft.db"), []string{"raft.db", "damaged", "backup"}},
		"name gone":              {remove("state", "node-id"), []string{"node-id", "write"}},
		"state cut short":        {cut(9000, "state", "state.db"), nil},
		"agent forgot":           {cut(1, "agent", "credential.json"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "farm")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, dir)
			if c.words == nil {
				farmtest.Up(t, dir).GoesOn(template)
				return
			}
			said := farmtest.Refusal(t, "--data-dir", dir, "--listen", "127.0.0.1:0")
			for _, w := range c.words {
				if !strings.Contains(said, w) {
					t.Errorf("it said, without %q:\n%s", w, said)
				}
			}
			if strings.Contains(said, "goroutine ") {
				t.Errorf("it ended with a stack trace:\n%s", said)
			}
		})
	}
}

func TestALostTokenIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := farmtest.Up(t, dir)
	old := f.Token
	f.Stop()
	if err := os.Remove(filepath.Join(dir, coordinator.AdminTokenFile)); err != nil {
		t.Fatal(err)
	}
	f = farmtest.Up(t, dir, "--new-admin-token")
	if f.Token == old {
		t.Fatal("the token is the old one")
	}
	st, err := os.Stat(filepath.Join(dir, coordinator.AdminTokenFile))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v; want mode 0600", coordinator.AdminTokenFile, st, err)
	}
	f.Card()
	f.Token = old
	f.Card()
}
