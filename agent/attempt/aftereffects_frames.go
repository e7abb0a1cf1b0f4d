package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/frames"
	"overcrank/interval"
)

// Output modules that every After Effects has.
const (
	filmModule      = "Lossless"
	alphaFilmModule = "Lossless with Alpha"
	picturesModule  = "TIFF Sequence with Alpha"
	soundModule     = "AIFF 48kHz"
)

// rawPictures is where After Effects writes pictures.
func (e *afterEffects) rawPictures() string { return e.raw("raw_[#####].tif") }

// frames renders a range as pictures, since of a film that is not finished nothing can be read, and moves each into the file of frames as
// soon as it is whole.
func (e *afterEffects) frames(ctx context.Context, req aerender.Request, p plan) (result, error) {
	req.Output, req.OutputModule = e.rawPictures(), picturesModule
	m := &pictureMover{t: e.attempt, seat: e.seat, rate: e.scene.project.Settings.FrameRate, p: p, shown: p.start - p.first, next: p.first}
	stop := m.follow(ctx)
	req.Done = func() (bool, error) { return m.whole(ctx) }
	_, err := e.run(ctx, req)
	err = errors.Join(err, stop())
	if err != nil {
		// What is whole goes along; the machine is wanted back, so not for long.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.machine.Pace.Pictures)
		defer cancel()
		if left := errors.Join(m.move(last, true), m.close()); left != nil {
			e.log.Debug("pictures that stay behind", "error", left)
		}
		return result{}, err
	}
	e.feed.at("checking", 0, 0, 0)
	if err := errors.Join(m.finish(ctx), m.close()); err != nil {
		return result{}, err
	}
	return e.checkPart(p)
}

const (
	picturesEvery  = 500 * time.Millisecond // between looks for new pictures
	pictureLatency = 30 * time.Second       // that a picture may need on its way to the disk
)

// pictureMover moves the pictures that After Effects writes into a file of frames.
type pictureMover struct {
	t     *attempt
	seat  adobe.Seat
	p     plan
	rate  float64 // frames per second of the composition
	shown int     // number of the composition's first frame in the names
	next  int     // frame to be moved
	mu    sync.Mutex
	sizes map[int]int64 // of the pictures that are there, as they were seen last
	head  frames.Head
	file  *os.File
	out   *frames.Writer
}

// follow moves pictures as they come, until stop is called.
func (m *pictureMover) follow(ctx context.Context) (stop func() error) {
	quit, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- m.t.safely(func() error {
			tick := time.NewTicker(picturesEvery)
			defer tick.Stop()
			for {
				select {
				case <-quit:
					return nil
				case <-ctx.Done():
					return nil
				case <-tick.C:
					if err := m.move(ctx, false); err != nil {
						return err
					}
				}
			}
		})
	}()
	return func() error { close(quit); return <-ended }
}

// whole tells whether an After Effects that finished and does not end has written every picture.
func (m *pictureMover) whole(ctx context.Context) (bool, error) {
	err := m.move(ctx, true)
	m.mu.Lock()
	defer m.mu.Unlock()
	return err == nil && m.next >= m.p.first+m.p.frames, err
}

// finish moves the last pictures: After Effects may end before they are on the disk.
func (m *pictureMover) finish(ctx context.Context) error {
	for end := time.Now().Add(pictureLatency); ; {
		if err := m.move(ctx, true); err != nil {
			return err
		}
		switch {
		case m.next >= m.p.first+m.p.frames:
			return nil
		case time.Now().After(end):
			return &film.Wrong{Message: fmt.Sprintf("After Effects wrote %d pictures that can be read, %d were expected", m.next-m.p.first, m.p.frames)}
		}
		if err := interval.Wait(ctx, picturesEvery); err != nil {
			return err
		}
	}
}

// move moves the pictures that are whole, in their order. While After Effects works one counts as whole when its size stays and it
// can be read.
func (m *pictureMover) move(ctx context.Context, ended bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.sizes
	if err := m.look(); err != nil {
		return err
	}
	for {
		size := m.sizes[m.next]
		if size == 0 || !ended && before[m.next] != size {
			return nil
		}
		path, err := m.collect(m.next)
		if err != nil {
			if ended {
				return err
			}
			return nil // After Effects may still have it open
		}
		var unread *film.Wrong
		err = m.take(ctx, path)
		if errors.As(err, &unread) {
			return nil // it is not whole yet, or never will be
		}
		if err != nil {
			return err
		}
		delete(m.sizes, m.next)
		m.next++
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing a picture: %w", err)
		}
	}
}

// look notes the sizes of all pictures that wait, up to the first that is missing: however many come between two looks, each is
// known at the next.
func (m *pictureMover) look() error {
	m.sizes = make(map[int]int64, len(m.sizes))
	for frame := m.next; frame < m.p.first+m.p.frames; frame++ {
		info, err := os.Lstat(m.collected(frame))
		if errors.Is(err, os.ErrNotExist) {
			info, err = os.Lstat(filepath.Join(m.t.dir, rawFolder, m.name(frame)))
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("looking for pictures: %w", err)
		}
		m.sizes[frame] = info.Size()
	}
	return nil
}

// name is what After Effects calls the picture of a frame.
func (m *pictureMover) name(frame int) string { return fmt.Sprintf("raw_%05d.tif", frame+m.shown) }

// collected is where the picture of a frame is read.
func (m *pictureMover) collected(frame int) string {
	return filepath.Join(m.t.dir, "out", m.name(frame))
}

// collect moves the picture of a frame to where it is read, unless it is there already.
func (m *pictureMover) collect(frame int) (path string, err error) {
	path = m.collected(frame)
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}
	if err := m.seat.Collect(m.t.dir, filepath.Join(rawFolder, m.name(frame)), filepath.Join("out", m.name(frame))); err != nil {
		return "", fmt.Errorf("taking a picture: %w", err)
	}
	return path, nil
}

func (m *pictureMover) take(ctx context.Context, path string) error {
	if m.out == nil {
		if err := m.begin(ctx, path); err != nil {
			return err
		}
	}
	pix, err := film.Pixels(ctx, path, m.head)
	if err != nil {
		return err
	}
	return m.out.Write(m.next, pix)
}

// begin makes the file of frames for pictures like the first.
func (m *pictureMover) begin(ctx context.Context, first string) error {
	info, err := film.Probe(ctx, first)
	if err != nil {
		var u *film.Unreadable
		if errors.As(err, &u) {
			return &film.Wrong{Message: "a picture " + u.Error()}
		}
		return err
	}
	num, den := frames.Rate(m.rate, 0, 0)
	m.head = frames.Head{
		Engine: farm.EngineAfterEffects, Width: info.Width, Height: info.Height, Format: film.PixelsFor(info, m.p.codec), RateNum: num, RateDen: den,
	}
	path := filepath.Join(m.t.dir, "out", partName)
	if m.file, err = os.Create(path); err != nil {
		return fmt.Errorf("making the file of frames: %w", err)
	}
	if m.out, err = frames.NewWriter(m.file, m.head); err != nil {
		return err
	}
	return nil
}

// picturesWhole tells whether After Effects wrote so many pictures into a folder, each of which can be read. The check of results is
// too strict for them: it refuses pictures with tags that only After Effects knows.
func picturesWhole(ctx context.Context, dir string, want int) (bool, error) {
	written, err := durable.Find(dir, "raw_*.tif")
	if err != nil || len(written) != want {
		return false, err
	}
	for _, path := range written {
		info, err := film.Probe(ctx, path)
		if err == nil {
			_, err = film.Pixels(ctx, path, frames.Head{Width: info.Width, Height: info.Height, Format: film.PixelsFor(info, "")})
		}
		var wrong *film.Wrong
		var unread *film.Unreadable
		if errors.As(err, &wrong) || errors.As(err, &unread) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func (m *pictureMover) close() error {
	var err error
	if m.out != nil {
		err = m.out.Close()
	}
	if m.file != nil {
		err = errors.Join(err, m.file.Close())
	}
	return err
}

var templateMissing = regexp.MustCompile(`(?i)no output module template`)

// noTemplate tells whether After Effects ended since it has no output module of the name that it was given.
func noTemplate(err error) bool {
	var failed *aerender.Failure
	return errors.As(err, &failed) && templateMissing.MatchString(failed.Message)
}
