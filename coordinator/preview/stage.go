package preview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/names"
)

// stage is a template that is kept open by a process. The room counts who holds it; one at a time has its turn.
type stage struct {
	room     *Room
	key      string
	template farm.Template
	fonts    []farm.FileRef

	held int       // the room's
	used time.Time // the room's: when it was held last

	turn chan struct{} // whoever has put something into it may use what follows
	proc *process      // nil before the first frame, and after the process has ended
	dir  string        // of the process
	size int64         // of the kept files in it, in bytes
	done func()        // lets go of the template's file
}

func newStage(r *Room, key string, t farm.Template, fonts []farm.FileRef) *stage {
	return &stage{room: r, key: key, template: t, fonts: fonts, turn: make(chan struct{}, 1)}
}

// draw draws a frame, and calls done once the stage may be used for another; that may be after the caller has left.
func (s *stage) draw(ctx context.Context, shot Shot, done func()) (Picture, error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		done()
		return Picture{}, ctx.Err()
	}
	type drawn struct {
		picture Picture
		err     error
	}
	came := make(chan drawn, 1)
	s.room.work.Go(func() {
		p, err := s.ask(ctx, shot)
		<-s.turn
		done()
		came <- drawn{p, err}
	})
	select {
	case d := <-came:
		return d.picture, d.err
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	}
}

// ask asks the process for a frame. One that is not there is started first, whether somebody still waits or not: what is typed next finds
// it warm. One that ended while nobody looked is started again.
func (s *stage) ask(ctx context.Context, shot Shot) (Picture, error) {
	if s.proc != nil {
		p, err := s.askNow(ctx, shot, s.room.cfg.Bounds.Draw)
		if !errors.Is(err, errGone) || ctx.Err() != nil {
			return p, err
		}
	}
	if err := s.start(); err != nil {
		return Picture{}, err
	}
	return s.askNow(ctx, shot, s.room.cfg.Bounds.Open)
}

func (s *stage) askNow(ctx context.Context, shot Shot, within time.Duration) (Picture, error) {
	shot.Files = s.files(shot.Assets)
	p, err := s.proc.ask(ctx, shot, within)
	if s.proc.ended {
		s.proc = nil
	}
	return p, err
}

// start brings the template and its fonts here, and starts the process.
func (s *stage) start() error {
	cfg := s.room.cfg
	ctx, cancel := context.WithTimeout(s.room.ctx, cfg.Bounds.Open)
	defer cancel()
	s.clear()
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of previews: %w", err)
	}
	var err error
	if s.dir, err = os.MkdirTemp(cfg.Dir, "stage-"); err != nil {
		return fmt.Errorf("making the folder of a preview: %w", err)
	}
	opening := Opening{
		Name: s.template.File.Name, Type: s.template.FileType(), Dir: s.dir, Fonts: filepath.Join(s.dir, "fonts"),
		MinFree: 2 * cfg.MinFree, MostUnpacked: mostUnpacked, Memory: cfg.Bounds.Memory,
	}
	if err := os.Mkdir(opening.Fonts, 0o700); err != nil {
		return fmt.Errorf("making the folder of a preview's fonts: %w", err)
	}
	key, err := files.BlobKey(s.template.File.SHA256)
	if err != nil {
		return err
	}
	opening.Path, s.done, err = s.room.proofs.Path(ctx, files.Kept{Key: key, SHA256: s.template.File.SHA256, Size: s.template.File.Size})
	if err != nil {
		return fmt.Errorf("bringing a template for a preview: %w", err)
	}
	for _, font := range s.fonts {
		if err := s.bring(ctx, font, filepath.Join(opening.Fonts, names.Element(font.Name, "font.ttf"))); err != nil {
			return fmt.Errorf("bringing the font %s for a preview: %w", font.Name, err)
		}
	}
	s.proc, err = startProcess(s.room.ctx, cfg.Program, opening)
	return err
}

// bring copies a file of the farm's store.
func (s *stage) bring(ctx context.Context, ref farm.FileRef, to string) error {
	key, err := files.BlobKey(ref.SHA256)
	if err != nil {
		return err
	}
	from, err := s.room.proofs.Open(ctx, files.Kept{Key: key, SHA256: ref.SHA256, Size: ref.Size})
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}

// close ends the process. Nobody holds the stage, or will.
func (s *stage) close() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.proc != nil {
		_ = s.proc.kill() // whatever it ended of, nobody asked it anything
		s.proc = nil
	}
	s.clear()
}

// clear removes what the last process had.
func (s *stage) clear() {
	if s.done != nil {
		s.done()
		s.done = nil
	}
	if s.dir == "" {
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		s.room.log.Warn("removing the folder of a preview", "error", err)
	}
	s.dir, s.size = "", 0
}
