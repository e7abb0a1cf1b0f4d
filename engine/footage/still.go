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
	"io"
	"os"
	"sync"

	_ "golang.org/x/image/bmp"  // registers its decoder
	_ "golang.org/x/image/tiff" // registers its decoder
	_ "golang.org/x/image/webp" // registers its decoder

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

// probeStill tells whether Go can decode the file as a still.
func probeStill(path string) (info Info, depth int, ok bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, 0, false, err
	}
	defer f.Close()
	cfg, format, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return Info{}, 0, false, nil // left to ffmpeg
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return Info{}, 0, false, errors.New("it has no size")
	}
	if cfg.Width > ffmpeg.MaxPixels/cfg.Height {
		return Info{}, 0, false, tooLarge(cfg.Width, cfg.Height)
	}
	if format == "gif" && moving(f) {
		return Info{}, 0, false, nil
	}
	info = Info{Width: cfg.Width, Height: cfg.Height, Still: true, Video: true, Alpha: !opaque(cfg.ColorModel), Inks: cfg.ColorModel == color.CMYKModel}
	return info, depthOf(cfg.ColorModel), true, nil
}

// depthOf is how many bytes a decoded pixel of a colour model takes at most.
func depthOf(m color.Model) int {
	switch m {
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	case color.GrayModel:
		return 1
	case color.YCbCrModel:
		return 3
	}
	return 4
}

func opaque(m color.Model) bool {
	switch m {
	case color.YCbCrModel, color.GrayModel, color.Gray16Model, color.CMYKModel:
		return true
	}
	return false
}

// still decodes its picture when asked for it, and again after the library dropped it.
type still struct {
	lib    *Library
	path   string
	in     Interpretation
	stream stream
	info   Info

	mu  sync.Mutex
	err error // permanent error
}

func (s *still) frame(ctx context.Context, _, halvings, _ int) (*raster.Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for n := halvings; n >= 0; n-- {
		img := s.lib.get(picture{s, 0, n})
		switch {
		case img == nil:
		case n == halvings:
			return img, nil
		default:
			return s.keep(halve(img, halvings-n), halvings), nil
		}
	}
	var img *raster.Image
	err := s.lib.decode(ctx, s.cost(), func() (err error) {
		img, err = s.decode(ctx)
		return err
	})
	if err != nil {
		err = unreadable(s.path, err)
		if ctx.Err() == nil { // otherwise another caller may have more time
			s.err = err
		}
		return nil, err
	}
	return s.keep(halve(img, halvings), halvings), nil
}

// keep adds the picture, halved so many times, to the library.
func (s *still) keep(img *raster.Image, halvings int) *raster.Image {
	s.lib.put(picture{s, 0, halvings}, img)
	return img
}

// cost is the memory for decoding, in bytes: the picture as stored in the file, and as drawn.
func (s *still) cost() int64 {
	return int64(s.info.Width) * int64(s.info.Height) * int64(4+s.stream.depth)
}

// foreign is the size, in bytes as stored, from which ffmpeg decodes a picture: its memory is not this program's.
const foreign = 256 << 20

func (s *still) decode(ctx context.Context) (*raster.Image, error) {
	switch {
	case s.stream.layered:
		return s.decodeLayered(ctx)
	case s.stream.outlines:
		return s.decodeOutlines(ctx)
	}
	size := int64(s.info.Width) * int64(s.info.Height) * int64(s.stream.depth)
	if s.stream.native && size < foreign {
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

// decodeLayered decodes a file of Photoshop's. What cannot be read here of all layers together, ffmpeg may be able to.
func (s *still) decodeLayered(ctx context.Context) (*raster.Image, error) {
	img, err := decodePhotoshop(s.path, s.in.Layer)
	if err == nil || s.in.Layer.Name != "" {
		return img, err
	}
	if byFFmpeg, again := decodeByFFmpeg(ctx, s.path, stream{}, s.in); again == nil {
		return byFFmpeg, nil
	}
	return nil, err
}

func (s *still) rest() bool {
	s.lib.dropAll(s)
	return true
}

func (s *still) close() error {
	s.rest()
	return nil
}

// Verify reads the picture of a still to its end, with little memory: otherwise damage would be noticed only when it is
// drawn.
func Verify(ctx context.Context, path string) error {
	info, st, err := probe(ctx, path, nil)
	if err != nil {
		return err
	}
	if st.outlines { // which was read to know its size
		return nil
	}
	if st.layered {
		if _, err := decodePhotoshop(path, PhotoshopLayer{}); err == nil {
			return nil
		}
	}
	if st.native && info.Width*info.Height <= verifyHere {
		if _, err := decodeStill(path, Interpretation{}); err == nil {
			return nil
		}
	}
	const edge = 8 // size in pixels of the picture that ffmpeg returns
	args := append(decodeInput(path, st), "-map", "0:V:0", "-frames:v", "1", "-vf", fmt.Sprintf("scale=%d:%d,format=rgba", edge, edge), "-f", "rawvideo", "pipe:1")
	out, err := ffmpeg.Run(ctx, "ffmpeg", args...)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return unreadable(path, plainer(err))
	case len(out) != 4*edge*edge:
		return unreadable(path, errors.New("it is broken: its picture is not whole"))
	}
	return nil
}

// verifyHere is the largest picture, in pixels, that Verify decodes in this process.
const verifyHere = 4 << 20

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
	if format == "gif" {
		return onScreen(f, src)
	}
	if in.straight() || opaque(src.ColorModel()) {
		dst := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(dst, dst.Rect, src, b.Min, draw.Src)
		return dst, nil
	}
	straight := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(straight, straight.Rect, src, b.Min, draw.Src)
	return interpret(straight.Pix, b.Dx(), b.Dy(), true, in), nil
}

// onScreen is the picture of a GIF, which may cover a part of its screen only, in its place there.
func onScreen(f io.ReadSeeker, picture image.Image) (*raster.Image, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	screen, _, err := image.DecodeConfig(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("it is broken: %w", err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, screen.Width, screen.Height))
	draw.Draw(dst, picture.Bounds(), picture, picture.Bounds().Min, draw.Src)
	return dst, nil
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
	pix := make([]byte, 4*info.Width*info.Height)
	if err := fill(ctx, pix, append(args, decodeOutput(st, "")...)); err != nil {
		return nil, err
	}
	return interpret(pix, info.Width, info.Height, info.Alpha, in), nil
}

// fill reads the output of an ffmpeg with these arguments into pix, whose size it must have.
func fill(ctx context.Context, pix []byte, args []string) error {
	cmd, tail := ffmpeg.Command(ctx, "ffmpeg", args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = ffmpeg.Start(cmd, ffmpeg.MaxMemory)
	}
	if err != nil {
		return ffmpeg.Failure(ctx, err, tail)
	}
	_, short := io.ReadFull(out, pix)
	more, _ := io.Copy(io.Discard, out) // the process's own error says more than one here
	if err := cmd.Wait(); err != nil {
		return plainer(ffmpeg.Failure(ctx, err, tail))
	}
	if short != nil || more > 0 {
		return errors.New("it is broken: its picture is not whole")
	}
	return nil
}
