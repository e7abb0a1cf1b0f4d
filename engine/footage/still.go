package footage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif"  // registers its decoder
	_ "image/jpeg" // registers its decoder
	_ "image/png"  // registers its decoder
	"os"
	"sync"

	_ "golang.org/x/image/bmp"  // registers its decoder
	_ "golang.org/x/image/tiff" // registers its decoder
	_ "golang.org/x/image/webp" // registers its decoder

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

// probeStill looks whether Go can decode the file as a still.
func probeStill(path string) (info Info, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, false, err
	}
	defer f.Close()
	cfg, format, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return Info{}, false, nil // ffmpeg may know it
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return Info{}, false, errors.New("it has no size")
	}
	if cfg.Width > ffmpeg.MaxPixels/cfg.Height {
		return Info{}, false, tooLarge(cfg.Width, cfg.Height)
	}
	if format == "gif" && moving(f) {
		return Info{}, false, nil
	}
	return Info{Width: cfg.Width, Height: cfg.Height, Still: true, Video: true, Alpha: !opaque(cfg.ColorModel)}, true, nil
}

func opaque(m color.Model) bool {
	switch m {
	case color.YCbCrModel, color.GrayModel, color.Gray16Model, color.CMYKModel:
		return true
	}
	return false
}

// still decodes its picture when it is first asked for.
type still struct {
	path   string
	in     Interpretation
	stream stream

	mu  sync.Mutex
	img *raster.Image
	err error
}

func (s *still) frame(ctx context.Context, _ int) (*raster.Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.img != nil || s.err != nil {
		return s.img, s.err
	}
	img, err := s.decode(ctx)
	if err != nil {
		err = unreadable(s.path, err)
		if ctx.Err() != nil {
			return nil, err // the next to ask may have more time
		}
	}
	s.img, s.err = img, err
	return img, err
}

func (s *still) decode(ctx context.Context) (*raster.Image, error) {
	if s.stream.native {
		img, err := decodeStill(s.path, s.in)
		if err == nil {
			return img, nil
		}
		if byFFmpeg, again := decodeByFFmpeg(ctx, s.path, s.stream, s.in); again == nil {
			return byFFmpeg, nil
		}
		return nil, err
	}
	return decodeByFFmpeg(ctx, s.path, s.stream, s.in)
}

func (s *still) close() error { return nil }

// straight says whether pictures are taken with their alpha channel as it is.
func (in Interpretation) straight() bool {
	return !in.Premultiplied && !in.IgnoreAlpha && !in.InvertAlpha
}

func decodeStill(path string, in Interpretation) (img *raster.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("it is broken: %v", r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, format, err := image.Decode(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("it is broken: %w", err)
	}
	if s, ok := src.(*image.NRGBA); ok {
		return interpret(s.Pix, s.Rect.Dx(), s.Rect.Dy(), true, in), nil
	}
	b := src.Bounds()
	if format == "gif" || in.straight() || opaque(src.ColorModel()) {
		dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(dst, dst.Rect, src, b.Min, draw.Src)
		return dst, nil
	}
	straight := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(straight, straight.Rect, src, b.Min, draw.Src)
	return interpret(straight.Pix, b.Dx(), b.Dy(), true, in), nil
}

// decodeByFFmpeg decodes the first picture of a file.
func decodeByFFmpeg(ctx context.Context, path string, st stream, in Interpretation) (*raster.Image, error) {
	info, again, err := probeByFFmpeg(ctx, path)
	if err != nil {
		return nil, err
	}
	if st.rate == "" {
		st = again
	}
	args := append(decodeInput(path, st), "-frames:v", "1")
	out, err := ffmpeg.Run(ctx, "ffmpeg", append(args, decodeOutput(st, "")...)...)
	if err != nil {
		return nil, plainer(err)
	}
	if len(out) != info.Width*info.Height*4 {
		return nil, errors.New("it is broken: its picture is not whole")
	}
	return interpret(out, info.Width, info.Height, info.Alpha, in), nil
}

// interpret turns RGBA as files hold it, into a picture. It takes pix over.
func interpret(pix []byte, w, h int, alpha bool, in Interpretation) *raster.Image {
	img := &raster.Image{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
	switch {
	case !alpha:
	case in.IgnoreAlpha:
		for i := 3; i < len(pix); i += 4 {
			pix[i] = 255
		}
	default:
		if in.InvertAlpha {
			for i := 3; i < len(pix); i += 4 {
				pix[i] = 255 - pix[i]
			}
		}
		if in.Premultiplied {
			clampToAlpha(pix)
		} else {
			premultiply(pix)
		}
	}
	return img
}

func premultiply(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		a := uint32(p[3])
		if a == 255 {
			continue
		}
		p[0] = uint8((uint32(p[0])*a + 127) / 255)
		p[1] = uint8((uint32(p[1])*a + 127) / 255)
		p[2] = uint8((uint32(p[2])*a + 127) / 255)
	}
}

// clampToAlpha keeps colours that claim to be premultiplied within their alpha, as image.RGBA demands.
func clampToAlpha(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		p[0], p[1], p[2] = min(p[0], p[3]), min(p[1], p[3]), min(p[2], p[3])
	}
}
