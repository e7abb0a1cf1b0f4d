//go:build unix

package launcher

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"overcrank/durable"
)

// errHeld is the error of a lock that another process holds.
var errHeld = errors.New("another process holds it")

// lock waits for the lock of a file. The system releases it when the process ends, however it ends.
func lock(path string) (unlock func(), err error) {
	file, err := lockFile(path, unix.LOCK_EX)
	if err != nil {
		return nil, err
	}
	return func() { _ = unlockFile(file) }, nil // the system unlocks it in any case, if later
}

// tryLock takes the lock of a file, or returns errHeld.
func tryLock(path string) (*os.File, error) { return lockFile(path, unix.LOCK_EX|unix.LOCK_NB) }

// unlockFile gives up a lock of tryLock, also for a process that was forked meanwhile and still has the file open: closing alone would leave the lock to it.
func unlockFile(file *os.File) error {
	return errors.Join(unix.Flock(int(file.Fd()), unix.LOCK_UN), file.Close())
}

func lockFile(path string, how int) (*os.File, error) {
	file, err := durable.OpenPrivate(path)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(file.Fd()), how); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return file, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = errHeld
	}
	return nil, errors.Join(&os.PathError{Op: "lock", Path: path, Err: err}, file.Close())
}

// patiently calls do. Only on Windows does another program that has a file open get in the way.
func patiently(do func() error) error { return do() }
