package encode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/engine/raster"
)

// Spec says what is written.
type Spec struct {
	Template      Template
	Name          Name
	Width, Height int
	RateNum       int64 // frames per second as an exact fraction
	RateDen       int64
	Audio         string // path of a WAV file to go with a film, "" for none
	Shown         int    // number that the composition's first frame is written with; files of frames count from 0
}

// Writer takes frames in their order. It is used by one goroutine at a time. After an error only Abort is left.
type Writer interface {
	// Write takes frame number with its picture, premultiplied, which is the caller's again when Write returns.
	Write(number int, img *raster.Image) error
	// Close waits until everything is written whole under its own name, and gives the files.
	Close() ([]string, error)
	// Abort ends everything and leaves no half files behind. It does nothing after Close.
	Abort()
}

// Open starts writing. The context ends it, as Abort does; one of Close and Abort must follow.
func Open(ctx context.Context, s Spec) (Writer, error) {
	if s.Width <= 0 || s.Height <= 0 {
		return nil, fmt.Errorf("writing '%s': frames of %d x %d pixels can't be written", filepath.Base(s.Name.Path), s.Width, s.Height)
	}
	if info, err := os.Stat(filepath.Dir(s.Name.Path)); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("writing '%s': the folder '%s' does not exist", filepath.Base(s.Name.Path), filepath.Dir(s.Name.Path))
	}
	switch {
	case s.Template.Film:
		return openFilm(ctx, s)
	case s.Template.Frames:
		return openStore(ctx, s)
	case s.Template.Sound:
		return nil, fmt.Errorf("writing '%s': it holds sound alone", filepath.Base(s.Name.Path))
	}
	return openPictures(ctx, s), nil
}
