//go:build linux

package farmtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Processes are those whose command line names dir, and the word if there is one.
func Processes(dir string, words ...string) []int {
	entries, _ := os.ReadDir("/proc")
	var pids []int
next:
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil || !bytes.Contains(line, []byte(dir)) {
			continue
		}
		for _, w := range words {
			if !bytes.Contains(line, []byte(w)) {
				continue next
			}
		}
		pids = append(pids, pid)
	}
	return pids
}
