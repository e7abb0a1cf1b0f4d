// Package footage reads stills, films and numbered pictures as frames of pixels.
//
// Common stills are decoded here; ffmpeg decodes everything else. Files are untrusted: nothing in them can make another
// file or an address be read, and their size is checked before memory is allocated.
package footage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// Info describes a file.
type Info struct {
	Width, Height int     // pixels, 0 without pictures
	Duration      float64 // seconds, 0 for stills
	FrameRate     float64
	Still         bool
	Video, Audio  bool
	Channels      int      // of the first sound in the file; 0 without sound
	Alpha         bool     // the pictures may be transparent
	Outlines      bool     // the picture is made of outlines, which Source.Sharp draws at any size
	Lacks         string   // what of it is not drawn, "" for nothing
	Styled        bool     // a layer of a Photoshop file has styles, which are not drawn
	Ranged        bool     // a layer of a Photoshop file blends only where values lie in a range, which is not drawn
	Inks          bool     // its colours are those of inks, which are converted without a profile
	Patterned     bool     // a layer of a Photoshop file has styles with a pattern that is read, the Pattern of its Source
	Fonts         []string // that the text of a picture of outlines asks for
}

// Interpretation is how a project interprets the pictures of a file.
type Interpretation struct {
	Premultiplied bool     // the colours are already multiplied by the alpha channel
	InvertAlpha   bool     // 0 is opaque
	IgnoreAlpha   bool     // the pictures are opaque, whatever their alpha channel says
	Matte         [3]uint8 // the colour that premultiplied pictures lie on, RGB
	Fields        Fields
	Sequence      bool    // the file is one of a sequence of numbered pictures
	FrameRate     float64 // frames per second: of a sequence, 0 for 30; of a film, its own rate or the one it is conformed to
	Layer         PhotoshopLayer
}

// errChanged is the error of a file that has another format than before.
var errChanged = errors.New("it has changed since the render began")

// Probe reads the format of a file.
func Probe(ctx context.Context, path string) (Info, error) { return ProbeWith(ctx, path, nil) }

// ProbeWith reads the format of a file whose text, if it has any that is drawn, is set with fonts.
func ProbeWith(ctx context.Context, path string, fonts *text.Book) (Info, error) {
	info, _, err := probe(ctx, path, fonts)
	return info, err
}

// Source returns the frames of one file. It is safe for concurrent use; its frames must not be written to.
type Source struct {
	Info Info
	// Pattern is the tile that the styles of a layer of a Photoshop file lay over it; nil for others.
	Pattern *raster.Image
	reader  reader
}

// reader is the implementation of a Source.
type reader interface {
	// frame is frame n, halved in size so many times; no frame will be asked for that is halved less often than always.
	frame(ctx context.Context, n, halvings, always int) (*raster.Image, error)
	// rest drops what can be read again; false when the reader is in use.
	rest() bool
	close() error
}

// Open prepares a file for reading as it is, with its own library.
func Open(ctx context.Context, path string) (*Source, error) {
	return OpenAs(ctx, path, Interpretation{})
}

// OpenAs prepares a file for reading with an interpretation, with its own library.
func OpenAs(ctx context.Context, path string, in Interpretation) (*Source, error) {
	return NewLibrary(DefaultBudget).OpenAs(ctx, path, in)
}

// OpenAs prepares a file for reading with an interpretation.
func (l *Library) OpenAs(ctx context.Context, path string, in Interpretation) (*Source, error) {
	if in.Sequence {
		return l.openSequence(ctx, path, in)
	}
	info, st, err := probe(ctx, path, l.fonts.Load())
	if err != nil {
		return nil, err
	}
	var pattern *raster.Image
	if st.layered && in.Layer.Name != "" {
		if info, pattern, err = in.Layer.sized(path, info); err != nil {
			return nil, err
		}
	}
	switch {
	case !info.Video:
		return &Source{Info: info, reader: silent{path}}, nil
	case info.Still:
		info.Outlines = info.Outlines && !in.IgnoreAlpha && !in.InvertAlpha
		return &Source{Info: info, Pattern: pattern, reader: &still{lib: l, path: path, in: in, stream: st, info: info}}, nil
	}
	reader := newFilm(l, path, info, st, in)
	if conforms(in.FrameRate, info, st) {
		info.Duration *= info.FrameRate / in.FrameRate
		info.FrameRate = in.FrameRate
	}
	if in.Fields != NoFields {
		return fielded(l, info, reader, in.Fields), nil
	}
	return &Source{Info: info, reader: reader}, nil
}

// conforms says whether a film is set to play at another rate than its own. For films with a variable rate, projects
// store rates that differ from the measured one without meaning anything, so this counts only films with a constant
// rate.
func conforms(rate float64, info Info, st stream) bool {
	if rate <= 0 || info.FrameRate <= 0 || !st.steady {
		return false
	}
	return math.Abs(rate/info.FrameRate-1) > 0.01
}

// Frame is the picture at t seconds, clamped to the file; reading forwards is cheap.
func (s *Source) Frame(ctx context.Context, t float64) (*raster.Image, error) {
	return s.Halved(ctx, t, 0, 0)
}

// Halved is Frame with its width and height halved so many times. Of a still only the halved picture is kept. Of a film whose pictures are wanted
// halved so often always, they come so from its decoder; that rounds them differently, so always must not differ where pictures must be the same.
func (s *Source) Halved(ctx context.Context, t float64, times, always int) (*raster.Image, error) {
	n := 0
	if !s.Info.Still && s.Info.FrameRate > 0 {
		// A composition's times are rounded, so a frame starts slightly before its time.
		n = int(math.Floor(t*s.Info.FrameRate + 0.01))
		n = max(0, min(n, s.frames()-1))
	}
	return s.reader.frame(ctx, n, times, always)
}

func (s *Source) frames() int {
	return max(1, int(math.Round(s.Info.Duration*s.Info.FrameRate)))
}

// Rest ends the processes and drops the pictures of the source until the next picture is asked for.
func (s *Source) Rest() { s.reader.rest() }

// halve halves the size of a picture so many times.
func halve(img *raster.Image, times int) *raster.Image {
	for range times {
		img = raster.Halve(img)
	}
	return img
}

// Close ends the processes of the source.
func (s *Source) Close() error { return s.reader.close() }

// Lent is the same source for whoever closes what it gets: closing it leaves s open.
func (s *Source) Lent() *Source {
	return &Source{Info: s.Info, Pattern: s.Pattern, reader: lent{s.reader}}
}

// lent is a reader that somebody else closes.
type lent struct{ reader }

func (lent) close() error { return nil }

// silent is the reader of a file without pictures.
type silent struct{ path string }

func (s silent) frame(context.Context, int, int, int) (*raster.Image, error) {
	return nil, unreadable(s.path, errors.New("it has no pictures"))
}

func (silent) rest() bool { return true }

func (silent) close() error { return nil }

// unreadable wraps why a file cannot be used. It shows only the file's name, since its folders are the farm's own.
func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("it does not exist")
	case errors.Is(err, fs.ErrPermission):
		err = errors.New("reading it is not permitted")
	case strings.Contains(err.Error(), filepath.Dir(path)):
		abs, _ := filepath.Abs(path)
		err = errors.New(strings.NewReplacer("file:"+abs+": ", "", abs+": ", "").Replace(err.Error()))
	}
	return fmt.Errorf("'%s' can't be read: %w", filepath.Base(path), err)
}

// regular refuses anything but a regular file, such as a pipe that would never end.
func regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return errors.New("it is empty")
	}
	return nil
}
