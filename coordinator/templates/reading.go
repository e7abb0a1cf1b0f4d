package templates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reader"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// MaxListed is how many compositions, layers, fonts and effects of a template its record lists; the introspection has them all.
	MaxListed         = 2000
	maxMissingFootage = 100              // files that a template's record says are missing
	maxEachFound      = 50               // findings of the preflight of one composition, and features that it uses
	maxFound          = 500              // findings of all
	maxNeeds          = 2000             // features of all
	retryAfter        = 30 * time.Second // for a template whose reading could not be kept, or for which there was no room
	crashRetries      = 2                // for a template at which the reader's process ended: the machine may have been short of memory
)

// reading reads the files of templates, and downloads those that a src names. What is left to do stands in the state, so it goes on
// after a restart. Teams take turns, and none has all of the turns.
type reading struct {
	catalog *Catalog
	log     *slog.Logger
	work    chan struct{}
	noRoom  inbound.RareLog

	mu      sync.Mutex
	turns   map[turnKind]*turns
	inHand  map[string]bool      // by template
	later   map[string]time.Time // when to try a template again
	waiting map[string]string    // why a template is tried again, for people; "" for what only the log says
	crashes map[string]int       // by template
}

func newReading(c *Catalog) *reading {
	return &reading{
		catalog: c, log: c.log, work: make(chan struct{}, 1),
		turns:  map[turnKind]*turns{turnRead: newTurns(readers, readersOfTeam), turnDownload: newTurns(downloads, downloadsOfTeam)},
		inHand: map[string]bool{}, later: map[string]time.Time{}, waiting: map[string]string{}, crashes: map[string]int{},
	}
}

func (r *reading) wake() {
	select {
	case r.work <- struct{}{}:
	default:
	}
}

func (r *reading) run(ctx context.Context) {
	if err := os.RemoveAll(r.catalog.cfg.Scratch); err != nil {
		r.log.Warn("clearing the scratch folder", "error", err)
	}
	var pool sync.WaitGroup
	defer pool.Wait()
	again := time.NewTicker(retryAfter)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.work:
		case <-again.C:
		}
		if !r.catalog.farm.Leads() {
			continue
		}
		for _, t := range r.next() {
			pool.Go(func() { r.take(ctx, t) })
		}
	}
}

// next is the templates whose turn it is, marked as in hand.
func (r *reading) next() []farm.Template {
	var list []farm.Template
	err := r.catalog.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.UnreadTemplates()
		return err
	})
	if err != nil {
		r.log.Error("looking for templates to read", "error", err)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	unread, now := map[string]bool{}, time.Now()
	due := map[turnKind][]farm.Template{}
	for _, t := range list {
		unread[t.ID] = true
		if !r.inHand[t.ID] && !now.Before(r.later[t.ID]) {
			kind := turnOf(t)
			due[kind] = append(due[kind], t)
		}
	}
	maps.DeleteFunc(r.later, func(id string, _ time.Time) bool { return !unread[id] })
	maps.DeleteFunc(r.waiting, func(id, _ string) bool { return !unread[id] })
	maps.DeleteFunc(r.crashes, func(id string, _ int) bool { return !unread[id] })
	var chosen []farm.Template
	for kind, list := range due {
		chosen = append(chosen, r.turns[kind].choose(list)...)
	}
	for _, t := range chosen {
		r.inHand[t.ID] = true
	}
	return chosen
}

// take does what is next for one template.
func (r *reading) take(ctx context.Context, t farm.Template) {
	err := r.advance(ctx, t)
	var room *reader.Room
	why := ""
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.As(err, &room), errors.Is(err, files.ErrFull):
		unpacked := ""
		if room != nil && room.Need > 0 {
			unpacked = fmt.Sprintf(": it unpacks to %s", sizeText(room.Need))
		}
		why = "It waits until there is room for it on the disk of the coordinator" + unpacked + ". Free some there, or delete the template."
		r.noRoom.Warn(r.log, "a template waits until there is room for it on the disk; free some, or delete the template", "template", t.ID, "error", err)
	default:
		r.log.Error("reading a template", "template", t.ID, "error", err)
	}
	r.mu.Lock()
	delete(r.inHand, t.ID)
	if r.waiting[t.ID] = why; err != nil {
		r.later[t.ID] = time.Now().Add(retryAfter)
	}
	r.turns[turnOf(t)].end(t.Team)
	r.mu.Unlock()
	r.wake() // it is the next one's turn, and what was downloaded now has to be read
}

// advance downloads the file of a template, or reads it when it is there.
func (r *reading) advance(ctx context.Context, t farm.Template) error {
	if t.Status == farm.TemplateDownloading {
		return r.download(ctx, t)
	}
	if t.File == nil {
		return fmt.Errorf("template %s is %s without a file", t.ID, t.Status)
	}
	cmd := command.FinishTemplate{ID: t.ID, FileSHA256: t.File.SHA256}
	result, err := r.read(ctx, t, &cmd)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = r.describe(ctx, &cmd, result)
	}
	if err != nil {
		if cmd.Error = r.readingError(t.ID, err); cmd.Error == "" {
			return err // it says nothing of the file, which is read again
		}
		r.log.Info("a template could not be read", "template", t.ID, "error", err)
	}
	cmd.MatchFonts = true
	if err := r.finish(ctx, cmd); err != nil {
		return err
	}
	return r.catalog.state.View(func(tx *raftstore.Tx) error {
		if now, err := tx.Template(t.ID); err == nil { // one that is gone needs no picture
			r.catalog.painting.want(now)
		}
		return nil
	})
}

func (r *reading) finish(ctx context.Context, cmd command.FinishTemplate) error {
	cmd.At = r.catalog.state.Now()
	_, err := r.catalog.state.Apply(ctx, cmd)
	if farm.CodeOf(err) == farm.CodeConflict || farm.CodeOf(err) == farm.CodeNotFound {
		return nil // another file came meanwhile, or the template was deleted
	}
	return err
}

// introspect reads the template's file.
func (r *reading) introspect(ctx context.Context, t farm.Template) (*reader.Result, error) {
	cfg := r.catalog.cfg
	key, err := files.BlobKey(t.File.SHA256)
	if err != nil {
		return nil, err
	}
	path, done, err := r.catalog.proofs.Path(ctx, files.Kept{Key: key, SHA256: t.File.SHA256, Size: t.File.Size})
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.MkdirAll(cfg.Scratch, 0o700); err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	scratch, err := os.MkdirTemp(cfg.Scratch, "read-")
	if err != nil {
		return nil, fmt.Errorf("making a scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	// Unpacking leaves twice of what must stay free, so that others can go on sending files meanwhile.
	job := reader.Job{Path: path, Type: t.FileType(), Scratch: scratch, MinFree: 2 * min(cfg.MinFree, math.MaxInt64/2), Each: maxEachFound, All: maxFound, Needs: maxNeeds}
	result, err := reader.Read(ctx, cfg.Program, job, cfg.Bounds)
	if err == nil && result.Trouble != nil {
		r.log.Info("looking at what would be drawn of a template", "template", t.ID, "error", result.Trouble)
	}
	if err == nil && result.Picture != nil {
		if err := r.catalog.keepPoster(ctx, t.File.SHA256, result.Picture); err != nil {
			r.log.Info("keeping a template's picture", "template", t.ID, "error", err)
		}
	}
	return result, err
}

// describe puts what was read into the command: the whole as a kept file, names and fonts beside it.
func (r *reading) describe(ctx context.Context, cmd *command.FinishTemplate, result *reader.Result) error {
	text := result.Summary
	var s aep.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("%w: its answer cannot be read: %w", reader.ErrCrash, err)
	}
	if s.Preflight = result.Preflight; s.Preflight != nil {
		var err error
		if text, err = json.Marshal(s); err != nil {
			return fmt.Errorf("encoding an introspection: %w", err)
		}
	}
	obj, err := r.catalog.files.PutBlob(ctx, bytes.NewReader(text), files.Limits{Size: int64(len(text))})
	if err != nil {
		return fmt.Errorf("keeping an introspection: %w", err)
	}
	cmd.Introspection = &farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: "introspection.json"}
	seen := map[string]bool{}
	for _, comp := range s.Compositions {
		if len(cmd.Compositions) < MaxListed {
			cmd.Compositions = append(cmd.Compositions, comp.Name)
		}
		for _, layer := range comp.Layers {
			if !seen[layer.Name] && len(cmd.Layers) < MaxListed {
				seen[layer.Name] = true
				cmd.Layers = append(cmd.Layers, layer.Name)
			}
		}
	}
	for _, f := range s.Fonts[:min(len(s.Fonts), MaxListed)] {
		cmd.Fonts = append(cmd.Fonts, farm.FontUse{PostScript: f.PostScript})
	}
	cmd.Effects = s.Effects[:min(len(s.Effects), MaxListed)]
	if r.catalog.farm.KnowsMissingFootage() {
		missing := s.MissingFiles()
		cmd.MissingFootage = missing[:min(len(missing), maxMissingFootage)]
	}
	// A beta has a version of its own behind the number; what the release of that number reads, and what reads it, is the same.
	cmd.SavedWith, _, _ = strings.Cut(s.Version, " ")
	return nil
}

// readingError words for a producer why a file cannot be read; "" when that is not the file's fault, and it is to be tried again.
func (r *reading) readingError(id string, err error) string {
	var refusal *aep.Refusal
	var room *reader.Room
	bounds := r.catalog.cfg.Bounds
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
		if r.crashes[id]++; r.crashes[id] > crashRetries {
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
