package templates

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/preview"
	"overcrank/farm"
)

// Painter draws pictures of templates.
type Painter interface {
	// Poster draws a picture of a composition as its template has it, a JPEG; seconds is the composition's length.
	Poster(ctx context.Context, t farm.Template, composition string, seconds float64) ([]byte, error)
	// Reels draws frames of compositions, see preview.Room.Reels.
	Reels(ctx context.Context, t farm.Template, scenes []preview.Scene, told func(n int, strip []byte, err error) error) error
}

const (
	paintingsDue  = 100              // templates that wait for their picture at most; others are drawn when somebody looks at them again
	paintingsKept = 10_000           // files of which is known that their picture was drawn, or cannot be
	paintingPause = 3 * time.Second  // how long whoever looks at a template waits for its picture
	paintingLimit = 90 * time.Second // for drawing one
)

// painting draws pictures of templates whose files bring none, one at a time, since what people wait for goes before. Each file is tried
// once while the coordinator runs: a project that cannot be drawn costs no more than that.
type painting struct {
	catalog *Catalog
	painter Painter
	log     *slog.Logger
	due     chan painted

	mu    sync.Mutex
	tried map[string]chan struct{} // by the hash of the template's file; closed when it is over
}

// painted is a template whose picture is drawn.
type painted struct {
	template farm.Template
	over     chan struct{}
}

func newPainting(c *Catalog, painter Painter) *painting {
	return &painting{catalog: c, painter: painter, log: c.log, due: make(chan painted, paintingsDue), tried: map[string]chan struct{}{}}
}

// want asks for the picture of a template that has been read. What it gives is closed when that was drawn, or could not be; nil means not now.
func (w *painting) want(t farm.Template) <-chan struct{} {
	if w.painter == nil || t.File == nil || t.Introspection == nil || t.Status != farm.TemplateUploaded {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if over := w.tried[t.File.SHA256]; over != nil {
		return over
	}
	p := painted{template: t, over: make(chan struct{})}
	select {
	case w.due <- p:
	default:
		return nil
	}
	if len(w.tried) >= paintingsKept {
		clear(w.tried)
	}
	w.tried[t.File.SHA256] = p.over
	return p.over
}

// await waits for a picture, for as long as people like to.
func (w *painting) await(ctx context.Context, t farm.Template) {
	over := w.want(t)
	if over == nil {
		return
	}
	timer := time.NewTimer(paintingPause)
	defer timer.Stop()
	select {
	case <-over:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (w *painting) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-w.due:
			summary, err := w.catalog.Summary(ctx, *p.template.Introspection)
			if err == nil {
				err = w.paintPoster(ctx, p.template, summary)
			}
			close(p.over)
			if summary != nil {
				err = errors.Join(err, w.paintReels(ctx, p.template, summary))
			}
			if err != nil && ctx.Err() == nil {
				w.log.Info("drawing pictures of a template", "template", p.template.ID, "error", err)
			}
		}
	}
}

// paintPoster draws the composition that the form of a new job begins with.
func (w *painting) paintPoster(ctx context.Context, t farm.Template, summary *aep.Summary) error {
	if _, err := w.catalog.files.Stat(ctx, files.PosterKey(t.File.SHA256)); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, paintingLimit)
	defer cancel()
	for _, comp := range summary.Compositions {
		if !comp.Root {
			continue
		}
		picture, err := w.painter.Poster(ctx, t, comp.Name, comp.Duration)
		if err != nil {
			return err
		}
		return w.catalog.keepPoster(ctx, t.File.SHA256, picture)
	}
	return nil
}
