// Package process is about the process that runs this program, and the processes that it starts.
package process

import (
	"fmt"
	"os"
	"runtime"

	"github.com/alecthomas/kong"
)

// ManyFiles is as many open files as no limit at all.
const ManyFiles = 1 << 20

// Program is what a command is told about the program that it is part of.
type Program struct {
	Name    string // of its file, without .exe
	Version string
	// Protocol is the version of the agents' protocol to speak; 0 for that of this release.
	Protocol int
	// Parse parses the command line once more, with the environment and the configuration file as they are now.
	Parse func() (*kong.Context, error)
}

// Itself is the path that starts this very program again: an upgrade may have put another one in its place meanwhile.
func Itself() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return self, nil
}
