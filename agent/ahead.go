package agent

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

// Frames go to the farm ahead of the attempt's end, since an artist who is back waits for no more than a few of them.
const (
	// aheadShare is how many times as long as a piece took on its way nothing more is sent, so that films that come to their end take
	// little of the network: of frames that are made faster than that not much is lost.
	aheadShare = 9
	// aheadPart is which part of all before it a piece is at least: there are few of them, however long the film.
	aheadPart = 16
)

// aheadPace is how frames are handed over while others are made.
type aheadPace struct {
	every time.Duration // between looks for frames that are done
	piece int64         // bytes of frames that make a piece
}

var usualAhead = aheadPace{every: 2 * time.Second, piece: 32 << 20}

// keptFrames are the frames of a range that are done, in a file that grows. Only one goroutine at a time uses them: the one that hands
// frames over ahead, until it has ended, and then the attempt.
type keptFrames struct {
	path  string
	first int // of the range
	last  int // of the range
	// some says that the farm keeps no more than some of the frames: of a film that one machine was to render as a whole.
	some bool

	before []wire.Piece // that are with the farm, one behind the other
	sent   int64        // bytes of the file that they are
	speed  float64      // bytes of the last of them in a second; 0 before the first

	quit  context.CancelFunc // ends the handing over ahead; nil when there is none
	ended chan struct{}
}

// handAhead hands frames over as they are done, until stopAhead.
func (t *attempt) handAhead(ctx context.Context) {
	ctx, quit := context.WithCancel(ctx)
	t.kept.quit, t.kept.ended = quit, make(chan struct{})
	go func() {
		defer close(t.kept.ended)
		for wait := t.a.ahead.every; interval.Wait(ctx, wait) == nil; {
			began := time.Now()
			err := t.safely(func() error { return t.handPiece(ctx) })
			if err != nil && ctx.Err() == nil {
				t.log.Debug("frames were not handed over ahead", "error", err)
			}
			wait = max(t.a.ahead.every, aheadShare*time.Since(began))
		}
	}()
}

// stopAhead ends the handing over ahead, and waits for that.
func (t *attempt) stopAhead() {
	if t.kept == nil || t.kept.quit == nil {
		return
	}
	t.kept.quit()
	<-t.kept.ended
	t.kept.quit = nil
}

// handPiece hands over what is done and not with the farm yet, if that makes a piece. The last frame stays: there is something left to
// be reported.
func (t *attempt) handPiece(ctx context.Context) error {
	k := t.kept
	grown, err := k.done(true)
	if errors.Is(err, os.ErrNotExist) || err == nil && grown.End-k.sent < max(t.a.ahead.piece, k.sent/aheadPart) {
		return nil
	}
	if err != nil {
		return err
	}
	rest, err := k.cut(grown)
	if err != nil {
		return err
	}
	sum, size, err := hashFile(rest.path)
	if err != nil {
		return err
	}
	began := time.Now()
	ref, err := t.put(ctx, t.outputPath(rest.path), rest.result, sum, size, func(int64) {})
	k.speed = float64(size) / max(time.Since(began), time.Millisecond).Seconds()
	switch {
	case err != nil:
		return err
	case ref.SHA256 != sum || ref.Size != size:
		return fmt.Errorf("frames arrived as %d bytes with hash %s, %d with %s were sent", ref.Size, ref.SHA256, size, sum)
	}
	k.with(grown, wire.Piece{Frames: rest.frames, Output: described(ref, rest.result)})
	return nil
}

// done are the frames that are whole, from the first of the range on; without the last of the range when short. It has no frames while
// there are none that could be kept.
func (k *keptFrames) done(short bool) (frames.Growth, error) {
	grown, _, err := growth(k.path)
	if err == nil && short && grown.Frames > 0 && grown.Last == k.last {
		grown, err = growthWithin(k.path, grown.End-1)
	}
	if err != nil || grown.Frames == 0 || grown.First != k.first || grown.Frames != grown.Last-grown.First+1 {
		return frames.Growth{}, err
	}
	return grown, nil
}

// What of the frames goes to the farm within a time: as much as the last piece lets expect, with some to spare, and at most what a
// quick network and disk carry. What is too much would be lost as a whole.
const (
	restSpeed = 128 << 20 // bytes in a second, at most
	restSpare = 0.7
)

// doneWithin is done, with no more than goes to the farm in so long.
func (k *keptFrames) doneWithin(patience time.Duration) (frames.Growth, error) {
	grown, err := k.done(k.some)
	speed := float64(restSpeed)
	if k.speed > 0 {
		speed = min(speed, k.speed*restSpare)
	}
	if most := k.sent + int64(speed*patience.Seconds()); err == nil && grown.End > most {
		return growthWithin(k.path, most)
	}
	return grown, err
}

// with says that the frames up to there are with the farm.
func (k *keptFrames) with(grown frames.Growth, piece wire.Piece) {
	k.before, k.sent = append(k.before, piece), grown.End
}

// stretch is a file of some of a range's frames.
type stretch struct {
	result
	frames farm.Frames
}

// cut copies the frames that are done and not with the farm into a file of their own.
func (k *keptFrames) cut(grown frames.Growth) (stretch, error) {
	in, err := os.Open(k.path)
	if err != nil {
		return stretch{}, fmt.Errorf("opening the frames: %w", err)
	}
	defer in.Close()
	path := filepath.Join(filepath.Dir(k.path), "rest"+frames.Ext)
	out, err := os.Create(path)
	if err != nil {
		return stretch{}, fmt.Errorf("making a file of frames: %w", err)
	}
	from := max(k.sent, grown.Begin)
	_, err = io.Copy(out, io.MultiReader(io.NewSectionReader(in, 0, grown.Begin), io.NewSectionReader(in, from, grown.End-from)))
	if err := errors.Join(err, out.Close()); err != nil {
		return stretch{}, fmt.Errorf("writing a file of frames: %w", err)
	}
	return k.stretch(path, grown), nil
}

// rest is the file of the frames that are done and not with the farm, when no others will be written.
func (k *keptFrames) rest(grown frames.Growth) (stretch, error) {
	if k.sent > 0 {
		return k.cut(grown)
	}
	if err := os.Truncate(k.path, grown.End); err != nil {
		return stretch{}, fmt.Errorf("cutting a frame off that is not whole: %w", err)
	}
	return k.stretch(k.path, grown), nil
}

// stretch describes the file at path of the frames that are not with the farm.
func (k *keptFrames) stretch(path string, grown frames.Growth) stretch {
	s := stretch{result: partResult(path, grown), frames: farm.Frames{Start: grown.First, End: grown.Last}}
	if n := len(k.before); n > 0 {
		s.frames.Start = k.before[n-1].Frames.End + 1
	}
	s.info.Frames = s.frames.Count()
	s.info.Duration = float64(s.info.Frames) / s.info.FrameRate
	return s
}

// behind is what is left to be handed over of a range that was made whole: all of it, or what did not come ahead.
func (t *attempt) behind(made result) (result, error) {
	t.stopAhead()
	if t.kept == nil || t.kept.sent == 0 {
		return made, nil
	}
	grown, err := t.kept.done(false)
	if err != nil {
		return result{}, err
	}
	rest, err := t.kept.cut(grown)
	return rest.result, err
}
