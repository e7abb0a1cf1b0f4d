// Package film looks at what an engine wrote, and converts between what callers send, what After Effects reads, and what
// they get back. All of it is ffmpeg's and ffprobe's work.
package film

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"overcrank/ffmpeg"
)

// Info is what a film or a still holds.
type Info struct {
	Width, Height int // pixels
	Frames        int
	Duration      float64 // seconds
	FrameRate     float64 // per second
	Audio         bool
	Video         bool
	Alpha         bool
	Codec         string // of the picture, as ffmpeg names it
	PixFmt        string // of the picture, as ffmpeg names it
	Matrix        string // from the picture's colours to RGB, as ffmpeg names it; "" when the file does not say
	Black         bool   // every picture is; only CheckStills looks
}

// Unreadable is a file that ffprobe or ffmpeg cannot read to its end.
type Unreadable struct{ Detail string }

func (e *Unreadable) Error() string { return "cannot be read: " + e.Detail }

// ErrNoTools means that ffmpeg is not installed.
var ErrNoTools = errors.New("ffmpeg and ffprobe are not installed on this machine")

// Tools is ErrNoTools on a machine without ffmpeg or ffprobe: engines read sounds and films with them, and films are made by them.
func Tools() error {
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		if _, err := ffmpeg.Path(program); err != nil {
			return ErrNoTools
		}
	}
	return nil
}

type probed struct {
	Streams []struct {
		CodecType   string            `json:"codec_type"`
		CodecName   string            `json:"codec_name"`
		PixFmt      string            `json:"pix_fmt"`
		Matrix      string            `json:"color_space"`
		Width       int               `json:"width"`
		Height      int               `json:"height"`
		RFrameRate  string            `json:"r_frame_rate"`
		Duration    string            `json:"duration"`
		Packets     string            `json:"nb_read_packets"`
		Disposition map[string]int    `json:"disposition"`
		Tags        map[string]string `json:"tags"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

// Probe reads the whole file's packets: its frame count is what is there, not what its header promises.
func Probe(ctx context.Context, path string) (Info, error) {
	args := []string{"-v", "error", "-count_packets", "-show_streams", "-show_format", "-of", "json"}
	out, err := run(ctx, "ffprobe", append(args, ffmpeg.ProbeInput(path)...)...)
	if err != nil {
		return Info{}, err
	}
	var p probed
	if err := json.Unmarshal(out, &p); err != nil {
		return Info{}, fmt.Errorf("reading what ffprobe says: %w", err)
	}
	var info Info
	for _, s := range p.Streams {
		packets, _ := strconv.Atoi(s.Packets)
		switch {
		case s.CodecType == "audio" && packets > 0:
			info.Audio = true
		case s.CodecType == "video" && !info.Video && s.Disposition["attached_pic"] == 0:
			info.Video, info.Codec, info.Width, info.Height, info.Frames = true, s.CodecName, s.Width, s.Height, packets
			info.PixFmt, info.Matrix = s.PixFmt, strings.TrimPrefix(s.Matrix, "unknown")
			info.FrameRate = rational(s.RFrameRate)
			info.Duration = number(s.Duration)
			info.Alpha = strings.Contains(s.PixFmt, "a") && !strings.HasPrefix(s.PixFmt, "gray") || s.Tags["alpha_mode"] == "1"
		}
	}
	if info.Duration == 0 {
		info.Duration = number(p.Format.Duration)
	}
	return info, nil
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

func rational(s string) float64 {
	n, d, _ := strings.Cut(s, "/")
	if den := number(d); den > 0 {
		return number(n) / den
	}
	return number(n)
}

// reading is the beginning of ffmpeg's arguments that reads one file.
func reading(path string, options ...string) []string {
	args := append([]string{"-v", "error", "-nostdin", "-y"}, options...)
	return append(args, ffmpeg.Input(path)...)
}

// local keeps a path from being taken for a protocol or an option.
func local(path string) string { return "file:" + path }

// numbered is the path of pictures that ffmpeg numbers, as its image2 has it: only the name holds the place of the number, however many
// percent signs the folder has.
func numbered(dir, name string) string {
	return filepath.Join(strings.ReplaceAll(dir, "%", "%%"), name)
}

// run runs one of ffmpeg's programs and returns its output.
func run(ctx context.Context, program string, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := Run(ctx, &out, program, args...)
	return out.Bytes(), err
}

// Run runs ffmpeg or ffprobe and writes its output to out as it comes. A program that says no is *Unreadable, except when
// the disk is full; one that is not installed is ErrNoTools.
func Run(ctx context.Context, out io.Writer, program string, args ...string) error {
	return pipe(ctx, ffmpeg.MaxMemory, nil, out, program, args...)
}

// Convert is Run for an ffmpeg that writes a film, which may take more memory.
func Convert(ctx context.Context, out io.Writer, args ...string) error {
	return pipe(ctx, ffmpeg.MaxConverting, nil, out, "ffmpeg", args...)
}

// pipe is Run with an input, which may be nil, and a limit on the memory in bytes.
func pipe(ctx context.Context, most uint64, in io.Reader, out io.Writer, program string, args ...string) error {
	if _, err := ffmpeg.Path(program); err != nil {
		return ErrNoTools
	}
	cmd, _ := ffmpeg.Command(ctx, program, args...)
	errs := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	err := ffmpeg.Start(cmd, most)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if strings.Contains(errs.String(), "No space left on device") {
			return &os.PathError{Op: "write", Path: "the work folder", Err: errNoSpace}
		}
		return &Unreadable{Detail: errs.first(err)}
	}
	return nil
}

// tail keeps the first bytes of what a program complains of.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 8<<10 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// origin is how ffmpeg names the part of itself that complains: [mov,mp4,m4a,3gp,3g2,mj2 @ 0x5557c8d80580].
var origin = regexp.MustCompile(`^(\[[^\]]* @ 0x[0-9a-f]+\] *)+`)

// first is the first line, without the folders of this machine and the addresses in its memory.
func (t *tail) first(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(t.String()), "\n")
	if i := strings.LastIndex(line, "file:"); i >= 0 {
		if _, detail, ok := strings.Cut(line[i+len("file:"):], ": "); ok {
			line = detail
		}
	}
	line = origin.ReplaceAllString(line, "")
	if line == "" {
		return err.Error()
	}
	if strings.Contains(line, "Format not on whitelist") {
		return "it is of a kind that is not taken, such as a playlist"
	}
	return strings.TrimSpace(line)
}
