package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/frames"
	"overcrank/interval"
)

// Pace is how frames are handed over while others are drawn: an artist who is back waits for no more than a few of them.
type Pace struct {
	Every time.Duration // between looks for frames that are done
	Piece int64         // bytes of frames that are sent at once
	// Pictures and Return are what somebody who waits for the machine waits for pictures of After Effects that are whole, and for frames to be
	// with the farm. The machine is free within five seconds: one until they are seen, one for the engine's end, and these.
	Pictures, Return time.Duration
}

// UsualPace is that of an agent.
func UsualPace() Pace {
	return Pace{Every: 2 * time.Second, Piece: 32 << 20, Pictures: time.Second, Return: 2 * time.Second}
}

const (
	// restShare is how many times as long as a piece took nothing more is sent, so that films take little of the network. Frames that are
	// drawn faster than that are also drawn again faster.
	restShare = 9
	// pieceShare is which part of all before it a piece is at least, so that there are few of them however long the film.
	pieceShare = 16
)

// donePatience is how long handing over frames may take once an attempt has ended early, with nobody waiting for the machine.
const donePatience = 20 * time.Second

// handover gives the farm frames of a film that is rendered frame by frame: some while others are drawn, and the rest of what is done
// when the attempt ends early. One goroutine at a time uses it: sendAhead, and after that the attempt.
type handover struct {
	t        *attempt
	path     string // of the file of frames, which grows
	first    int    // of the range
	last     int    // of the range
	keepLast bool   // the last frame is never handed over, so that a task remains to be rendered: of a film that is not a range of a split job

	pieces []wire.Piece // that the farm has, one behind the other
	sent   int64        // bytes of the file that they are
	speed  float64      // of the last of them, in bytes per second; 0 before the first
}

// handingOver does what draws the frames of a plan, and meanwhile hands over what is done where the lease asks for that and somebody may
// come back to the machine.
func (t *attempt) handingOver(ctx context.Context, p plan, draw func() (result, error)) (product, error) {
	h := &handover{t: t, path: filepath.Join(t.dir, "out", partName), first: p.first, last: p.first + p.frames - 1, keepLast: t.lease.Parted}
	made := product{frames: h}
	err := t.safely(func() (err error) {
		if t.lease.Ahead && t.machine.Presence.SomebodyMayCome(ctx) {
			defer h.sendAhead(ctx)()
		}
		made.result, err = draw()
		return err
	})
	return made, err
}

// sendAhead sends frames as they are done, until stop, which waits for the end of that.
func (h *handover) sendAhead(ctx context.Context) (stop func()) {
	ctx, quit := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pace := h.t.machine.Pace.Every
		for wait := pace; interval.Wait(ctx, wait) == nil; {
			began := time.Now()
			err := h.t.safely(func() error { return h.sendPiece(ctx) })
			if err != nil && ctx.Err() == nil {
				h.t.log.Debug("frames were not handed over ahead", "error", err)
			}
			wait = max(pace, restShare*time.Since(began))
		}
	}()
	return func() { quit(); <-ended }
}

// sendPiece sends what is done and the farm does not have, if that is enough for a piece. The last frame stays, so that something is left
// for the report.
func (h *handover) sendPiece(ctx context.Context) error {
	grown, err := h.done(true)
	if errors.Is(err, os.ErrNotExist) || err == nil && grown.End-h.sent < max(h.t.machine.Pace.Piece, h.sent/pieceShare) {
		return nil
	}
	if err != nil {
		return err
	}
	rest, err := h.cut(grown)
	if err != nil {
		return err
	}
	sum, size, err := hashFile(rest.path)
	if err != nil {
		return err
	}
	began := time.Now()
	ref, err := delivery{h.t}.put(ctx, rest.result, sum, size, func(int64) {})
	if err != nil {
		return err
	}
	h.speed = float64(size) / max(time.Since(began), time.Millisecond).Seconds()
	h.add(grown, wire.Piece{Frames: rest.frames, Output: described(ref, rest.result)})
	return nil
}

// handOverDone gives the farm the frames that were done when the attempt ended early, so that nobody renders them again, and puts them into
// the report.
func (h *handover) handOverDone(ctx context.Context, why error, failed *wire.Failed) {
	patience := donePatience
	if back := (*GivenBack)(nil); errors.As(why, &back) && !back.Patient {
		patience = h.t.machine.Pace.Return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := h.t.safely(func() error { return h.sendRest(ctx, patience) })
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.log.Warn("frames that are done were not handed over", "error", err)
	}
	n := len(h.pieces)
	if n == 0 {
		return
	}
	last := h.pieces[n-1]
	failed.Before, failed.Done, failed.Output = h.pieces[:n-1], &last.Frames, &last.Output
	h.t.say("frames %d to %d stay", h.first, last.Frames.End)
}

// sendRest sends the frames that are done and the farm does not have: always to the farm, also where the film goes elsewhere.
func (h *handover) sendRest(ctx context.Context, patience time.Duration) error {
	grown, err := h.doneWithin(patience)
	if err != nil || grown.Frames == 0 || grown.End <= h.sent {
		return err
	}
	rest, err := h.rest(grown)
	if err != nil {
		return err
	}
	sum, size, err := hashFile(rest.path)
	if err != nil {
		return err
	}
	output, err := delivery{h.t}.handOver(ctx, rest.result, sum, size)
	if err == nil {
		h.add(grown, wire.Piece{Frames: rest.frames, Output: output})
	}
	return err
}

// unsent is what is left to be delivered of a range that was drawn whole: all of it, or what was not sent ahead.
func (h *handover) unsent(made result) (result, error) {
	if h.sent == 0 {
		return made, nil
	}
	grown, err := h.done(false)
	if err != nil {
		return result{}, err
	}
	rest, err := h.cut(grown)
	return rest.result, err
}

// done are the frames that are whole, from the first of the range on; without the last of the range when short. It is empty while there
// are none.
func (h *handover) done(short bool) (frames.Growth, error) {
	grown, _, err := growth(h.path)
	if err == nil && short && grown.Frames > 0 && grown.Last == h.last {
		grown, err = growthWithin(h.path, grown.End-1)
	}
	if err != nil || grown.Frames == 0 || grown.First != h.first || grown.Frames != grown.Last-grown.First+1 {
		return frames.Growth{}, err
	}
	return grown, nil
}

// How much can be sent in a time: what the speed of the last piece lets expect, less a reserve, and at most what a quick network and disk
// carry. If it were too much, all of it would be lost.
const (
	topSpeed     = 128 << 20 // bytes in a second
	speedReserve = 0.7
)

// doneWithin is done, with no more frames than can be sent in the time.
func (h *handover) doneWithin(patience time.Duration) (frames.Growth, error) {
	grown, err := h.done(h.keepLast)
	speed := float64(topSpeed)
	if h.speed > 0 {
		speed = min(speed, h.speed*speedReserve)
	}
	if most := h.sent + int64(speed*patience.Seconds()); err == nil && grown.End > most {
		return growthWithin(h.path, most)
	}
	return grown, err
}

// add notes a piece that the farm has, up to the end of grown.
func (h *handover) add(grown frames.Growth, piece wire.Piece) {
	h.pieces, h.sent = append(h.pieces, piece), grown.End
}

// stretch is a file of some of a range's frames.
type stretch struct {
	result
	frames farm.Frames
}

// cut copies the frames that are done and that the farm does not have into a file of their own.
func (h *handover) cut(grown frames.Growth) (stretch, error) {
	in, err := os.Open(h.path)
	if err != nil {
		return stretch{}, fmt.Errorf("opening the frames: %w", err)
	}
	defer in.Close()
	path := filepath.Join(filepath.Dir(h.path), "rest"+frames.Ext)
	out, err := os.Create(path)
	if err != nil {
		return stretch{}, fmt.Errorf("making a file of frames: %w", err)
	}
	from := max(h.sent, grown.Begin)
	_, err = io.Copy(out, io.MultiReader(io.NewSectionReader(in, 0, grown.Begin), io.NewSectionReader(in, from, grown.End-from)))
	if err := errors.Join(err, out.Close()); err != nil {
		return stretch{}, fmt.Errorf("writing a file of frames: %w", err)
	}
	return h.stretch(path, grown), nil
}

// rest is cut for a file to which nothing more will be written.
func (h *handover) rest(grown frames.Growth) (stretch, error) {
	if h.sent > 0 {
		return h.cut(grown)
	}
	if err := os.Truncate(h.path, grown.End); err != nil {
		return stretch{}, fmt.Errorf("cutting a frame off that is not whole: %w", err)
	}
	return h.stretch(h.path, grown), nil
}

// stretch describes the file at path, of the frames that the farm does not have.
func (h *handover) stretch(path string, grown frames.Growth) stretch {
	s := stretch{result: framesResult(path, grown), frames: farm.Frames{Start: grown.First, End: grown.Last}}
	if n := len(h.pieces); n > 0 {
		s.frames.Start = h.pieces[n-1].Frames.End + 1
	}
	s.info.Frames = s.frames.Count()
	s.info.Duration = float64(s.info.Frames) / s.info.FrameRate
	return s
}
