package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/footage"
	"overcrank/engine/scene"
)

// sources opens the files of a render. Those of its composition are opened before it begins.
type sources struct {
	uses []aep.Use
	read opener

	mu       sync.Mutex
	opened   map[uint32]*footage.Source
	channels map[string]int // of the sound of each file that was opened, by its path
}

// opener opens a file.
type opener func(ctx context.Context, path string, in footage.Interpretation) (*footage.Source, error)

func newSources(p *aep.Project, comp *aep.Item, read opener) *sources {
	return &sources{uses: p.Uses(comp), read: read, opened: map[uint32]*footage.Source{}, channels: map[string]int{}}
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
	src, err := s.read(ctx, f.File.Resolved, interpretation(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errMissing
	}
	if err == nil && src.Info.Channels > 0 {
		s.mu.Lock()
		s.channels[f.File.Resolved] = src.Info.Channels
		s.mu.Unlock()
	}
	return src, err
}

// tellChannels puts down how many channels the file of a sound has, so that it is not asked for them again.
func (s *sources) tellChannels(c *audio.Clip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ; c != nil; c = c.Of {
		c.Channels = s.channels[c.Path]
	}
}

// keep holds a file that is open until it is asked for.
func (s *sources) keep(it *aep.Item, src *footage.Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened[it.ID] = src
}

// all opens the files of the composition, several at a time, since most are looked at by a program that takes long to start, and keeps them. The
// results are in the order of uses.
func (s *sources) all(ctx context.Context) []opening {
	files, next := make([]opening, len(s.uses)), atomic.Int64{}
	var work sync.WaitGroup
	for range min(len(files), max(2, runtime.GOMAXPROCS(0))) {
		work.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				files[i].src, files[i].err = s.open(ctx, s.uses[i].Item)
				if files[i].err == nil {
					s.keep(s.uses[i].Item, files[i].src)
				}
			}
		})
	}
	work.Wait()
	return files
}

// opening is what came of opening a file.
type opening struct {
	src *footage.Source
	err error
}

// interpretation is how a project interprets a file.
func interpretation(f *aep.Footage) footage.Interpretation {
	return footage.Interpretation{
		Premultiplied: f.Premultiplied, InvertAlpha: f.InvertAlpha, Sequence: f.Sequence, FrameRate: f.FrameRate,
		IgnoreAlpha: f.IgnoreAlpha, Matte: f.Matte, Fields: footage.Fields(f.Fields),
		Layer: footage.PhotoshopLayer{Name: f.Layer, Number: f.LayerNumber, Width: f.Width, Height: f.Height},
	}
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
	for i, file := range j.sources.all(ctx) {
		u, src, err := j.sources.uses[i], file.src, file.err
		if err == nil {
			for _, lack := range scene.FileLacks(u, src.Info) {
				j.out.warning(fmt.Sprintf("layer '%s' in composition '%s': %s is not drawn by the embedded engine",
					j.project.DisplayName(u.Layer), u.Comp.Name, lack.What))
			}
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
		if j.barred(u.Item) {
			j.out.warning(message + ": colour bars are drawn in its place")
			continue
		}
		j.out.warning(message + ": it is left out")
	}
	return nil
}

// barred tells whether colour bars are drawn for an item that is missing, as After Effects does.
func (j *job) barred(it *aep.Item) bool {
	return j.flags.bars && it.Footage != nil && it.Footage.Width > 0 && it.Footage.Height > 0
}

// picture opens the file of an item; in the place of one that cannot be read there may be colour bars.
func (j *job) picture(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	src, err := j.sources.open(ctx, it)
	if err != nil && ctx.Err() == nil && j.barred(it) {
		return footage.Bars(it.Footage.Width, it.Footage.Height), nil
	}
	return src, err
}

// kept opens each file once, and keeps it open for scenes that follow.
type kept struct {
	library *footage.Library

	mu     sync.Mutex
	opened map[keptFile]*footage.Source
}

type keptFile struct {
	path string
	as   footage.Interpretation
}

func newKept(budget int64) *kept {
	return &kept{library: footage.NewLibrary(budget), opened: map[keptFile]*footage.Source{}}
}

// open is an opener.
func (k *kept) open(ctx context.Context, path string, in footage.Interpretation) (*footage.Source, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	file := keptFile{path, in}
	src := k.opened[file]
	if src == nil {
		var err error
		if src, err = k.library.OpenAs(ctx, path, in); err != nil {
			return nil, err
		}
		k.opened[file] = src
	}
	return src.Lent(), nil
}

func (k *kept) close() (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for file, src := range k.opened {
		err = errors.Join(err, src.Close())
		delete(k.opened, file)
	}
	return err
}
