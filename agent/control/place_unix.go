//go:build unix

package control

import (
	"os"
	"path/filepath"
)

const (
	folder = "" // of the socket, below the data folder
	// public is the folder for the sockets of services.
	public = "/var/run/overcrank"
)

// newSocketPath is where this process makes its socket. For root it is in the public folder, since users cannot enter root's data folder.
func newSocketPath(dataDir string) (string, error) {
	if os.Geteuid() != 0 {
		return socketPaths(dataDir)[0], nil
	}
	for _, path := range socketPaths(dataDir) {
		if filepath.Dir(path) == public {
			return path, os.MkdirAll(public, 0o755)
		}
	}
	return socketPaths(dataDir)[0], nil
}

// admit lets all users of this machine connect to the socket.
func admit(path string) error { return os.Chmod(path, 0o666) }
