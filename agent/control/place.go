package control

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// socketName is the socket's name in a data folder.
const socketName = "control.sock"

// longestPath is how long the path of a socket may be on every system, in bytes; macOS has room for the fewest.
const longestPath = 100

// places are where an agent with this data folder may have its socket, the likeliest first: in the folder, or where others than the
// folder's owner reach it, or a long path has no place.
func places(dataDir string) []string {
	var all []string
	if inside := filepath.Join(dataDir, folder, socketName); len(inside) <= longestPath {
		all = append(all, inside)
	}
	name := fmt.Sprintf("overcrank-%.8x.sock", sha256.Sum256([]byte(dataDir)))
	if public != "" {
		all = append(all, filepath.Join(public, name))
	}
	return append(all, filepath.Join(os.TempDir(), name))
}
