package film

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
	"overcrank/frames"
)

// Writers are the ffmpeg of this machine and those of its encoders that the codecs of jobs are written with; none without ffmpeg.
func Writers(ctx context.Context) (build ffmpeg.Build, encoders []string, err error) {
	if err := Tools(); err != nil {
		return ffmpeg.Build{}, nil, err
	}
	if build, err = ffmpeg.Which(ctx); err != nil {
		return build, nil, fmt.Errorf("asking ffmpeg for its version: %w", err)
	}
	if encoders, err = encoding.Available(ctx); err != nil {
		return build, nil, fmt.Errorf("asking ffmpeg for its encoders: %w", err)
	}
	return build, encoders, nil
}

// Encode writes the film or still in to out, in the codec of that name; it serves engines that can only write a lossless intermediate.
// encoders are those of this machine; nil when ffmpeg is to be asked.
func Encode(ctx context.Context, in, out, as string, encoders []string) error {
	way, err := wayOf(ctx, as, encoders)
	if err != nil {
		return err
	}
	args := append(reading(in), options(way)...)
	if way.Still {
		args = append(args, "-frames:v", "1")
	}
	if err := Convert(ctx, io.Discard, append(args, local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", as, err)
	}
	return nil
}

// EncodeFrames writes frames, which in gives as plain pixels one behind the other, as one of the farm's codecs, just as Encode does
// those of a film. sound is a file, "" for none. The name of pictures holds their number as in frame_%05d.png, which begins at first.
func EncodeFrames(ctx context.Context, in io.Reader, head frames.Head, first int, sound, out, as string, encoders []string) error {
	way, err := wayOf(ctx, as, encoders)
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
	if err := pipe(ctx, ffmpeg.MaxConverting, in, io.Discard, "ffmpeg", append(args, local(out))...); err != nil {
		return fmt.Errorf("encoding as %s: %w", as, err)
	}
	return nil
}

func wayOf(ctx context.Context, name string, encoders []string) (encoding.Way, error) {
	way, known := encoding.Find(name)
	if !known || way.Encoder == "" {
		return way, fmt.Errorf("codec %q is not known", name)
	}
	return way.Here(ctx, encoders)
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
