package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// Trial renders a project that write writes with one engine, through the stages that leases go through, and checks the result. Nothing of it
// leaves the machine or stays there. progress hears a percentage.
func Trial(ctx context.Context, m *Machine, lease wire.Lease, engine farm.EngineInfo, write func(io.Writer) error, progress func(percent float64)) error {
	f := NewFeed(lease, func() {})
	f.wake = func() { progress(f.Work().Progress) }
	t := newAttempt(m, lease, f, slog.New(slog.DiscardHandler))
	defer t.removeFolder()
	err := t.safely(func() error {
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
		_, err = t.render(ctx, s, planOf(lease, s))
		return err
	})
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	return err
}
