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
// coordinator can open it.
func (l *Logs) Layout(ctx context.Context, job string) ([]Part, error) {
	done, err := l.lock(job).turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	stored, err := l.listed(ctx, job)
	if err != nil {
		return nil, err
	}
	parts, err := l.withLocal(ctx, job, stored)
	if err == nil && len(parts) == 0 {
		err = fmt.Errorf("the log of job %s: %w", job, files.ErrNotFound)
	}
	return parts, err
}

// listed lists the stored parts of a log, as they were a moment ago.
func (l *Logs) listed(ctx context.Context, job string) ([]Part, error) {
	l.mu.Lock()
	known, found := l.known[job]
	l.mu.Unlock()
	if found && time.Since(known.at) <= listingLife {
		return known.parts, nil
	}
	parts, err := l.list(ctx, job)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.known[job] = listing{time.Now(), parts}
	l.mu.Unlock()
	return parts, nil
}

// withLocal is a list of stored parts with the lines that are on this machine only.
func (l *Logs) withLocal(ctx context.Context, job string, stored []Part) ([]Part, error) {
	lock := l.lock(job)
	lock.Lock()
	defer lock.Unlock()
	parts := slices.Clone(stored)
	g := l.growing(job)
	if g == nil {
		return parts, nil
	}
	l.mu.Lock()
	last := g.last
	l.mu.Unlock()
	for _, s := range g.segments() {
		text, err := l.tail(ctx, s)
		if err != nil {
			return nil, err
		}
		parts = slices.DeleteFunc(parts, func(p Part) bool { return p.Key == s.key })
		parts = append(parts, Part{Key: s.key, Size: s.stored, Text: text, Modified: last})
	}
	inOrder(parts)
	return parts, nil
}

func inOrder(parts []Part) {
	slices.SortFunc(parts, func(a, b Part) int { return strings.Compare(a.Key, b.Key) })
}

func (l *Logs) forget(job string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.known, job)
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
