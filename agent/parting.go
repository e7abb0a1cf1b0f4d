package agent

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"overcrank/agent/film"
	"overcrank/farm/wire"
	"overcrank/frames"
)

// The names of what a part's engine writes.
const (
	partName  = "part" + frames.Ext
	soundName = "sound.wav"
)

// How long the frames of an attempt that ended early may take on their way to the farm.
const (
	donePatience = 20 * time.Second
	// returnPatience is the same with somebody waiting for the machine, who gets it back within five seconds: one to be seen, one for
	// the engine's end, lastPictures, and these.
	returnPatience = 2 * time.Second
)

// checkPart looks at the frames that the engine handed over, from the first to the last. Whoever puts the film together unpacks them.
func (t *attempt) checkPart(p plan) (result, error) {
	path := filepath.Join(t.dir, "out", partName)
	grown, size, err := growth(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return result{}, &film.Wrong{Message: "the engine wrote no frames"}
	case errors.Is(err, frames.ErrFormat):
		return result{}, &film.Wrong{Message: "the frames cannot be read"}
	case err != nil:
		return result{}, err
	case grown.End != size || grown.Frames != p.frames || grown.First != p.first || grown.Last != p.first+p.frames-1:
		return result{}, &film.Wrong{Message: fmt.Sprintf("%d frames are whole, %d were expected", grown.Frames, p.frames)}
	}
	head := grown.Head()
	if p.want.Width > 0 && head.Width != p.want.Width || p.want.Height > 0 && head.Height != p.want.Height {
		return result{}, &film.Wrong{Message: fmt.Sprintf("the frames are %d×%d pixels, %d×%d were expected", head.Width, head.Height, p.want.Width, p.want.Height)}
	}
	t.say("%d frames are whole, %d×%d pixels, %d KiB", grown.Frames, head.Width, head.Height, size>>10)
	return partResult(path, grown), nil
}

func partResult(path string, grown frames.Growth) result {
	head := grown.Head()
	info := film.Info{Width: head.Width, Height: head.Height, Frames: grown.Last - grown.First + 1, FrameRate: float64(head.RateNum) / float64(head.RateDen), Video: true}
	info.Duration = float64(info.Frames) / info.FrameRate
	return result{path: path, info: info, kind: frames.ContentType}
}

// growth looks at a file of frames as it is now.
func growth(path string) (grown frames.Growth, size int64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return grown, 0, fmt.Errorf("looking at the frames: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return grown, 0, fmt.Errorf("looking at the frames: %w", err)
	}
	return grown, info.Size(), grown.Look(in, info.Size())
}

// growthWithin looks at the frames that are whole within the first bytes of a file.
func growthWithin(path string, size int64) (grown frames.Growth, err error) {
	in, err := os.Open(path)
	if err != nil {
		return grown, fmt.Errorf("looking at the frames: %w", err)
	}
	defer in.Close()
	return grown, grown.Look(in, size)
}

// handOverDone gives the farm the frames of a range that were done when the attempt ended early, so that nobody renders them again.
func (t *attempt) handOverDone(ctx context.Context, why error, failed *wire.Failed) {
	if t.kept == nil || errors.Is(why, errDropped) || errors.As(why, new(*cancelled)) {
		return
	}
	patience := donePatience
	if back := (*givenBack)(nil); errors.As(why, &back) && !back.patient {
		patience = returnPatience
	}
	t.stopAhead()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := t.safely(func() error { return t.handOverRest(ctx, patience) })
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.log.Warn("frames that are done were not handed over", "error", err)
	}
	n := len(t.kept.before)
	if n == 0 {
		return
	}
	last := t.kept.before[n-1]
	failed.Before, failed.Done, failed.Output = t.kept.before[:n-1], &last.Frames, &last.Output
	t.say("frames %d to %d stay", t.kept.first, last.Frames.End)
}

// handOverRest gives the farm the frames that are done and did not come ahead. They go to the farm, also where the film would not.
func (t *attempt) handOverRest(ctx context.Context, patience time.Duration) error {
	k := t.kept
	grown, err := k.doneWithin(patience)
	if err != nil || grown.Frames == 0 || grown.End <= k.sent {
		return err
	}
	rest, err := k.rest(grown)
	if err != nil {
		return err
	}
	sum, size, err := hashFile(rest.path)
	if err != nil {
		return err
	}
	output, err := t.handOver(ctx, rest.result, sum, size)
	if err == nil {
		k.with(grown, wire.Piece{Frames: rest.frames, Output: output})
	}
	return err
}

// checkSound looks at the sound of a composition. One without samples says that the composition is silent.
func (t *attempt) checkSound() (result, error) {
	path := filepath.Join(t.dir, "out", soundName)
	seconds, err := soundLength(path)
	if errors.Is(err, os.ErrNotExist) {
		return result{}, &film.Wrong{Message: "the engine wrote no sound"}
	}
	if err != nil {
		return result{}, err
	}
	if seconds == 0 {
		t.say("the composition has no sound")
	} else {
		t.say("the sound lasts %.2f s", seconds)
	}
	return result{path: path, info: film.Info{Duration: seconds, Audio: seconds > 0}, kind: "audio/wav"}, nil
}

// maxChunks bounds the chunks of a WAV file before its samples.
const maxChunks = 64

// soundLength is how many seconds a WAV file of plain samples lasts.
func soundLength(path string) (float64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("looking at the sound: %w", err)
	}
	defer in.Close()
	unreadable := &film.Wrong{Message: "the sound cannot be read"}
	head := make([]byte, 12)
	if _, err := io.ReadFull(in, head); err != nil || !bytes.HasPrefix(head, []byte("RIFF")) || string(head[8:]) != "WAVE" {
		return 0, unreadable
	}
	info, err := in.Stat()
	if err != nil {
		return 0, fmt.Errorf("looking at the sound: %w", err)
	}
	perSecond := uint32(0)
	at := int64(len(head))
	for range maxChunks {
		chunk := make([]byte, 8+16)
		n, err := in.ReadAt(chunk, at)
		if n < 8 {
			return 0, unreadable
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if err == nil {
				perSecond = binary.LittleEndian.Uint32(chunk[16:])
			}
		case "data":
			if perSecond == 0 || at+8+size > info.Size() {
				return 0, unreadable
			}
			return float64(size) / float64(perSecond), nil
		}
		at += 8 + size + size&1
	}
	return 0, unreadable
}

// emptySound is a stereo 16-bit WAV file at 48 kHz without samples.
func emptySound() []byte {
	b := append([]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"), 0x80, 0xbb, 0, 0, 0x00, 0xee, 0x02, 0)
	return append(b, "\x04\x00\x10\x00data\x00\x00\x00\x00"...)
}
