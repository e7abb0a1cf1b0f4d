package audio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"overcrank/ffmpeg"
)

// sampleBytes is the size of one sample: two channels of 32 bits.
const sampleBytes = 2 * 4

// plainInput is the arguments that open a file of raw samples.
func plainInput(path string) []string {
	return []string{"-protocol_whitelist", "file,pipe", "-f", "f32le", "-ar", strconv.Itoa(Rate), "-ac", "2", "-i", "file:" + path}
}

// reversed writes the clips that are played backwards to files of their own in the folder dir, in reverse: ffmpeg's own
// filter would hold the whole sound in memory. drop removes the files.
func reversed(ctx context.Context, dir string, clips []Clip, mono map[string]bool) (out []Clip, drop func(), err error) {
	var files []string
	drop = func() {
		for _, f := range files {
			_ = os.Remove(f) // otherwise removed with its folder
		}
	}
	for i, c := range clips {
		if c.Speed < 0 {
			path := filepath.Join(dir, fmt.Sprintf("backwards%d.f32", i))
			files = append(files, path)
			if err := reverseClip(ctx, c, mono[c.Path], path); err != nil {
				drop()
				return nil, nil, fmt.Errorf("playing '%s' backwards: %w", filepath.Base(c.Path), err)
			}
			c.Path, c.plain = path, true
		}
		out = append(out, c)
	}
	return out, drop, nil
}

// reverseClip writes the part of the file that a clip needs to path, in reverse.
func reverseClip(ctx context.Context, c Clip, mono bool, path string) error {
	filter := fmt.Sprintf("aresample=%d,", Rate)
	if mono {
		filter += bothSides
	}
	args := append(span(c), ffmpeg.Input(c.Path)...)
	args = append(args, "-map", "0:a:0", "-af", filter+"aformat=sample_fmts=flt:channel_layouts=stereo", "-f", "f32le", "file:"+path)
	if _, err := ffmpeg.Run(ctx, "ffmpeg", args...); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(reverse(ctx, f), f.Close())
}

// reverseBlock is how many samples are reversed at once.
const reverseBlock = 64 << 10

// file is the part of *os.File that reverse needs.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Seeker
}

// reverse reverses a file of samples in place, block by block from both ends.
func reverse(ctx context.Context, f file) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	head, tail := make([]byte, reverseBlock*sampleBytes), make([]byte, reverseBlock*sampleBytes)
	for from, to := int64(0), size/sampleBytes; to-from > 1; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(reverseBlock, (to-from)/2)
		a, b := head[:n*sampleBytes], tail[:n*sampleBytes]
		at, end := from*sampleBytes, (to-n)*sampleBytes
		if _, err := f.ReadAt(a, at); err != nil {
			return err
		}
		if _, err := f.ReadAt(b, end); err != nil {
			return err
		}
		reverseMoments(a)
		reverseMoments(b)
		if _, err := f.WriteAt(b, at); err != nil {
			return err
		}
		if _, err := f.WriteAt(a, end); err != nil {
			return err
		}
		from, to = from+n, to-n
	}
	return nil
}

func reverseMoments(b []byte) {
	var moment [sampleBytes]byte
	for i, j := 0, len(b)-sampleBytes; i < j; i, j = i+sampleBytes, j-sampleBytes {
		copy(moment[:], b[i:])
		copy(b[i:i+sampleBytes], b[j:j+sampleBytes])
		copy(b[j:], moment[:])
	}
}
