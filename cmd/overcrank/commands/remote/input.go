package remote

import (
	"encoding/json"
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

// JSONOrWords is the JSON value that s is, or else s itself.
func JSONOrWords(s string) any {
	var v any
	if json.Unmarshal([]byte(s), &v) == nil {
		return v
	}
	return s
}
