package encoding

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"overcrank/farm/codec"
	"overcrank/ffmpeg"
)

// Variable is the environment variable by which an agent tells the embedded engine which encoders work on the machine,
// separated by commas. Without it the engine asks ffmpeg, which takes a while.
const Variable = "OVERCRANK_ENCODERS"

// trialTime is how long an encoder may take for the four small frames that it is tried with.
const trialTime = 15 * time.Second

// Available are the encoders of this machine's ffmpeg that the codecs of jobs are written with. Those that depend on more
// than ffmpeg, on the system or on a library that may lack, write a small film first: ffmpeg lists them in any case.
func Available(ctx context.Context) ([]string, error) {
	out, err := ffmpeg.Run(ctx, "ffmpeg", "-encoders")
	if err != nil {
		return nil, err
	}
	listed := encodersIn(out)
	works := []string{}
	for _, encoder := range wanted() {
		if slices.Contains(listed, encoder) && (!needsTrial(encoder) || try(ctx, encoder) == nil) {
			works = append(works, encoder)
		}
	}
	return works, ctx.Err()
}

// encodersIn are the names in what "ffmpeg -encoders" prints: each line has flags, the name and a description.
func encodersIn(out []byte) (names []string) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 {
			names = append(names, fields[1])
		}
	}
	return names
}

// wanted are the encoders that any codec of a job can be written with.
func wanted() (encoders []string) {
	for _, c := range codec.All() {
		for _, e := range wayOf(c).encoders() {
			if !slices.Contains(encoders, e) {
				encoders = append(encoders, e)
			}
		}
	}
	return encoders
}

func needsTrial(encoder string) bool {
	return encoder != x264 && slices.Contains(h264Encoders(), encoder)
}

// try writes four frames with an encoder of H.264, in the way that films are.
func try(ctx context.Context, encoder string) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	way, _ := Find(DefaultFilm)
	way = way.with(encoder)
	args := []string{"-f", "rawvideo", "-pix_fmt", "rgba", "-s", "256x144", "-framerate", "25", "-i", "pipe:0", "-vf", way.Filter()}
	cmd, tail := ffmpeg.Command(ctx, "ffmpeg", append(append(args, way.Video(InHaste)...), "-f", "null", "-")...)
	cmd.Stdin = bytes.NewReader(make([]byte, 4*4*256*144))
	return ffmpeg.Failure(ctx, cmd.Run(), tail)
}

// encoders are those that w can be written with, the best first.
func (w Way) encoders() []string {
	switch {
	case w.rate != nil:
		return h264Encoders()
	case w.Encoder != "":
		return []string{w.Encoder}
	}
	return nil
}

// On is w written with the best of the encoders that a machine has; false when it has none for it. What only the embedded
// engine writes needs none.
func (w Way) On(have []string) (Way, bool) {
	if w.Encoder == "" {
		return w, true
	}
	for _, e := range w.encoders() {
		switch {
		case !slices.Contains(have, e):
		case w.rate != nil:
			return w.with(e), true
		default:
			return w, true
		}
	}
	return w, false
}

// ErrNoEncoder means that this machine's ffmpeg has no encoder for a codec.
var ErrNoEncoder = errors.New("this machine's ffmpeg has no encoder for it")

// Told are the encoders that Variable names; nil when it names none.
func Told() []string {
	if told := os.Getenv(Variable); told != "" {
		return strings.Split(told, ",")
	}
	return nil
}

// Here is w written with the best encoder of this machine, which has those of have: nil when nobody has looked yet, so that
// ffmpeg is asked. A codec with a single encoder is not looked for: ffmpeg says itself when it lacks it. The error is
// ErrNoEncoder when the machine has none.
func (w Way) Here(ctx context.Context, have []string) (Way, error) {
	if w.rate == nil {
		return w, nil
	}
	if have == nil {
		var err error
		if have, err = Available(ctx); err != nil {
			return w, fmt.Errorf("looking which encoders ffmpeg has: %w", err)
		}
	}
	chosen, ok := w.On(have)
	if !ok {
		return w, fmt.Errorf("%w: H.264 needs one of %s", ErrNoEncoder, strings.Join(h264Encoders(), ", "))
	}
	return chosen, nil
}

// Codecs are the codecs of jobs that can be written with these encoders.
func Codecs(have []string) (names []string) {
	for _, c := range codec.All() {
		if _, ok := wayOf(c).On(have); ok {
			names = append(names, c.Name)
		}
	}
	return names
}
