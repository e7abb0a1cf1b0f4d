package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"overcrank/outbound"
)

// reason makes an Error of what a transfer ended with.
func reason(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, errDisk) {
		return err
	}
	text, passing := outbound.Reason(err)
	var waited net.Error
	return &Error{Reason: text, Retry: passing, Err: err, hung: errors.As(err, &waited) && waited.Timeout()}
}

func tooLarge(limit int64) error {
	return &Error{Reason: fmt.Sprintf("larger than the %d MiB allowed", limit>>20)}
}

// copy copies up to the limit. watch, when not nil, is told what came.
func (f *Fetcher) copy(w io.Writer, r io.Reader, watch *outbound.Watch) error {
	buf := make([]byte, 128<<10)
	var total int64
	for {
		n, err := r.Read(buf)
		total += int64(n)
		if total > f.Limit {
			return tooLarge(f.Limit)
		}
		if n > 0 {
			if watch != nil {
				watch.Moved(n)
			}
			if _, err := w.Write(buf[:n]); err != nil {
				return errors.Join(errDisk, err)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// errDisk marks a failure of this machine's own disk.
var errDisk = errors.New("writing a fetched file")

// write makes the file at path from what fill writes; it appears only when whole.
func write(path string, fill func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return errors.Join(errDisk, err)
	}
	err = fill(tmp)
	if closed := tmp.Close(); err == nil && closed != nil {
		err = errors.Join(errDisk, closed)
	}
	if err == nil {
		if err = os.Rename(tmp.Name(), path); err == nil {
			return nil
		}
		err = errors.Join(errDisk, err)
	}
	if gone := os.Remove(tmp.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		return errors.Join(err, gone)
	}
	return err
}
