package coordinator

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/interval"
)

const (
	// nodesNotes are the notes of coordinators by which they see that they have the same storage.
	nodesNotes = "nodes"
	// checkStorageEvery is how often a coordinator looks whether its storage works, and recheckAfter the same while it does not.
	checkStorageEvery = 30 * time.Second
	recheckAfter      = 3 * time.Second
	// silentFor is how long storage may take for a look; a file server that is gone answers nothing at all.
	silentFor = 20 * time.Second
	// unseenFor is how old the leader's note may be: machines remember what they have read from a file server for a minute.
	unseenFor = 3 * time.Minute
)

// storageState is what the last look at the storage came to.
type storageState struct {
	looking chan struct{} // holds one look at a time
	doubted chan struct{} // tells that a look is due

	mu    sync.Mutex
	err   error
	trial error // what the last machine told that was asked to read a file

	memory storageMemory // what is in storageFile once this node serves
	stuck  error         // why files could not be moved lately

	leaders string    // the content of the leader's note that was seen last
	changed time.Time // when that was another than before; zero when it was seen only once
}

// fresh says whether a leader's note is being written: its time is about now, or it changed lately under the eyes of this node,
// whose clock may differ from the leader's.
func (s *storageState) fresh(note nodeNote) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaders != "" && s.leaders != note.Content {
		s.changed = time.Now()
	}
	s.leaders = note.Content
	return time.Since(note.At).Abs() <= unseenFor || !s.changed.IsZero() && time.Since(s.changed) <= unseenFor
}

func (s *storageState) set(err error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = (err == nil) != (s.err == nil)
	s.err = err
	return changed
}

// remember takes note of what storageFile is to hold.
func (s *storageState) remember(m storageMemory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory = m
}

func (s *storageState) remembered() storageMemory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory
}

// setStuck notes why files could not be moved, nil when they could.
func (s *storageState) setStuck(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck = err
}

// fault notes that the storage failed somebody, and has it looked at now.
func (s *storageState) fault(err error) {
	s.set(err)
	select {
	case s.doubted <- struct{}{}:
	default:
	}
}

// broken tells whether the last look at the storage found it not working.
func (s *storageState) broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

func (s *storageState) setTrial(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trial = err
}

func (s *storageState) get() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.err, s.trial)
}

// nodeNote is what a coordinator writes for the others.
type nodeNote struct {
	ID      string    `json:"id"` // of the coordinator
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Content string    `json:"content"` // by chance, so that an old one is none of now
}

// StorageWorks is nil when the last look at the storage found it working.
func (c *Coordinator) StorageWorks() error { return c.storage.get() }

// CheckStorage looks whether this node can use the farm's storage: it writes, reads back what it wrote, and finds what the leader wrote.
// CodeUnavailable says what is wrong.
func (c *Coordinator) CheckStorage(ctx context.Context) error {
	if c.shared == nil {
		return nil
	}
	silent := &farm.Error{Code: farm.CodeUnavailable, Message: fmt.Sprintf("the farm's storage, %s, does not answer", c.shared.Where()), Err: files.ErrUnreachable}
	ctx, cancel := context.WithTimeout(ctx, silentFor)
	defer cancel()
	select {
	case c.storage.looking <- struct{}{}:
	case <-ctx.Done():
		return silent
	}
	done := c.begin()
	if done == nil {
		<-c.storage.looking
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping")
	}
	looked := make(chan error, 1)
	go func() { // a file server that is gone holds whoever asks it
		defer done()
		defer func() { <-c.storage.looking }()
		looked <- c.lookAtStorage(ctx)
	}()
	select {
	case err := <-looked:
		return err
	case <-ctx.Done():
		return silent
	}
}

func (c *Coordinator) lookAtStorage(ctx context.Context) error {
	if err := c.recognise(ctx, true); err != nil {
		return err
	}
	mine := nodeNote{ID: c.store.ID(), Name: c.cfg.NodeAddress, At: time.Now(), Content: rand.Text()}
	text, err := json.Marshal(mine)
	if err != nil {
		return fmt.Errorf("encoding a note: %w", err)
	}
	name := nodesNotes + "/" + files.Part(mine.ID)
	if err := c.shared.PutNote(ctx, name, text); err != nil {
		return err
	}
	back, err := c.shared.Note(ctx, name)
	if err != nil {
		return err
	}
	if string(back) != string(text) {
		return farm.Errorf(farm.CodeUnavailable, "the farm's storage, %s, gave back something else than was just written there: another coordinator uses the same id, or the storage is broken", c.shared.Where())
	}
	return c.seeLeader(ctx)
}

// seeLeader makes sure that what the leader writes is seen by this node: otherwise the two have different folders or buckets.
func (c *Coordinator) seeLeader(ctx context.Context) error {
	leader, _ := c.store.Leader()
	if leader == "" || leader == c.store.ID() {
		return nil
	}
	text, err := c.shared.Note(ctx, nodesNotes+"/"+files.Part(leader))
	if err != nil && !errors.Is(err, files.ErrNotFound) {
		return err
	}
	var theirs nodeNote
	if err == nil {
		err = json.Unmarshal(text, &theirs)
	}
	if err != nil || !c.storage.fresh(theirs) {
		return farm.Errorf(farm.CodeUnavailable, "this coordinator does not see in %s what the leader writes to the farm's storage: both have to have the same folder mounted, or name the same bucket and prefix with --storage", c.shared.Where())
	}
	return nil
}

// watchStorage looks at the storage for as long as this node runs, and says when it stops and begins to work.
func (c *Coordinator) watchStorage(ctx context.Context) {
	if c.shared == nil {
		return
	}
	for {
		err := c.CheckStorage(ctx)
		if ctx.Err() != nil {
			return
		}
		switch changed := c.storage.set(err); {
		case changed && err != nil:
			c.log.Error("the farm's storage cannot be used", "error", err)
		case changed:
			c.log.Info("the farm's storage can be used again")
		}
		next := checkStorageEvery
		if err != nil {
			next = recheckAfter
		}
		select {
		case <-ctx.Done():
			return
		case <-c.storage.doubted:
			if interval.Wait(ctx, recheckAfter) != nil {
				return
			}
		case <-time.After(next):
		}
	}
}

// newNodeName names a data folder in names of files.
func newNodeName() string { return strings.ToLower(rand.Text()[:12]) }
