package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/agent/internal/aerenderdouble"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// eagerly hands over each frame as soon as it is there.
func eagerly(a *agent) { a.machine.Pace.Every, a.machine.Pace.Piece = 20*time.Millisecond, 1 }

// given is a file that an agent has handed over.
func (p *peer) given(out farm.OutputRef) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.contents[out.SHA256]
}

// has tells whether something of a task was handed over.
func (p *peer) has(task string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.outputs {
		if strings.HasPrefix(key, task) {
			return true
		}
	}
	return false
}

// holds makes sure that a piece has the frames that it says, and no others.
func (p *peer) holds(piece wire.Piece) {
	p.t.Helper()
	r, err := frames.NewReader(bytes.NewReader(p.given(piece.Output)))
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Close()
	for want := piece.Frames.Start; ; want++ {
		number, _, err := r.Next()
		if errors.Is(err, io.EOF) && want == piece.Frames.End+1 {
			return
		}
		if err != nil || number != want {
			p.t.Fatalf("frame %d of %v is %d, %v", want, piece.Frames, number, err)
		}
	}
}

// TestFramesAreWithTheFarmBeforeSomebodyIsBack: however many there are, only the last of them are left to be handed over.
func TestFramesAreWithTheFarmBeforeSomebodyIsBack(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	a := startStudioOf(t, p, "one-by-one", "ok", peopled, eagerly)
	l := lasting(t, p, "whole.1")
	l.Parted, l.Ahead = true, true
	p.send(wire.Message{Lease: &l})
	p.eventually("pieces to come", func() bool { return len(p.contents) >= 5 })
	p.mu.Lock()
	for _, m := range p.got {
		if m.Progress != nil && m.Progress.Phase == "uploading" {
			t.Errorf("what goes ahead shows as %+v", *m.Progress)
		}
	}
	p.mu.Unlock()
	a.slots.giveBack("somebody works at it", 0)
	f := p.report(l.Attempt).Failed
	if f == nil || f.Done == nil || f.Output == nil || len(f.Before) < 2 {
		t.Fatalf("%+v\n%s", f, p.logged(l.Attempt))
	}
	next := 0
	for _, piece := range append(f.Before, wire.Piece{Frames: *f.Done, Output: *f.Output}) {
		if piece.Frames.Start != next || piece.Output.Frames != piece.Frames.Count() {
			t.Errorf("behind frame %d come %v, of %d frames", next-1, piece.Frames, piece.Output.Frames)
		}
		p.holds(piece)
		next = piece.Frames.End + 1
	}
	if next < 3 || next > 20_000 {
		t.Errorf("%d frames stay", next)
	}
}

// TestARangeThatCameInPiecesIsThatOfOneFile: what went ahead is not sent again.
func TestARangeThatCameInPiecesIsThatOfOneFile(t *testing.T) {
	t.Parallel()
	needFFmpeg(t)
	p := newPeer(t)
	engine := startStudioOf(t, p, "half-way", "ok", peopled, eagerly).cfg.Engine
	l := lease(t, p, "whole.1")
	l.Settings = farm.Settings{Frames: &farm.Frames{Start: 4, End: 13}}
	aerenderdouble.GoOn(t, engine, 4, 13)
	whole, want := finished(t, p, l)
	l.Ahead = true
	ctx, over := context.WithCancel(t.Context())
	var ahead sync.WaitGroup
	defer ahead.Wait()
	defer over()
	ahead.Go(func() { // the engine waits in the middle of each range until some of it is with the farm
		for i, frames := range []farm.Frames{{Start: 4, End: 8}, {Start: 9, End: 13}} {
			for !p.has(fmt.Sprintf("range.%d/", i)) {
				if ctx.Err() != nil {
					return // the test has failed
				}
				time.Sleep(5 * time.Millisecond)
			}
			aerenderdouble.GoOn(t, engine, frames.Start, frames.End)
		}
	})
	assemble := split(t, p, l, 4, 9)
	if len(assemble.Parts) < 5 { // the sound, and more than one for each range
		t.Fatalf("parts %+v", assemble.Parts)
	}
	put, got := finished(t, p, assemble)
	sameDecoded(t, "the film", want, got)
	if put.Output.Frames != 10 || len(put.Before) != 0 || len(whole.Before) != 0 {
		t.Errorf("%+v", put)
	}
}
