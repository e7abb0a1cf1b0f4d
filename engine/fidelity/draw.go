package main

import (
	"context"
	"errors"
	"image"
	"math"
	"path/filepath"
	"regexp"
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/footage"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/text"
)

// drawing is a composition that is drawn frame by frame.
type drawing struct {
	project *aep.Project
	comp    *aep.Item
	fonts   *text.Book
	// background lays the composition's background behind frames.
	background bool
	lacks      []string // what was warned of, without the layers' names
}

func openProject(ctx context.Context, path, comp string, fonts *text.Book) (*drawing, error) {
	p, err := aep.Open(ctx, path, aep.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if err := aep.Resolve(ctx, p, filepath.Dir(path), aep.DefaultLimits()); err != nil {
		return nil, err
	}
	aep.Complete(p)
	p = p.Instances()
	d := &drawing{project: p, comp: p.Composition(comp), fonts: fonts}
	if d.comp == nil {
		return nil, errors.New("the project has no such composition")
	}
	return d, nil
}

func (d *drawing) frames() int {
	return int(math.Round(d.comp.Comp.Duration * d.comp.Comp.FrameRate))
}

// frame draws a frame at a scale, and notes what it lacks.
func (d *drawing) frame(ctx context.Context, n int, scale float64) (*raster.Image, error) {
	r, err := render.New(d.project, d.comp, render.Options{
		Scale: scale, Fonts: d.fonts, Workers: 1, Background: d.background, Warn: d.warned,
		Expressions: func(e *eval.Evaluator) eval.Expressions {
			return expression.New(expression.Host{Project: d.project, Eval: e, Fonts: d.fonts})
		},
		Footage: d.openFootage,
	})
	if err != nil {
		return nil, err
	}
	var out *raster.Image
	err = r.Frames(ctx, n, n, 1, func(_ int, img *raster.Image) error {
		out = image.NewRGBA(img.Rect)
		copy(out.Pix, img.Pix)
		return nil
	})
	return out, errors.Join(err, r.Close())
}

// Words of warnings that say nothing of what lacks: where, and when an expression failed for the first time.
var (
	ofWhom = regexp.MustCompile(`^.*': `)
	atTime = regexp.MustCompile(` failed at [0-9.]+ s, its value without it is used: .*$`)
)

// warned keeps a warning as words for the table.
func (d *drawing) warned(message string) {
	message = atTime.ReplaceAllString(strings.TrimSuffix(message, " is not drawn by the embedded engine"), " fails")
	d.lacks = append(d.lacks, ofWhom.ReplaceAllString(message, ""))
}

func (d *drawing) openFootage(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	if it.Footage.File.Resolved == "" {
		return nil, errors.New("the file is not among the samples")
	}
	library := footage.NewLibrary(footage.DefaultBudget)
	library.SetFonts(d.fonts)
	return library.OpenAs(ctx, it.Footage.File.Resolved, footage.Interpretation{})
}
