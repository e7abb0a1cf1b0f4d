package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/raftstore"
)

const (
	readAgainAfter    = 30 * time.Second // a template whose reading could not be kept, or for which there was no room
	maxUsed           = 2000             // names and fonts of a template that its record lists; the introspection has them all
	maxMissingFootage = 100              // files that a template's record says are missing
	crashesAgain      = 2                // how often a template at which the reader ended is tried again: the machine may have been short of memory
)

// reading reads the files of templates that have come, and fetches those that a src names. What is left to do stands in
// the state, so it goes on after a restart. Teams take turns, and none has all of the turns.
type reading struct {
	c       *Coordinator
	scratch string
	work    chan struct{}
	short   inbound.Seldom

	mu      sync.Mutex
	turns   map[turnKind]*turns
	under   map[string]bool      // templates in a reader's hands
	later   map[string]time.Time // templates that are not to be tried before
	held    map[string]string    // why a template of later waits, in words; "" for what only the log tells
	crashes map[string]int       // by template
}

func newReading(c *Coordinator) *reading {
	return &reading{
		c: c, scratch: filepath.Join(c.cfg.DataDir, "scratch"), work: make(chan struct{}, 1),
		turns: map[turnKind]*turns{turnRead: newTurns(readers, readersOfTeam), turnFetch: newTurns(fetchers, fetchersOfTeam)},
		under: map[string]bool{}, later: map[string]time.Time{}, held: map[string]string{}, crashes: map[string]int{},
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
		for _, t := range r.next() {
			pool.Go(func() { r.take(ctx, t) })
		}
	}
}

// next is the templates whose turn it is, marked as being read.
func (r *reading) next() []farm.Template {
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
	unread, now := map[string]bool{}, time.Now()
	waiting := map[turnKind][]farm.Template{}
	for _, t := range list {
		unread[t.ID] = true
		if !r.under[t.ID] && !now.Before(r.later[t.ID]) {
			kind := turnOf(t)
			waiting[kind] = append(waiting[kind], t)
		}
	}
	gone := func(id string) bool { return !unread[id] }
	maps.DeleteFunc(r.later, func(id string, _ time.Time) bool { return gone(id) })
	maps.DeleteFunc(r.held, func(id, _ string) bool { return gone(id) })
	maps.DeleteFunc(r.crashes, func(id string, _ int) bool { return gone(id) })
	var chosen []farm.Template
	for kind, list := range waiting {
		chosen = append(chosen, r.turns[kind].choose(list)...)
	}
	for _, t := range chosen {
		r.under[t.ID] = true
	}
	return chosen
}

// take sees one template through.
func (r *reading) take(ctx context.Context, t farm.Template) {
	err := r.see(ctx, t)
	var room *reader.Room
	why := ""
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.As(err, &room), errors.Is(err, files.ErrFull):
		why = "It waits until there is room for it on the disk of the coordinator. Free some there, or delete the template."
		if room != nil && room.Need > 0 {
			why = fmt.Sprintf("It waits until there is room for it on the disk of the coordinator: it unpacks to %s. Free some there, or delete the template.", sizeText(room.Need))
		}
		r.short.Warn(r.c.log, "a template waits until there is room for it on the disk; free some, or delete the template", "template", t.ID, "error", err)
	default:
		r.c.log.Error("reading a template", "template", t.ID, "error", err)
	}
	r.mu.Lock()
	delete(r.under, t.ID)
	if r.held[t.ID] = why; err != nil {
		r.later[t.ID] = time.Now().Add(readAgainAfter)
	}
	r.turns[turnOf(t)].end(t.Team)
	r.mu.Unlock()
	r.wake() // it is the next one's turn, and what came of this one may have to be read in turn
}

func (r *reading) see(ctx context.Context, t farm.Template) error {
	if t.Status == farm.TemplateDownloading {
		return r.download(ctx, t)
	}
	if t.File == nil {
		return fmt.Errorf("template %s is %s without a file", t.ID, t.Status)
	}
	cmd := raftstore.FinishTemplate{ID: t.ID, FileSHA256: t.File.SHA256}
	told, err := r.introspect(ctx, t)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = r.describe(ctx, &cmd, told)
	}
	if err != nil {
		if cmd.Error = r.readingError(t.ID, err); cmd.Error == "" {
			return err // it says nothing of the file, which is read again
		}
		r.c.log.Info("a template could not be read", "template", t.ID, "error", err)
	}
	cmd.MatchFonts = true
	return r.finish(ctx, t, cmd)
}

func (r *reading) finish(ctx context.Context, t farm.Template, cmd raftstore.FinishTemplate) error {
	cmd.At = r.c.cfg.Now()
	_, err := r.c.state.Apply(ctx, cmd)
	if farm.CodeOf(err) == farm.CodeConflict || farm.CodeOf(err) == farm.CodeNotFound {
		return nil // another file came meanwhile, or the template went
	}
	return err
}

// introspect reads the template's file.
func (r *reading) introspect(ctx context.Context, t farm.Template) (*reader.Result, error) {
	key, err := files.BlobKey(t.File.SHA256)
	if err != nil {
		return nil, err
	}
	path, done, err := r.c.proofs.Path(ctx, files.Kept{Key: key, SHA256: t.File.SHA256, Size: t.File.Size})
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
	// What is unpacked leaves as much again as must stay free, so that others can go on sending files meanwhile.
	told, err := reader.Read(ctx, r.c.cfg.Reader, reader.Job{Path: path, Type: t.Type, Scratch: scratch, MinFree: 2 * min(r.c.cfg.MinFree, math.MaxInt64/2)}, r.c.cfg.Reading)
	if err == nil && told.Picture != nil {
		if err := r.c.keepPoster(ctx, t.File.SHA256, told.Picture); err != nil {
			r.c.log.Info("keeping a template's picture", "template", t.ID, "error", err)
		}
	}
	return told, err
}

// describe puts what was read into the command: the whole as a kept file, names and fonts beside it.
func (r *reading) describe(ctx context.Context, cmd *raftstore.FinishTemplate, told *reader.Result) error {
	var s aep.Summary
	if err := json.Unmarshal(told.Summary, &s); err != nil {
		return fmt.Errorf("%w: its answer cannot be read: %w", reader.ErrCrash, err)
	}
	text := told.Summary
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
	if r.c.store.KnowsMissingFootage() {
		missing := s.MissingFiles()
		cmd.MissingFootage = missing[:min(len(missing), maxMissingFootage)]
	}
	// A version of its own stands behind each beta; what the release of that number reads, and what reads it, is the same.
	cmd.SavedWith, _, _ = strings.Cut(s.Version, " ")
	return nil
}

// readingError words for a producer why a file cannot be read; "" when that is not the file's fault, and it is to be tried again.
func (r *reading) readingError(id string, err error) string {
	var refusal *aep.Refusal
	var room *reader.Room
	bounds := r.c.cfg.Reading
	switch {
	case errors.As(err, &refusal):
		return refusal.Message
	case errors.As(err, &room) && room.Need > room.Size && room.Size > 0:
		return fmt.Sprintf("This archive unpacks to %s, more than this farm's disk could ever hold. Leave out footage that is not used.", sizeText(room.Need))
	case errors.Is(err, reader.ErrMemory):
		return fmt.Sprintf("Reading this project takes more than %s of memory (--reading-memory). Reduce it in After Effects, or have the limit raised.", sizeText(bounds.Memory))
	case errors.Is(err, reader.ErrTime):
		return fmt.Sprintf("Reading this project takes longer than %s (--reading-time). Reduce it in After Effects, or have the limit raised.", bounds.Within)
	case errors.Is(err, reader.ErrLarge):
		return "This project describes more compositions and layers than the farm keeps of one template. Reduce it in After Effects."
	case errors.Is(err, files.ErrNotFound):
		return "The uploaded file is no longer kept. Upload it again."
	case errors.Is(err, files.ErrDamaged):
		return "The uploaded file is damaged in the farm's storage. Upload it again."
	case errors.Is(err, reader.ErrCrash):
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.crashes[id]++; r.crashes[id] > crashesAgain {
			return "This project could not be read. Please report it with the file; the coordinator's log has the details."
		}
	}
	return ""
}

// sizeText is a number of bytes for people.
func sizeText(n int64) string {
	const mega, giga = 1 << 20, 1 << 30
	if n >= giga {
		return fmt.Sprintf("%.1f GiB", float64(n)/giga)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/mega)
}
