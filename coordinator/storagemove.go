package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/files"
	"overcrank/interval"
)

const (
	// moveAgain is how long a move rests that could not go on.
	moveAgain = 5 * time.Second
	// tellMoveEvery is how often the log says how far a move is.
	tellMoveEvery = time.Minute
)

// wholeMove is what there was to be moved when a move began; nothing before that has been counted.
type wholeMove struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// StorageMove is how far the farm's files are on their way from the data folder to its storage.
type StorageMove struct {
	From, To             string // for people
	Files, Bytes         int64  // that there were when it began, 0 before they have been counted
	FilesLeft, BytesLeft int64
	Trouble              string // why it could not go on lately, "" when it could
}

// String says how far it is.
func (m StorageMove) String() string {
	if m.Files == 0 {
		return "they are being counted"
	}
	return fmt.Sprintf("%d of %d files, %d of %d MB, are there", m.Files-m.FilesLeft, m.Files, (m.Bytes-m.BytesLeft)/1e6, m.Bytes/1e6)
}

// StorageMove tells how far the farm's files are on their way to its storage; false when none are.
func (c *Coordinator) StorageMove() (StorageMove, bool) {
	c.storage.mu.Lock()
	whole, stuck := c.storage.memory.Moving, c.storage.stuck
	c.storage.mu.Unlock()
	if whole == nil {
		return StorageMove{}, false
	}
	m := StorageMove{From: c.ownFiles(), To: c.shared.Where()}
	if left := c.moving.Left(); left.Known {
		m.FilesLeft, m.BytesLeft = left.Files, left.Bytes
		m.Files, m.Bytes = max(whole.Files, left.Files), max(whole.Bytes, left.Bytes)
	}
	if stuck != nil {
		m.Trouble = stuck.Error()
	}
	return m, true
}

// ownFiles is the folder of this machine for files.
func (c *Coordinator) ownFiles() string { return filepath.Join(c.cfg.DataDir, filesFolder) }

// wantsMove gives a move to be begun when there are files in the data folder, nil without any, or when that folder is the storage: a
// file server may share it.
func (c *Coordinator) wantsMove(ctx context.Context) (*wholeMove, error) {
	kept, err := c.keepsFiles()
	if err != nil || !kept {
		return nil, err
	}
	if own, err := filepath.EvalSymlinks(c.ownFiles()); err != nil {
		return nil, err
	} else if to, err := filepath.EvalSymlinks(c.cfg.Storage); err == nil && strings.HasPrefix(to, own+string(filepath.Separator)) {
		return nil, fmt.Errorf("the storage %s is inside the folder %s, from which the farm's files would be moved there: name another folder", c.cfg.Storage, c.ownFiles())
	}
	const probe = nodesNotes + "/probe"
	content := rand.Text()
	if err := c.shared.PutNote(ctx, probe, []byte(content)); err != nil {
		return nil, err
	}
	is, err := os.ReadFile(filepath.Join(c.ownFiles(), filepath.FromSlash(files.NoteName(probe))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking whether the storage is the folder that files are moved from: %w", err)
	}
	if err := c.shared.DropNote(ctx, probe); err != nil {
		return nil, err
	}
	if string(is) == content {
		return nil, nil
	}
	return &wholeMove{}, nil
}

// keepsFiles tells whether files of the farm are in the data folder.
func (c *Coordinator) keepsFiles() (bool, error) {
	for _, root := range fileRoots() {
		dir, err := os.Open(filepath.Join(c.ownFiles(), root))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		_, err = dir.Readdirnames(1)
		if closed := dir.Close(); closed != nil {
			return false, closed
		}
		if !errors.Is(err, io.EOF) {
			return err == nil, err
		}
	}
	return false, nil
}

// beginMove has this node use the storage together with the folder that its files are moved from.
func (c *Coordinator) beginMove(to files.Shared) error {
	from, err := files.OpenFolder(c.ownFiles(), c.cfg.MinFree)
	if err != nil {
		return err
	}
	c.moving = files.NewMoving(from, to, fileRoots())
	c.files, c.shared = c.moving, c.moving
	return nil
}

// keepStorage remembers which storage this node uses. From then on it starts with no other, so it is done when nothing else can keep
// this node from serving: before that, nothing of the farm is in the storage.
func (c *Coordinator) keepStorage() error {
	if c.shared == nil {
		return nil
	}
	return rememberStorage(c.cfg.DataDir, c.storage.remembered())
}

// moveFiles moves the farm's files from the data folder to its storage, while this node works.
func (c *Coordinator) moveFiles(ctx context.Context) {
	if c.moving == nil {
		return
	}
	telling, told := context.WithCancel(ctx)
	var teller sync.WaitGroup
	defer teller.Wait()
	defer told()
	c.log.Info("the farm's files are being moved to its storage; the farm works meanwhile", "from", c.ownFiles(), "to", c.shared.Where())
	teller.Go(func() { interval.Every(telling, tellMoveEvery, c.tellMove) })
	for {
		err := c.moveOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		c.storage.setStuck(err)
		if err == nil {
			c.log.Info("all of the farm's files are in its storage, and other coordinators can come", "storage", c.shared.Where())
			return
		}
		if errors.Is(err, files.ErrUnreachable) {
			c.storage.fault(err)
		}
		c.log.Warn("moving the farm's files to its storage; it is tried again", "error", err, "again in", moveAgain)
		if interval.Wait(ctx, moveAgain) != nil {
			return
		}
	}
}

// moveOnce moves what there is, and remembers that all is where it belongs.
func (c *Coordinator) moveOnce(ctx context.Context) error {
	memory := c.storage.remembered()
	if memory.Moving.Files == 0 {
		left, err := c.moving.Count(ctx)
		if err != nil {
			return err
		}
		memory.Moving = &wholeMove{Files: left.Files, Bytes: left.Bytes}
		if err := rememberStorage(c.cfg.DataDir, memory); err != nil {
			return err
		}
		c.storage.remember(memory)
	}
	if err := c.moving.Run(ctx); err != nil {
		return err
	}
	memory.Moving = nil
	if err := rememberStorage(c.cfg.DataDir, memory); err != nil {
		return err
	}
	c.storage.remember(memory)
	return nil
}

func (c *Coordinator) tellMove() {
	if move, moving := c.StorageMove(); moving {
		c.log.Info("the farm's files are on their way to its storage", "files", move.Files, "bytes", move.Bytes, "files left", move.FilesLeft, "bytes left", move.BytesLeft)
	}
}
