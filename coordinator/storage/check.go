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
	// nodesNotes is the folder of the coordinators' notes, by which they see that they share the storage.
	nodesNotes = "nodes"
	// lookEvery is how often a coordinator checks its storage; lookAgain the same while it does not work.
	lookEvery = 30 * time.Second
	lookAgain = 3 * time.Second
	// silentFor is how long a check may take; a file server that is gone never answers.
	silentFor = 20 * time.Second
	// unseenFor is how old the leader's note may be: clients cache what they read from a file server for a minute.
	unseenFor = 3 * time.Minute
)

// note records the result of a check; changed says that the storage began or stopped working.
func (s *Storage) note(err error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = (err == nil) != (s.err == nil)
	s.err = err
	return changed
}

// Fault records that a call to the storage failed, and causes a check now.
func (s *Storage) Fault(err error) {
	s.note(err)
	select {
	case s.doubted <- struct{}{}:
	default:
	}
}

// Broken reports whether the last check failed.
func (s *Storage) Broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// NoteTrial records whether a machine could read a file; nil when it could or none tried.
func (s *Storage) NoteTrial(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trial = err
}

// Hung is how many abandoned calls to the storage have not returned.
func (s *Storage) Hung() int {
	if s.patient == nil {
		return 0
	}
	return s.patient.Hung()
}

// Check reports the result of the last check.
func (s *Storage) Check() farm.Check {
	const name = "storage"
	s.mu.Lock()
	err := cmp.Or(s.err, s.trial)
	s.mu.Unlock()
	switch {
	case errors.Is(err, files.ErrUnreachable): // accept jobs nevertheless, and let them wait: no other coordinator is better off
		return farm.Check{Name: name, Warn: true, Found: err.Error() + "; jobs are taken, and begin when it can be used again"}
	case err != nil:
		return farm.Failed(name, err)
	}
	if s.shared == nil {
		return farm.Passed(name, "files are in the data folder")
	}
	check := farm.Passed(name, "files can be written to and read from "+s.shared.Where())
	if n := s.Hung(); n > 0 {
		check.Warn = true
		check.Found += fmt.Sprintf("; but %d calls to it have not returned: check the file server and the mount", n)
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

// nodeNote is a coordinator's note for the others.
type nodeNote struct {
	ID      string    `json:"id"` // of the coordinator
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Content string    `json:"content"` // random, so that an old note is recognised
}

// leaderNote is what this node has seen of the leader's notes.
type leaderNote struct {
	content string    // of the last note seen
	changed time.Time // when it was last seen to change; zero if never
}

// fresh reports whether the leader still writes its note: its time is recent, or this node saw it change recently, since the two clocks
// may differ.
func (l *leaderNote) fresh(note nodeNote) bool {
	if l.content != "" && l.content != note.Content {
		l.changed = time.Now()
	}
	l.content = note.Content
	return time.Since(note.At).Abs() <= unseenFor || !l.changed.IsZero() && time.Since(l.changed) <= unseenFor
}

// Look checks that this node can use the farm's storage: it writes, reads back what it wrote, and finds the leader's note.
// CodeUnavailable says what is wrong.
func (s *Storage) Look(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	silent := farm.Errorf(farm.CodeUnavailable, "the farm's storage, %s, does not answer", s.shared.Where())
	silent.Err = files.ErrUnreachable
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
	go func() { // a file server that is gone blocks the calling thread
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
		return farm.Errorf(farm.CodeUnavailable, "the farm's storage, %s, returned something else than was just written: another coordinator uses the same id, or the storage is broken", s.shared.Where())
	}
	return s.seeLeader(ctx)
}

// seeLeader checks that this node sees the leader's note; otherwise the two use different folders or buckets.
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
	return farm.Errorf(farm.CodeUnavailable, "this coordinator does not find the leader's note in %s: both must mount the same folder, or name the same bucket and prefix with --storage", s.shared.Where())
}

// watch checks the storage until ctx ends, and logs when it stops and starts to work.
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

// newNodeName returns a random name for a data folder.
func newNodeName() string { return strings.ToLower(rand.Text()[:12]) }
