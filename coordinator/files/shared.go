package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"overcrank/interval"
)

// notes is the folder of the small files by which coordinators tell each other something. No key names it: its part begins with a dot.
const notes = ".overcrank"

// NoteName is the name of a note in the storage.
func NoteName(name string) string { return notes + "/" + name }

// uploadExpiry is the age at which an unfinished upload counts as abandoned.
const uploadExpiry = 24 * time.Hour

// Shared is a Store that several coordinators use at once.
type Shared interface {
	Store
	// Where names the storage for people. It holds no credentials.
	Where() string
	// Reach checks that the storage can be reached and used. It also looks for a mount or address style that has changed.
	Reach(ctx context.Context) error
	// PutNote atomically writes a small file for other coordinators. Its name follows the rules of keys.
	PutNote(ctx context.Context, name string, text []byte) error
	// Note reads a note; ErrNotFound when there is none.
	Note(ctx context.Context, name string) ([]byte, error)
	DropNote(ctx context.Context, name string) error
	// Notes lists all notes below a folder.
	Notes(ctx context.Context, folder string) ([]Object, error)
}

// How a file kept by its content is removed, though another coordinator may be storing it at the same moment: the remover writes a mark,
// checks again, removes the file and deletes the mark. The writer writes, then checks: while there is a mark it waits; if the file is
// gone it writes again. So either the remover sees the new file, or the writer sees the removal.
const (
	marks = "removing"
	// removeTimeout bounds a removal after its second check, so that none outlives its mark.
	removeTimeout = 10 * time.Second
	markLife      = time.Minute
	markPause     = 200 * time.Millisecond
	// freshFor is how long a stored file need not be written again.
	freshFor = 20 * time.Second
)

func deleteIf(ctx context.Context, s Shared, key string, before time.Time, keep func() (bool, error)) error {
	stays := func() (bool, error) {
		obj, err := s.Stat(ctx, key)
		if errors.Is(err, ErrNotFound) {
			return true, nil
		}
		if err != nil || !obj.Modified.Before(before) {
			return true, err
		}
		return keep()
	}
	if stays, err := stays(); err != nil || stays {
		return err
	}
	mark := marks + "/" + markPrefix(key) + rand.Text()
	if err := s.PutNote(ctx, mark, nil); err != nil {
		return err
	}
	begun := time.Now()
	stay, err := stays()
	if err == nil && !stay {
		within, cancel := context.WithDeadline(ctx, begun.Add(removeTimeout))
		err = s.Delete(within, key)
		cancel()
		if err != nil {
			return err // the file may be gone or not: its mark stays until the removal can no longer take effect
		}
	}
	return errors.Join(err, s.DropNote(context.WithoutCancel(ctx), mark))
}

// ensureKept calls write, which stores a file of size bytes under key, until no removal can undo it.
func ensureKept(ctx context.Context, s Shared, key string, size int64, write func() error) error {
	had, err := s.Stat(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		return write()
	case err != nil:
		return err
	case had.Size == size && time.Since(had.Modified) < freshFor:
		return nil
	}
	for {
		if err := write(); err != nil {
			return err
		}
		for {
			marked, err := isMarked(ctx, s, key)
			if err != nil {
				return err
			}
			if !marked {
				break
			}
			if interval.Wait(ctx, markPause) != nil {
				return fmt.Errorf("keeping %s: %w", key, ctx.Err())
			}
		}
		_, err := s.Stat(ctx, key)
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}

func isMarked(ctx context.Context, s Shared, key string) (bool, error) {
	list, err := s.Notes(ctx, marks)
	for _, mark := range list {
		if strings.HasPrefix(mark.Key, marks+"/"+markPrefix(key)) && time.Since(mark.Modified) < markLife {
			return true, nil
		}
	}
	return false, err
}

// markPrefix is the prefix of a key's marks.
func markPrefix(key string) string { return strings.ReplaceAll(key, "/", "_") + "." }

// sweepMarks deletes the marks of removals that were cut off.
func sweepMarks(ctx context.Context, s Shared) error {
	list, err := s.Notes(ctx, marks)
	for _, mark := range list {
		if time.Since(mark.Modified) > markLife {
			err = errors.Join(err, s.DropNote(ctx, mark.Key))
		}
	}
	return err
}
