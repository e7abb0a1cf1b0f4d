package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"overcrank/aep"
	"overcrank/engine/footage"
)

// use is a file that a composition needs, and a layer that shows or sounds it.
type use struct {
	item  *aep.Item
	layer *aep.Layer
	comp  *aep.Item
}

// uses lists the files behind the layers of comp that are seen or heard, nested compositions included, each once.
func uses(p *aep.Project, comp *aep.Item) []use {
	var out []use
	seen := map[uint32]bool{}
	var walk func(*aep.Item)
	walk = func(c *aep.Item) {
		if seen[c.ID] {
			return
		}
		seen[c.ID] = true
		solo := slices.ContainsFunc(c.Comp.Layers, func(l *aep.Layer) bool { return l.Solo })
		for _, l := range c.Comp.Layers {
			it := p.Item(l.Source)
			if it == nil || solo && !l.Solo && !isMatte(c.Comp, l) {
				continue
			}
			switch {
			case it.Comp != nil && (l.Enabled || l.AudioEnabled || isMatte(c.Comp, l)):
				walk(it)
			case it.Footage != nil && it.Footage.Kind == aep.FootageFile && !seen[it.ID] && perceived(c.Comp, l, it.Footage):
				seen[it.ID] = true
				out = append(out, use{it, l, c})
			}
		}
	}
	walk(comp)
	return out
}

func perceived(c *aep.Composition, l *aep.Layer, f *aep.Footage) bool {
	pictures := f.HasVideo || f.Width > 0
	return pictures && (l.Enabled || isMatte(c, l)) || f.HasAudio && l.AudioEnabled
}

// isMatte says whether a layer, though its eye is closed, shapes another.
func isMatte(c *aep.Composition, l *aep.Layer) bool {
	for i, other := range c.Layers {
		if other.Matte == aep.MatteNone || !other.Enabled {
			continue
		}
		if other.MatteLayer == l.ID && l.ID != 0 || other.MatteLayer == 0 && i > 0 && c.Layers[i-1] == l {
			return true
		}
	}
	return false
}

// sources opens the files of a render, those of its composition before it begins.
type sources struct {
	uses    []use
	library *footage.Library

	mu     sync.Mutex
	opened map[uint32]*footage.Source
}

func newSources(p *aep.Project, comp *aep.Item, budget int64) *sources {
	return &sources{uses: uses(p, comp), library: footage.NewLibrary(budget), opened: map[uint32]*footage.Source{}}
}

var errMissing = errors.New("the file is missing")

// open opens the file of an item.
func (s *sources) open(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	s.mu.Lock()
	src := s.opened[it.ID]
	delete(s.opened, it.ID) // who asks closes it
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

// close closes what was opened and not asked for.
func (s *sources) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, src := range s.opened {
		_ = src.Close() // it has only been read
		delete(s.opened, id)
	}
}

// checkFootage opens every file that the composition uses. One that is missing or can't be read ends the render, unless
// it may go on: then it is said, and the file is left out.
func (j *job) checkFootage(ctx context.Context) error {
	for _, u := range j.sources.uses {
		src, err := j.sources.open(ctx, u.item)
		if err == nil {
			j.sources.mu.Lock()
			j.sources.opened[u.item.ID] = src
			j.sources.mu.Unlock()
			continue
		}
		if ctx.Err() != nil {
			j.sources.close()
			return err
		}
		where := fmt.Sprintf("used by layer '%s' in composition '%s'", j.project.DisplayName(u.layer), u.comp.Name)
		name := u.item.Footage.File.Base()
		if name == "" {
			name = u.item.Name
		}
		message := fmt.Sprintf("missing footage '%s', %s", name, where)
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
