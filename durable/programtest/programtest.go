// Package programtest writes programs that tests start.
//
// A process that is forked while a program is open for writing has it open too until it has come to its own program. Until then the system does not start
// the program: "text file busy". So nothing forks meanwhile.
package programtest

import (
	"io"
	"os"
	"syscall"
)

// Write writes a program that a test starts.
func Write(path string, content []byte) error {
	return Unforked(func() error { return os.WriteFile(path, content, 0o755) })
}

// Copy is Write with what it reads.
func Copy(path string, from io.Reader) error {
	content, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return Write(path, content)
}

// Unforked does something that has programs open for writing, and starts none.
func Unforked(do func() error) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return do()
}
