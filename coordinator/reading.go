package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	readers        = 2                // template files read at once
	readWithin     = 10 * time.Minute // one file
	readAgainAfter = 30 * time.Second // a template whose reading could not be kept
	maxUsed        = 2000             // names and fonts of a template that its record lists; the introspection has them all
)

// reading reads the files of templates that have come, and fetches those that a src names. What is left to do stands in
// the state, so it goes on after a restart.
type reading struct {
	c       *Coordinator
	scratch string
	work    chan struct{}
	slots   chan struct{}

	mu    sync.Mutex
	under map[string]bool // templates in a reader's hands
}

func newReading(c *Coordinator) *reading {
	return &reading{
		c: c, scratch: filepath.Join(c.cfg.DataDir, "scratch"), under: map[string]bool{},
		work: make(chan struct{}, 1), slots: make(chan struct{}, readers),
	}
}

// wake tells that there may be something to read.
func (r *reading) wake() {
	select {
	case r.work <- struct{}{}:
	default:
	}
}

func (r *reading) run(ctx context.Context) {
	if err := os.RemoveAll(r.scratch); err != nil {
		r.c.log.Warn("clearing the scratch folder", "error", err)
	}
	var pool sync.WaitGroup
	defer pool.Wait()
	again := time.NewTicker(readAgainAfter)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.work:
		case <-again.C:
		}
		if r.c.leading() == nil {
			continue
		}
		for _, t := range r.unread() {
			pool.Go(func() { r.take(ctx, t) })
		}
	}
}

// unread is the templates that nobody reads yet, marked as being read.
func (r *reading) unread() []farm.Template {
	var list []farm.Template
	err := r.c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.UnreadTemplates()
		return err
	})
	if err != nil {
		r.c.log.Error("looking for templates to read", "error", err)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(list, func(t farm.Template) bool {
		if r.under[t.ID] {
			return true
		}
		r.under[t.ID] = true
		return false
	})
}

// take sees one template through.
func (r *reading) take(ctx context.Context, t farm.Template) {
	done := false
	defer func() {
		r.mu.Lock()
		delete(r.under, t.ID)
		r.mu.Unlock()
		if done {
			r.wake() // what came of it may have to be read in turn, and was passed over while this one was under way
		}
	}()
	select {
	case <-ctx.Done():
		return
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	}
	err := r.see(ctx, t)
	if done = err == nil; !done && ctx.Err() == nil {
		r.c.log.Error("reading a template", "template", t.ID, "error", err)
	}
}

func (r *reading) see(ctx context.Context, t farm.Template) error {
	if t.Status == farm.TemplateDownloading {
		return r.download(ctx, t)
	}
	if t.File == nil {
		return fmt.Errorf("template %s is %s without a file", t.ID, t.Status)
	}
	cmd := raftstore.FinishTemplate{ID: t.ID, FileSHA256: t.File.SHA256}
	summary, err := r.introspect(ctx, t)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, files.ErrUnreachable) {
		return err // it is read when the storage is back
	}
	if err != nil {
		r.c.log.Info("a template could not be read", "template", t.ID, "error", err)
		cmd.Error = readingError(err)
	} else if err := r.describe(ctx, &cmd, summary); err != nil {
		return err
	}
	cmd.MatchFonts = true
	return r.finish(ctx, t, cmd)
}

func (r *reading) finish(ctx context.Context, t farm.Template, cmd raftstore.FinishTemplate) error {
	cmd.At = r.c.cfg.Now()
	_, err := r.c.apply(ctx, cmd)
	if farm.CodeOf(err) == farm.CodeConflict || farm.CodeOf(err) == farm.CodeNotFound {
		return nil // another file came meanwhile, or the template went
	}
	return err
}

// introspect reads the template's file. A bug that a hostile file finds in the reader is that file's failure only.
func (r *reading) introspect(ctx context.Context, t farm.Template) (s *aep.Summary, err error) {
	defer func() {
		if p := recover(); p != nil {
			s, err = nil, fmt.Errorf("the reader panicked: %v\n%s", p, debug.Stack())
		}
	}()
	key, err := files.BlobKey(t.File.SHA256)
	if err != nil {
		return nil, err
	}
	path, done, err := r.c.files.Path(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.MkdirAll(r.scratch, 0o700); err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	scratch, err := os.MkdirTemp(r.scratch, "read-")
	if err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	if s, err = aep.Introspect(ctx, path, t.Type, scratch, aep.DefaultLimits()); err != nil || t.Type != aep.TypeMogrt {
		return s, err
	}
	if picture, err := mogrtPicture(path); err != nil {
		r.c.log.Info("looking for a template's picture", "template", t.ID, "error", err)
	} else if picture != nil {
		if err := r.c.keepPoster(ctx, t.File.SHA256, picture); err != nil {
			r.c.log.Info("keeping a template's picture", "template", t.ID, "error", err)
		}
	}
	return s, nil
}

// describe puts what was read into the command: the whole as a kept file, names and fonts beside it.
func (r *reading) describe(ctx context.Context, cmd *raftstore.FinishTemplate, s *aep.Summary) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encoding an introspection: %w", err)
	}
	obj, err := r.c.files.PutBlob(ctx, bytes.NewReader(text), files.Limits{Size: int64(len(text))})
	if err != nil {
		return fmt.Errorf("keeping an introspection: %w", err)
	}
	cmd.Introspection = &farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: "introspection.json"}
	seen := map[string]bool{}
	for _, comp := range s.Compositions {
		if len(cmd.Compositions) < maxUsed {
			cmd.Compositions = append(cmd.Compositions, comp.Name)
		}
		for _, layer := range comp.Layers {
			if !seen[layer.Name] && len(cmd.Layers) < maxUsed {
				seen[layer.Name] = true
				cmd.Layers = append(cmd.Layers, layer.Name)
			}
		}
	}
	for _, f := range s.Fonts[:min(len(s.Fonts), maxUsed)] {
		cmd.Fonts = append(cmd.Fonts, farm.FontUse{PostScript: f.PostScript})
	}
	cmd.Effects = s.Effects[:min(len(s.Effects), maxUsed)]
	// A version of its own stands behind each beta; what the release of that number reads, and what reads it, is the same.
	cmd.SavedWith, _, _ = strings.Cut(s.Version, " ")
	return nil
}

// readingError words for a producer why a file could not be read.
func readingError(err error) string {
	var refusal *aep.Refusal
	switch {
	case errors.As(err, &refusal):
		return refusal.Message
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("Reading this project took longer than %s.", readWithin)
	case errors.Is(err, files.ErrNotFound):
		return "The uploaded file is no longer kept. Upload it again."
	default:
		return "This project could not be read. Please report it with the file; the coordinator's log has the details."
	}
}
