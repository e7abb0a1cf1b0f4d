// Package ffmpeg starts ffmpeg and ffprobe so that untrusted files can do no harm: it allows only local files and known
// formats, limits the size of pictures and of the log, and ends the process with its context.
package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MaxPixels limits the pictures that are decoded: 100 megapixels, three times 8K.
const MaxPixels = 100_000_000

const (
	// maxBlock limits each block of memory that ffmpeg allocates, in bytes: the largest picture in 16 bits, and a margin.
	maxBlock = 1 << 30
	// MaxMemory limits the memory of a process that reads untrusted files, in bytes, where the system can (Start).
	MaxMemory = 4 << 30
	// MaxConverting is the same for one that writes a film of what it reads: x264 keeps a hundred frames, and takes more than 8 GiB for 8K.
	MaxConverting = 32 << 30
)

// formats are the demuxers that may open a file: those of self-contained files. Playlists and scripts that name other
// files or addresses (concat, hls, dash, imf, sdp, vqf …) are left out, and so are vector formats, which can too.
var formats = strings.Join([]string{
	"mov", "matroska", "avi", "mpegts", "mpeg", "mpegvideo", "m4v", "asf", "mxf", "flv", "ivf", "nut", "dv", "gxf", "ogg", "h264", "hevc",
	"av1", "obu", "yuv4mpegpipe", "mjpeg",
	"mp3", "wav", "w64", "aac", "flac", "aiff", "caf", "ac3", "eac3", "amr", "au", "wv", "tta", "ape",
	"gif", "apng", "png_pipe", "jpeg_pipe", "jpegls_pipe", "jpegxl_pipe", "j2k_pipe", "tiff_pipe", "bmp_pipe", "webp_pipe", "psd_pipe",
	"exr_pipe", "dpx_pipe", "sgi_pipe", "ppm_pipe", "pgm_pipe", "pam_pipe", "pbm_pipe", "pcx_pipe", "qoi_pipe", "hdr_pipe", "dds_pipe",
}, ",")

// Input is the arguments that open the file at path, up to and including -i.
func Input(path string) []string {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	return append(guards(path), "-i", "file:"+abs)
}

// guards are the input options that keep ffmpeg from opening other files.
func guards(path string) []string {
	args := []string{"-protocol_whitelist", "file,pipe", "-max_pixels", strconv.Itoa(MaxPixels)}
	if strings.EqualFold(filepath.Ext(path), ".tga") {
		// Targa files have no signature. image2 decides by the extension, and must not take the name for a pattern.
		return append(args, "-f", "image2", "-pattern_type", "none")
	}
	if isJPEG(path) {
		// By default ffmpeg may choose image2, which is not in the list.
		return append(args, "-f", "jpeg_pipe")
	}
	return append(args, "-format_whitelist", formats)
}

// isJPEG recognises a JPEG by its first bytes. For a file that cannot be read it is false: ffmpeg will report why.
func isJPEG(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 3)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == "\xff\xd8\xff"
}

// ProbeInput is Input for ffprobe.
func ProbeInput(path string) []string {
	args := Input(path)
	for i, a := range args {
		if a == "-max_pixels" { // an option of ffmpeg's decoders, and of ffprobe itself
			return append(args[:i:i], args[i+2:]...)
		}
	}
	return args
}

// ErrMissing says that ffmpeg or ffprobe is not installed.
var ErrMissing = errors.New("ffmpeg is not installed or not in the PATH; install it (for example: apt-get install ffmpeg)")

// Command prepares program, "ffmpeg" or "ffprobe", to be killed when ctx ends. The Tail keeps its last messages.
func Command(ctx context.Context, program string, args ...string) (*exec.Cmd, *Tail) {
	all := []string{"-hide_banner", "-loglevel", "error", "-max_alloc", strconv.Itoa(maxBlock)}
	if program == "ffmpeg" {
		all = append(all, "-nostdin", "-y")
	}
	if path, err := Path(program); err == nil {
		program = path
	} // otherwise starting it says that it is missing
	cmd := exec.CommandContext(ctx, program, append(all, args...)...)
	cmd.Env = append(os.Environ(), "AV_LOG_FORCE_NOCOLOR=1")
	cmd.WaitDelay = 10 * time.Second
	tail := &Tail{}
	cmd.Stderr = tail
	return cmd, tail
}

// Failure converts the end of a process to an error that a producer understands; nil when it succeeded.
func Failure(ctx context.Context, err error, tail *Tail) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return ErrMissing
	}
	if s := tail.String(); s != "" {
		return errors.New(s)
	}
	return fmt.Errorf("ffmpeg: %w", err)
}

// Run runs a command and returns its standard output.
func Run(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd, tail := Command(ctx, program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Start(cmd, MaxMemory)
	if err == nil {
		err = cmd.Wait()
	}
	return out.Bytes(), Failure(ctx, err, tail)
}

// Start starts a command with its memory limited to so many bytes, where the system can limit that of a running process.
func Start(cmd *exec.Cmd, most uint64) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	bound(cmd, most)
	return nil
}

// Tail keeps the last lines that a process writes. It is safe for concurrent use.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

const maxTail = 4096

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - maxTail; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// String is the last lines, three at most, as one line without the object addresses that ffmpeg adds.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(t.buf)) {
		line = strings.TrimSpace(line)
		for strings.HasPrefix(line, "[") {
			_, rest, ok := strings.Cut(line, "] ")
			if !ok {
				break
			}
			line = rest
		}
		if line != "" && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
