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
	// given is how systemd names it.
	given = "/run/overcrank"
)

// newSocketPath is where this process makes its socket. For a service it is in the public folder, since users cannot enter its data folder: for root, and for
// a service of systemd that has been given the folder (RuntimeDirectory=overcrank).
func newSocketPath(dataDir, socket string) (string, error) {
	if os.Geteuid() != 0 && os.Getenv("RUNTIME_DIRECTORY") != given {
		return socketPaths(dataDir, socket)[0], nil
	}
	for _, path := range socketPaths(dataDir, socket) {
		if filepath.Dir(path) == public {
			return path, os.MkdirAll(public, 0o755)
		}
	}
	return socketPaths(dataDir, socket)[0], nil
}

// admit lets all users of this machine connect to the socket.
func admit(path string) error { return os.Chmod(path, 0o666) }
