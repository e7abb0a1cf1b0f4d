package remote

import (
	"io"
	"os"
)

// ReadInput reads a file, or standard input for "-".
func ReadInput(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}
