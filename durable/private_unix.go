//go:build unix

package durable

import "os"

// OpenPrivate opens a file for reading and writing, and makes it if there is none. Only its owner and the system's administrators can open it.
func OpenPrivate(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
