package joblog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/files"
)

// listingLife is how long a listing of a job's segments is cached: whoever follows a log asks several times a second.
const listingLife = 5 * time.Second

type listing struct {
	at    time.Time
	parts []Part
}

// Part is a piece of a log.
type Part struct {
	Key      string    `json:"key"`
	Size     int64     `json:"size"`           // bytes that are stored
	Text     []byte    `json:"text,omitempty"` // lines behind Size that are not stored yet
	Modified time.Time `json:"modified"`
}

func (p Part) size() int64 { return p.Size + int64(len(p.Text)) }

// Layout lists the parts of a job's log, including the lines that are on this machine only; files.ErrNotFound when there is none. Any
// coordinator can open it. It waits for nobody who stores the log. What is on this machine is looked at first: what is stored and deleted
// here meanwhile is in the listing then.
func (l *Logs) Layout(ctx context.Context, job string) ([]Part, error) {
	local, err := l.local(ctx, job)
	if err != nil {
		return nil, err
	}
	stored, err := l.listed(ctx, job)
	if err != nil {
		return nil, err
	}
	parts := longest(stored, local)
	if len(parts) == 0 {
		return nil, fmt.Errorf("the log of job %s: %w", job, files.ErrNotFound)
	}
	return parts, nil
}

// longest has the longer one of what two lists say of a part: parts only grow, and the lists were made one after the other.
func longest(stored, local []Part) []Part {
	parts := slices.Clone(stored)
	for _, p := range local {
		switch at := slices.IndexFunc(parts, func(s Part) bool { return s.Key == p.Key }); {
		case at < 0:
			parts = append(parts, p)
		case parts[at].size() <= p.size():
			parts[at] = p
		}
	}
	inOrder(parts)
	return parts
}

// listed lists the stored parts of a log, as they were a moment ago.
func (l *Logs) listed(ctx context.Context, job string) ([]Part, error) {
	lock := l.lock(job)
	l.mu.Lock()
	known, found := l.known[job]
	changes := lock.changes
	l.mu.Unlock()
	if found && time.Since(known.at) <= listingLife {
		return known.parts, nil
	}
	parts, err := l.list(ctx, job)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock.changes == changes {
		l.known[job] = listing{time.Now(), parts}
	}
	return parts, nil
}

// local are the parts that have lines on this machine only.
func (l *Logs) local(ctx context.Context, job string) (parts []Part, err error) {
	segments, last := l.unstored(job)
	for _, s := range segments {
		text, err := l.tail(ctx, s)
		if errors.Is(err, files.ErrNotFound) { // it has been stored whole, or is gone
			continue
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, Part{Key: s.key, Size: s.stored, Text: text, Modified: last})
	}
	return parts, nil
}

// unstored are the segments of a job that are on this machine, and the time of their last line.
func (l *Logs) unstored(job string) (list []segment, last time.Time) {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	g := l.growing(job)
	if g == nil {
		return nil, time.Time{}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return g.segments(), g.last
}

func inOrder(parts []Part) {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Key, b.Key) })
}

// forget is called when what is stored of a log has changed in more than its growing.
func (l *Logs) forget(job string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, job)
	l.lock(job).changes++
}

// list lists the stored parts of a log. A single whole file was written before the farm's files were shared.
func (l *Logs) list(ctx context.Context, job string) ([]Part, error) {
	var parts []Part
	err := l.cfg.Shared.List(ctx, segments(job), func(o files.Object) error {
		parts = append(parts, Part{Key: o.Key, Size: o.Size, Modified: o.Modified})
		return nil
	})
	if err != nil {
		return nil, err
	}
	inOrder(parts)
	old, err := l.cfg.Shared.Stat(ctx, whole(job))
	if err == nil {
		parts = slices.Insert(parts, 0, Part{Key: old.Key, Size: old.Size, Modified: old.Modified})
	}
	if errors.Is(err, files.ErrNotFound) {
		err = nil
	}
	return parts, err
}

// OpenLayout opens a log as it was when its layout was made.
func (l *Logs) OpenLayout(parts []Part) (*files.Reader, error) {
	if len(parts) == 0 {
		return nil, files.ErrNotFound
	}
	r := &reader{store: l.cfg.Shared, parts: parts, index: -1}
	o := files.Object{Key: parts[0].Key}
	for _, p := range parts {
		o.Size += p.size()
		if p.Modified.After(o.Modified) {
			o.Modified = p.Modified
		}
	}
	r.whole = o.Size
	return &files.Reader{ReadSeekCloser: r, Object: o}, nil
}

// reader reads the parts one after the other.
type reader struct {
	store files.Store
	parts []Part
	whole int64
	at    int64

	index   int // of the open part; -1 for none
	current *files.Reader
	offset  int64 // offset in it of the next byte
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.at >= r.whole {
		return 0, io.EOF
	}
	index, from := 0, int64(0)
	for r.at >= from+r.parts[index].size() {
		from += r.parts[index].size()
		index++
	}
	part, inside := r.parts[index], r.at-from
	if inside >= part.Size {
		n := copy(p, part.Text[inside-part.Size:])
		r.at += int64(n)
		return n, nil
	}
	if err := r.seekPart(index, inside); err != nil {
		return 0, err
	}
	n, err := r.current.Read(p[:min(int64(len(p)), part.Size-inside)])
	r.at, r.offset = r.at+int64(n), r.offset+int64(n)
	if n > 0 || err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("reading %s: %w", part.Key, errMoved)
	}
	return 0, err
}

// seekPart opens a part at an offset.
func (r *reader) seekPart(index int, inside int64) error {
	if r.index != index {
		if err := r.Close(); err != nil {
			return err
		}
		// The reader outlives the call that opened the log, and ends with Close.
		current, err := r.store.Open(context.Background(), r.parts[index].Key)
		if err != nil {
			return err
		}
		r.current, r.index, r.offset = current, index, 0
	}
	if r.offset == inside {
		return nil
	}
	_, err := r.current.Seek(inside, io.SeekStart)
	r.offset = inside
	return err
}

// Seek implements io.Seeker.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.whole
	}
	if offset < 0 {
		return 0, errors.New("reading a log: negative position")
	}
	r.at = offset
	return offset, nil
}

// Close implements io.Closer.
func (r *reader) Close() error {
	if r.current == nil {
		return nil
	}
	current := r.current
	r.current, r.index = nil, -1
	return current.Close()
}
