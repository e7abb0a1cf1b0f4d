package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ErrTooLarge is the error of ReadSmall for a file that is larger than it may be.
var ErrTooLarge = errors.New("the file is too large")

// ReadSmall reads a file of at most limit bytes. Each of checks may refuse the opened file first. Errors are *fs.PathErrors.
func ReadSmall(path string, limit int64, checks ...func(fs.FileInfo) error) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	refuse := func(err error) ([]byte, error) { return nil, &fs.PathError{Op: "read", Path: path, Err: err} }
	for _, check := range checks {
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		if err := check(info); err != nil {
			return refuse(err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return refuse(ErrTooLarge)
	}
	return text, nil
}
