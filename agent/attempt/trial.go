package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// Trial renders a project that write writes with one engine, through the stages that leases go through, and checks the result. Nothing of it
// leaves the machine or stays there. progress hears a percentage. picture is a small JPEG of the first frame; nil from an engine that makes none.
func Trial(ctx context.Context, m *Machine, lease wire.Lease, engine farm.EngineInfo, write func(io.Writer) error, progress func(percent float64)) (picture []byte, err error) {
	f := NewFeed(lease, func() {})
	f.wake = func() { progress(f.Work().Progress) }
	t := newAttempt(m, lease, f, slog.New(slog.DiscardHandler))
	defer t.removeFolder()
	err = t.safely(func() error {
		if err := t.makeFolders(); err != nil {
			return err
		}
		path := filepath.Join(t.dir, "in", "project")
		out, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("writing the trial's project: %w", err)
		}
		if err := errors.Join(write(out), out.Close()); err != nil {
			return fmt.Errorf("writing the trial's project: %w", err)
		}
		s, err := layout{t}.scene(ctx, engine, fetched{project: fetchedFile{path: path, name: "trial.aep"}})
		if err != nil {
			return err
		}
		p := planOf(lease, s)
		if _, err = t.render(ctx, s, p); err != nil {
			return err
		}
		picture, err = os.ReadFile(t.thumbnailOf(p.first))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	var known *failure
	if errors.As(err, &known) {
		return nil, known
	}
	return picture, err
}
