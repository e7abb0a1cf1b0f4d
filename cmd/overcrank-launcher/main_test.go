package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestALogThatCannotBeWrittenIsNoError: the agent goes on, and what it prints later is logged when there is room again.
func TestALogThatCannotBeWrittenIsNoError(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	log := rotating(folder, agentLog)
	if n, err := log.Write([]byte("lost\n")); n != 5 || err != nil {
		t.Errorf("it is %d, %v", n, err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if n, err := log.Write([]byte("kept\n")); n != 5 || err != nil {
		t.Errorf("it is %d, %v", n, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, agentLog)); err != nil || string(text) != "kept\n" {
		t.Errorf("the log is %q, %v", text, err)
	}
}

// TestLogsOfAnotherAccountAreSetAside: the system must not write through a link that somebody has put where its log files lie.
func TestLogsOfAnotherAccountAreSetAside(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the rights of files are others there")
	}
	dir := t.TempDir()
	s := &service{logs: filepath.Join(dir, "logs")}
	if remark, err := s.prepareLogs(); err != nil || remark != "" {
		t.Fatalf("where there are none: %q, %v", remark, err)
	}
	if err := os.WriteFile(filepath.Join(s.logs, agentLog), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if remark, err := s.prepareLogs(); err != nil || remark != "" {
		t.Fatalf("its own: %q, %v", remark, err)
	}
	if err := os.Chmod(filepath.Join(s.logs, agentLog), 0o666); err != nil {
		t.Fatal(err)
	}
	remark, err := s.prepareLogs()
	if left, _ := os.ReadDir(s.logs); err != nil || !strings.Contains(remark, ".untrusted-") || len(left) > 0 {
		t.Errorf("somebody else's: %q, %v, with %v", remark, err, left)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if remark, err := s.prepareLogs(); err != nil || s.logs != "" || !strings.Contains(remark, "no log files") {
		t.Errorf("below a folder of everybody's: %q, %v, %q", remark, err, s.logs)
	}
}
