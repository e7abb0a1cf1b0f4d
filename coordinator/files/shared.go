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

// notes is the folder of what coordinators tell each other by files. A key cannot name it, since its part begins with a dot.
const notes = ".overcrank"

// NoteName is what a note is called in the storage.
func NoteName(name string) string { return notes + "/" + name }

// brokenAfter is how long an upload may take at most, from when on what is left of it is dropped.
const brokenAfter = 24 * time.Hour

// Shared is a Store that several coordinators use at once.
type Shared interface {
	Store
	// Where names the storage for people, without credentials.
	Where() string
	// Reach tells whether the storage is there and lets itself be used. It looks for ways that may have opened meanwhile.
	Reach(ctx context.Context) error
	// PutNote keeps a small file for other coordinators, at once and whole, under a name that is made like a key.
	PutNote(ctx context.Context, name string, text []byte) error
	// Note reads one; ErrNotFound when there is none.
	Note(ctx context.Context, name string) ([]byte, error)
	DropNote(ctx context.Context, name string) error
	// Notes lists all below a folder.
	Notes(ctx context.Context, folder string) ([]Object, error)
}

// How a file that is kept by its content goes, though another coordinator may be told in the same moment to keep it: whoever removes
// leaves a mark first, looks once more, removes, and takes the mark away. Whoever keeps writes, and then looks: when there is a mark,
// it waits until that is gone; when the file is gone, it writes again. So either the removal saw the new file, or the writer sees that it
// went.
const (
	marks = "removing"
	// removeWithin is how long a removal may take behind its second look, so that none outlives its mark.
	removeWithin = 10 * time.Second
	markLife     = time.Minute
	markPause    = 200 * time.Millisecond
	// freshFor is how long a kept file need not be written again.
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
	mark := marks + "/" + markOf(key) + rand.Text()
	if err := s.PutNote(ctx, mark, nil); err != nil {
		return err
	}
	begun := time.Now()
	stay, err := stays()
	if err == nil && !stay {
		within, cancel := context.WithDeadline(ctx, begun.Add(removeWithin))
		err = s.Delete(within, key)
		cancel()
		if err != nil {
			return err // whether it went is not known: the mark stays until nothing of this can be on its way any more
		}
	}
	return errors.Join(err, s.DropNote(context.WithoutCancel(ctx), mark))
}

// arrive has write put a file of a size under a key, until it is there for good.
func arrive(ctx context.Context, s Shared, key string, size int64, write func() error) error {
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
		if strings.HasPrefix(mark.Key, marks+"/"+markOf(key)) && time.Since(mark.Modified) < markLife {
			return true, nil
		}
	}
	return false, err
}

// markOf is what the marks of a key begin with.
func markOf(key string) string { return strings.ReplaceAll(key, "/", "_") + "." }

// sweepMarks drops what removals left that were cut off.
func sweepMarks(ctx context.Context, s Shared) error {
	list, err := s.Notes(ctx, marks)
	for _, mark := range list {
		if time.Since(mark.Modified) > markLife {
			err = errors.Join(err, s.DropNote(ctx, mark.Key))
		}
	}
	return err
}
