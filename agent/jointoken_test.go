package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTokenThatAnInstallerLeftIsUsedOnce: the machine joins with it, and it is gone when the farm has welcomed the machine.
func TestTheTokenThatAnInstallerLeftIsUsedOnce(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	path := filepath.Join(dir, JoinTokenFile)
	if err := os.WriteFile(path, []byte(joinToken(t)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := startLogged(t, p, dir, "")
	gone := func() bool {
		_, err := os.Lstat(path)
		return os.IsNotExist(err)
	}
	p.eventually("the machine has joined, and the token is gone", func() bool { return p.enrolled == 1 && len(p.hellos) >= 1 && gone() })
	if strings.Contains(log.String(), "ocj_") {
		t.Errorf("the log holds the join token:\n%s", log)
	}
}

// TestATokenThatCannotBeReadKeepsNobodyOut: it is for joining; a machine that has joined starts without it.
func TestATokenThatCannotBeReadKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	dir := t.TempDir()
	r := start(t, p, "normal", dir)
	p.eventually("the greeting", func() bool { return len(p.hellos) > 0 })
	r.stop()
	<-r.done
	if err := os.MkdirAll(filepath.Join(dir, JoinTokenFile, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	startLogged(t, p, dir, "")
	p.eventually("the second greeting", func() bool { return len(p.hellos) >= 2 && p.enrolled == 1 })
}
