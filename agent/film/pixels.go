package film

import (
	"context"
	"fmt"
	"strings"

	"overcrank/ffmpeg/encoding"
	"overcrank/frames"
)

// PixelsFor is the format in which pictures of info keep, for a codec, all that the codec is given of them.
func PixelsFor(info Info, codec string) frames.Format {
	deep := strings.Contains(info.PixFmt, "48") || strings.Contains(info.PixFmt, "64")
	way, _ := encoding.Find(codec)
	alpha := way.Alpha && !way.Still || way.Still && info.Alpha
	switch {
	case deep && alpha:
		return frames.RGBA64
	case deep:
		return frames.RGB48
	case alpha && !way.Still:
		return frames.ARGB // as After Effects' lossless films have it
	case alpha:
		return frames.RGBA
	}
	return frames.RGB24
}

// Pixels are those of the picture at path. It is *Wrong when it cannot be read or has another size.
func Pixels(ctx context.Context, path string, head frames.Head) ([]byte, error) {
	if pix, ok := direct(path, head); ok {
		return pix, nil
	}
	return decodedPixels(ctx, path, head)
}

// decodedPixels has ffmpeg read a picture.
func decodedPixels(ctx context.Context, path string, head frames.Head) ([]byte, error) {
	pix, err := run(ctx, "ffmpeg", append(reading(path, "-xerror"), "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", string(head.Format), "pipe:1")...)
	if err != nil {
		return nil, explain("picture", err)
	}
	if len(pix) != head.Size() {
		return nil, wrong("the picture has other sizes than %d×%d pixels", head.Width, head.Height)
	}
	return pix, nil
}

// Sound takes the sound of a file apart, as plain 16-bit samples in a WAV file at to. false means that there is none.
func Sound(ctx context.Context, path, to string) (bool, error) {
	info, err := Probe(ctx, path)
	if err != nil || !info.Audio {
		return false, err
	}
	if _, err := run(ctx, "ffmpeg", append(reading(path), "-vn", "-c:a", "pcm_s16le", "-map_metadata", "-1", "-fflags", "+bitexact", "-f", "wav", local(to))...); err != nil {
		return false, fmt.Errorf("taking the sound apart: %w", err)
	}
	return true, nil
}
