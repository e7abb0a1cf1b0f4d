package join

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"overcrank/agent/film"
	"overcrank/ffmpeg"
)

// clip describes a file.
type clip struct {
	path    string
	seconds float64 // length of the video, which is the length of the clip
	frames  int     // that are shown
	// offset is how long after the beginning of the file the video starts, in seconds: sound may start before.
	offset float64
	// steady says that all frames are shown, and follow each other at rate, so that the packets may be copied.
	steady  bool
	picture picture
	rate    ratio
	stream  int    // index of the video stream
	sound   *sound // nil when it has none
}

// picture are the properties in which clips have to agree for their packets to be copied.
type picture struct {
	codec         string // as ffmpeg names it
	width, height int    // pixels, as they are stored
	aspect        ratio  // of a pixel
	format        string // of the pixels
	rotation      int    // in degrees, which players apply
	fields        string // field order of interlaced video
	matrix        string // colour matrix, "" when the file does not say
	// header is a hash of the codec's header (extradata): a film has one for all its frames.
	header string
}

type sound struct {
	stream   int
	rate     int // samples per second
	channels int
	header   string // codec, profile and a hash of the codec's header
	// start is when the first packet begins, in samples relative to the first frame; encoders make it negative.
	start int64
	// packets is the number of packets when they follow each other without a gap, each of aacPacket samples, else 0.
	packets int
}

// ratio is a fraction, such as a frame rate.
type ratio struct{ num, den int }

func (r ratio) value() float64 { return float64(r.num) / float64(max(1, r.den)) }

func (r ratio) String() string { return fmt.Sprintf("%d/%d", r.num, r.den) }

// ratioOf parses "30000/1001", "4:3" or "25"; anything else is 0/1.
func ratioOf(s string) ratio {
	num, den, found := strings.Cut(strings.Replace(s, ":", "/", 1), "/")
	if !found {
		den = "1"
	}
	n, errN := strconv.Atoi(num)
	d, errD := strconv.Atoi(den)
	if errN != nil || errD != nil || n <= 0 || d <= 0 {
		return ratio{0, 1}
	}
	return ratio{n, d}
}

// described is what ffprobe prints about a file.
type described struct {
	Streams []stream `json:"streams"`
	Format  struct {
		StartTime string `json:"start_time"`
	} `json:"format"`
}

type stream struct {
	Index       int            `json:"index"`
	CodecType   string         `json:"codec_type"`
	CodecName   string         `json:"codec_name"`
	Profile     string         `json:"profile"`
	PixFmt      string         `json:"pix_fmt"`
	Width       int            `json:"width"`
	Height      int            `json:"height"`
	Aspect      string         `json:"sample_aspect_ratio"`
	FieldOrder  string         `json:"field_order"`
	ColorSpace  string         `json:"color_space"`
	RFrameRate  string         `json:"r_frame_rate"`
	AvgRate     string         `json:"avg_frame_rate"`
	TimeBase    string         `json:"time_base"`
	StartTime   string         `json:"start_time"`
	Promised    string         `json:"nb_frames"`
	Header      string         `json:"extradata_hash"`
	SampleRate  string         `json:"sample_rate"`
	Channels    int            `json:"channels"`
	Disposition map[string]int `json:"disposition"`
	SideData    []struct {
		Rotation float64 `json:"rotation"`
	} `json:"side_data_list"`
}

// survey reads a clip's header and the times of all its packets. Of several video or sound streams it uses the first.
func survey(ctx context.Context, path string) (clip, error) {
	if info, err := os.Stat(path); err != nil {
		return clip{}, fmt.Errorf("open a clip: %w", err)
	} else if info.Size() == 0 {
		return clip{}, &ClipError{Detail: "cannot be read: it is empty"}
	}
	d, err := describe(ctx, path)
	if err != nil {
		return clip{}, err
	}
	times := packets{}
	if err := times.read(ctx, path); err != nil {
		return clip{}, err
	}
	c := clip{path: path, stream: -1}
	for _, s := range d.Streams {
		switch seen := times[s.Index]; {
		case seen == nil:
		case s.CodecType == "audio" && c.sound == nil:
			c.sound = s.sound()
		case s.CodecType == "video" && c.stream < 0 && s.Disposition["attached_pic"] == 0 && s.Width > 0 && s.Height > 0:
			if missing := s.missing(seen); missing != nil {
				return clip{}, missing
			}
			c.stream, c.picture = s.Index, s.picture()
			c.offset = max(0, seconds(s.StartTime)-seconds(d.Format.StartTime))
			c.measure(seen, ratioOf(s.TimeBase), ratioOf(s.RFrameRate), ratioOf(s.AvgRate))
		}
	}
	if c.stream < 0 || c.frames == 0 {
		return clip{}, &ClipError{Detail: "cannot be read: it holds no picture"}
	}
	if c.sound != nil {
		c.sound.measure(times[c.sound.stream], d, c.stream)
	}
	return c, nil
}

func (s stream) picture() picture {
	p := picture{
		codec: s.CodecName, width: s.Width, height: s.Height, aspect: ratioOf(s.Aspect), format: s.PixFmt, fields: s.FieldOrder,
		matrix: strings.TrimPrefix(s.ColorSpace, "unknown"), header: s.Header,
	}
	if p.aspect.num == 0 {
		p.aspect = ratio{1, 1}
	}
	for _, side := range s.SideData {
		if side.Rotation != 0 {
			p.rotation = (int(side.Rotation)%360 + 360) % 360
		}
	}
	return p
}

// sound is nil when the stream lacks its rate or its channels.
func (s stream) sound() *sound {
	rate, err := strconv.Atoi(s.SampleRate)
	if err != nil || rate <= 0 || s.Channels <= 0 {
		return nil
	}
	return &sound{stream: s.Index, rate: rate, channels: s.Channels, header: s.CodecName + " " + s.Profile + " " + s.Header}
}

// missing is an error when the file has fewer frames than its header says.
func (s stream) missing(seen *packetTimes) error {
	promised, err := strconv.Atoi(s.Promised)
	there := len(seen.shown) + len(seen.hidden)
	if err != nil || promised <= there {
		return nil
	}
	return &ClipError{Detail: fmt.Sprintf("cannot be read: %d of its %d frames are missing", promised-there, promised)}
}

func describe(ctx context.Context, path string) (described, error) {
	var out bytes.Buffer
	args := []string{"-v", "error", "-show_streams", "-show_format", "-show_data_hash", "md5", "-of", "json"}
	if err := film.Run(ctx, &out, "ffprobe", append(args, ffmpeg.ProbeInput(path)...)...); err != nil {
		return described{}, err
	}
	var d described
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		return d, fmt.Errorf("read the output of ffprobe: %w", err)
	}
	return d, nil
}

func seconds(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// maxRate is the highest frame rate that is believed: files with a variable rate sometimes give that of their clock.
const maxRate = 240

// measure sets the clip's rate, number of frames and length.
func (c *clip) measure(seen *packetTimes, timeBase, announced, average ratio) {
	for _, c.rate = range []ratio{announced, average, {25, 1}} {
		if v := c.rate.value(); v >= 1 && v <= maxRate {
			break
		}
	}
	slices.Sort(seen.shown)
	c.frames = len(seen.shown)
	if c.frames == 0 {
		return
	}
	first, last := seen.shown[0], seen.shown[c.frames-1]
	tick := timeBase.value()
	c.steady = len(seen.hidden) == 0 && !seen.untimed
	for i, at := range seen.shown {
		if off := float64(at-first)*tick*c.rate.value() - float64(i); math.Abs(off) > 0.25 {
			c.steady = false
			break
		}
	}
	c.seconds = float64(c.frames) / c.rate.value()
	if !c.steady && !seen.untimed {
		c.seconds = float64(last-first)*tick + max(1/c.rate.value(), float64(seen.length)*tick)
	}
}

// packets are the times of a file's packets, by stream.
type packets map[int]*packetTimes

type packetTimes struct {
	shown   []int64 // times of packets in the stream's time base, in no order
	hidden  []int64 // times of packets that are decoded but not shown, because of edits or the encoder's delay
	untimed bool    // a packet has no time
	length  int64   // of the last packet, in the time base
}

// read collects the times of all packets of a file.
func (p packets) read(ctx context.Context, path string) error {
	args := []string{"-v", "error", "-show_entries", "packet=stream_index,pts,duration,flags", "-of", "compact=p=0:nk=0"}
	return film.Run(ctx, &lines{each: p.add}, "ffprobe", append(args, ffmpeg.ProbeInput(path)...)...)
}

func (p packets) add(line string) {
	var at *packetTimes
	var pts int64
	timed := false
	for field := range strings.SplitSeq(line, "|") {
		key, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		switch key {
		case "stream_index":
			if at = p[int(n)]; at == nil {
				at = &packetTimes{}
				p[int(n)] = at
			}
		case "pts":
			pts, timed = n, err == nil
		case "duration":
			if at != nil {
				at.length = n
			}
		case "flags":
			if at == nil {
				return
			}
			at.untimed = at.untimed || !timed
			if strings.Contains(value, "D") {
				at.hidden = append(at.hidden, pts)
				return
			}
			at.shown = append(at.shown, pts)
		}
	}
}
