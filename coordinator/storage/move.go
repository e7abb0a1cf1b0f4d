package storage

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
	// moveAgain is the pause before a failed move is tried again.
	moveAgain = 5 * time.Second
	// tellMoveEvery is how often the log reports the progress of a move.
	tellMoveEvery = time.Minute
)

// whole is what there was to move at the beginning; zero before it has been counted.
type whole struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Move is the progress of moving the farm's files from the data folder to shared storage.
type Move struct {
	From, To             string // for people
	Files, Bytes         int64  // at the beginning; 0 before they have been counted
	FilesLeft, BytesLeft int64
	Trouble              string // why it failed last, "" when it did not
}

// String describes the progress for people.
func (m Move) String() string {
	if m.Files == 0 {
		return "they are being counted"
	}
	return fmt.Sprintf("%d of %d files, %d of %d MB, are there", m.Files-m.FilesLeft, m.Files, (m.Bytes-m.BytesLeft)/1e6, m.Bytes/1e6)
}

// Move returns the progress of the move; false when there is none.
func (s *Storage) Move() (Move, bool) {
	s.mu.Lock()
	all, stuck := s.memory.Moving, s.stuck
	s.mu.Unlock()
	if all == nil {
		return Move{}, false
	}
	m := Move{From: s.Own(), To: s.shared.Where()}
	if left := s.moving.Left(); left.Known {
		m.FilesLeft, m.BytesLeft = left.Files, left.Bytes
		m.Files, m.Bytes = max(all.Files, left.Files), max(all.Bytes, left.Bytes)
	}
	if stuck != nil {
		m.Trouble = stuck.Error()
	}
	return m, true
}

// wantsMove returns a new move when there are files in the data folder; nil when there are none, or when that folder is the storage
// itself, shared by a file server.
func (s *Storage) wantsMove(ctx context.Context) (*whole, error) {
	kept, err := s.keepsFiles()
	if err != nil || !kept {
		return nil, err
	}
	if own, err := filepath.EvalSymlinks(s.Own()); err != nil {
		return nil, err
	} else if to, err := filepath.EvalSymlinks(s.cfg.Where); err == nil && strings.HasPrefix(to, own+string(filepath.Separator)) {
		return nil, fmt.Errorf("the storage %s is inside the folder %s, from which the farm's files would be moved there: name another folder", s.cfg.Where, s.Own())
	}
	const probe = nodesNotes + "/probe"
	content := rand.Text()
	if err := s.shared.PutNote(ctx, probe, []byte(content)); err != nil {
		return nil, err
	}
	is, err := os.ReadFile(filepath.Join(s.Own(), filepath.FromSlash(files.NoteName(probe))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking whether the storage is the folder that files are moved from: %w", err)
	}
	if err := s.shared.DropNote(ctx, probe); err != nil {
		return nil, err
	}
	if string(is) == content {
		return nil, nil
	}
	return &whole{}, nil
}

// keepsFiles reports whether the data folder has files of the farm.
func (s *Storage) keepsFiles() (bool, error) {
	for _, root := range files.Roots() {
		dir, err := os.Open(filepath.Join(s.Own(), root))
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

// beginMove makes this node use the storage together with the folder that its files are moved from.
func (s *Storage) beginMove() error {
	from, err := files.OpenFolder(s.Own(), s.cfg.MinFree)
	if err != nil {
		return err
	}
	s.moving = files.NewMoving(from, s.shared, files.Roots())
	s.store, s.shared = s.moving, s.moving
	return nil
}

// move moves the farm's files from the data folder to the storage, while the farm works.
func (s *Storage) move(ctx context.Context) {
	if s.moving == nil {
		return
	}
	telling, told := context.WithCancel(ctx)
	var teller sync.WaitGroup
	defer teller.Wait()
	defer told()
	s.log.Info("the farm's files are being moved to its storage; the farm works meanwhile", "from", s.Own(), "to", s.shared.Where())
	teller.Go(func() { interval.Every(telling, tellMoveEvery, s.tellMove) })
	for {
		err := s.moveOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		s.noteStuck(err)
		if err == nil {
			s.log.Info("all of the farm's files are in its storage, and other coordinators can join", "storage", s.shared.Where())
			return
		}
		if errors.Is(err, files.ErrUnreachable) {
			s.Fault(err)
		}
		s.log.Warn("moving the farm's files to its storage; trying again", "error", err, "again in", moveAgain)
		if interval.Wait(ctx, moveAgain) != nil {
			return
		}
	}
}

// moveOnce moves all files, and records that none is left.
func (s *Storage) moveOnce(ctx context.Context) error {
	m := s.remembered()
	if m.Moving.Files == 0 {
		left, err := s.moving.Count(ctx)
		if err != nil {
			return err
		}
		m.Moving = &whole{Files: left.Files, Bytes: left.Bytes}
		if err := s.remember(m); err != nil {
			return err
		}
	}
	if err := s.moving.Run(ctx); err != nil {
		return err
	}
	m.Moving = nil
	return s.remember(m)
}

func (s *Storage) tellMove() {
	if move, moving := s.Move(); moving {
		s.log.Info("moving the farm's files to its storage", "files", move.Files, "bytes", move.Bytes, "files left", move.FilesLeft, "bytes left", move.BytesLeft)
	}
}

// noteStuck records why files could not be moved; nil when they could.
func (s *Storage) noteStuck(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck = err
}
