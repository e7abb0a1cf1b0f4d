// Package parts reads the files of frames that several machines have rendered of one composition as if they were one file. It unpacks
// every frame and verifies its checksum, and reports which frames are missing or damaged.
package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"overcrank/farm"
	"overcrank/frames"
)

// Part is a file of frames.
type Part struct {
	Frames farm.Frames // that it is expected to hold
	// Open opens the file. It may take long, as the file may have to be downloaded. The error is ErrGone when it no longer exists.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// ErrGone is the error of a part that no longer exists. Its frames count as missing.
var ErrGone = errors.New("the part is gone")

// ErrMixed means that parts cannot be put together, because their engines, sizes or frame rates differ.
var ErrMixed = errors.New("the parts of the film do not belong together: they were drawn by different engines, or in different sizes or frame rates")

// Sink receives the frames in ascending order.
type Sink interface {
	// Begin is called once, before the first frame.
	Begin(head frames.Head) error
	// Frame receives a frame, as pixels and as its record in the file. Both are valid until it returns.
	Frame(number int, pix, record []byte) error
}

// Missing is the error of frames that are missing or damaged.
type Missing struct{ Frames []farm.Frames }

func (m *Missing) Error() string {
	n := 0
	for _, f := range m.Frames {
		n += f.Count()
	}
	if n == 1 {
		return fmt.Sprintf("frame %d of the film is missing or damaged", m.Frames[0].Start)
	}
	return fmt.Sprintf("%d frames of the film are missing or damaged, the first is frame %d", n, m.Frames[0].Start)
}

// run is a range of frames that are read from one part.
type run struct {
	part        int // index of the part, -1 when no part has the frames
	first, last int // both included
}

// Read passes the frames of want to sink. When several parts hold a frame, the last of them counts. After the first missing or damaged
// frame the sink receives nothing more, but all parts are read to the end, so that the error, a *Missing, names all such frames.
func Read(ctx context.Context, want farm.Frames, list []Part, sink Sink) error {
	r := &reading{ctx: ctx, list: list, sink: sink, open: make(map[int]*source)}
	defer r.close()
	plan := runs(want, list)
	for i, s := range plan {
		if s.part < 0 {
			r.miss(s.first, s.last)
			continue
		}
		if i+1 < len(plan) && plan[i+1].part >= 0 {
			r.openPart(plan[i+1].part) // it is opened while this one is read
		}
		if err := r.readRun(s); err != nil {
			return err
		}
		if !slices.ContainsFunc(plan[i+1:], func(later run) bool { return later.part == s.part }) {
			r.closePart(s.part)
		}
	}
	if len(r.missing) > 0 {
		return &Missing{Frames: r.missing}
	}
	return nil
}

// runs divides want by which part each frame is read from, in ascending order.
func runs(want farm.Frames, list []Part) []run {
	cuts := []int{want.Start, want.End + 1}
	for _, p := range list {
		for _, at := range []int{p.Frames.Start, p.Frames.End + 1} {
			if at > want.Start && at <= want.End {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []run
	for i := range len(cuts) - 1 {
		s := run{part: -1, first: cuts[i], last: cuts[i+1] - 1}
		for k, p := range slices.Backward(list) {
			if p.Frames.Start <= s.first && s.last <= p.Frames.End {
				s.part = k
				break
			}
		}
		if n := len(out); n > 0 && out[n-1].part == s.part {
			out[n-1].last = s.last
			continue
		}
		out = append(out, s)
	}
	return out
}

// reading is one pass over all parts.
type reading struct {
	ctx     context.Context
	list    []Part
	sink    Sink
	open    map[int]*source
	head    *frames.Head
	missing []farm.Frames
}

// source is a part that is open, or being opened.
type source struct {
	ready  chan struct{}
	cancel context.CancelFunc
	file   io.ReadCloser
	err    error
	reader *frames.Reader
	number int // of the frame that was read last
	pix    []byte
	unread bool // that frame belongs to a later run: the next call of read returns it again
}

// openPart begins to open a part, unless that was begun before.
func (r *reading) openPart(part int) *source {
	if s := r.open[part]; s != nil {
		return s
	}
	ctx, cancel := context.WithCancel(r.ctx)
	s := &source{ready: make(chan struct{}), cancel: cancel}
	r.open[part] = s
	go func() {
		defer close(s.ready)
		s.file, s.err = r.list[part].Open(ctx)
	}()
	return s
}

// closePart closes a part that is no longer needed.
func (r *reading) closePart(part int) {
	s := r.open[part]
	if s == nil {
		return
	}
	s.cancel()
	<-s.ready
	if s.reader != nil {
		s.reader.Close()
	}
	if s.file != nil {
		_ = s.file.Close() // it was only read
	}
	delete(r.open, part)
}

func (r *reading) close() {
	for part := range r.open {
		r.closePart(part)
	}
}

func (r *reading) miss(first, last int) {
	if n := len(r.missing); n > 0 && r.missing[n-1].End == first-1 {
		r.missing[n-1].End = last
		return
	}
	r.missing = append(r.missing, farm.Frames{Start: first, End: last})
}

// source waits until a part is open. It is nil when the part does not exist or is not a file of frames.
func (r *reading) source(part int) (*source, error) {
	s := r.openPart(part)
	select {
	case <-s.ready:
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
	switch {
	case errors.Is(s.err, ErrGone):
		return nil, nil
	case s.err != nil:
		return nil, s.err
	case s.reader != nil:
		return s, nil
	}
	reader, err := frames.NewReader(s.file)
	if errors.Is(err, frames.ErrFormat) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.reader = reader
	head := reader.Head()
	if r.head == nil {
		r.head = &head
		if err := r.sink.Begin(head); err != nil {
			return nil, err
		}
	}
	if head.Cuts = r.head.Cuts; head != *r.head { // an agent of an earlier version names no cuts
		return nil, ErrMixed
	}
	return s, nil
}

// readRun reads the frames of one run.
func (r *reading) readRun(s run) error {
	src, err := r.source(s.part)
	if err != nil {
		return err
	}
	if src == nil {
		r.miss(s.first, s.last)
		return nil
	}
	for next := s.first; next <= s.last; {
		if err := context.Cause(r.ctx); err != nil {
			return err
		}
		err := src.read()
		var damaged *frames.Damaged
		switch {
		case errors.Is(err, io.EOF):
			r.miss(next, s.last)
			return nil
		case errors.As(err, &damaged):
			continue // the gap in the numbers shows that it is missing
		case err != nil:
			return fmt.Errorf("read a part of the film: %w", err)
		case src.number < next:
			continue
		case src.number > s.last:
			src.unread = true
			r.miss(next, s.last)
			return nil
		case src.number > next:
			r.miss(next, src.number-1)
		}
		next = src.number + 1
		if len(r.missing) > 0 {
			continue
		}
		if err := r.sink.Frame(src.number, src.pix, src.reader.Record()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the next frame, or returns the last one again when it is marked unread.
func (s *source) read() (err error) {
	if s.unread {
		s.unread = false
		return nil
	}
	s.number, s.pix, err = s.reader.Next()
	return err
}
