package files

import (
	"errors"
	"io"
)

// At reads an open file anywhere, as archives are read. It serves one goroutine.
type At struct{ io.ReadSeeker }

// ReadAt implements io.ReaderAt.
func (a At) ReadAt(p []byte, off int64) (int, error) {
	if _, err := a.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(a, p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}
