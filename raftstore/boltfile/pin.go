package boltfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/bbolt"
)

// Pin holds a state of an open file fast: pages that belong to it are not written again before Release. Once the file has been synced
// behind the pin, Restore brings that state back whatever was written since, and whatever of that reached the disk.
type Pin struct {
	tx   *bbolt.Tx
	head []byte
}

// Hold pins the state that a reading sees, which is the pin's from then on. The file's mapping must have room to grow: growing it waits
// for the pin.
func Hold(tx *bbolt.Tx) (*Pin, error) {
	db := tx.DB()
	// A copy of a bbolt file begins with two pages that lead to all others.
	head := &headOf{room: 2 * db.Info().PageSize}
	if _, err := tx.WriteTo(head); !errors.Is(err, errHeadDone) {
		return nil, errors.Join(fmt.Errorf("pin the state of %s: %w", db.Path(), err), tx.Rollback())
	}
	return &Pin{tx: tx, head: head.Bytes()}, nil
}

// Head is what Restore needs.
func (p *Pin) Head() []byte { return p.head }

// Release lets the pages be written again; Restore can no longer be used with this pin's head then.
func (p *Pin) Release() { _ = p.tx.Rollback() } // of a reading, which has nothing to lose

// headOf takes the beginning of a copy.
type headOf struct {
	bytes.Buffer
	room int
}

var errHeadDone = errors.New("the beginning is all that is wanted")

func (h *headOf) Write(p []byte) (int, error) {
	if h.Len() < h.room {
		return h.Buffer.Write(p)
	}
	return 0, errHeadDone
}

// ReadFrom is there so that no more than the beginning is read of the file.
func (h *headOf) ReadFrom(io.Reader) (int64, error) { return 0, errHeadDone }

// Restore brings a file that nobody has open back to the state of a pin, by the head of that, and to the disk.
func Restore(path string, head []byte) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.WriteAt(head, 0); err != nil {
		return err
	}
	return file.Sync()
}
