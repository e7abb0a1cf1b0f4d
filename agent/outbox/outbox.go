// Package outbox keeps an agent's reports of ended attempts on disk until the farm has confirmed them.
package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"overcrank/durable"
	"overcrank/farm/wire"
)

// Outbox is a folder with one file per report. It is safe for concurrent use.
type Outbox struct {
	dir     string
	mu      sync.Mutex
	reports map[wire.Attempt]wire.Message
	order   []wire.Attempt
}

// Open reads the reports in dir, which it makes when missing. It removes files that are damaged or hold no report: the farm ends the
// leases that they belonged to when they expire.
func Open(dir string) (*Outbox, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the outbox: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	o := &Outbox{dir: dir, reports: make(map[wire.Attempt]wire.Message)}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		var m wire.Message
		at, ok := wire.Attempt{}, false
		err := durable.ReadJSON(path, &m)
		damaged := (*durable.DamagedError)(nil)
		if err != nil && !errors.As(err, &damaged) {
			return nil, fmt.Errorf("read the outbox: %w", err)
		}
		if err == nil {
			at, ok = attemptOf(m)
		}
		if !ok || fileName(at) != f.Name() {
			if err := os.RemoveAll(path); err != nil {
				return nil, fmt.Errorf("remove a damaged report: %w", err)
			}
			continue
		}
		o.reports[at] = m
		o.order = append(o.order, at)
	}
	return o, nil
}

// attemptOf is the attempt that a report is about. It reports false for a message that is not a report.
func attemptOf(m wire.Message) (wire.Attempt, bool) {
	switch {
	case m.Finished != nil:
		return m.Finished.Attempt, true
	case m.Failed != nil:
		return m.Failed.Attempt, true
	}
	return wire.Attempt{}, false
}

// Put adds a report, a message with Finished or Failed. It is on disk when Put returns without an error.
func (o *Outbox) Put(m wire.Message) error {
	at, ok := attemptOf(m)
	if !ok {
		return errors.New("the outbox takes reports only")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.reports[at]; !known {
		o.order = append(o.order, at)
	}
	o.reports[at] = m // also when the disk is full, so that the report can still be sent
	if err := durable.WriteJSON(filepath.Join(o.dir, fileName(at)), m, 0o600); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	return nil
}

// Remove deletes the report of an attempt, if there is one.
func (o *Outbox) Remove(at wire.Attempt) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.reports[at]; !known {
		return nil
	}
	delete(o.reports, at)
	o.order = slices.DeleteFunc(o.order, func(other wire.Attempt) bool { return other == at })
	if err := os.Remove(filepath.Join(o.dir, fileName(at))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete a report: %w", err)
	}
	return nil
}

// All returns the reports, oldest first.
func (o *Outbox) All() []wire.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]wire.Message, 0, len(o.order))
	for _, at := range o.order {
		all = append(all, o.reports[at])
	}
	return all
}

// Attempts returns the attempts that have a report, oldest first.
func (o *Outbox) Attempts() []wire.Attempt {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.order)
}

// fileName is the name of a report's file, of letters, digits and dashes only, whatever the task is called.
func fileName(at wire.Attempt) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return r
		}
		return '-'
	}, at.Task)
	return fmt.Sprintf("%.100s-%d.json", clean, at.Attempt)
}
