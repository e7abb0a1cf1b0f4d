//go:build unix

package main

import (
	"path/filepath"
	"runtime"
)

// usualConfig is where the configuration of a command lies when none is named.
func usualConfig(command string) string {
	folder := "/etc/overcrank"
	if runtime.GOOS == "darwin" {
		folder = "/Library/Application Support/Overcrank"
	}
	return filepath.Join(folder, command+".yaml")
}

// farmFolder is where a farm that somebody starts for themselves keeps its data when no folder is named.
func farmFolder() string {
	if runtime.GOOS == "darwin" {
		return "~/Library/Application Support/Overcrank"
	}
	return "~/.local/share/overcrank"
}

// agentFolder is where an agent keeps its data when no folder is named.
func agentFolder() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Overcrank/agent"
	}
	return "/var/lib/overcrank/agent"
}
