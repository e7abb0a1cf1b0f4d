package footage

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/footage/vector/pdf"
	"overcrank/engine/footage/vector/svg"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/text"
	"overcrank/ffmpeg"
)

// vectorKind is a format of outlines: how its files begin, and what reads them.
type vectorKind struct {
	is   func(head []byte) bool
	read func(f *os.File, fonts *text.Book) (*vector.Picture, error)
}

// vectorKinds are the formats of outlines. To add one, add a package and a line here.
var vectorKinds = []vectorKind{
	{svg.Is, func(f *os.File, fonts *text.Book) (*vector.Picture, error) { return svg.Read(f, fonts) }},
	{pdf.Is, func(f *os.File, fonts *text.Book) (*vector.Picture, error) { return pdf.Read(f, fonts) }},
}

// vectorKindOf is the format of outlines that a file has; nil for any other file.
func vectorKindOf(f *os.File) *vectorKind {
	head := make([]byte, 8192)
	n, err := io.ReadFull(f, head)
	if n == 0 && err != nil {
		return nil
	}
	for i := range vectorKinds {
		if vectorKinds[i].is(head[:n]) {
			return &vectorKinds[i]
		}
	}
	return nil
}

// readVector reads a file of outlines, with fonts for its text; known is false for any other file.
func readVector(path string, fonts *text.Book) (pic *vector.Picture, known bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			pic, err = nil, fmt.Errorf("it is broken: %v", r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	kind := vectorKindOf(f)
	if kind == nil {
		return nil, false, nil
	}
	about, err := f.Stat()
	if err != nil {
		return nil, true, err
	}
	if about.Size() > vector.MaxFile {
		return nil, true, fmt.Errorf("%w: more than %d MB", vector.ErrTooMuch, vector.MaxFile>>20)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, true, err
	}
	pic, err = kind.read(f, fonts)
	return pic, true, err
}

// vectorDepth is how many bytes a pixel takes while outlines are drawn: a surface and masks beside the picture.
const vectorDepth = 8

// probeVector tells whether a file has outlines that can be read here.
func probeVector(path string, fonts *text.Book) (Info, bool, error) {
	pic, known, err := readVector(path, fonts)
	if err != nil || !known {
		return Info{}, known, err
	}
	w, h := pic.Pixels()
	if w > ffmpeg.MaxPixels/h {
		return Info{}, true, tooLarge(w, h)
	}
	return Info{Width: w, Height: h, Still: true, Video: true, Alpha: true, Outlines: true, Lacks: strings.Join(pic.Lacks, ", "), Inks: pic.Inks, Fonts: pic.Fonts}, true, nil
}

// outlines is the picture of a file of outlines, which the library keeps.
func (s *still) outlines(ctx context.Context) (*vector.Picture, error) {
	if pic := s.lib.outlines(picture{s, outlinesKey, 0}); pic != nil {
		return pic, nil
	}
	var pic *vector.Picture
	err := s.lib.decode(ctx, s.cost(), func() (err error) {
		var known bool
		if pic, known, err = readVector(s.path, s.lib.fonts.Load()); err == nil && !known {
			err = errChanged
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.lib.putOutlines(picture{s, outlinesKey, 0}, pic)
	return pic, nil
}

// decodeOutlines draws a file of outlines at its natural size.
func (s *still) decodeOutlines(ctx context.Context) (*raster.Image, error) {
	pic, known, err := readVector(s.path, s.lib.fonts.Load())
	switch {
	case err != nil:
		return nil, err
	case !known:
		return nil, errChanged
	}
	img := image.NewRGBA(image.Rect(0, 0, s.info.Width, s.info.Height))
	if err := pic.Draw(ctx, img, geom.Identity); err != nil {
		return nil, err
	}
	if s.in.IgnoreAlpha || s.in.InvertAlpha {
		return reinterpreted(img, s.in), nil
	}
	return img, nil
}

// reinterpreted is a drawn picture with another meaning of its transparency.
func reinterpreted(img *raster.Image, in Interpretation) *raster.Image {
	straight := bytes.Clone(img.Pix)
	for i := 0; i+3 < len(straight); i += 4 {
		if a := uint32(straight[i+3]); a > 0 && a < 255 {
			for c := i; c < i+3; c++ {
				straight[c] = uint8(min(255, (uint32(straight[c])*255+a/2)/a))
			}
		}
	}
	in.Premultiplied = false
	return interpret(straight, img.Rect.Dx(), img.Rect.Dy(), true, in)
}

// Sharp draws what a file of outlines shows, mapped by m from its natural size in pixels, over a transparent dst: as sharp as dst is.
func (s *Source) Sharp(ctx context.Context, dst *raster.Image, m geom.Matrix) error {
	of := s.reader
	if l, ok := of.(lent); ok {
		of = l.reader
	}
	one, ok := of.(*still)
	if !ok || !one.stream.outlines {
		return fmt.Errorf("%w: it has no outlines", errChanged)
	}
	pic, err := one.outlines(ctx)
	if err == nil {
		err = pic.Draw(ctx, dst, m)
	}
	if err != nil {
		return unreadable(one.path, err)
	}
	return nil
}
