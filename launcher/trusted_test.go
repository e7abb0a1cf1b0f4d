//go:build unix

package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/durable/programtest"
)

// stranger is an account that has no rights on a machine of a test.
const stranger = 12345

func TestTrusted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "a", "b"), filepath.Join(dir, "a", "b", "file")
	reset := func() {
		t.Helper()
		err := errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.MkdirAll(folder, 0o755), os.WriteFile(file, nil, 0o644), os.Chmod(dir, 0o755))
		if err != nil {
			t.Fatal(err)
		}
	}
	root := os.Geteuid() == 0
	for _, c := range []struct {
		name   string
		change func() error
		want   string // part of the error; "" for none
		asRoot bool
	}{
		{"nothing", func() error { return nil }, "", false},
		{"the file", func() error { return os.Chmod(file, 0o646) }, "file is not safe: every account may write to it", false},
		{"its folder", func() error { return os.Chmod(folder, 0o777) }, "b is not safe", false},
		{"a folder above", func() error { return os.Chmod(filepath.Join(dir, "a"), 0o757) }, "a is not safe", false},
		{"a folder above in which nobody can move the entries of others", func() error { return os.Chmod(dir, 0o777|os.ModeSticky) }, "", false},
		{"the owner", func() error { return os.Chown(file, stranger, 0) }, "file is not safe: it belongs to account 12345", true},
		{"the owner above", func() error { return os.Chown(filepath.Join(dir, "a"), stranger, 0) }, "a is not safe: it belongs to account 12345", true},
		{"a group", func() error { return errors.Join(os.Chown(file, 0, stranger), os.Chmod(file, 0o664)) }, "group 12345 may write to it", true},
		{"a link", func() error {
			return errors.Join(os.Rename(folder, filepath.Join(dir, "a", "c")), os.Symlink("c", folder))
		}, "", false},
		{"a link of somebody else", func() error {
			return errors.Join(os.Rename(folder, filepath.Join(dir, "a", "c")), os.Symlink("c", folder), os.Lchown(folder, stranger, 0))
		}, "b is not safe", true},
		{"where a link leads", func() error {
			return errors.Join(os.Rename(folder, filepath.Join(dir, "a", "c")), os.Symlink("c", folder), os.Chmod(filepath.Join(dir, "a", "c"), 0o777))
		}, "c is not safe", false},
	} {
		if c.asRoot && !root {
			continue // only root can give files away
		}
		reset()
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{"a file": Trusted(file), "a tree": TrustedTree(folder, 1)} {
			var untrusted *UntrustedError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &untrusted) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %s: it is %v, want %q", c.name, what, err, c.want)
			}
		}
	}
	reset()
	if root {
		if err := os.Chown(file, stranger, 0); err != nil {
			t.Fatal(err)
		}
		if err := TrustedTree(dir, 2); err != nil {
			t.Errorf("two levels down, where the file is not: %v", err)
		}
		if err := TrustedTree(dir, 3); err == nil {
			t.Error("three levels down, where the file is, it is trusted")
		}
		if err := Trusted(file, "12345"); err != nil {
			t.Errorf("of an account that is trusted: %v", err)
		}
	}
	if err := os.Chmod(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := TrustedTree(dir, 0); err != nil {
		t.Errorf("a folder without what is in it: %v", err)
	}
	if err := TrustedTree(filepath.Join(dir, "no", "folder"), 1); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := TrustedTree(filepath.Join(dir, "no", "folder"), 1); err == nil {
		t.Error("a folder that everybody could make is trusted")
	}
}

// TestAStateOfAnotherAccountIsSetAside: who makes the state folder before the first installation must not choose what the system starts.
func TestAStateOfAnotherAccountIsSetAside(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(s *station) error{
		"the folder":  func(s *station) error { return os.Chmod(s.folder, 0o777) },
		"the state":   func(s *station) error { return os.Chmod(filepath.Join(s.folder, stateFile), 0o666) },
		"the program": func(s *station) error { return os.Chmod(programOf(s.folder, "9.9.9"), 0o777) },
		"a version":   func(s *station) error { return os.Chmod(filepath.Dir(programOf(s.folder, "9.9.9")), 0o777) },
	} {
		s := newStation(t, good)
		s.must(os.MkdirAll(filepath.Dir(programOf(s.folder, "9.9.9")), 0o755))
		s.must(programtest.Write(programOf(s.folder, "9.9.9"), s.script(good)))
		s.must(os.WriteFile(filepath.Join(s.folder, stateFile), []byte(`{"current": {"version": "9.9.9", "number": 9}}`), 0o644))
		s.must(plant(s))
		r := s.launch(nil)
		r.await("the installed version runs", r.runs("1.0.0", 1))
		r.stop()
		equal(t, name+": started", s.started(), []string{"1.0.0"})
		if aside, err := filepath.Glob(s.folder + ".untrusted-*"); err != nil || len(aside) != 1 {
			t.Errorf("%s: set aside is %v, %v", name, aside, err)
		}
		if !strings.Contains(r.log.String(), "could have changed the launcher's state") {
			t.Errorf("%s: the launcher says nothing of it:\n%s", name, r.log)
		}
		s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good))) // and updates go on
	}
}

// TestWithoutASafeFolder only the installed version is started, and it is told of no folder for updates.
func TestWithoutASafeFolder(t *testing.T) {
	t.Parallel()
	s := newStation(t, `echo "folder=$OVERCRANK_LAUNCHER_STATE"; `+good)
	s.must(os.MkdirAll(filepath.Dir(programOf(s.folder, "9.9.9")), 0o755))
	s.must(programtest.Write(programOf(s.folder, "9.9.9"), s.script(good)))
	s.must(os.WriteFile(filepath.Join(s.folder, stateFile), []byte(`{"current": {"version": "9.9.9", "number": 9}}`), 0o644))
	s.must(os.Chmod(filepath.Dir(s.folder), 0o777))
	defer func() { s.must(os.Chmod(filepath.Dir(s.folder), 0o755)) }()
	r := s.launch(nil)
	r.await("an agent runs, and is told of no folder", func() bool { return strings.Contains(r.log.String(), "folder=\n") })
	r.stop()
	if !strings.Contains(r.log.String(), "the agent was started\" version=1.0.0") || strings.Contains(r.log.String(), "version=9.9.9") {
		t.Errorf("the installed version was not started:\n%s", r.log)
	}
	if !strings.Contains(r.log.String(), "no safe state folder") {
		t.Errorf("the launcher says nothing of it:\n%s", r.log)
	}
}

func TestSetAside(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	aside, err := SetAside(path, time.Date(2026, 11, 23, 15, 4, 5, 0, time.UTC))
	if text, readErr := os.ReadFile(path + ".untrusted-20261123-150405"); err != nil || readErr != nil || string(text) != "mine" || aside != path+".untrusted-20261123-150405" {
		t.Errorf("it is %s with %q, %v, %v", aside, text, err, readErr)
	}
}
