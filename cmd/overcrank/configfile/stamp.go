package configfile

import (
	"os"
	"time"
)

// Stamp tells a file from a changed one.
type Stamp struct {
	size     int64
	modified time.Time
}

// StampOf is the stamp of the file at path, the zero value when it is not there.
func StampOf(path string) Stamp {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}
	}
	return Stamp{info.Size(), info.ModTime()}
}
