package control

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// socketName is the name of an agent's socket in a data folder.
const socketName = "control"

// longestPath is the longest path of a socket, in bytes, that every system accepts; the limit of macOS is the lowest, 104 with the end.
const longestPath = 100

// socketPaths are where the agent on this data folder may have a socket of this name, in the order in which they are tried: in the data folder, in the
// public folder for a service, whose data folder users cannot enter, and in the temporary folder when the other paths are too long.
func socketPaths(dataDir, socket string) []string {
	var all []string
	if inside := filepath.Join(dataDir, folder, socket+".sock"); len(inside) <= longestPath {
		all = append(all, inside)
	}
	name := fmt.Sprintf("overcrank-%.8x.sock", sha256.Sum256([]byte(dataDir)))
	if socket != socketName {
		name = socket + "-" + name
	}
	if public != "" {
		all = append(all, filepath.Join(public, name))
	}
	return append(all, filepath.Join(os.TempDir(), name))
}
