//go:build unix

package folders

import (
	"os"
	"path/filepath"
	"runtime"
)

// Config is the configuration file of a command when none is named.
func Config(command string) string {
	folder := "/etc/overcrank"
	if runtime.GOOS == "darwin" {
		folder = "/Library/Application Support/Overcrank"
	}
	return filepath.Join(folder, command+".yaml")
}

// Farm is the data folder of a farm that somebody starts for themselves: on macOS in Application Support, elsewhere where the XDG Base
// Directory Specification has the data of a user.
func Farm() string {
	if runtime.GOOS == "darwin" {
		return "~/Library/Application Support/Overcrank"
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) { // the specification has relative ones ignored
		return filepath.Join(data, "overcrank")
	}
	return "~/.local/share/overcrank"
}

// Launcher is the state folder of a workstation's launcher.
func Launcher() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Overcrank/launcher"
	}
	return "/var/lib/overcrank/launcher"
}

// Logs is where the agent's service keeps log files, "" where the system keeps what it prints.
func Logs() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Logs/Overcrank"
	}
	return ""
}

// Agent is the data folder of an agent.
func Agent() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Overcrank/agent"
	}
	return "/var/lib/overcrank/agent"
}
