package film

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"overcrank/ffmpeg"
	"overcrank/frames"
)

// DefaultFilm and DefaultStill are the codecs of jobs that name none.
const (
	DefaultFilm  = "video_h264_vbr_15mbps"
	DefaultStill = "image_png"
	AlphaFilm    = "video_prores_4444" // the codec of films that keeps transparency
)

// codecs are those of the public interface, with the encoder of ffmpeg that each needs.
var codecs = []struct{ id, encoder string }{
	{"video_h264_vbr_1mbps", "libx264"}, {"video_h264_vbr_5mbps", "libx264"}, {"video_h264_vbr_15mbps", "libx264"}, {"video_h264_vbr_40mbps", "libx264"},
	{"video_h264_cbr_1mbps", "libx264"}, {"video_h264_cbr_5mbps", "libx264"}, {"video_h264_cbr_15mbps", "libx264"}, {"video_h264_cbr_40mbps", "libx264"},
	{"video_prores_422", "prores_ks"}, {"video_prores_4444", "prores_ks"}, {"image_png", "png"}, {"image_jpeg", "mjpeg"},
}

// KnownCodecs are the ids of all codecs.
func KnownCodecs() []string {
	ids := make([]string, len(codecs))
	for i, c := range codecs {
		ids[i] = c.id
	}
	return ids
}

// Codecs are the ids of what this machine's ffmpeg can write; none without ffmpeg.
func Codecs(ctx context.Context) ([]string, error) {
	out, err := run(ctx, "ffmpeg", "-v", "error", "-hide_banner", "-encoders")
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range codecs {
		if strings.Contains(string(out), " "+c.encoder+" ") {
			ids = append(ids, c.id)
		}
	}
	return ids, nil
}

var h264 = regexp.MustCompile(`^video_h264_(vbr|cbr)_(\d+)mbps$`)

// Encode writes the film or still in as codec to out; it serves engines that can only write a lossless intermediate.
func Encode(ctx context.Context, in, out, codec string) error {
	args, err := encoding(codec)
	if err != nil {
		return err
	}
	if still(codec) {
		args = append([]string{"-frames:v", "1"}, args...)
	}
	if _, err := run(ctx, "ffmpeg", append(append(reading(in), args...), local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", codec, err)
	}
	return nil
}

// EncodeFrames writes frames, which in gives as plain pixels one behind the other, as one of the farm's codecs, just as Encode does
// those of a film. sound is a file, "" for none. The name of pictures holds their number as in frame_%05d.png, which begins at first.
func EncodeFrames(ctx context.Context, in io.Reader, head frames.Head, first int, sound, out, codec string) error {
	args := []string{
		"-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pixel_format", string(head.Format), "-video_size", fmt.Sprintf("%dx%d", head.Width, head.Height),
		"-framerate", fmt.Sprintf("%d/%d", head.RateNum, head.RateDen), "-i", "pipe:0",
	}
	codecArgs, err := encoding(codec)
	if err != nil {
		return err
	}
	const square = "setsar=1" // as After Effects' own films and pictures say of their pixels
	if i := slices.Index(codecArgs, "-vf"); i >= 0 {
		codecArgs[i+1] = square + "," + codecArgs[i+1]
	} else {
		codecArgs = append(codecArgs, "-vf", square)
	}
	if still(codec) {
		codecArgs = append(codecArgs, "-start_number", strconv.Itoa(first))
		out = numbered(filepath.Split(out))
	} else if sound != "" {
		args = append(args, ffmpeg.Input(sound)...)
	}
	if err := pipe(ctx, in, io.Discard, "ffmpeg", append(append(args, codecArgs...), local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", codec, err)
	}
	return nil
}

// still is whether a codec gives pictures.
func still(codec string) bool { return strings.HasPrefix(codec, "image_") }

// encoding are ffmpeg's options for one of the farm's codecs.
func encoding(codec string) ([]string, error) {
	switch m := h264.FindStringSubmatch(codec); {
	case m != nil:
		return h264Arguments(m[1], m[2]), nil
	case codec == "video_prores_422":
		return []string{"-c:v", "prores_ks", "-profile:v", "2", "-pix_fmt", "yuv422p10le", "-c:a", "pcm_s16le"}, nil
	case codec == AlphaFilm:
		return []string{"-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le", "-alpha_bits", "16", "-c:a", "pcm_s16le"}, nil
	case codec == "image_png":
		return []string{"-c:v", "png"}, nil
	case codec == "image_jpeg":
		return []string{"-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj444p"}, nil
	}
	return nil, fmt.Errorf("codec %q is not known", codec)
}

func h264Arguments(mode, mbps string) []string {
	rate := mbps + "M"
	args := []string{"-c:v", "libx264", "-preset", "medium", "-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
		"-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "192k", "-movflags", "+faststart"}
	if mode == "cbr" {
		args = append(args, "-minrate", rate, "-x264-params", "nal-hrd=cbr:filler=1")
	}
	return args
}
