package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// copiesAtOnce is how many files are copied at the same time.
const copiesAtOnce = 8

// Copying brings the files of one store to another, which nobody else writes meanwhile. What the other has already is left alone, so a
// copying that was broken off goes on where it was.
type Copying struct {
	From, To Store
	Below    []string // keys below which files are copied
	// Told is called now and then from one goroutine at a time; nil for nobody.
	Told func(Copied)

	mu     sync.Mutex
	copied Copied
}

// Copied is how far a copying is, or what it came to.
type Copied struct {
	Files, Bytes           int64 // that are there now
	NewFiles               int64 // of these, that were not there before
	TotalFiles, TotalBytes int64
}

// Run copies what is missing or has changed, and reads each file back that it wrote.
func (c *Copying) Run(ctx context.Context) (Copied, error) {
	there, err := c.list(ctx, c.To)
	if err != nil {
		return Copied{}, fmt.Errorf("listing what is there: %w", err)
	}
	here, err := c.list(ctx, c.From)
	if err != nil {
		return Copied{}, fmt.Errorf("listing what is to be copied: %w", err)
	}
	c.copied = Copied{TotalFiles: int64(len(here))}
	for _, o := range here {
		c.copied.TotalBytes += o.Size
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(copiesAtOnce)
	for key, o := range here {
		if had, found := there[key]; found && had.Size == o.Size && !had.Modified.Before(o.Modified) {
			c.tell(o.Size, false)
			continue
		}
		if inGroup.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := c.one(inGroup, key); err != nil {
				return fmt.Errorf("copying %s: %w", key, err)
			}
			c.tell(o.Size, true)
			return nil
		})
	}
	err = group.Wait()
	if err == nil {
		err = ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.copied, err
}

func (c *Copying) tell(bytes int64, isNew bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.copied.Files++
	c.copied.Bytes += bytes
	if isNew {
		c.copied.NewFiles++
	}
	if c.Told != nil {
		c.Told(c.copied)
	}
}

func (c *Copying) list(ctx context.Context, s Store) (map[string]Object, error) {
	found := map[string]Object{}
	for _, below := range c.Below {
		err := s.Walk(ctx, below, func(o Object) error {
			if !strings.HasSuffix(o.Key, "/") {
				found[o.Key] = o
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// one copies a file. One that goes meanwhile need not be copied.
func (c *Copying) one(ctx context.Context, key string) error {
	from, err := c.From.Open(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// Of a log that grows, what it has at this moment.
	put, err := c.To.Put(ctx, key, io.LimitReader(from, from.Size), Limits{Size: from.Size})
	if err = errors.Join(err, from.Close()); err != nil {
		return err
	}
	back, err := c.To.Open(ctx, key)
	if err != nil {
		return fmt.Errorf("reading it back: %w", err)
	}
	hash := sha256.New()
	stop := context.AfterFunc(ctx, func() { _ = back.Close() }) // ends the reading
	_, err = io.Copy(hash, back)
	stop()
	if err = errors.Join(err, back.Close()); err != nil {
		return fmt.Errorf("reading it back: %w", err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != put.SHA256 {
		return fmt.Errorf("it came back other than it was sent: its hash is %s, not %s", got, put.SHA256)
	}
	return nil
}

// Prune drops the files that the other store has and this one has not any more: what was erased must not come back with the copy.
func (c *Copying) Prune(ctx context.Context) error {
	there, err := c.list(ctx, c.To)
	if err != nil {
		return err
	}
	here, err := c.list(ctx, c.From)
	for key := range there {
		if _, found := here[key]; !found && err == nil {
			err = c.To.Delete(ctx, key)
		}
	}
	return err
}
