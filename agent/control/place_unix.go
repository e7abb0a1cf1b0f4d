//go:build unix

package control

import (
	"os"
	"path/filepath"
)

const (
	folder = "" // of the socket, in the data folder
	// public is where services of the system have their sockets.
	public = "/var/run/overcrank"
)

// place is where the socket of this process's agent goes. A service's data folder is closed to users, so its socket lies outside.
func place(dataDir string) (string, error) {
	if os.Geteuid() != 0 {
		return places(dataDir)[0], nil
	}
	for _, path := range places(dataDir) {
		if filepath.Dir(path) == public {
			return path, os.MkdirAll(public, 0o755)
		}
	}
	return places(dataDir)[0], nil
}

// admit lets the users of this machine use the socket, as far as they reach it.
func admit(path string) error { return os.Chmod(path, 0o666) }
