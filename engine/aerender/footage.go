package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"overcrank/aep"
	"overcrank/engine/footage"
)

// sources opens the files of a render. Those of its composition are opened before it begins.
type sources struct {
	uses    []aep.Use
	library *footage.Library

	mu     sync.Mutex
	opened map[uint32]*footage.Source
}

func newSources(p *aep.Project, comp *aep.Item, budget int64) *sources {
	return &sources{uses: p.Uses(comp), library: footage.NewLibrary(budget), opened: map[uint32]*footage.Source{}}
}

var errMissing = errors.New("the file is missing")

// open opens the file of an item.
func (s *sources) open(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	s.mu.Lock()
	src := s.opened[it.ID]
	delete(s.opened, it.ID) // the caller closes it
	s.mu.Unlock()
	if src != nil {
		return src, nil
	}
	f := it.Footage
	if f == nil || f.File.Resolved == "" {
		return nil, errMissing
	}
	src, err := s.library.OpenAs(ctx, f.File.Resolved, footage.Interpretation{
		Premultiplied: f.Premultiplied, InvertAlpha: f.InvertAlpha, Sequence: f.Sequence, FrameRate: f.FrameRate,
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil, errMissing
	}
	return src, err
}

// close closes the files that were opened but not asked for.
func (s *sources) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, src := range s.opened {
		_ = src.Close() // nothing was written to it
		delete(s.opened, id)
	}
}

// checkFootage opens every file that the composition uses. A missing or unreadable file ends the render, unless missing
// footage may be skipped: then it is a warning, and the file is left out.
func (j *job) checkFootage(ctx context.Context) error {
	for _, u := range j.sources.uses {
		src, err := j.sources.open(ctx, u.Item)
		if err == nil {
			j.sources.mu.Lock()
			j.sources.opened[u.Item.ID] = src
			j.sources.mu.Unlock()
			continue
		}
		if ctx.Err() != nil {
			j.sources.close()
			return err
		}
		where := fmt.Sprintf("used by layer '%s' in composition '%s'", j.project.DisplayName(u.Layer), u.Comp.Name)
		message := fmt.Sprintf("missing footage '%s', %s", u.Item.FileName(), where)
		if !errors.Is(err, errMissing) {
			message = fmt.Sprintf("%v; it is %s", err, where)
		}
		if !j.flags.skipMissing {
			j.sources.close()
			return fail(exitRuntime, "Could not read from source: %s.", message)
		}
		j.out.warning(message + ": it is left out")
	}
	return nil
}
