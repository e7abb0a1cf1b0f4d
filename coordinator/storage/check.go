package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/interval"
)

const (
	// nodesNotes are the notes of coordinators by which they see that they have the same storage.
	nodesNotes = "nodes"
	// lookEvery is how often a coordinator looks whether its storage works, and lookAgain the same while it does not.
	lookEvery = 30 * time.Second
	lookAgain = 3 * time.Second
	// silentFor is how long storage may take for a look; a file server that is gone answers nothing at all.
	silentFor = 20 * time.Second
	// unseenFor is how old the leader's note may be: machines remember what they have read from a file server for a minute.
	unseenFor = 3 * time.Minute
)

// note takes note of what a look at the storage came to.
func (s *Storage) note(err error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = (err == nil) != (s.err == nil)
	s.err = err
	return changed
}

// Fault notes that the storage failed somebody, and has it looked at now.
func (s *Storage) Fault(err error) {
	s.note(err)
	select {
	case s.doubted <- struct{}{}:
	default:
	}
}

// Broken tells whether the last look at the storage found it not working.
func (s *Storage) Broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// NoteTrial takes note of whether a machine could read a file, nil when it could or none was asked.
func (s *Storage) NoteTrial(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trial = err
}

// Hung is how many calls to the storage hang that nobody waits for any more.
func (s *Storage) Hung() int {
	if s.patient == nil {
		return 0
	}
	return s.patient.Hung()
}

// Check tells what the last look at the storage came to.
func (s *Storage) Check() farm.Check {
	const name = "storage"
	s.mu.Lock()
	err := cmp.Or(s.err, s.trial)
	s.mu.Unlock()
	switch {
	case errors.Is(err, files.ErrUnreachable): // jobs are taken all the same, and wait; no other coordinator is better off
		return farm.Check{Name: name, Warn: true, Found: err.Error() + "; jobs are taken, and begin when it can be used again"}
	case err != nil:
		return farm.Failed(name, err)
	}
	if s.shared == nil {
		return farm.Passed(name, "files lie in the data folder")
	}
	check := farm.Passed(name, "files can be written to and read from "+s.shared.Where())
	if n := s.Hung(); n > 0 {
		check.Warn = true
		check.Found += fmt.Sprintf("; but %d calls to it have not come back: look at the file server and the mount", n)
	}
	if move, moving := s.Move(); moving {
		check.Found += "; those of the data folder are being moved there: " + move.String()
		if move.Trouble != "" {
			check.Warn = true
			check.Found += ", but it does not go on: " + move.Trouble
		}
	}
	return check
}

// nodeNote is what a coordinator writes for the others.
type nodeNote struct {
	ID      string    `json:"id"` // of the coordinator
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Content string    `json:"content"` // by chance, so that an old one is none of now
}

// leaderNote is what was seen of the leader's notes.
type leaderNote struct {
	content string    // of the one that was seen last
	changed time.Time // when that was another than before; zero when it was seen only once
}

// fresh tells whether a leader's note is being written: its time is about now, or it changed lately under the eyes of this node,
// whose clock may differ from the leader's.
func (l *leaderNote) fresh(note nodeNote) bool {
	if l.content != "" && l.content != note.Content {
		l.changed = time.Now()
	}
	l.content = note.Content
	return time.Since(note.At).Abs() <= unseenFor || !l.changed.IsZero() && time.Since(l.changed) <= unseenFor
}

// Look looks whether this node can use the farm's storage: it writes, reads back what it wrote, and finds what the leader wrote.
// CodeUnavailable says what is wrong.
func (s *Storage) Look(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	silent := &farm.Error{Code: farm.CodeUnavailable, Message: fmt.Sprintf("the farm's storage, %s, does not answer", s.shared.Where()), Err: files.ErrUnreachable}
	ctx, cancel := context.WithTimeout(ctx, silentFor)
	defer cancel()
	select {
	case s.looking <- struct{}{}:
	case <-ctx.Done():
		return silent
	}
	done := s.begin()
	if done == nil {
		<-s.looking
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping")
	}
	looked := make(chan error, 1)
	go func() { // a file server that is gone holds whoever asks it
		defer done()
		defer func() { <-s.looking }()
		looked <- s.look(ctx)
	}()
	select {
	case err := <-looked:
		return err
	case <-ctx.Done():
		return silent
	}
}

func (s *Storage) look(ctx context.Context) error {
	if err := s.recognise(ctx, true); err != nil {
		return err
	}
	mine := nodeNote{ID: s.node.ID(), Name: s.cfg.Address, At: time.Now(), Content: rand.Text()}
	text, err := json.Marshal(mine)
	if err != nil {
		return fmt.Errorf("encoding a note: %w", err)
	}
	name := nodesNotes + "/" + files.Part(mine.ID)
	if err := s.shared.PutNote(ctx, name, text); err != nil {
		return err
	}
	back, err := s.shared.Note(ctx, name)
	if err != nil {
		return err
	}
	if string(back) != string(text) {
		return farm.Errorf(farm.CodeUnavailable, "the farm's storage, %s, gave back something else than was just written there: another coordinator uses the same id, or the storage is broken", s.shared.Where())
	}
	return s.seeLeader(ctx)
}

// seeLeader makes sure that what the leader writes is seen by this node: otherwise the two have different folders or buckets.
func (s *Storage) seeLeader(ctx context.Context) error {
	leader, _ := s.node.Leader()
	if leader == "" || leader == s.node.ID() {
		return nil
	}
	text, err := s.shared.Note(ctx, nodesNotes+"/"+files.Part(leader))
	if err != nil && !errors.Is(err, files.ErrNotFound) {
		return err
	}
	var theirs nodeNote
	if err == nil {
		err = json.Unmarshal(text, &theirs)
	}
	if err == nil {
		s.mu.Lock()
		fresh := s.leader.fresh(theirs)
		s.mu.Unlock()
		if fresh {
			return nil
		}
	}
	return farm.Errorf(farm.CodeUnavailable, "this coordinator does not see in %s what the leader writes to the farm's storage: both have to have the same folder mounted, or name the same bucket and prefix with --storage", s.shared.Where())
}

// watch looks at the storage until ctx ends, and logs when it stops and begins to work.
func (s *Storage) watch(ctx context.Context) {
	if s.shared == nil {
		return
	}
	for {
		err := s.Look(ctx)
		if ctx.Err() != nil {
			return
		}
		switch changed := s.note(err); {
		case changed && err != nil:
			s.log.Error("the farm's storage cannot be used", "error", err)
		case changed:
			s.log.Info("the farm's storage can be used again")
		}
		next := lookEvery
		if err != nil {
			next = lookAgain
		}
		select {
		case <-ctx.Done():
			return
		case <-s.doubted:
			if interval.Wait(ctx, lookAgain) != nil {
				return
			}
		case <-time.After(next):
		}
	}
}

// newNodeName names a data folder in names of files.
func newNodeName() string { return strings.ToLower(rand.Text()[:12]) }
