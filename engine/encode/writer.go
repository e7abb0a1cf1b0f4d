package encode

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/engine/raster"
)

// Spec describes what to write.
type Spec struct {
	Template      Template
	Name          Name
	Width, Height int
	RateNum       int64 // frames per second as an exact fraction
	RateDen       int64
	// Audio gives the path of a WAV file for the sound of a film, "" for none; it may be nil. It is asked for once it is needed, by another goroutine,
	// and may let that wait until the sound is mixed or ctx ends: frames are taken meanwhile.
	Audio func(ctx context.Context) (path string, err error)
	Shown int // number of the composition's first frame in file names; files of frames count from 0
	// Cuts are the frames, counted from 0 as those in files of frames are, in ascending order and after the first that is written, at which the
	// encoder of a film begins anew, where its codec allows that: so what lies between two cuts does not depend on what lies beyond them. Films of
	// the same frames with the same cuts are the same.
	Cuts []int
}

// Writer takes frames in order. One goroutine at a time may use it. After an error only Abort may be called.
type Writer interface {
	// Write takes frame number with its premultiplied picture, which the caller may change again when Write returns.
	Write(number int, img *raster.Image) error
	// Close waits until everything is written under its final name, and returns the files.
	Close() ([]string, error)
	// Abort stops writing and removes partial files. It does nothing after Close.
	Abort()
}

// Former is a Writer that can be given frames in the form in which it writes them, so that several goroutines convert them, and a frame that is
// used again is not converted again.
type Former interface {
	Writer
	// Form is that form: its name, the size of a frame in bytes, and what fills such a frame from a picture. ok is false when the writer has none.
	Form() (name string, size int, convert func(to []byte, img *raster.Image), ok bool)
	// WriteFormed is Write of a frame in that form, without a copy: nobody may change it until done is called, which is done once, also after an error.
	WriteFormed(number int, formed []byte, done func()) error
	// Picture is a frame in that form as a picture again, but for what the form has lost.
	Picture(formed []byte) *raster.Image
}

// Open starts writing. The end of ctx aborts it. Close or Abort must be called.
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
