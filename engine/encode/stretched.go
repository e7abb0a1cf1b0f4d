package encode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcrank/engine/raster"
	"overcrank/ffmpeg"
)

// Stretcher is a Writer of a film whose stretches, from one cut to the next, are encoded one by one and joined at the end. So a stretch that another
// film with the same recipe has can be placed as it is there.
type Stretcher interface {
	Former
	// Recipe is all that a stretch's film depends on but its frames and the program that encodes: stretches other than the first have a recipe of
	// their own.
	Recipe(stretch int) string
	// Place puts in an encoded stretch of so many frames, none of which is written then.
	Place(stretch int, encoded []byte, frames int) error
	// Keep has a stretch passed on once it is encoded, by another goroutine, unless it is too large. It must be called before its first frame.
	Keep(stretch int, keep func(encoded []byte))
}

// ErrOther is the error of Close when a stretch that was placed was not encoded as the others: by another build of the encoder.
var ErrOther = errors.New("a stretch of the film was encoded in another way")

const (
	// maxStretchedRate is the highest numerator of a frame rate up to which stretches are joined: ffmpeg is told in microseconds where each
	// begins, and rounds that to the next of so many parts of a second.
	maxStretchedRate = 120_000
	// MaxKept is the largest stretch that is passed on, in bytes.
	MaxKept = 64 << 20
	// headers is how much of a stretch is looked through for the encoder's headers, in bytes. They are at its beginning.
	headers = 64 << 10
)

// stretched writes each stretch into a film without sound in a folder of its own, and joins them.
type stretched struct {
	shape
	ctx    context.Context
	cancel context.CancelFunc
	dir    string
	pieces []piece
	open   *film
	at     int        // the stretch that is open, or was last
	ending chan error // of the stretch before, while its ffmpeg ends; nil when none does
	over   bool
}

// piece is a stretch.
type piece struct {
	path   string
	frames int
	placed bool
	keep   func(encoded []byte)
}

func openStretched(ctx context.Context, s Spec) (Writer, error) {
	dir, err := os.MkdirTemp(filepath.Dir(s.Name.Path), ".stretches-")
	if err != nil {
		return nil, failure(s.Name.Path, err)
	}
	w := &stretched{shape: shapeOf(s), dir: dir, pieces: make([]piece, len(s.Cuts)+1)}
	w.ctx, w.cancel = context.WithCancel(ctx)
	for i := range w.pieces {
		w.pieces[i].path = filepath.Join(dir, strconv.Itoa(i)+".mp4")
	}
	return w, nil
}

// stretch is what to write for a stretch alone.
func (w *stretched) stretch(i int) Spec {
	s := w.spec
	s.Name, s.Audio, s.Cuts = Name{Path: w.pieces[i].path}, nil, nil
	return s
}

// Recipe implements Stretcher.
func (w *stretched) Recipe(i int) string {
	return strings.Join(shapeOf(w.stretch(i)).args("", w.spec.Template.way.Stretch(i == 0)), " ")
}

// Place implements Stretcher.
func (w *stretched) Place(i int, encoded []byte, frames int) error {
	p := &w.pieces[i]
	if err := os.WriteFile(p.path, encoded, 0o600); err != nil {
		return failure(w.spec.Name.Path, err)
	}
	p.frames, p.placed = frames, true
	return nil
}

// Keep implements Stretcher.
func (w *stretched) Keep(i int, keep func(encoded []byte)) { w.pieces[i].keep = keep }

// Write implements Writer.
func (w *stretched) Write(number int, img *raster.Image) error {
	if err := w.fits(img); err != nil {
		return err
	}
	f, err := w.film(number)
	if err != nil {
		return err
	}
	return f.Write(number, img)
}

// WriteFormed implements Former.
func (w *stretched) WriteFormed(number int, formed []byte, done func()) error {
	f, err := w.film(number)
	if err != nil {
		done()
		return err
	}
	return f.WriteFormed(number, formed, done)
}

// film is the one that takes the next frame.
func (w *stretched) film(number int) (*film, error) {
	i, cut := slices.BinarySearch(w.spec.Cuts, number-w.spec.Shown)
	if cut {
		i++
	}
	p := &w.pieces[i]
	if p.placed || i < w.at {
		return nil, failure(w.spec.Name.Path, fmt.Errorf("frame %d is in a stretch that is whole", number))
	}
	if w.open == nil || i != w.at {
		if err := w.finish(); err != nil {
			return nil, err
		}
		w.open, w.at = startFilm(w.ctx, w.stretch(i), w.spec.Template.way.Stretch(i == 0)), i
	}
	p.frames++
	return w.open, nil
}

// finish lets the stretch that is open end, while the next is written. It gives the error of the one before.
func (w *stretched) finish() error {
	if err := w.wait(); err != nil || w.open == nil {
		return err
	}
	f, keep, ended := w.open, w.pieces[w.at].keep, make(chan error, 1)
	w.open, w.ending = nil, ended
	go func() {
		files, err := f.Close()
		if err == nil && keep != nil {
			passOn(files[0], keep)
		}
		ended <- err
	}()
	return nil
}

// passOn passes a stretch on. One that cannot be read will be missed when the film is joined.
func passOn(path string, keep func(encoded []byte)) {
	if info, err := os.Stat(path); err != nil || info.Size() > MaxKept {
		return
	}
	if encoded, err := os.ReadFile(path); err == nil {
		keep(encoded)
	}
}

// wait waits until the stretch that is ending has ended.
func (w *stretched) wait() error {
	if w.ending == nil {
		return nil
	}
	err := <-w.ending
	w.ending = nil
	return err
}

// Close implements Writer.
func (w *stretched) Close() ([]string, error) {
	if w.over {
		return nil, failure(w.spec.Name.Path, errors.New("it has been closed"))
	}
	defer w.Abort()
	if err := errors.Join(w.finish(), w.wait()); err != nil {
		return nil, err
	}
	if err := w.agree(); err != nil {
		return nil, failure(w.spec.Name.Path, err)
	}
	whole := part(w.spec.Name.Path)
	if err := w.join(whole); err != nil {
		_ = os.Remove(whole)
		return nil, failure(w.spec.Name.Path, err)
	}
	if err := os.Rename(whole, w.spec.Name.Path); err != nil {
		_ = os.Remove(whole)
		return nil, failure(w.spec.Name.Path, err)
	}
	return []string{w.spec.Name.Path}, nil
}

// agree compares the headers of the encoder in all stretches, of which the joined film has only the first.
func (w *stretched) agree() error {
	var first []byte
	for i, p := range w.pieces {
		if p.frames == 0 {
			return fmt.Errorf("the frames of stretch %d are missing", i+1)
		}
		header, err := headerOf(p.path)
		if err != nil {
			return err
		}
		if i == 0 {
			first = header
		} else if !bytes.Equal(header, first) {
			return ErrOther
		}
	}
	return nil
}

// headerOf is the box of an MP4 file that has the headers of H.264.
func headerOf(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read a stretch of the film: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, headers))
	if err != nil {
		return nil, fmt.Errorf("read a stretch of the film: %w", err)
	}
	at := bytes.Index(b, []byte("avcC"))
	if at < 4 {
		return nil, errors.New("a stretch of the film has no headers")
	}
	size := int(b[at-4])<<24 | int(b[at-3])<<16 | int(b[at-2])<<8 | int(b[at-1])
	if size < 8 || at-4+size > len(b) {
		return nil, errors.New("the headers of a stretch of the film are damaged")
	}
	return b[at : at-4+size], nil
}

// join writes the film of all stretches, with its sound.
func (w *stretched) join(path string) error {
	audio, err := w.spec.audio(w.ctx)
	if err != nil {
		return err
	}
	if audio == "" && muxer(extOf(w.spec.Name.Path)) == muxer(".mp4") {
		films := make([]string, len(w.pieces))
		for i, p := range w.pieces {
			films[i] = p.path
		}
		if err := joinTracks(path, films); !errors.Is(err, errUnfamiliar) {
			return err
		}
	}
	return w.joinWithSound(path, audio)
}

// joinWithSound has ffmpeg write the film, which can also encode its sound.
func (w *stretched) joinWithSound(path, audio string) error {
	list := filepath.Join(w.dir, "list")
	if err := os.WriteFile(list, []byte(w.list()), 0o600); err != nil {
		return err
	}
	s := w.spec
	args := []string{
		"-protocol_whitelist", "file,pipe", "-format_whitelist", "concat,mov", "-auto_convert", "0", "-safe", "1", "-f", "concat", "-i", "file:" + list,
	}
	if audio != "" {
		args = append(args, ffmpeg.Input(audio)...)
	}
	args = append(args, "-map", "0:v:0", "-c:v", "copy")
	if audio != "" {
		args = append(append(args, "-map", "1:a:0"), s.Template.way.Sound()...)
	}
	args = append(args, "-map_metadata", "-1", "-movflags", "+faststart", "-f", muxer(extOf(s.Name.Path)), "file:"+path)
	_, err := ffmpeg.Run(w.ctx, "ffmpeg", args...)
	return err
}

// list is the list of stretches for ffmpeg. Where each ends is rounded for itself, so that roundings do not add up.
func (w *stretched) list() string {
	var b strings.Builder
	b.WriteString("ffconcat version 1.0\n")
	frames, last := int64(0), int64(0)
	for i, p := range w.pieces {
		frames += int64(p.frames)
		end := microseconds(frames, w.spec.RateNum, w.spec.RateDen)
		fmt.Fprintf(&b, "file '%d.mp4'\nduration %d.%06d\n", i, (end-last)/1e6, (end-last)%1e6)
		last = end
	}
	return b.String()
}

// microseconds is how long so many frames last, rounded.
func microseconds(frames, num, den int64) int64 {
	whole, rest := frames*den/num, frames*den%num
	return whole*1e6 + (rest*1e6+num/2)/num
}

// Abort implements Writer.
func (w *stretched) Abort() {
	if w.over {
		return
	}
	w.over = true
	w.cancel()
	if w.open != nil {
		w.open.Abort()
	}
	_ = w.wait()            // its error is that the film was cut off, as the caller wants
	_ = os.RemoveAll(w.dir) // nothing else uses it
}
