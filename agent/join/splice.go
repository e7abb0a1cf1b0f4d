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

// aacPacket is how many samples a packet of AAC holds, ISO 14496-3. Each is heard together with the end of the one before it,
// so that a clip's sound begins with a packet that only leads in.
const aacPacket = 1024

// measure finds out whether the packets can be taken over, and when the first one begins.
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

// splice says how many packets of each clip's sound make the film's, so that every clip's sound begins within half a packet
// (about 10 ms) of its picture, however many clips there are. It is nil when the clips' sound has to be encoded anew: when
// they differ, or when one of them does not last as long as its picture.
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
			if counts[i] == c.sound.packets+1 { // it was moved forward by less than a packet, and ends so much earlier
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

// packets writes the first so many packets of a clip's sound, as ADTS: a form that files of it can be put behind one another.
func (s *stage) packets(ctx context.Context, c clip, count int, path string) error {
	args := append(ffmpeg.Input(c.path), "-map", fmt.Sprintf("0:%d", c.sound.stream), "-c", "copy", "-frames:a", strconv.Itoa(count), "-f", "adts")
	return s.run(ctx, args, path)
}

// spliced puts the packets of all clips behind one another and gives the arguments that read them.
func (s *stage) spliced() (args []string, err error) {
	path := s.path("sound.aac")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("putting sound together: %w", err)
	}
	for i := range s.clips {
		if err = appendFile(out, s.path(soundName(i))); err != nil {
			break
		}
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return nil, fmt.Errorf("putting sound together: %w", err)
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
