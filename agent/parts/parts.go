// Package parts reads what several machines have made of one composition as if it were one file of frames. It believes nobody:
// every frame is unpacked and compared with its hash, and those that are missing or damaged are named.
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
	Frames farm.Frames // that it should hold
	// Open opens the file, which may take long: it is not here yet. ErrGone means that it never will be.
	Open func(ctx context.Context) (io.ReadCloser, error)
}

// ErrGone is the error of a part that nobody has any more: its frames are missing.
var ErrGone = errors.New("the part is gone")

// ErrMixed means that parts do not belong together, since they were drawn by different engines or in different sizes.
var ErrMixed = errors.New("the parts of the film do not belong together: they were drawn by different engines, or in different sizes or frame rates")

// Sink takes the frames in their order.
type Sink interface {
	// Begin comes once, before the first frame.
	Begin(head frames.Head) error
	// Frame takes a frame, as pixels and as the record of a file. Both are the sink's until it returns.
	Frame(number int, pix, record []byte) error
}

// Missing are the frames that were missing or damaged.
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

// stretch is a run of frames that one part gives.
type stretch struct {
	part        int // -1 when none has them
	first, last int
}

// Read gives the frames of want to sink. Of parts that hold the same frame the last one counts. When frames are missing or damaged
// the sink gets nothing more, but all parts are read to the end, so that *Missing names all of them.
func Read(ctx context.Context, want farm.Frames, list []Part, sink Sink) error {
	r := &reading{ctx: ctx, list: list, sink: sink, open: make(map[int]*source)}
	defer r.close()
	plan := stretches(want, list)
	for i, s := range plan {
		if s.part < 0 {
			r.miss(s.first, s.last)
			continue
		}
		if i+1 < len(plan) && plan[i+1].part >= 0 {
			r.ahead(plan[i+1].part) // it comes while this one is read
		}
		if err := r.stretch(s); err != nil {
			return err
		}
		if !slices.ContainsFunc(plan[i+1:], func(later stretch) bool { return later.part == s.part }) {
			r.done(s.part)
		}
	}
	if len(r.missing) > 0 {
		return &Missing{Frames: r.missing}
	}
	return nil
}

// stretches says which part gives which frames of want, in their order.
func stretches(want farm.Frames, list []Part) []stretch {
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
	var out []stretch
	for i := range len(cuts) - 1 {
		s := stretch{part: -1, first: cuts[i], last: cuts[i+1] - 1}
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
	// A frame that was read and belongs to a later stretch.
	held   bool
	number int
	pix    []byte
}

// ahead begins to open a part.
func (r *reading) ahead(part int) *source {
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

// done closes a part that is needed no more.
func (r *reading) done(part int) {
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
		r.done(part)
	}
}

func (r *reading) miss(first, last int) {
	if n := len(r.missing); n > 0 && r.missing[n-1].End == first-1 {
		r.missing[n-1].End = last
		return
	}
	r.missing = append(r.missing, farm.Frames{Start: first, End: last})
}

// source waits for a part to be open; nil when it is of no use.
func (r *reading) source(part int) (*source, error) {
	s := r.ahead(part)
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
	if head != *r.head {
		return nil, ErrMixed
	}
	return s, nil
}

// stretch reads the frames of one stretch.
func (r *reading) stretch(s stretch) error {
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
			continue // it will be found missing
		case err != nil:
			return fmt.Errorf("reading a part of the film: %w", err)
		case src.number < next:
			continue
		case src.number > s.last:
			src.held = true
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

// read reads the next frame, or the one that was read too early.
func (s *source) read() (err error) {
	if s.held {
		s.held = false
		return nil
	}
	s.number, s.pix, err = s.reader.Next()
	return err
}
