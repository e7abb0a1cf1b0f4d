package launcher

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"overcrank/durable"
)

// errHeld is the error of a lock that another process holds.
var errHeld = errors.New("another process holds it")

// lock waits for the lock of a file. The system releases it when the process ends, however it ends.
func lock(path string) (unlock func(), err error) {
	file, err := lockFile(path, windows.LOCKFILE_EXCLUSIVE_LOCK)
	if err != nil {
		return nil, err
	}
	return func() { _ = unlockFile(file) }, nil // nothing was written
}

// tryLock takes the lock of a file, or returns errHeld.
func tryLock(path string) (*os.File, error) {
	return lockFile(path, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// unlockFile gives up a lock of tryLock.
func unlockFile(file *os.File) error { return file.Close() }

func lockFile(path string, how uint32) (*os.File, error) {
	file, err := durable.OpenPrivate(path)
	if err != nil {
		return nil, err
	}
	err = windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, new(windows.Overlapped))
	if err == nil {
		return file, nil
	}
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		err = errHeld
	}
	return nil, errors.Join(&os.PathError{Op: "lock", Path: path, Err: err}, file.Close())
}

// patience is how long patiently waits for another program, such as a virus scanner, to close a file.
const patience = 3 * time.Second

// patiently calls do again, for a while, as long as it fails because another program has the file open.
func patiently(do func() error) error {
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := do()
		disturbed := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !disturbed || time.Now().After(until) {
			return err
		}
	}
}
