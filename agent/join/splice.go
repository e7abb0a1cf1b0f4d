package join

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"overcrank/ffmpeg"
)

// aacPacket is the number of samples in an AAC packet, ISO 14496-3. Each packet overlaps the one before it, so that the first packet of a
// clip is not heard itself.
const aacPacket = 1024

// measure sets packets and start, when the packets can be copied.
func (s *sound) measure(seen *packetTimes, d described, picture int) {
	all := slices.Sorted(slices.Values(slices.Concat(seen.hidden, seen.shown)))
	if seen.untimed || len(all) == 0 || !strings.HasPrefix(s.header, "aac LC ") {
		return
	}
	for i, at := range all {
		if at != all[0]+int64(i)*aacPacket {
			return
		}
	}
	for _, stream := range d.Streams {
		switch stream.Index {
		case s.stream:
			if stream.TimeBase != fmt.Sprintf("1/%d", s.rate) {
				return
			}
		case picture:
			s.start = all[0] - int64(math.Round(seconds(stream.StartTime)*float64(s.rate)))
		}
	}
	s.packets = len(all)
}

// splice returns how many sound packets of each clip to copy, so that the sound of every clip begins within half a packet (about 10 ms) of
// its video, however many clips there are. It is nil when the sound has to be encoded again: when the clips differ, or the sound of one is
// shorter than its video.
func (s *stage) splice() []int {
	counts := make([]int, len(s.clips))
	first := s.clips[0].sound
	if first == nil {
		return nil
	}
	frames, at := 0, first.start
	for i, c := range s.clips {
		if c.sound == nil || c.sound.packets == 0 || c.sound.header != first.header || c.sound.rate != first.rate || c.sound.channels != first.channels {
			return nil
		}
		frames += c.frames
		ends := float64(s.samplesAt(frames) - at)
		if i+1 < len(s.clips) {
			if next := s.clips[i+1].sound; next != nil {
				ends += float64(next.start)
			}
			counts[i] = int(math.Round(ends / aacPacket))
		} else {
			counts[i] = int(math.Ceil(ends / aacPacket))
			if counts[i] == c.sound.packets+1 { // it was moved forward by less than a packet, and so ends earlier
				counts[i]--
			}
		}
		if counts[i] < 1 || counts[i] > c.sound.packets {
			return nil
		}
		at += int64(counts[i]) * aacPacket
	}
	return counts
}

// packets copies the first count sound packets of a clip to an ADTS file. Such files can be concatenated.
func (s *stage) packets(ctx context.Context, c clip, count int, path string) error {
	args := append(ffmpeg.Input(c.path), "-map", fmt.Sprintf("0:%d", c.sound.stream), "-c", "copy", "-frames:a", strconv.Itoa(count), "-f", "adts")
	return s.run(ctx, args, path)
}

// spliced concatenates the sound packets of all clips, and returns the arguments of ffmpeg that read them.
func (s *stage) spliced() (args []string, err error) {
	path := s.path("sound.aac")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("concatenate the sound: %w", err)
	}
	for i := range s.clips {
		if err = appendFile(out, s.path(soundName(i))); err != nil {
			break
		}
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return nil, fmt.Errorf("concatenate the sound: %w", err)
	}
	first := s.clips[0].sound
	return append([]string{"-itsoffset", fmt.Sprintf("%.6f", float64(first.start)/float64(first.rate))}, ffmpeg.Input(path)...), nil
}

func soundName(i int) string { return fmt.Sprintf("%05d.aac", i) }

func appendFile(out io.Writer, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, in.Close(), os.Remove(path))
}
