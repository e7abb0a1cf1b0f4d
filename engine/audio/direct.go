package audio

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"overcrank/engine/wav"
)

// track is a clip whose samples are read here and need no conversion.
type track struct {
	Clip
	at     int64 // where in the mix it is heard, in samples
	skip   int64 // of its file
	length int64
	read   func(at int64, to []frame) error
	close  func() error
}

// levelBlock is how many samples have the same volume: 128 are too short to be heard as steps.
const levelBlock = 128

// mixBlock is how many samples are mixed at once.
const mixBlock = 64 * levelBlock

// direct opens clips that are mixed without ffmpeg, which takes longer to start than they take to mix. known is false when one of them is to be
// converted: to another rate, from another speed or from a file that is not uncompressed.
func direct(clips []Clip) (tracks []track, known bool, err error) {
	for _, c := range clips {
		t, known, err := openTrack(c)
		if err != nil || !known {
			return nil, false, errors.Join(err, closeAll(tracks))
		}
		tracks = append(tracks, t)
	}
	return tracks, true, nil
}

func openTrack(c Clip) (t track, known bool, err error) {
	t = track{Clip: c, at: samples(c.At), length: samples(c.Length)}
	switch {
	case c.plain:
		raw, err := openTake(c.Path, 0)
		if err != nil {
			return t, false, err
		}
		t.length, t.close = raw.samples, raw.file.Close
		t.read = func(at int64, to []frame) error {
			for i := range to {
				to[i] = raw.sample(at + int64(i))
			}
			return raw.err
		}
		return t, true, nil
	case c.Speed != 1:
		return t, false, nil
	}
	f, err := wav.Open(c.Path)
	if err != nil {
		return t, false, nil // left to ffmpeg, as what cannot be read here
	}
	if f.Rate != Rate {
		return t, false, f.Close()
	}
	t.skip, t.read, t.close = samples(c.Start), f.Read, f.Close
	return t, true, nil
}

// samples is how many samples last for so many seconds.
func samples(seconds float64) int64 { return int64(math.Round(seconds * Rate)) }

func closeAll(tracks []track) (err error) {
	for _, t := range tracks {
		err = errors.Join(err, t.close())
	}
	return err
}

// mixTracks writes the sum of tracks, as many samples, into a stereo 16-bit WAV file.
func mixTracks(ctx context.Context, path string, tracks []track, length int64) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 4*mixBlock)
	if _, err := w.Write(wav.Head(Rate, length)); err != nil {
		return err
	}
	sum, one, raw := make([]frame, mixBlock), make([]frame, mixBlock), make([]byte, 4*mixBlock)
	for at := int64(0); at < length; at += mixBlock {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sum = sum[:min(mixBlock, length-at)]
		clear(sum)
		for i := range tracks {
			if err := tracks[i].add(at, sum, one); err != nil {
				return fmt.Errorf("'%s': %w", filepath.Base(tracks[i].Path), err)
			}
		}
		if _, err := w.Write(rounded(raw, sum)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// add adds what is heard of the track from sample at of the mix on. room is for as many samples as sum has.
func (t *track) add(at int64, sum, room []frame) error {
	from, to := max(t.at, at), min(t.at+t.length, at+int64(len(sum)))
	if from >= to {
		return nil
	}
	room = room[:to-from]
	if err := t.read(t.skip+from-t.at, room); err != nil {
		return err
	}
	sum = sum[from-at:]
	for i := 0; i < len(room); {
		block := (from + int64(i)) / levelBlock
		gain := t.gain(float64(block*levelBlock) / Rate)
		for end := min(len(room), int((block+1)*levelBlock-from)); i < end; i++ {
			for side, v := range room[i] {
				sum[i][side] += v * gain[side]
			}
		}
	}
	return nil
}

// gain are the factors of the volume at a time of the mix.
func (t *track) gain(at float64) frame {
	left := gainAt(t.Levels, at)
	if len(t.Right) == 0 {
		return frame{left, left}
	}
	return frame{left, gainAt(t.Right, at)}
}

// rounded are samples as whole numbers of 16 bits. raw has room for them.
func rounded(raw []byte, from []frame) []byte {
	raw = raw[:0]
	for _, f := range from {
		for _, v := range f {
			v = max(math.MinInt16, min(math.RoundToEven(v*(1<<15)), math.MaxInt16))
			if math.IsNaN(v) {
				v = 0
			}
			raw = binary.LittleEndian.AppendUint16(raw, uint16(int16(v)))
		}
	}
	return raw
}
