package film

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/farm/codec"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
	"overcrank/frames"
)

// Codecs are the ids of what this machine's ffmpeg can write; none without ffmpeg.
func Codecs(ctx context.Context) ([]string, error) {
	out, err := run(ctx, "ffmpeg", "-v", "error", "-hide_banner", "-encoders")
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, name := range codec.Names() {
		if way, _ := encoding.Find(name); strings.Contains(string(out), " "+way.Encoder+" ") {
			ids = append(ids, name)
		}
	}
	return ids, nil
}

// Encode writes the film or still in to out, in the codec of that name; it serves engines that can only write a lossless intermediate.
func Encode(ctx context.Context, in, out, as string) error {
	way, err := wayOf(as)
	if err != nil {
		return err
	}
	args := append(reading(in), options(way)...)
	if way.Still {
		args = append(args, "-frames:v", "1")
	}
	if _, err := run(ctx, "ffmpeg", append(args, local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", as, err)
	}
	return nil
}

// EncodeFrames writes frames, which in gives as plain pixels one behind the other, as one of the farm's codecs, just as Encode does
// those of a film. sound is a file, "" for none. The name of pictures holds their number as in frame_%05d.png, which begins at first.
func EncodeFrames(ctx context.Context, in io.Reader, head frames.Head, first int, sound, out, as string) error {
	way, err := wayOf(as)
	if err != nil {
		return err
	}
	args := []string{
		"-v", "error", "-nostdin", "-y", "-f", "rawvideo", "-pixel_format", string(head.Format), "-video_size", fmt.Sprintf("%dx%d", head.Width, head.Height),
		"-framerate", fmt.Sprintf("%d/%d", head.RateNum, head.RateDen), "-i", "pipe:0",
	}
	if !way.Still && sound != "" {
		args = append(args, ffmpeg.Input(sound)...)
	}
	args = append(args, options(way)...)
	if way.Still {
		args = append(args, "-start_number", strconv.Itoa(first))
		out = numbered(filepath.Split(out))
	}
	if err := pipe(ctx, in, io.Discard, "ffmpeg", append(args, local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", as, err)
	}
	return nil
}

func wayOf(name string) (encoding.Way, error) {
	way, known := encoding.Find(name)
	if !known || way.Encoder == "" {
		return way, fmt.Errorf("codec %q is not known", name)
	}
	return way, nil
}

// options are ffmpeg's for a codec. Pixels are said to be square, as After Effects' own films and pictures have it.
func options(way encoding.Way) []string {
	filters := []string{"setsar=1"}
	if way.Even {
		filters = append(filters, "pad=ceil(iw/2)*2:ceil(ih/2)*2")
	}
	if f := way.Filter(); f != "" {
		filters = append(filters, f)
	}
	args := append([]string{"-vf", strings.Join(filters, ",")}, way.Video(encoding.AtEase)...)
	if way.Still {
		return args
	}
	return append(append(args, way.Sound()...), "-movflags", "+faststart")
}
