package film

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// DefaultFilm and DefaultStill are the codecs of jobs that name none.
const (
	DefaultFilm  = "video_h264_vbr_15mbps"
	DefaultStill = "image_png"
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
	args := reading(in)
	switch m := h264.FindStringSubmatch(codec); {
	case m != nil:
		args = append(args, h264Arguments(m[1], m[2])...)
	case codec == "video_prores_422":
		args = append(args, "-c:v", "prores_ks", "-profile:v", "2", "-pix_fmt", "yuv422p10le", "-c:a", "pcm_s16le")
	case codec == "video_prores_4444":
		args = append(args, "-c:v", "prores_ks", "-profile:v", "4", "-pix_fmt", "yuva444p10le", "-alpha_bits", "16", "-c:a", "pcm_s16le")
	case codec == "image_png":
		args = append(args, "-frames:v", "1", "-c:v", "png")
	case codec == "image_jpeg":
		args = append(args, "-frames:v", "1", "-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj444p")
	default:
		return fmt.Errorf("codec %q is not known", codec)
	}
	_, err := run(ctx, "ffmpeg", append(args, local(out))...)
	if err != nil {
		return fmt.Errorf("encoding as %s: %w", codec, err)
	}
	return nil
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
