package audio

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"sync"

	"overcrank/ffmpeg"
)

// Samples reads the sound of files at any moment, and keeps what it has read last. The zero value is ready; it is safe for concurrent use.
type Samples struct {
	mu    sync.Mutex
	known map[partOfFile]*samplesPart
	clock int // counts readings
}

// partOfFile is one of the parts in which files are read, by its number. They are the same whatever is read first, since what ffmpeg decodes
// depends on where it begins.
type partOfFile struct {
	path   string
	number int
}

type samplesPart struct {
	once    sync.Once
	samples []int16
	err     error
	used    int
}

const (
	partLength = 10 // seconds
	maxParts   = 24 // that are kept, of 960 kB each
	maxReading = 60 // seconds that are read at once
)

// Read is the sound of a file from start for length seconds, at most a minute: one channel, Rate samples per second, from -1 to 1. Before its
// beginning and after its end a file is silent.
func (s *Samples) Read(ctx context.Context, path string, start, length float64) ([]float32, error) {
	const far = 31 * 24 * 3600
	if !(math.Abs(start) < far && length > 0) {
		return nil, nil
	}
	first := int(math.Round(start * Rate))
	out := make([]float32, int(min(length, maxReading)*Rate))
	for i := 0; i < len(out); {
		at := first + i
		if at < 0 {
			i = min(len(out), -first)
			continue
		}
		number, offset := at/(partLength*Rate), at%(partLength*Rate)
		part, err := s.part(ctx, partOfFile{path, number})
		if err != nil {
			return nil, fmt.Errorf("'%s' can't be read as sound: %w", filepath.Base(path), err)
		}
		n := min(len(out)-i, partLength*Rate-offset)
		for j := range max(0, min(n, len(part)-offset)) {
			out[i+j] = float32(part[offset+j]) / (math.MaxInt16 + 1)
		}
		i += n
	}
	return out, nil
}

func (s *Samples) part(ctx context.Context, key partOfFile) ([]int16, error) {
	s.mu.Lock()
	if s.known == nil {
		s.known = make(map[partOfFile]*samplesPart)
	}
	p := s.known[key]
	if p == nil {
		p = &samplesPart{}
		s.known[key] = p
	}
	s.clock++
	p.used = s.clock
	if len(s.known) > maxParts {
		oldest := key
		for k, other := range s.known {
			if other.used < s.known[oldest].used {
				oldest = k
			}
		}
		delete(s.known, oldest)
	}
	s.mu.Unlock()
	p.once.Do(func() { p.samples, p.err = decode(ctx, key) })
	if p.err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p.samples, p.err
}

// decode reads one part of a file.
func decode(ctx context.Context, part partOfFile) ([]int16, error) {
	args := append([]string{"-ss", strconv.Itoa(part.number * partLength), "-t", strconv.Itoa(partLength)}, ffmpeg.Input(part.path)...)
	args = append(args, "-map", "0:a:0", "-ac", "1", "-ar", strconv.Itoa(Rate), "-f", "s16le", "-")
	out, err := ffmpeg.Run(ctx, "ffmpeg", args...)
	if err != nil {
		return nil, err
	}
	samples := make([]int16, min(len(out)/2, partLength*Rate))
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(out[2*i:]))
	}
	return samples, nil
}
